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

describeOperation('listJobCategories', ({ board, status }) => {
  let reader: Account
  let configuredCategories: readonly NamedSlug[]
  beforeAll(async () => {
    reader = await board.candidate()
    configuredCategories = await listOffered(board, 'category')
  })
  const list = async (): Promise<Counted[]> => (await board.get('/v1/jobs/categories', reader.key)).body.data
  /** Returns the slugs and counts of categories with jobs. */
  const counts = async () =>
    (await list()).filter(({ job_count }) => job_count > 0).map((one) => [one.slug, one.job_count])

  status(200, () => {
    test('returns only `data`, with the configured categories in order, even on an empty board', async () => {
      await removeJobs(board)
      const answer = await board.get('/v1/jobs/categories', reader.key)
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({ data: configuredCategories.map((one) => ({ ...one, job_count: 0 })) })
      expect(answer.headers.get('link')).toBeNull()
      expect(answer.body.data[0]).toEqual({ slug: 'vehicle-engineering', name: 'Vehicle engineering', job_count: 0 })
    })

    test('lists other categories after the configured ones, by slug, with names from their slugs', async () => {
      await removeJobs(board)
      await insertJobs(
        board,
        ['zeppelin-crew', 'avionics', 'vehicle-engineering'].map((category) => ({ category })),
      )
      const all = await list()
      expect(all.slice(configuredCategories.length)).toEqual([
        { slug: 'avionics', name: 'Avionics', job_count: 1 },
        { slug: 'zeppelin-crew', name: 'Zeppelin crew', job_count: 1 },
      ])
      expect(all[0]).toMatchObject({ slug: 'vehicle-engineering', job_count: 1 })
    })

    test('counts exactly the jobs that are on the board now', async () => {
      await removeJobs(board)
      const employer = await board.employer()
      await board.job(employer, { category: 'avionics' })
      const closed = await board.activeJob(employer, { category: 'avionics' })
      const deleted = await board.activeJob(employer, { category: 'avionics' })
      const expires_at = new Date(board.clock.time + 1_000).toISOString()
      await board.activeJob(employer, { category: 'avionics', expires_at })
      await insertJobs(board, [{ category: 'finance' }, { category: 'finance' }])
      expect(await counts()).toEqual([
        ['finance', 2],
        ['avionics', 3],
      ])
      await board.post(`/v1/jobs/${closed.id}/close`, employer.key)
      await board.delete(`/v1/jobs/${deleted.id}`, employer.key)
      board.clock.advance(999)
      expect(await counts()).toEqual([
        ['finance', 2],
        ['avionics', 1],
      ])
      board.clock.advance(1)
      // A category that is not configured disappears with its last job.
      expect(await counts()).toEqual([['finance', 2]])
      expect((await list()).length).toBe(configuredCategories.length)
    })

    test('counts the same jobs as a list filtered by category, for every kind of account', async () => {
      await removeJobs(board)
      await insertJobs(board, [{ category: 'finance' }, { category: 'rocketry' }, { category: 'finance' }])
      for (const { slug, job_count } of await list()) {
        const { pagination } = (await board.get(`/v1/jobs?category=${slug}`, reader.key)).body.meta
        expect([slug, pagination.total]).toEqual([slug, job_count])
      }
      for (const kind of ['employer', 'integrator', 'admin'] as const) {
        const { key } = await board.account(kind)
        expect((await board.get('/v1/jobs/categories', key)).body.data).toEqual(await list())
      }
    })
  })

  status(400, () => {
    test('accepts none of the parameters of paged lists', async () => {
      for (const query of ['page=1', 'limit=5', 'cursor=', 'sort=slug', 'search=a']) {
        const answer = await board.get(`/v1/jobs/categories?${query}`, reader.key)
        expect([query, answer.status, answer.body.code]).toEqual([query, 400, 'unknown_parameter'])
      }
    })
  })

  describe('405', () => {
    test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('refuses %s and allows GET', async (method) => {
      const answer = await board.call(method, '/v1/jobs/categories', { key: reader.key })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    })
  })
})
