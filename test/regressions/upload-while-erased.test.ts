/** Found in an attack test: an upload that finished after the erasure of its candidate returned an undocumented 404. */
import { expect, test } from 'vitest'
import { addResume, stageResume } from '../../src/features/resumes/resumes.service.ts'
import { createFiles } from '../../src/files/store.ts'
import { expectStatus, useBoard } from '../support/board.ts'

const board = useBoard()

test('an upload that finishes after the erasure of its candidate is refused with 401', async () => {
  const candidate = await board.candidate()
  const files = createFiles(board.database, undefined)
  const upload = { filename: 'cv.txt', bytes: Buffer.from('Engineer') }
  const staged = await board.database.read((db) =>
    stageResume(db, { files, candidateId: candidate.id, upload, now: board.clock.now() }),
  )
  expectStatus(await board.call('DELETE', '/v1/candidates/profile', { key: candidate.key }), 204)
  const added = board.database.inTx((tx) => addResume(tx, staged))
  await expect(added).rejects.toMatchObject({ code: 'unauthorized' })
})
