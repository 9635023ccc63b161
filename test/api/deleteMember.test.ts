import { expect, test } from 'vitest'
import { expectStatus } from '../support/board.ts'
import { idsOf } from '../support/collection.ts'
import { mailsIn } from '../support/mails.ts'
import { invite, joined, MEMBERS, memberKey } from '../support/members.ts'
import { describeOperation } from '../support/operation.ts'
import { Visitor } from '../support/pages.ts'
import { signInLinks } from '../support/sign-in.ts'
import { runTask } from '../support/tasks.ts'

describeOperation('deleteMember', ({ board, status }) => {
  status(204, () => {
    test('ends the sessions and sign-in links of the member, but not the sessions of other members', async () => {
      const employer = await board.employer()
      const { member, visitor } = await joined(board, employer, 'recruiter')
      const stays = await joined(board, employer, 'viewer')
      const guest = new Visitor(board)
      await guest.submit(await guest.get('/sign-in'), '/sign-in/link', { email: member.email })
      const [link] = await signInLinks(board, member.email)
      expect((await guest.get(link!)).status).toBe(200)
      const answer = await board.delete(`${MEMBERS}/${member.id}`, employer.key)
      expect([answer.status, answer.text]).toEqual([204, ''])
      expect((await visitor.get('/employer')).path).toMatch(/^\/sign-in/)
      expect((await guest.get(link!)).status).toBe(410)
      expect((await stays.visitor.get('/employer')).status).toBe(200)
      board.clock.advance(60_000)
      await guest.submit(await guest.get('/sign-in'), '/sign-in/link', { email: member.email })
      expect(await signInLinks(board, member.email)).toHaveLength(1)
    })

    test("replaces the account's email address with a remaining owner's if it was the removed member's", async () => {
      const email = 'founder@team.example'
      const employer = await board.employer({ email })
      const [{ id }] = (await board.get(MEMBERS, employer.key)).body.data
      const other = await board.employer()
      const { email: taken } = (await board.get('/v1/employers/profile', other.key)).body.data
      await joined(board, employer, 'owner', { email: taken })
      const heir = await joined(board, employer, 'owner')
      await joined(board, employer, 'recruiter')
      expectStatus(await board.delete(`${MEMBERS}/${id}`, employer.key), 204)
      const address = async () => (await board.get('/v1/employers/profile', employer.key)).body.data.email
      expect(await address()).toBe(heir.member.email)
      await runTask(board, 'mail')
      const subjects = (await mailsIn(board.config.dataDir)).filter(({ to }) => to?.[0]?.address === email)
      expect(subjects.map(({ subject }) => subject)).toContain('An account has a new email address')
      // The removed member's email address is free again.
      expectStatus(await board.post('/v1/employers', undefined, { name: 'Founder again', email }), 201)
      // Another account has the remaining owner's email address, so this account keeps its own.
      expectStatus(await board.delete(`${MEMBERS}/${heir.member.id}`, employer.key), 204)
      expect(await address()).toBe(heir.member.email)
    })

    test('refuses the key of a removed member, and ends the streams of that key', async () => {
      const employer = await board.employer()
      const key = await memberKey(board, employer, 'owner')
      const [, id] = idsOf(await board.get(`${MEMBERS}?role=owner&sort=joined_at`, employer.key)).toSorted()
      expect((await board.get('/v1/me', key)).status).toBe(200)
      const stream = await fetch(`${board.address}/v1/events/stream`, { headers: { authorization: `Bearer ${key}` } })
      expect(stream.status).toBe(200)
      const body = stream.text().catch(() => 'broken')
      expectStatus(await board.delete(`${MEMBERS}/${id}`, employer.key), 204)
      expect((await board.get('/v1/me', key)).status).toBe(401)
      await runTask(board, 'authorities')
      await body
      expect(idsOf(await board.get('/v1/api-keys', employer.key))).toHaveLength(1)
    })
  })

  status(409, () => {
    test('leaves one owner when both owners are removed at the same time', async () => {
      for (let round = 0; round < 5; round++) {
        const employer = await board.employer()
        await memberKey(board, employer, 'owner')
        const owners = idsOf(await board.get(`${MEMBERS}?role=owner`, employer.key))
        const answers = await Promise.all(owners.map((id) => board.delete(`${MEMBERS}/${id}`, employer.key)))
        const codes = answers.map(({ status, body }) => body?.code ?? status)
        expect(codes.toSorted()).toEqual([204, 'last_owner'])
        expect(idsOf(await board.get(`${MEMBERS}?role=owner`, employer.key))).toHaveLength(1)
      }
    })

    test('refuses to remove the last owner', async () => {
      const employer = await board.employer()
      await invite(board, employer, { role: 'owner' })
      const id = idsOf(await board.get(`${MEMBERS}?role=owner&sort=joined_at`, employer.key))[0]
      const answer = await board.delete(`${MEMBERS}/${id}`, employer.key)
      expect([answer.status, answer.body.code]).toEqual([409, 'last_owner'])
    })
  })

  status(412, () => {
    test('refuses to remove a member if the tag is outdated', async () => {
      const employer = await board.employer()
      const { id } = await invite(board, employer)
      const headers = { 'if-match': '"outdated"' }
      expect((await board.call('DELETE', `${MEMBERS}/${id}`, { key: employer.key, headers })).status).toBe(412)
    })
  })
})
