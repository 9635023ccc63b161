import { expect, test } from 'vitest'
import { idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { pdf, txt } from '../support/documents.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { upload } from '../support/resumes.ts'

describeOperation('listResumes', ({ board, status }) => {
  const path = '/v1/candidates/resumes'

  const collection = async () => {
    const candidate = await board.candidate()
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      board.clock.advance(i % 2 ? 1_000 : 0)
      ids.unshift((await upload(board, candidate)).id)
    }
    return { path, key: candidate.key, ids, otherSort: 'size_bytes' }
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test("shows only the candidate's own resumes, newest first, exactly as documented", async () => {
      const candidate = await board.candidate()
      await upload(board, await board.candidate())
      const first = await upload(board, candidate)
      const second = await upload(board, candidate)
      const answer = await board.get(path, candidate.key)
      expect([answer.status, answer.body.data]).toEqual([200, [second, { ...first, is_default: false }]])
      expect(answer.body.meta).toMatchObject({
        sort: { fields: ['created_at'], directions: ['desc'] },
        filters_applied: {},
      })
    })

    test('filters and sorts without changing the default resume', async () => {
      const candidate = await board.candidate()
      const small = await upload(board, candidate, txt('x'))
      board.clock.advance(1_000)
      const between = board.clock.now().toISOString()
      const large = await upload(board, candidate, pdf('x'))
      const cases: [string, string[], Record<string, unknown>][] = [
        ['sort=size_bytes', [small.id, large.id], {}],
        ['sort=size_bytes:desc', [large.id, small.id], {}],
        ['sort=created_at', [small.id, large.id], {}],
        [`created_at_gte=${between}`, [large.id], { created_at_gte: between }],
        [`created_at_lt=${between}`, [small.id], { created_at_lt: between }],
      ]
      for (const [query, ids, applied] of cases) {
        const answer = await board.get(`${path}?${query}`, candidate.key)
        expect(idsOf(answer), query).toEqual(ids)
        expect(answer.body.meta.filters_applied).toEqual(applied)
        for (const row of answer.body.data) expect(row.is_default).toBe(row.id === large.id)
      }
    })
  })

  status(400, () => {
    refusesBadPaging(board, collection)

    test.each([
      ['filename=cv.pdf', 'filename unknown_parameter'],
      ['created_at_gt=soon', 'created_at_gt invalid_parameter'],
      ['sort=filename', 'sort invalid_parameter'],
    ])('refuses %s', async (query, fault) => {
      const { key } = await board.candidate()
      const answer = await board.get(`${path}?${query}`, key)
      expect([answer.status, faultsOf(answer)]).toEqual([400, [fault]])
    })
  })
})
