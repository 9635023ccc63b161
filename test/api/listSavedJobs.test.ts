import { expect, test } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { expectStatus } from '../support/board.ts'
import { type Collection, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { insertJobs } from '../support/jobs.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

describeOperation('listSavedJobs', ({ board, status }) => {
  const path = '/v1/candidates/jobs/saved'
  const save = async (key: string, id: string) => {
    const answer = await board.post(`/v1/candidates/jobs/${id}/save`, key)
    expect([200, 201]).toContain(answer.status)
    return answer.body.data
  }

  let paged: Collection | undefined
  const collection = async () => {
    if (paged) return paged
    const { key } = await board.candidate()
    const ids = await insertJobs(board, Array(7).fill({}))
    for (const [index, id] of ids.entries()) {
      // Pairs of entries have the same time, so the ID determines their order.
      if (index % 2 === 0) board.clock.advance(1_000)
      await save(key, id)
    }
    paged = { path, key, ids: ids.toReversed(), otherSort: 'saved_at', time: 'saved_at' }
    return paged
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test('returns saved jobs exactly as saveJob returned them, newest first', async () => {
      const { key } = await board.candidate()
      const employer = await board.employer()
      const older = await save(key, (await board.activeJob(employer)).id)
      board.clock.advance(1_000)
      const newer = await save(key, (await board.activeJob(employer)).id)
      const answer = expectStatus(await board.get(path, key), 200)
      expect(answer.body).toEqual({
        data: [newer, older],
        meta: {
          pagination: { total: 2, pages: 1, page: 1, limit: 20, has_more: false, next_cursor: null, prev_cursor: null },
          sort: { fields: ['saved_at'], directions: ['desc'] },
          filters_applied: {},
        },
      })
      expect((await board.get(`${path}?sort=saved_at`, key)).body.data).toEqual([older, newer])
      expect((await board.get(`${path}?saved_at_gt=${older.saved_at}`, key)).body).toMatchObject({
        data: [newer],
        meta: { pagination: { total: 1 }, filters_applied: { saved_at_gt: older.saved_at } },
      })
    })

    test('keeps closed and expired jobs as inactive, and drops deleted jobs', async () => {
      const { key } = await board.candidate()
      const employer = await board.employer()
      const expires_at = new Date(board.clock.time + DAY_MS).toISOString()
      const expiring = await board.activeJob(employer, { expires_at })
      const closing = await board.activeJob(employer)
      const deleted = await board.activeJob(employer)
      for (const { id } of [expiring, closing, deleted]) {
        await save(key, id)
        board.clock.advance(1_000)
      }
      const shown = async () => {
        const { data, meta } = (await board.get(path, key)).body
        const jobs = data.map(({ job_id, job }: { job_id: string; job: { is_active: boolean } }) => [
          job_id,
          job.is_active,
        ])
        expect(meta.pagination.total).toBe(jobs.length)
        return jobs
      }
      expect(await shown()).toEqual([
        [deleted.id, true],
        [closing.id, true],
        [expiring.id, true],
      ])
      await board.post(`/v1/jobs/${closing.id}/close`, employer.key)
      await board.delete(`/v1/jobs/${deleted.id}`, employer.key)
      board.clock.advance(DAY_MS)
      expect(await shown()).toEqual([
        [closing.id, false],
        [expiring.id, false],
      ])
    })

    test("never shows another candidate's saved jobs", async () => {
      await collection()
      expect((await board.get(path, (await board.candidate()).key)).body.data).toEqual([])
    })
  })

  status(400, () => {
    refusesBadPaging(board, collection)

    test("refuses a sort order of the board's list", async () => {
      const answer = await board.get(`${path}?sort=title`, (await board.candidate()).key)
      expect([answer.status, faultsOf(answer)]).toEqual([400, ['sort invalid_parameter']])
    })

    test("accepts another candidate's cursor, but shows none of that candidate's jobs", async () => {
      const { key } = await collection()
      const { next_cursor } = (await board.get(`${path}?limit=2`, key)).body.meta.pagination
      const other = await board.get(`${path}?limit=2&cursor=${next_cursor}`, (await board.candidate()).key)
      expect(other.body.data).toEqual([])
    })
  })
})
