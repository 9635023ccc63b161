import { beforeAll, describe, expect, test } from 'vitest'
import type { NamedSlug } from '../../src/features/catalogue/index.ts'
import type { Account } from '../support/board.ts'
import { listOffered } from '../support/catalogue.ts'
import { insertJobs, removeJobs } from '../support/jobs.ts'
import { describeOperation } from '../support/operation.ts'

interface Counted {
  slug: string
  name: string
  job_count: number
}

describeOperation('listJobTypes', ({ board, status }) => {
  let reader: Account
  let configuredTypes: readonly NamedSlug[]
  beforeAll(async () => {
    reader = await board.candidate()
    configuredTypes = await listOffered(board, 'type')
  })
  const list = async (): Promise<Counted[]> => (await board.get('/v1/jobs/types', reader.key)).body.data
  /** Returns the slugs and counts of types with jobs. */
  const counts = async () =>
    (await list()).filter(({ job_count }) => job_count > 0).map((one) => [one.slug, one.job_count])

  status(200, () => {
    test('returns only `data`, with the configured types in order, even on an empty board', async () => {
      await removeJobs(board)
      const answer = await board.get('/v1/jobs/types', reader.key)
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({ data: configuredTypes.map((one) => ({ ...one, job_count: 0 })) })
      expect(answer.headers.get('link')).toBeNull()
      expect(answer.body.data[0]).toEqual({ slug: 'full-time', name: 'Full-time', job_count: 0 })
    })

    test('lists other types after the configured ones, by slug, with names from their slugs', async () => {
      await removeJobs(board)
      await insertJobs(
        board,
        ['zeppelin-crew', 'avionics', 'full-time'].map((type) => ({ type })),
      )
      const all = await list()
      expect(all.slice(configuredTypes.length)).toEqual([
        { slug: 'avionics', name: 'Avionics', job_count: 1 },
        { slug: 'zeppelin-crew', name: 'Zeppelin crew', job_count: 1 },
      ])
      expect(all[0]).toMatchObject({ slug: 'full-time', job_count: 1 })
    })

    test('counts exactly the jobs that are on the board now', async () => {
      await removeJobs(board)
      const employer = await board.employer()
      await board.job(employer, { type: 'avionics' })
      const closed = await board.activeJob(employer, { type: 'avionics' })
      const deleted = await board.activeJob(employer, { type: 'avionics' })
      const expires_at = new Date(board.clock.time + 1_000).toISOString()
      await board.activeJob(employer, { type: 'avionics', expires_at })
      await insertJobs(board, [{ type: 'contract' }, { type: 'contract' }])
      expect(await counts()).toEqual([
        ['contract', 2],
        ['avionics', 3],
      ])
      await board.post(`/v1/jobs/${closed.id}/close`, employer.key)
      await board.delete(`/v1/jobs/${deleted.id}`, employer.key)
      board.clock.advance(999)
      expect(await counts()).toEqual([
        ['contract', 2],
        ['avionics', 1],
      ])
      board.clock.advance(1)
      // A type that is not configured disappears with its last job.
      expect(await counts()).toEqual([['contract', 2]])
      expect((await list()).length).toBe(configuredTypes.length)
    })

    test('counts the same jobs as a list filtered by type, for every kind of account', async () => {
      await removeJobs(board)
      await insertJobs(board, [{ type: 'contract' }, { type: 'rocketry' }, { type: 'contract' }])
      for (const { slug, job_count } of await list()) {
        const { pagination } = (await board.get(`/v1/jobs?type=${slug}`, reader.key)).body.meta
        expect([slug, pagination.total]).toEqual([slug, job_count])
      }
      for (const kind of ['employer', 'integrator', 'admin'] as const) {
        const { key } = await board.account(kind)
        expect((await board.get('/v1/jobs/types', key)).body.data).toEqual(await list())
      }
    })
  })

  status(400, () => {
    test('accepts none of the parameters of paged lists', async () => {
      for (const query of ['page=1', 'limit=5', 'cursor=', 'sort=slug', 'search=a']) {
        const answer = await board.get(`/v1/jobs/types?${query}`, reader.key)
        expect([query, answer.status, answer.body.code]).toEqual([query, 400, 'unknown_parameter'])
      }
    })
  })

  describe('405', () => {
    test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('refuses %s and allows GET', async (method) => {
      const answer = await board.call(method, '/v1/jobs/types', { key: reader.key })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    })
  })
})
