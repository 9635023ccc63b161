import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { apply } from '../support/applications.ts'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { claim, claimsOf, companyOf, tokensTo, useHosts, verify } from '../support/claims.ts'
import { feed, makeFeed, posting } from '../support/feeds.ts'
import { describeOperation } from '../support/operation.ts'
import { refusesWhileRunning } from '../support/posts.ts'

const DAY_MS = 86_400_000

describeOperation('verifyClaim', ({ board, status }) => {
  const { names, files } = useHosts(board)
  const profileOf = async ({ key }: { key: string }) => (await board.get('/v1/employers/profile', key)).body.data
  const verified = async ({ key }: { key: string }) => {
    const { is_verified, verified_domain } = await profileOf({ key })
    return [is_verified, verified_domain]
  }

  status(200, () => {
    test('finds the DNS record, verifies the employer, and reports the verification in one event', async () => {
      const { domain, ...employer } = await companyOf(board)
      const { id, dns_record: record } = await claim(board, employer)
      const check = async () => {
        const { state, problem } = await verify(board, employer, id)
        return [state, problem]
      }
      expect(await check()).toEqual(['pending', 'not_found'])
      names.texts.set(record.name, ['v=spf1 -all', `${record.value}x`])
      expect(await check()).toEqual(['pending', 'mismatch'])
      expect(await verified(employer)).toEqual([false, null])
      names.texts.set(record.name, ['v=spf1 -all', record.value])
      const before = (await board.events('employer.profile_updated')).length
      expect(await check()).toEqual(['verified', null])
      expect(await check()).toEqual(['verified', null])
      expect(await verified(employer)).toEqual([true, domain])
      const events = (await board.events('employer.profile_updated')).slice(before)
      expect(events.map(({ data }) => data)).toMatchObject([
        {
          employer: { id: employer.id, is_verified: true, verified_domain: domain },
          changed_fields: ['is_verified', 'verified_domain'],
        },
      ])
      const { data } = expectStatus(await board.get(`/v1/employers/${employer.id}`, employer.key), 200).body
      expect([data.is_verified, data.verified_domain]).toEqual([true, domain])
    })

    test('verifies the employer until the website moves to another domain or the account is closed', async () => {
      const { domain, ...employer } = await companyOf(board)
      const { id, dns_record: record } = await claim(board, employer)
      names.texts.set(record.name, [record.value])
      await verify(board, employer, id)
      const move = async (website: string) => {
        expectStatus(await board.put('/v1/employers/profile', employer.key, { website }), 200)
        return verified(employer)
      }
      expect(await move(`https://careers.${domain}`)).toEqual([true, domain])
      expect(await move(`https://not${domain}`)).toEqual([false, null])
      const { data } = (await board.events('employer.profile_updated')).at(-1)!
      expect(data).toMatchObject({ changed_fields: ['website', 'is_verified', 'verified_domain'] })
      await move(`https://${domain}`)
      expect((await verify(board, employer, (await claim(board, employer)).id)).state).toBe('verified')
      expectStatus(await board.delete('/v1/employers/profile', employer.key), 204)
      const next = await companyOf(board, { website: `https://${domain}` })
      const second = await claim(board, next)
      names.texts.set(record.name, [second.dns_record.value])
      expect((await verify(board, next, second.id)).state).toBe('verified')
    })

    test('does not follow a redirect to a private address', async () => {
      let connections = 0
      const inside = createServer(() => connections++).listen(0, '127.0.0.2')
      await once(inside, 'listening')
      const { port } = inside.address() as AddressInfo
      names.addresses.set('inside.voltaire.example', '127.0.0.2')
      const employer = await board.employer({ website: 'https://www.voltaire.example' })
      const { id, file } = await claim(board, employer, { method: 'file' })
      files.set(file.url, new URL(`https://inside.voltaire.example:${port}/`))
      expect((await verify(board, employer, id)).problem).toBe('unreachable')
      expect([names.asked.includes('inside.voltaire.example'), connections]).toEqual([true, 0])
      inside.close()
    })

    test('reports a host that fails, or that has an invalid certificate, as unreachable', async () => {
      for (const host of ['voltaire.example', 'untrusted.example']) {
        const employer = await board.employer({ website: `https://${host}` })
        const { id, file } = await claim(board, employer, { method: 'file' })
        files.set(file.url, 503)
        expect((await verify(board, employer, id)).problem).toBe('unreachable')
      }
    })

    test('finds the file, and follows redirects only within the domain, over HTTPS and to an allowed port', async () => {
      const employer = await board.employer({ website: 'https://www.voltaire.example/en' })
      const { id, file } = await claim(board, employer, { method: 'file' })
      const check = async () => {
        const { state, problem } = await verify(board, employer, id)
        return [state, problem]
      }
      expect(await check()).toEqual(['pending', 'not_found'])
      const elsewhere = 'https://elsewhere.example/.well-known/job-marketplace.txt'
      files.set(file.url, new URL(elsewhere))
      files.set(elsewhere, file.content)
      expect(await check()).toEqual(['pending', 'not_found'])
      files.set(file.url, new URL('https://voltaire.example:22/'))
      expect(await check()).toEqual(['pending', 'unreachable'])
      files.set(file.url, new URL('http://voltaire.example/'))
      expect(await check()).toEqual(['pending', 'unreachable'])
      files.set(file.url, new URL(file.url))
      expect(await check()).toEqual(['pending', 'not_found'])
      files.set(file.url, 'x'.repeat(1_000_000))
      expect(await check()).toEqual(['pending', 'mismatch'])
      files.set(file.url, new URL('https://voltaire.example/proof'))
      files.set('https://voltaire.example/proof', `another-board=1\r\n${file.content}\r\n`)
      expect(await check()).toEqual(['verified', null])
      expect(await verified(employer)).toEqual([true, 'voltaire.example'])
    })

    test("transfers a feed's company and its jobs to the employer until an admin removes the verification", async () => {
      const { id: feedId } = await makeFeed(board)
      const website = { company: 'Nordkran', company_website: 'https://careers.nordkran.example' }
      const bring = (...ids: string[]) =>
        feed(
          board,
          feedId,
          ids.map((each) => posting(each, website)),
        )
      await bring('1', '2')
      const listed = async () => (await board.get('/v1/jobs?company=nordkran', ADMIN_KEY)).body.data
      const [{ id: jobId, employer_id: companyId }] = await listed()
      const { id: applicationId } = await apply(board, await board.candidate(), jobId)
      const employer = await board.employer({ name: 'Nordkran AG', website: 'https://nordkran.example' })
      const own = async () => {
        const { data } = expectStatus(await board.get('/v1/employers/jobs?limit=100', employer.key), 200).body
        return (data as { company: string; is_active: boolean }[]).map(({ company, is_active: is }) => [company, is])
      }
      const statuses = async () => [
        (await board.get(`/v1/employers/applications/${applicationId}`, employer.key)).status,
        (await board.get(`/v1/employers/${companyId}`, employer.key)).status,
      ]
      const company = { id: companyId, key: employer.key }
      const { id, domain, dns_record: record } = await claim(board, company)
      expect([domain, await own(), await statuses()]).toEqual(['nordkran.example', [], [404, 200]])
      names.texts.set(record.name, [record.value])
      const before = (await board.events()).length
      expect((await verify(board, company, id)).state).toBe('verified')
      expect([await verified(employer), await statuses()]).toEqual([
        [true, domain],
        [200, 404],
      ])
      const active = ['Nordkran AG', true]
      expect(await own()).toEqual([active, active])
      const events = (await board.events()).slice(before).map(({ type, data }) => [type, data.changed_fields])
      const moved = ['job.updated', ['company', 'employer_id']]
      expect(events).toEqual([['employer.profile_updated', ['is_verified', 'verified_domain']], moved, moved])
      // No other employer can claim the company.
      const late = await board.employer({ website: 'https://nordkran.example' })
      expect((await board.post(claimsOf({ id: companyId }), late.key, { method: 'dns' })).status).toBe(404)
      // New postings belong to the employer. While the employer is suspended, the list contains none of its jobs.
      await bring('1', '2', '3')
      expect(await own()).toEqual([active, active, active])
      expectStatus(await board.post(`/v1/admin/accounts/${employer.id}/suspend`, ADMIN_KEY, { reason: 'Spam' }), 200)
      await bring('1', '2', '3', '4')
      expect(await listed()).toEqual([])
      expectStatus(await board.post(`/v1/admin/accounts/${employer.id}/resume`, ADMIN_KEY, {}), 200)
      await bring('1', '2', '3', '4')
      expect(await own()).toEqual([active, active, active, active])
      const removal = await board.delete(`/v1/admin/employers/${employer.id}/verification`, ADMIN_KEY)
      expectStatus(removal, 204)
      expect([await own(), await statuses()]).toEqual([[], [404, 200]])
      expect((await listed()).map((job: Record<string, string>) => [job.company, job.employer_id])).toEqual(
        Array.from({ length: 4 }, () => ['Nordkran', companyId]),
      )
      // Closing the account also returns the company and its jobs.
      await verify(board, company, (await claim(board, company)).id)
      expect(await own()).toHaveLength(4)
      expectStatus(await board.delete('/v1/employers/profile', employer.key), 204)
      expect(await listed()).toHaveLength(4)
    })

    test('leaves claimed companies with an employer whose website moves, until an admin releases them', async () => {
      const { id: feedId } = await makeFeed(board)
      const website = { company: 'Sudkran', company_website: 'https://sudkran.example' }
      await feed(board, feedId, [posting('1', website)])
      const [{ employer_id: companyId }] = (await board.get('/v1/jobs?company=sudkran', ADMIN_KEY)).body.data
      const employer = await board.employer({ name: 'Sudkran AG', website: 'https://sudkran.example' })
      const company = { id: companyId, key: employer.key }
      const { id, dns_record: record } = await claim(board, company)
      names.texts.set(record.name, [record.value])
      await verify(board, company, id)
      const countOwn = async () => (await board.get('/v1/employers/jobs', employer.key)).body.data.length
      expectStatus(await board.put('/v1/employers/profile', employer.key, { website: 'https://kran.example' }), 200)
      expect([await verified(employer), await countOwn()]).toEqual([[false, null], 1])

      const remove = () => board.delete(`/v1/admin/employers/${employer.id}/verification`, ADMIN_KEY)
      expectStatus(await remove(), 204)
      expect(await countOwn()).toBe(0)
      expectStatus(await board.get(`/v1/employers/${companyId}`, employer.key), 200)
      expect((await remove()).status).toBe(404)
    })

    test('copies the website of the claimed company to an employer without one, and refuses other domains', async () => {
      const { id: feedId } = await makeFeed(board)
      const website = { company: 'Sundkran', company_website: 'https://sundkran.example/jobs' }
      await feed(board, feedId, [posting('1', website), posting('2', { company: 'Webless' })])
      const find = async (name: string) =>
        (await board.get(`/v1/employers?name=${name}`, ADMIN_KEY)).body.data[0].id as string
      const companyId = await find('Sundkran')
      const other = await companyOf(board)
      const refused = async (id: string, { key }: { key: string }) => {
        const { status, body } = await board.post(claimsOf({ id }), key, { method: 'dns' })
        return [status, body.code]
      }
      expect(await refused(companyId, other)).toEqual([409, 'conflict'])
      const employer = await board.employer({ name: 'Sundkran AB' })
      expect(await refused(await find('Webless'), employer)).toEqual([409, 'conflict'])
      const company = { id: companyId, key: employer.key }
      const { id, dns_record: record } = await claim(board, company)
      names.texts.set(record.name, [record.value])
      await verify(board, company, id)
      expect((await profileOf(employer)).website).toBe('https://sundkran.example/jobs')
      expect(await verified(employer)).toEqual([true, 'sundkran.example'])
    })

    test('accepts the emailed token only for the claim that it was sent for', async () => {
      const { domain, ...employer } = await companyOf(board)
      const email = `hr@${domain}`
      const first = await claim(board, employer, { method: 'email', email })
      const [former] = await tokensTo(board, email)
      const { id } = await claim(board, employer, { method: 'email', email: `HR@${domain}` })
      const token = (await tokensTo(board, `HR@${domain}`)).at(-1)!
      expect([first.dns_record, first.file]).toEqual([null, null])
      const check = async (body: object) => (await verify(board, employer, id, body)).problem
      expect([await check({}), await check({ token: former }), await check({ token: 'x' })]).toEqual([
        ...['not_found', 'mismatch', 'mismatch'],
      ])
      expect((await verify(board, employer, id, { token })).state).toBe('verified')
      expect(await verified(employer)).toEqual([true, domain])
    })
  })

  status(404, () => {
    test('refuses expired claims', async () => {
      const employer = await companyOf(board)
      const { id } = await claim(board, employer)
      board.clock.advance(7 * DAY_MS)
      expect((await board.post(`${claimsOf(employer)}/${id}/verify`, employer.key, {})).status).toBe(404)
    })
  })

  status(409, () => {
    refusesWhileRunning(board, 'verifyClaim')

    test('gives a domain to only one of two employers who verify it at the same time', async () => {
      const { domain, ...first } = await companyOf(board)
      const second = await companyOf(board, { website: `https://${domain}` })
      const both = [first, second]
      const claims = await Promise.all(both.map((employer) => claim(board, employer)))
      const values = claims.map(({ dns_record: record }) => record.value)
      names.texts.set(`_job-marketplace.${domain}`, values)
      const answers = await Promise.all(
        both.map((employer, n) => board.post(`${claimsOf(employer)}/${claims[n].id}/verify`, employer.key, {})),
      )
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
      expect((await Promise.all(both.map(verified))).filter(([is]) => is)).toEqual([[true, domain]])
    })

    test("refuses a claim if the employer's website has changed, and more than 50 checks", async () => {
      const { domain, ...employer } = await companyOf(board)
      const { id, dns_record: record } = await claim(board, employer)
      const path = `${claimsOf(employer)}/${id}/verify`
      names.texts.set(record.name, [record.value])
      const website = 'https://other.example'
      expectStatus(await board.put('/v1/employers/profile', employer.key, { website }), 200)
      const changed = await board.post(path, employer.key, {})
      expect([changed.status, changed.body.code]).toEqual([409, 'conflict'])
      await board.database.inTx((tx) => tx.updateTable('claim').set({ attempts: 49 }).where('id', '=', id).execute())
      names.texts.delete(record.name)
      expect((await verify(board, employer, id)).problem).toBe('not_found')
      const asked = names.asked.length
      const last = await board.post(path, employer.key, {})
      expect([last.status, last.body.code, last.body.limit]).toEqual([409, 'limit_reached', 50])
      expect(names.asked).toHaveLength(asked)
      expect(await claim(board, { ...employer }, { method: 'dns' })).toMatchObject({ domain: 'other.example' })
      expect(domain).not.toBe('other.example')
    })
  })

  status(422, () => {
    test('refuses unknown fields', async () => {
      const employer = await companyOf(board)
      const { id } = await claim(board, employer)
      const answer = await board.post(`${claimsOf(employer)}/${id}/verify`, employer.key, { color: 1 })
      expect(answer.status).toBe(422)
    })
  })
})
