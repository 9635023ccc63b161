import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { claim, claimsOf, companyOf, verify } from '../support/claims.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { refusesWhileRunning } from '../support/posts.ts'

describeOperation('createClaim', ({ board, status }) => {
  status(201, () => {
    test('never covers a whole top-level domain', async () => {
      const employer = await companyOf(board, { website: 'https://www.example' })
      expect((await claim(board, employer)).domain).toBe('www.example')
    })

    test('replaces the previous claim, and returns the text to publish, which depends only on the account and the domain', async () => {
      const { domain, ...employer } = await companyOf(board)
      const dns = await claim(board, employer)
      expect(dns).toMatchObject({
        ...{ employer_id: employer.id, domain, method: 'dns', state: 'pending', file: null, problem: null },
        dns_record: { name: `_job-marketplace.${domain}`, type: 'TXT' },
      })
      const file = await claim(board, employer, { method: 'file' })
      expect(file).toMatchObject({
        dns_record: null,
        file: {
          url: `https://www.${domain}/.well-known/job-marketplace.txt`,
          content: dns.dns_record.value,
        },
      })
      expect((await claim(board, employer)).dns_record).toEqual(dns.dns_record)
      const gone = await board.post(`${claimsOf(employer)}/${dns.id}/verify`, employer.key, {})
      expect(gone.status).toBe(404)
      const other = await companyOf(board, { website: `https://${domain}` })
      expect((await claim(board, other)).dns_record.value).not.toBe(dns.dns_record.value)
      // The service computes the text for each request, and does not store it in the claim table.
      const rows = await board.database.read((db) => db.selectFrom('claim').selectAll().execute())
      expect(JSON.stringify(rows)).not.toContain(dns.dns_record.value.split('=')[1])
    })
  })

  status(403, () => {
    test('refuses email addresses that an operator blocked', async () => {
      const { domain, ...employer } = await companyOf(board)
      const block = { kind: 'email_domain', value: domain, reason: 'Spam' }
      expectStatus(await board.post('/v1/admin/blocks', ADMIN_KEY, block), 201)
      const body = { method: 'email', email: `hr@${domain}` }
      const answer = await board.post(claimsOf(employer), employer.key, body)
      expect([answer.status, answer.body.code]).toEqual([403, 'email_blocked'])
    })
  })

  status(409, () => {
    refusesWhileRunning(board, 'createClaim')

    test.each([
      ['a missing website', null],
      ['a free email service', 'https://gmail.com'],
      ["the board's domain", 'https://board.example/about'],
      ['a subdomain of the board', 'https://www.jobs.board.example'],
      ['a reserved IP address', 'https://192.0.2.7'],
      ['a public IPv4 address', 'https://8.8.8.8'],
      ['a public IPv6 address', 'https://[2606:4700::1111]'],
      ['a local name', 'http://localhost'],
    ])('refuses %s', async (_, website) => {
      const employer = await companyOf(board, { website })
      const answer = await board.post(claimsOf(employer), employer.key, { method: 'dns' })
      expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
    })

    test.each(['https://www.job-site.example', 'https://job-site.example', 'https://shop.job-site.example'])(
      'refuses %s if the board is at www.job-site.example',
      async (website) => {
        const employer = await companyOf(board, { website })
        await board.restart({ PUBLIC_BASE_URL: 'https://www.job-site.example' })
        const answer = await board.post(claimsOf(employer), employer.key, { method: 'dns' })
        await board.restart()
        expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
      },
    )

    test('refuses a domain that another employer has verified', async () => {
      const first = await companyOf(board)
      const made = await claim(board, first)
      board.network = { texts: async () => [made.dns_record.value] }
      await board.restart()
      expect((await verify(board, first, made.id)).state).toBe('verified')
      const second = await companyOf(board, { website: `http://${first.domain}` })
      const answer = await board.post(claimsOf(second), second.key, { method: 'dns' })
      expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
      expect(answer.body.detail).toContain(first.domain)
    })
  })

  status(422, () => {
    test.each([
      [{}, ['#/method required']],
      [{ method: 'fax', color: 1 }, ['#/method not_allowed', '#/color unknown_field']],
      [{ method: 'email' }, ['#/email required']],
      [{ method: 'email', email: 'hr@elsewhere.example' }, ['#/email not_allowed']],
    ])('refuses %j', async (body, faults) => {
      const employer = await companyOf(board)
      const answer = await board.post(claimsOf(employer), employer.key, body)
      expect([answer.status, faultsOf(answer).sort()]).toEqual([422, faults.sort()])
    })
  })
})
