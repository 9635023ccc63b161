import { expect, test } from 'vitest'
import { world } from '../support/applications.ts'
import { expectStatus } from '../support/board.ts'
import { hasNoTag } from '../support/conditional.ts'
import { memberKey } from '../support/members.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('deleteApplicationNote', ({ board, status }) => {
  const created = async () => {
    const { application, employer } = await world(board)
    const notes = `/v1/employers/applications/${application.id}/notes`
    const { id } = expectStatus(await board.post(notes, employer.key, { text: 'Call' }), 201).body.data
    return { notes, path: `${notes}/${id}`, employer, id }
  }

  status(204, () => {
    test('deletes the note', async () => {
      const { notes, path, employer } = await created()
      expectStatus(await board.delete(path, employer.key), 204)
      expect((await board.get(notes, employer.key)).body.data).toEqual([])
    })
  })

  status(403, () => {
    test("lets only owners delete other members' notes, and hides the members' names from the candidate", async () => {
      const { application, candidate, employer } = await world(board)
      const path = `/v1/employers/applications/${application.id}`
      const [recruiter, viewer] = [
        await memberKey(board, employer, 'recruiter', 'Idris Bell'),
        await memberKey(board, employer, 'viewer', 'Victor Amadi'),
      ]
      const by = (name: string) => ({ member_id: expect.stringMatching(/^mem_/), name })
      const note = expectStatus(await board.post(`${path}/notes`, recruiter, { text: 'Call' }), 201).body.data
      const own = expectStatus(await board.post(`${path}/notes`, viewer, { text: 'Called' }), 201).body.data
      expect([note.by, own.by]).toEqual([by('Idris Bell'), by('Victor Amadi')])
      const refused = await board.delete(`${path}/notes/${note.id}`, viewer)
      expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_role'])
      expectStatus(await board.delete(`${path}/notes/${own.id}`, viewer), 204)
      expectStatus(await board.delete(`${path}/notes/${note.id}`, employer.key), 204)
      const moved = expectStatus(await board.put(path, recruiter, { status: 'reviewed' }), 200).body.data
      expect(moved.status_history).toMatchObject([{ by: null }, { by: by('Idris Bell') }])
      const sent = expectStatus(await board.post(`${path}/messages`, recruiter, { text: 'Hello' }), 201).body.data
      expect([sent.by, (await board.get(`${path}/messages`, viewer)).body.data[0].by]).toEqual([
        sent.by,
        by('Idris Bell'),
      ])
      const theirs = `/v1/candidates/applications/${application.id}`
      for (const each of [theirs, `${theirs}/messages`, '/v1/candidates/export']) {
        expect((await board.get(each, candidate.key)).text).not.toContain('Idris')
      }
    })
  })

  status(404, () => {
    test('does not find a deleted note, or a note under another application', async () => {
      const one = await created()
      const { application } = await world(board, { employer: one.employer })
      const elsewhere = `/v1/employers/applications/${application.id}/notes/${one.id}`
      expect((await board.delete(elsewhere, one.employer.key)).status).toBe(404)
      expectStatus(await board.delete(one.path, one.employer.key), 204)
      expect((await board.delete(one.path, one.employer.key)).status).toBe(404)
    })
  })

  status(412, () =>
    hasNoTag(board, 'employer', async () => {
      const { path, employer } = await created()
      return { method: 'DELETE', path, key: employer.key }
    }),
  )
})
