import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { mailsIn } from '../support/mails.ts'
import { invitationsTo, inviteStaff, join, STAFF } from '../support/members.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { Visitor } from '../support/pages.ts'
import { refusesWhileRunning } from '../support/posts.ts'
import { signInLinks } from '../support/sign-in.ts'

describeOperation('inviteStaff', ({ board, status }) => {
  status(201, () => {
    test('emails a link with which the person can join, and lets the person sign in by email later', async () => {
      const { email } = await inviteStaff(board, { role: 'moderator' })
      const guest = new Visitor(board)
      const [path] = await invitationsTo(board, email)
      const mail = (await mailsIn(board.config.dataDir)).find(({ to }) => to?.some(({ address }) => address === email))!
      expect(mail.subject).toMatch(/^You’re invited to a team on /)
      expect(mail.text).toContain('You’re invited to the team that runs ')
      expect((await guest.get(path!)).seen).toMatch(`invited ${email} to its team as a moderator.`)
      expect((await join(board, guest, email, 'Wanda Petrov')).path).toBe('/desk')
      await guest.submit(await guest.get('/account'), '/account/sign-out-everywhere')
      await guest.submit(await guest.get('/sign-in'), '/sign-in/link', { email })
      const [link] = await signInLinks(board, email)
      expect((await guest.submit(await guest.get(link!), '/sign-in/link/use')).path).toBe('/desk')
    })
  })

  status(200, () => {
    test('replaces an invitation to the same email address, and invalidates its link', async () => {
      const first = await inviteStaff(board)
      const [former] = await invitationsTo(board, first.email)
      const body = { email: first.email, role: 'admin' }
      const { data } = expectStatus(await board.post(STAFF, ADMIN_KEY, body), 200).body
      expect(data).toEqual({ ...first, ...body })
      expect((await new Visitor(board).send('GET', former!)).status).toBe(410)
    })
  })

  status(409, () => {
    refusesWhileRunning(board, 'inviteStaff')

    test('refuses staff who have joined', async () => {
      const { email } = await inviteStaff(board)
      await join(board, new Visitor(board), email)
      const again = await board.post(STAFF, ADMIN_KEY, { email, role: 'admin' })
      expect([again.status, again.body.code]).toEqual([409, 'conflict'])
    })
  })

  status(422, () => {
    test("refuses the roles of employers' members", async () => {
      const answer = await board.post(STAFF, ADMIN_KEY, { email: 'a@staff.example', role: 'owner' })
      expect([answer.status, faultsOf(answer)]).toEqual([422, ['#/role not_allowed']])
    })
  })
})
