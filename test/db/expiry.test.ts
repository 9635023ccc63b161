import { beforeEach, describe, expect, test } from 'vitest'
import { expirySweeper } from '../../src/features/jobs/jobs.tasks.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { mails } from '../support/applications.ts'
import { type Account, ADMIN_KEY, expectStatus, ORIGIN, useBoard } from '../support/board.ts'
import { insertJobs, removeJobs } from '../support/jobs.ts'
import { mailsIn } from '../support/mails.ts'
import { faultsOf } from '../support/operation.ts'
import { runTask } from '../support/tasks.ts'

const board = useBoard()
let reader: Account
beforeEach(async () => {
  await removeJobs(board)
  reader ??= await board.candidate()
})

const at = (ms: number) => new Date(board.clock.time + ms).toISOString()
const sweeper = () => expirySweeper(board.database, board.clock, { origin: ORIGIN, defaultCurrency: 'USD' })
/** Sweeps until nothing is left, as the task loop does. Returns how many rounds requested another round. */
async function sweep(task = sweeper()): Promise<number> {
  let rounds = 0
  while ((await task.once()) === 'more') rounds++
  return rounds
}
const announced = async () => {
  const events = (await board.events('job.expired')) as unknown as { data: { job: { id: string } } }[]
  return events.map(({ data }) => data.job.id)
}

test('an employer gets one email three days before a job ends, and another if the end moves', async () => {
  const owner = await board.employer({ email: 'ending@employer.example' })
  await board.database.inTx((tx) =>
    tx
      .updateTable('account')
      .set({ email_confirmed_key: 'ending@employer.example' })
      .where('id', '=', owner.id)
      .execute(),
  )
  const ending = await board.activeJob(owner, { title: 'Roofer', expires_at: at(10 * DAY_MS) })
  await board.activeJob(owner, { title: 'Briefly', expires_at: at(2 * DAY_MS) })
  const closed = await board.activeJob(owner, { title: 'Closed', expires_at: at(10 * DAY_MS) })
  await insertJobs(board, [{ expires_at: at(10 * DAY_MS) }])
  const told = async () => {
    await Promise.all([runTask(board, 'ending-jobs'), runTask(board, 'ending-jobs')])
    await runTask(board, 'mail')
    return (await mailsIn(board.config.dataDir)).filter(({ to }) => to?.[0]?.address === 'ending@employer.example')
  }
  board.clock.advance(7 * DAY_MS - 1)
  await runTask(board, 'ending-jobs')
  expect(await mails(board, ending.id)).toEqual([])
  expectStatus(await board.post(`/v1/jobs/${closed.id}/close`, owner.key), 200)
  board.clock.advance(1)
  const [mail, ...more] = await told()
  expect(more).toEqual([])
  expect(mail!.subject).toMatch(/^Your job ends on .+: Roofer$/)
  expect(mail!.text).toContain('It has no applications so far.')
  expect(mail!.text).toContain(`/employer/jobs/${ending.id}`)
  board.clock.advance(DAY_MS)
  expect(await told()).toHaveLength(1)
  await board.pay(owner, ending.id)
  const { data } = (await board.get(`/v1/jobs/${ending.id}`, owner.key)).body
  board.clock.advance(Date.parse(data.expires_at) - board.clock.time - 3 * DAY_MS)
  expect(await told()).toHaveLength(2)
})

