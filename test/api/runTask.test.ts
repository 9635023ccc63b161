import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADMIN_KEY, Board, expectStatus } from '../support/board.ts'
import { describeOperation } from '../support/operation.ts'
import { refusesWhileRunning } from '../support/posts.ts'
import { runTask, taskOf } from '../support/tasks.ts'

describeOperation('runTask', ({ board, status }) => {
  const pathOf = (name: string) => `/v1/admin/tasks/${name}/runs`
  const ask = async (name: string) => expectStatus(await board.post(pathOf(name), ADMIN_KEY, {}), 202).body.data
  const find = async (name: string) => {
    const { data } = expectStatus(await board.get('/v1/admin/tasks', ADMIN_KEY), 200).body
    return data.find((task: { name: string }) => task.name === name)
  }
  /** Another process, which runs the tasks on the same database. */
  const worker = new Board()
  beforeAll(async () => {
    worker.database = board.database
    await worker.start()
  })
  afterAll(() => worker.service.app.close())

  status(202, () => {
    test('lets the worker process run the task to completion', async () => {
      const employer = await board.employer()
      const expires_at = new Date(board.clock.time + 1_000).toISOString()
      await board.activeJob(employer, { expires_at })
      board.clock.advance(1_000)
      worker.clock.time = board.clock.time
      expect((await ask('job-expiry')).run).toEqual({
        ...{ state: 'waiting', requested_at: board.clock.now().toISOString(), requested_by: 'ADMIN_API_KEY' },
        ...{ started_at: null, ended_at: null, error: null },
      })
      expect(await board.events('job.expired')).toHaveLength(0)
      await runTask(worker, 'task-runs')
      expect(await board.events('job.expired')).toHaveLength(1)
      expect((await find('job-expiry')).run).toMatchObject({ state: 'done', ended_at: board.clock.now().toISOString() })
    })

    test('combines repeated requests into one run and one activity log entry', async () => {
      await ask('mail-purge')
      board.clock.advance(1_000)
      await Promise.all([ask('mail-purge'), ask('mail-purge')])
      const actions = await board.database.read((db) =>
        db.selectFrom('operator_action').select('action').where('subject', '=', 'mail-purge').execute(),
      )
      expect(actions).toHaveLength(1)
      await Promise.all([runTask(worker, 'task-runs'), runTask(board, 'task-runs')])
      expect((await find('mail-purge')).run.state).toBe('done')
      expect((await ask('mail-purge')).run.state).toBe('waiting')
      await runTask(worker, 'task-runs')
    })

    test('reports why a run failed', async () => {
      await board.database.inTx((tx) => sql.raw('alter table newly_visible_job rename to renamed').execute(tx))
      try {
        await ask('job-alerts-instant')
        await runTask(worker, 'task-runs')
      } finally {
        await board.database.inTx((tx) => sql.raw('alter table renamed rename to newly_visible_job').execute(tx))
      }
      expect((await find('job-alerts-instant')).run).toMatchObject({
        state: 'failed',
        error: expect.stringContaining('newly_visible_job'),
      })
    })

    test('runs again once the lease of a dead process has expired', async () => {
      await ask('event-purge')
      await board.database.inTx((tx) =>
        tx
          .updateTable('task_run')
          .set({ started_at: board.clock.now(), lease_until: new Date(board.clock.time + 60_000) })
          .where('task', '=', 'event-purge')
          .execute(),
      )
      worker.clock.time = board.clock.time
      await runTask(worker, 'task-runs')
      expect((await find('event-purge')).run.state).toBe('running')
      worker.clock.advance(60_000)
      await runTask(worker, 'task-runs')
      expect((await find('event-purge')).run.state).toBe('done')
    })

    test('completes even if rounds of the same task start at the same time', async () => {
      await ask('job-places')
      const rounds = [
        taskOf(worker, 'job-places').once(),
        runTask(worker, 'task-runs'),
        taskOf(worker, 'job-places').once(),
      ]
      await Promise.all(rounds)
      expect((await find('job-places')).run.state).toBe('done')
    })
  })

  status(404, () => {
    test.each(['no-such-task', 'board', 'task-runs', 'X', '%00'])(
      'does not find a runnable task named %s',
      async (name) => {
        expect((await board.post(pathOf(name), ADMIN_KEY, {})).status).toBe(404)
      },
    )
  })

  status(409, () => refusesWhileRunning(board, 'runTask'))
})
