/** Shared tests of the operations that list the values of a job field, with a job count for each value. */
import { beforeAll, expect, test } from 'vitest'
import type { NamedSlug } from '../../src/features/catalogue/index.ts'
import type { Account } from './board.ts'
import { listOffered } from './catalogue.ts'
import { insertJobs, removeJobs } from './jobs.ts'
import type { OperationTests } from './operation.ts'

interface Counted {
  slug: string
  name: string
  job_count: number
}

interface Field {
  name: 'category' | 'type'
  path: string
  /** The first configured value. */
  first: NamedSlug
  /** Another configured value. */
  other: string
}

/** Returns the tests for the operation's 200 and 400 blocks. */
export function valueCounts({ board }: OperationTests, { name, path, first, other }: Field) {
  let reader: Account
  let configured: readonly NamedSlug[]
  beforeAll(async () => {
    reader = await board.candidate()
    configured = await listOffered(board, name)
  })
  const list = async (): Promise<Counted[]> => (await board.get(path, reader.key)).body.data
  const insert = (...slugs: string[]) =>
    insertJobs(
      board,
      slugs.map((slug) => ({ [name]: slug })),
    )
  /** Returns the slugs and counts of values with jobs. */
  const counts = async () =>
    (await list()).filter(({ job_count }) => job_count > 0).map((one) => [one.slug, one.job_count])

  const returnsCounts = () => {
    test('returns only `data`, with the configured values in order, on an empty board', async () => {
      await removeJobs(board)
      const answer = await board.get(path, reader.key)
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({ data: configured.map((one) => ({ ...one, job_count: 0 })) })
      expect(answer.headers.get('link')).toBeNull()
      expect(answer.body.data[0]).toEqual({ ...first, job_count: 0 })
    })

    test('lists other values after the configured values, by slug, with names from their slugs', async () => {
      await removeJobs(board)
      await insert('zeppelin-crew', 'avionics', first.slug)
      const all = await list()
      expect(all.slice(configured.length)).toEqual([
        { slug: 'avionics', name: 'Avionics', job_count: 1 },
        { slug: 'zeppelin-crew', name: 'Zeppelin crew', job_count: 1 },
      ])
      expect(all[0]).toMatchObject({ slug: first.slug, job_count: 1 })
    })

    test('counts only the jobs that are on the board', async () => {
      await removeJobs(board)
      const employer = await board.employer()
      await board.job(employer, { [name]: 'avionics' })
      const closed = await board.activeJob(employer, { [name]: 'avionics' })
      const deleted = await board.activeJob(employer, { [name]: 'avionics' })
      const expires_at = new Date(board.clock.time + 1_000).toISOString()
      await board.activeJob(employer, { [name]: 'avionics', expires_at })
      await insert(other, other)
      expect(await counts()).toEqual([
        [other, 2],
        ['avionics', 3],
      ])
      await board.post(`/v1/jobs/${closed.id}/close`, employer.key)
      await board.delete(`/v1/jobs/${deleted.id}`, employer.key)
      board.clock.advance(999)
      expect(await counts()).toEqual([
        [other, 2],
        ['avionics', 1],
      ])
      board.clock.advance(1)
      // A value that is not configured disappears with its last job.
      expect(await counts()).toEqual([[other, 2]])
      expect((await list()).length).toBe(configured.length)
    })

    test('counts the same jobs as a list filtered by this field, and shows every kind of account the same counts', async () => {
      await removeJobs(board)
      await insert(other, 'rocketry', other)
      for (const { slug, job_count } of await list()) {
        const { pagination } = (await board.get(`/v1/jobs?${name}=${slug}`, reader.key)).body.meta
        expect([slug, pagination.total]).toEqual([slug, job_count])
      }
      for (const kind of ['employer', 'integrator', 'admin'] as const) {
        const { key } = await board.account(kind)
        expect((await board.get(path, key)).body.data).toEqual(await list())
      }
    })
  }

  const refusesListParameters = () => {
    test('refuses the parameters of paged lists', async () => {
      for (const query of ['page=1', 'limit=5', 'cursor=', 'sort=slug', 'search=a']) {
        const answer = await board.get(`${path}?${query}`, reader.key)
        expect([query, answer.status, answer.body.code]).toEqual([query, 400, 'unknown_parameter'])
      }
    })
  }

  return { returnsCounts, refusesListParameters }
}
