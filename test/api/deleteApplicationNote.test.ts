import { expect, test } from 'vitest'
import { world } from '../support/applications.ts'
import { expectStatus } from '../support/board.ts'
import { hasNoTag } from '../support/conditional.ts'
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
