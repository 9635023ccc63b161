import { expect, test } from 'vitest'
import { answersNotModified } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'
import { RESUME, upload } from '../support/resumes.ts'

describeOperation('getDefaultResume', ({ board, status }) => {
  const requestOfOne = async () => {
    const candidate = await board.candidate()
    await upload(board, candidate)
    return { method: 'GET', path: RESUME, key: candidate.key }
  }

  status(200, () => {
    test('returns the newest resume, exactly as the upload returned it', async () => {
      const candidate = await board.candidate()
      await upload(board, candidate)
      board.clock.advance(1_000)
      const newest = await upload(board, candidate)
      await upload(board, await board.candidate())
      const answer = await board.get(RESUME, candidate.key)
      expect([answer.status, answer.body]).toEqual([200, { data: newest }])
    })

    test('returns the last upload, even if the clock was set back', async () => {
      const candidate = await board.candidate()
      await upload(board, candidate)
      board.clock.advance(-60_000)
      const { id } = await upload(board, candidate)
      board.clock.advance(60_000)
      expect((await board.get(RESUME, candidate.key)).body.data.id).toBe(id)
    })
  })

  status(304, () => answersNotModified(board, 'candidate', requestOfOne))

  status(404, () => {
    test('returns 404 before the first upload, even if other candidates have resumes', async () => {
      await upload(board, await board.candidate())
      const answer = await board.get(RESUME, (await board.candidate()).key)
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
    })
  })
})
