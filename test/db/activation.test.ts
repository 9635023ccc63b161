/** Simultaneous requests about the same payment or job. The requests run concurrently only on PostgreSQL. */
import { beforeAll, describe, expect, test } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { type Account, useBoard } from '../support/board.ts'
import { payUnused } from '../support/payments.ts'

const board = useBoard()
let owner: Account
beforeAll(async () => {
  owner = await board.employer()
})

const activate = (id: string) => board.post(`/v1/jobs/${id}/activate`, owner.key)
const typesOf = async (id: string) => {
  const events = (await board.events()) as unknown as { type: string; data: { job: { id: string } } }[]
  return events.filter(({ data }) => data.job?.id === id).map(({ type }) => type)
}
/** Returns whether each of a job's entitlements is consumed. */
const consumed = async (id: string) => {
  const rows = await board.database.read((db) =>
    db.selectFrom('entitlement').select('consumed_at').where('job_id', '=', id).execute(),
  )
  return rows.map(({ consumed_at }) => consumed_at !== null).sort()
}
const times = <T>(n: number, make: () => Promise<T>) => Promise.all(Array.from({ length: n }, make))

describe.each([2, 10])('%i simultaneous activations', (n) => {
  test('consume one payment, write one event, and all return the active job', async () => {
    const { id } = await board.job(owner)
    await payUnused(board, owner, id)
    const answers = await times(n, () => activate(id))
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
    expect(answers[0]!.body.data.is_active).toBe(true)
    expect(await typesOf(id)).toEqual(['job.created', 'job.updated'])
    expect(await consumed(id)).toEqual([true])
  })

  test('write one job.expired event and renew the job once if the expired job has one unused payment', async () => {
    const { id } = await board.activeJob(owner)
    board.clock.advance(30 * DAY_MS)
    await payUnused(board, owner, id)
    const answers = await times(n, () => activate(id))
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
    expect(await typesOf(id)).toEqual(['job.created', 'job.updated', 'job.expired', 'job.updated'])
    expect(await consumed(id)).toEqual([true, true])
  })

  test('are all refused without a payment, and write no event', async () => {
    const { id } = await board.job(owner)
    const answers = await times(n, () => activate(id))
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([402]))
    expect(await typesOf(id)).toEqual(['job.created'])
  })

  test('consume one payment each for different jobs', async () => {
    const jobs = await times(n, () => board.job(owner))
    for (const { id } of jobs) await payUnused(board, owner, id)
    const answers = await Promise.all(jobs.map(({ id }) => activate(id)))
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
    for (const { id } of jobs) expect(await consumed(id)).toEqual([true])
  })
})

test('a job is deleted even during its activation, and a refused activation consumes no payment', async () => {
  for (const _round of [1, 2, 3]) {
    const { id } = await board.job(owner)
    await payUnused(board, owner, id)
    const [activated, deleted] = await Promise.all([activate(id), board.delete(`/v1/jobs/${id}`, owner.key)])
    expect(deleted.status).toBe(204)
    expect([200, 404]).toContain(activated.status)
    expect(await consumed(id)).toEqual([activated.status === 200])
    expect((await board.get(`/v1/jobs/${id}`, owner.key)).status).toBe(404)
  }
})

test('after simultaneous closing and reopening, the job has the state that the last event shows', async () => {
  const { id } = await board.activeJob(owner)
  for (const _round of [1, 2, 3]) {
    await Promise.all([board.post(`/v1/jobs/${id}/close`, owner.key), board.post(`/v1/jobs/${id}/reopen`, owner.key)])
    const { is_active } = (await board.get(`/v1/jobs/${id}`, owner.key)).body.data
    const events = (await board.events('job.updated')) as unknown as {
      data: { job: { id: string; is_active: boolean }; previous: { is_active: boolean } }
    }[]
    const told = events.filter(({ data }) => data.job.id === id).map(({ data }) => data)
    // Every event reports a change, and starts from the state after the previous event.
    for (const [index, { job, previous }] of told.entries()) {
      expect(previous.is_active).toBe(!job.is_active)
      if (index > 0) expect(previous.is_active).toBe(told[index - 1]!.job.is_active)
    }
    expect(told.at(-1)!.job.is_active).toBe(is_active)
    board.clock.advance(1)
  }
})

test('five simultaneous confirmations of a payment grant one entitlement', async () => {
  const { id } = await board.job(owner)
  const begun = await board.post('/v1/employers/payments', owner.key, { job_id: id, products: ['job-post'] })
  const answers = await times(5, () => board.post(`/v1/employers/payments/${begun.body.data.id}/confirm`, owner.key))
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
  expect(await consumed(id)).toEqual([true])
})