describe('a planned publication', () => {
  const stateOf = async (owner: Account, id: string) => (await board.get(`/v1/jobs/${id}`, owner.key)).body.data
  const updates = async (id: string) => {
    const events = (await board.events('job.updated')) as unknown as {
      data: { job: { id: string }; changed_fields: string[] }
    }[]
    return events.filter(({ data }) => data.job.id === id).map(({ data }) => data)
  }
  /** Runs the task twice at the same time, as in two processes. */
  const publish = () => Promise.all([runTask(board, 'job-publication'), runTask(board, 'job-publication')])

  test('puts a paid job on the board once, at the planned time and for the full 30 days', async () => {
    const owner = await board.employer()
    const publish_at = at(2 * DAY_MS)
    const planned = await board.job(owner, { publish_at })
    const mine = await board.job(owner, { publish_at })
    const dropped = await board.job(owner, { publish_at })
    expect(planned).toMatchObject({ publish_at, is_active: false })
    for (const { id } of [planned, mine, dropped]) await board.pay(owner, id)
    expect(await stateOf(owner, planned.id)).toMatchObject({ publish_at, is_active: false })
    expect((await board.get(`/v1/jobs/${planned.id}`, reader.key)).status).toBe(404)
    expectStatus(await board.post(`/v1/jobs/${mine.id}/activate`, owner.key), 200)
    expectStatus(await board.put(`/v1/jobs/${dropped.id}`, owner.key, { publish_at: null }), 200)
    board.clock.advance(2 * DAY_MS - 1)
    await publish()
    expect(await updates(planned.id)).toEqual([])
    board.clock.advance(1)
    await publish()
    const run = { is_active: true, publish_at, posted_at: publish_at, expires_at: at(30 * DAY_MS) }
    expect(await stateOf(owner, planned.id)).toMatchObject(run)
    expect((await board.get('/v1/jobs', reader.key)).body.data.map(({ id }: { id: string }) => id)).toContain(
      planned.id,
    )
    await publish()
    for (const { id } of [planned, mine]) {
      expect((await updates(id)).map(({ changed_fields }) => changed_fields)).toEqual([['is_active']])
    }
    expect(await stateOf(owner, dropped.id)).toMatchObject({ is_active: false, publish_at: null })
    // After the expiry, a new payment puts the job on the board immediately, unless another time is planned.
    board.clock.advance(30 * DAY_MS)
    const again = at(DAY_MS)
    expectStatus(await board.put(`/v1/jobs/${planned.id}`, owner.key, { publish_at: again }), 200)
    for (const { id } of [planned, mine]) await board.pay(owner, id)
    expect(await stateOf(owner, mine.id)).toMatchObject({ is_active: true })
    expect(await stateOf(owner, planned.id)).toMatchObject({ is_active: false })
    board.clock.advance(DAY_MS)
    await publish()
    expect(await stateOf(owner, planned.id)).toMatchObject({ is_active: true, posted_at: publish_at })
  })

  test('lapses without a payment, waits while the job is removed or the account is suspended, and ends if the job is deleted', async () => {
    const owner = await board.employer()
    const suspended = await board.employer()
    const publish_at = at(DAY_MS)
    const [unpaid, removed, deleted] = await Promise.all([1, 2, 3].map(() => board.job(owner, { publish_at })))
    const waiting = await board.job(suspended, { publish_at })
    for (const { id } of [removed!, deleted!]) await board.pay(owner, id)
    await board.pay(suspended, waiting.id)
    await board.database.inTx((tx) =>
      tx
        .updateTable('job')
        .set({ removed_at: board.clock.now(), removal_reason: 'Spam' })
        .where('id', '=', removed!.id)
        .execute(),
    )
    expectStatus(await board.delete(`/v1/jobs/${deleted!.id}`, owner.key), 204)
    const account = `/v1/admin/accounts/${suspended.id}`
    expectStatus(await board.post(`${account}/suspend`, ADMIN_KEY, { reason: 'Spam' }), 200)
    board.clock.advance(DAY_MS)
    await publish()
    for (const { id } of [unpaid!, removed!, deleted!, waiting]) expect(await updates(id)).toEqual([])
    expectStatus(await board.post(`${account}/resume`, ADMIN_KEY), 200)
    expectStatus(await board.post(`/v1/admin/jobs/${removed!.id}/restore`, ADMIN_KEY), 200)
    await board.pay(owner, unpaid!.id)
    expect(await stateOf(owner, unpaid!.id)).toMatchObject({ is_active: true, expires_at: at(30 * DAY_MS) })
    await publish()
    expect(await stateOf(owner, removed!.id)).toMatchObject({ is_active: true })
    expect(await stateOf(suspended, waiting.id)).toMatchObject({ is_active: true })
    await publish()
    for (const { id } of [unpaid!, removed!, waiting]) expect(await updates(id)).toHaveLength(1)
  })

  test('does not hold back a job whose payment started before the planned time and finished after that time', async () => {
    const owner = await board.employer()
    const { id } = await board.job(owner, { publish_at: at(DAY_MS) })
    board.clock.advance(DAY_MS)
    await publish()
    // The payment's transaction read the clock before the task did.
    board.clock.advance(-1)
    await board.pay(owner, id)
    expect(await stateOf(owner, id)).toMatchObject({ is_active: true })
    board.clock.advance(1)
  })

  test('must be in the future and before the expiry, and is refused for a job on the board', async () => {
    const owner = await board.employer()
    const { id } = await board.activeJob(owner)
    const draft = await board.job(owner, { expires_at: at(5 * DAY_MS) })
    for (const [job, body, fault] of [
      [id, { publish_at: at(DAY_MS) }, '#/publish_at not_allowed'],
      [draft.id, { publish_at: at(0) }, '#/publish_at invalid_range'],
      [draft.id, { publish_at: at(366 * DAY_MS), expires_at: null }, '#/publish_at invalid_range'],
      [draft.id, { publish_at: at(5 * DAY_MS) }, '#/publish_at invalid_range'],
    ] as const) {
      const answer = expectStatus(await board.put(`/v1/jobs/${job}`, owner.key, body), 422)
      expect(faultsOf(answer)).toEqual([fault])
    }
    const planned = { publish_at: at(4 * DAY_MS), expires_at: at(5 * DAY_MS) }
    expectStatus(await board.put(`/v1/jobs/${draft.id}`, owner.key, planned), 200)
    const early = expectStatus(await board.put(`/v1/jobs/${draft.id}`, owner.key, { expires_at: at(3 * DAY_MS) }), 422)
    expect(faultsOf(early)).toEqual(['#/publish_at invalid_range'])
    // A client may send back the current value.
    expectStatus(await board.put(`/v1/jobs/${id}`, owner.key, { publish_at: null }), 200)
  })
})

