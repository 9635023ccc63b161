import { expect, test } from 'vitest'
import { insertApplication } from '../support/applications.ts'
import { changesOnlyWhatMatches } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'
import { RESUME, upload } from '../support/resumes.ts'
import { runTask } from '../support/tasks.ts'

describeOperation('deleteResume', ({ board, status }) => {
  const request = async () => {
    const candidate = await board.candidate()
    const { id } = await upload(board, candidate)
    return { method: 'DELETE', path: `${RESUME}/${id}`, key: candidate.key }
  }
  const rowOf = (id: string) =>
    board.database.read((db) =>
      db
        .selectFrom('resume')
        .leftJoin('resume_content', 'resume_id', 'resume.id')
        .select(['deleted_at', 'extracted_text', 'bytes'])
        .where('id', '=', id)
        .executeTakeFirst(),
    )

  status(204, () => {
    test('deletes the row and the bytes, and makes the next newest resume the default', async () => {
      const candidate = await board.candidate()
      const [first, second, third] = [
        await upload(board, candidate),
        await upload(board, candidate),
        await upload(board, candidate),
      ]
      const answer = await board.delete(`${RESUME}/${third.id}`, candidate.key)
      expect([answer.status, answer.text]).toEqual([204, ''])
      expect(await rowOf(third.id)).toBeUndefined()
      expect((await board.get(RESUME, candidate.key)).body.data).toEqual({ ...second, is_default: true })
      expect((await board.get(`${RESUME}/${third.id}`, candidate.key)).status).toBe(404)
      await board.delete(`${RESUME}/${first.id}`, candidate.key)
      expect((await board.get(RESUME, candidate.key)).body.data.id).toBe(second.id)
      await board.delete(`${RESUME}/${second.id}`, candidate.key)
      expect((await board.get(RESUME, candidate.key)).status).toBe(404)
      expect((await board.get('/v1/candidates/resumes', candidate.key)).body.data).toEqual([])
    })

    test('keeps the bytes of a resume that an application uses, but deletes its text and no longer lists it', async () => {
      const candidate = await board.candidate()
      const { id } = await upload(board, candidate)
      await runTask(board, 'resume-extraction')
      await insertApplication(board, candidate, await board.employer(), id)
      expect((await board.delete(`${RESUME}/${id}`, candidate.key)).status).toBe(204)
      expect(await rowOf(id)).toEqual({
        deleted_at: board.clock.now(),
        extracted_text: null,
        bytes: expect.any(Uint8Array),
      })
      expect((await board.get('/v1/candidates/resumes', candidate.key)).body.data).toEqual([])
      expect((await board.get(RESUME, candidate.key)).status).toBe(404)
    })

    test('makes room for another resume', async () => {
      const candidate = await board.candidate()
      const ids: string[] = []
      for (let i = 0; i < 10; i++) ids.push((await upload(board, candidate)).id)
      await insertApplication(board, candidate, await board.employer(), ids[0]!)
      await board.delete(`${RESUME}/${ids[0]}`, candidate.key)
      await upload(board, candidate)
    })
  })

  status(404, () => {
    test("does not find another candidate's resume, a deleted resume or an unknown ID", async () => {
      const { path, key } = await request()
      const { key: other } = await board.candidate()
      expect((await board.delete(path, other)).status).toBe(404)
      expect((await board.delete(path, key)).status).toBe(204)
      expect((await board.delete(path, key)).status).toBe(404)
      for (const id of ['res_00000000000000000000000000', 'x', '%00']) {
        expect((await board.delete(`${RESUME}/${id}`, key)).status).toBe(404)
      }
    })

    test('returns 404 for one of two simultaneous deletions', async () => {
      const { path, key } = await request()
      const answers = await Promise.all([board.delete(path, key), board.delete(path, key)])
      expect(answers.map((answer) => answer.status).sort()).toEqual([204, 404])
    })
  })

  status(412, () => changesOnlyWhatMatches(board, 'candidate', request))
})
