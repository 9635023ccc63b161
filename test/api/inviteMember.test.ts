import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { idsOf } from '../support/collection.ts'
import { invitationsTo, invite, join, MEMBERS } from '../support/members.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { Visitor } from '../support/pages.ts'
import { refusesWhileRunning } from '../support/posts.ts'

const DAY_MS = 86_400_000

describeOperation('inviteMember', ({ board, status }) => {
  /** Returns the HTTP status of an invitation page. */
  const statusOf = async (path: string) => (await new Visitor(board).send('GET', path)).status

  status(201, () => {
    test('emails a link that is valid for seven days and works once', async () => {
      const employer = await board.employer({ name: 'Halden Drive Systems' })
      const { email, id } = await invite(board, employer, { role: 'viewer' })
      const [path] = await invitationsTo(board, email)
      board.clock.advance(7 * DAY_MS - 1)
      const guest = new Visitor(board)
      const page = await guest.get(path!)
      expect(page.seen).toContain(`Halden Drive Systems invited ${email} to its team as a viewer.`)
      const home = await guest.submit(page, '/invitation/accept', { name: ' Victor Amadi ' })
      expect([home.status, home.path]).toEqual([200, '/employer'])
      expect((await board.get(MEMBERS, employer.key)).body.data).toContainEqual(
        expect.objectContaining({
          id,
          name: 'Victor Amadi',
          state: 'active',
          joined_at: board.clock.now().toISOString(),
        }),
      )
      expect(await statusOf(path!)).toBe(410)
      const other = new Visitor(board)
      const again = await other.post('/invitation/accept', {
        ...{ token: path!.split('=')[1]!, name: 'Thief', _csrf: await other.csrfToken() },
      })
      expect([again.status, again.seen]).toEqual([410, expect.stringContaining('no longer valid')])
    })

    test('lets only one person join if two people use the link at the same time', async () => {
      const employer = await board.employer()
      const [path] = await invitationsTo(board, (await invite(board, employer)).email)
      const guests = [new Visitor(board), new Visitor(board)]
      const pages = await Promise.all(guests.map((guest) => guest.get(path!)))
      const names = ['First', 'Second']
      const answers = await Promise.all(
        guests.map((guest, n) => guest.submit(pages[n]!, '/invitation/accept', { name: names[n]! })),
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 410])
      const winner = names[answers.findIndex(({ status }) => status === 200)]
      const { data } = (await board.get(`${MEMBERS}?role=recruiter`, employer.key)).body
      expect(data.map(({ name }: { name: string }) => name)).toEqual([winner])
    })

    test('refuses the link after its expiry or withdrawal, during a suspension, and once the account is closed', async () => {
      const employer = await board.employer()
      const late = await invite(board, employer)
      const [path] = await invitationsTo(board, late.email)
      board.clock.advance(7 * DAY_MS)
      expect(await statusOf(path!)).toBe(410)
      const withdrawn = await invite(board, employer)
      const [gone] = await invitationsTo(board, withdrawn.email)
      expectStatus(await board.delete(`${MEMBERS}/${withdrawn.id}`, employer.key), 204)
      expect(await statusOf(gone!)).toBe(410)
      const [open] = await invitationsTo(board, (await invite(board, employer)).email)
      expectStatus(await board.post(`/v1/admin/accounts/${employer.id}/suspend`, ADMIN_KEY, { reason: 'Spam' }), 200)
      expect(await statusOf(open!)).toBe(410)
      expectStatus(await board.post(`/v1/admin/accounts/${employer.id}/resume`, ADMIN_KEY, {}), 200)
      expect(await statusOf(open!)).toBe(200)
      const guest = new Visitor(board)
      const page = await guest.get(open!)
      expectStatus(await board.delete('/v1/employers/profile', employer.key), 204)
      expect((await guest.submit(page, '/invitation/accept', { name: 'Late' })).status).toBe(410)
    })

    test('refuses the link from someone who is signed in with another email address', async () => {
      const employer = await board.employer()
      const { email } = await invite(board, employer)
      const [path] = await invitationsTo(board, email)
      const other = await new Visitor(board).signIn(await board.candidate())
      const page = await other.get(path!)
      expect(page.seen).toContain(`open the link again to join as ${email}`)
      const token = page.document.querySelector('input[name="_csrf"]')!.getAttribute('value')!
      const refused = await other.post('/invitation/accept', { token: path!.split('=')[1]!, name: 'Ada', _csrf: token })
      expect(refused.status).toBe(409)
      expect((await board.get(`${MEMBERS}?role=recruiter`, employer.key)).body.data[0].state).toBe('invited')
      await other.submit(page, '/sign-out')
      expect((await join(board, other, email)).path).toBe('/employer')
    })
  })

  status(200, () => {
    test('replaces an invitation to the same email address, and invalidates its link', async () => {
      const employer = await board.employer()
      const first = await invite(board, employer, { name: 'Greta', role: 'viewer' })
      const [former] = await invitationsTo(board, first.email)
      const body = { email: first.email.replace('member', 'Member'), role: 'recruiter' }
      const { data } = expectStatus(await board.post(MEMBERS, employer.key, body), 200).body
      expect(data).toEqual({ ...first, ...body })
      const [latter] = await invitationsTo(board, body.email)
      expect([await statusOf(former!), await statusOf(latter!)]).toEqual([410, 200])
      expect(idsOf(await board.get(`${MEMBERS}?role=recruiter`, employer.key))).toEqual([first.id])
    })
  })

  status(403, () => {
    test('refuses email addresses that an operator blocked', async () => {
      const block = { kind: 'email_domain', value: 'blocked.example', reason: 'Spam' }
      expectStatus(await board.post('/v1/admin/blocks', ADMIN_KEY, block), 201)
      const { key } = await board.employer()
      const answer = await board.post(MEMBERS, key, { email: 'a@blocked.example', role: 'viewer' })
      expect([answer.status, answer.body.code]).toEqual([403, 'email_blocked'])
    })
  })

  status(409, () => {
    refusesWhileRunning(board, 'inviteMember')

    test('refuses members who have joined, and more than 50 members', async () => {
      const employer = await board.employer({ email: 'rosa@halden.example' })
      const again = await board.post(MEMBERS, employer.key, { email: 'Rosa@halden.example', role: 'viewer' })
      expect([again.status, again.body.code]).toEqual([409, 'conflict'])
      for (let n = 1; n < 49; n++) await invite(board, employer)
      const last = await Promise.all(
        ['x', 'y', 'z'].map((name) =>
          board.post(MEMBERS, employer.key, { email: `${name}@full.example`, role: 'viewer' }),
        ),
      )
      const refused = last.filter(({ status }) => status !== 201)
      expect(refused.map(({ status, body }) => [status, body.code, body.limit])).toEqual([
        [409, 'limit_reached', 50],
        [409, 'limit_reached', 50],
      ])
    })
  })

  status(422, () => {
    test.each([
      [{}, ['#/email required', '#/role required']],
      [
        { email: 'nobody', role: 'admin', color: 1 },
        ['#/email invalid_format', '#/role not_allowed', '#/color unknown_field'],
      ],
    ])('refuses %j', async (body, faults) => {
      const answer = await board.post(MEMBERS, (await board.employer()).key, body)
      expect([answer.status, faultsOf(answer).sort()]).toEqual([422, faults.sort()])
    })
  })
})