describe('the sweeper', () => {
  test('is one of the tasks of the service, and runs every 30 seconds', () => {
    const task = board.service.tasks.find(({ name }) => name === 'job-expiry')
    expect(task?.everyMs).toBe(30_000)
  })

  test('announces an expired job once, in its final state', async () => {
    const owner = await board.employer()
    const job = await board.activeJob(owner, { expires_at: at(1_000) })
    board.clock.advance(999)
    await sweep()
    expect(await announced()).toEqual([])
    board.clock.advance(1)
    await sweep()
    const [event, ...others] = await board.events('job.expired')
    expect(others).toEqual([])
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'job.expired',
      created_at: board.clock.now().toISOString(),
      data: { job: { ...job, is_active: false } },
    })
    await sweep()
    board.clock.advance(DAY_MS)
    await sweep()
    expect(await announced()).toEqual([job.id])
  })

  test('announces expired closed jobs as well, but not inactive or deleted jobs', async () => {
    const owner = await board.employer()
    const closed = await board.activeJob(owner, { expires_at: at(1_000) })
    await board.post(`/v1/jobs/${closed.id}/close`, owner.key)
    await board.job(owner, { expires_at: at(1_000) })
    const deleted = await board.activeJob(owner, { expires_at: at(1_000) })
    await board.delete(`/v1/jobs/${deleted.id}`, owner.key)
    board.clock.advance(1_000)
    await sweep()
    expect(await announced()).toEqual([closed.id])
  })

  test('announces hundreds of jobs once each after downtime, in batches', async () => {
    const seeds = Array.from({ length: 450 }, (_, index) => ({ expires_at: at(index + 1) }))
    const ids = await insertJobs(board, seeds)
    board.clock.advance(7 * DAY_MS)
    await board.restart()
    const task = board.service.tasks.find(({ name }) => name === 'job-expiry')!
    expect(await sweep(task)).toBe(2)
    const found = await announced()
    expect(found.length).toBe(450)
    expect(found.toSorted()).toEqual(ids.toSorted())
  })

  test('announces each job once, even with four simultaneous sweeps', async () => {
    const ids = await insertJobs(
      board,
      Array.from({ length: 900 }, () => ({ expires_at: at(1_000) })),
    )
    board.clock.advance(1_000)
    await Promise.all([sweep(), sweep(), sweep(), sweep()])
    // Each sweep skips jobs that another sweep has locked, so one more sweep may be needed.
    await sweep()
    expect((await announced()).toSorted()).toEqual(ids.toSorted())
  })

  test('announces an expiry only once, even if an activation, an edit or a deletion finds it first', async () => {
    const owner = await board.employer()
    const [renewed, edited, deleted] = await Promise.all(
      [1, 2, 3].map(() => board.activeJob(owner, { expires_at: at(1_000) })),
    )
    board.clock.advance(1_000)
    await board.pay(owner, renewed.id)
    expect((await board.post(`/v1/jobs/${renewed.id}/activate`, owner.key)).status).toBe(200)
    expect((await board.put(`/v1/jobs/${edited.id}`, owner.key, { expires_at: at(DAY_MS) })).status).toBe(200)
    expect((await board.delete(`/v1/jobs/${deleted.id}`, owner.key)).status).toBe(204)
    await sweep()
    expect((await announced()).toSorted()).toEqual([renewed.id, edited.id, deleted.id].toSorted())
  })

  test('announces an expiry only once, even if it coincides with a renewal', async () => {
    const owner = await board.employer()
    const { id } = await board.activeJob(owner, { expires_at: at(1_000) })
    board.clock.advance(1_000)
    await board.pay(owner, id)
    const [activated] = await Promise.all([
      board.post(`/v1/jobs/${id}/activate`, owner.key),
      sweep(),
      board.post(`/v1/jobs/${id}/activate`, owner.key),
      sweep(),
    ])
    expect(activated.body.data.is_active).toBe(true)
    await sweep()
    expect(await announced()).toEqual([id])
  })

  test('announces every expiry of a renewed job', async () => {
    const owner = await board.employer()
    const { id } = await board.activeJob(owner)
    for (const run of [1, 2, 3]) {
      board.clock.advance(30 * DAY_MS)
      await sweep()
      expect(await announced()).toEqual(Array(run).fill(id))
      await board.pay(owner, id)
      await board.post(`/v1/jobs/${id}/activate`, owner.key)
      await sweep()
      expect(await announced()).toEqual(Array(run).fill(id))
    }
  })

  test('repeats a failed announcement in the next round, without leaving it half done', async () => {
    const [id] = await insertJobs(board, [{ expires_at: at(1_000) }])
    board.clock.advance(1_000)
    const failing = expirySweeper(
      {
        ...board.database,
        inTx: (work) => board.database.inTx((tx) => work(tx).then(() => Promise.reject(new Error('crash')))),
      },
      board.clock,
      { origin: ORIGIN, defaultCurrency: 'USD' },
    )
    await expect(failing.once()).rejects.toThrow('crash')
    expect(await announced()).toEqual([])
    await sweep()
    expect(await announced()).toEqual([id])
  })
})

describe('readers', () => {
  test('see expiries to the millisecond, even without a sweeper', async () => {
    const owner = await board.employer()
    const { id } = await board.activeJob(owner, { expires_at: at(5_000), category: 'ephemeral', title: 'Mayfly' })
    const seen = async () => ({
      listed: (await board.get('/v1/jobs?limit=100', reader.key)).body.meta.pagination.total,
      found: (await board.get('/v1/jobs?search=mayfly', reader.key)).body.data.length,
      counted: (await board.get('/v1/jobs/categories', reader.key)).body.data.filter(
        ({ slug }: { slug: string }) => slug === 'ephemeral',
      ).length,
      isActive: (await board.get(`/v1/jobs/${id}`, reader.key)).body.data.is_active,
      open: (await board.get(`/v1/employers/${owner.id}`, reader.key)).body.data.open_positions,
      own: (await board.get('/v1/employers/jobs?state=active', owner.key)).body.meta.pagination.total,
    })
    board.clock.advance(4_999)
    expect(await seen()).toEqual({ listed: 1, found: 1, counted: 1, isActive: true, open: 1, own: 1 })
    board.clock.advance(1)
    expect(await seen()).toEqual({ listed: 0, found: 0, counted: 0, isActive: false, open: 0, own: 0 })
    expect(await announced()).toEqual([])
  })
})
