import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Tx } from '../../src/db/database.ts'
import { newId } from '../../src/lib/ids.ts'
import { type Account, ADMIN_KEY, expectStatus } from '../support/board.ts'
import { describeOperation } from '../support/operation.ts'
import { refusesWhileRunning } from '../support/posts.ts'
import { report, uphold } from '../support/reports.ts'
import { runTask } from '../support/tasks.ts'

describeOperation('resumeAccount', ({ board, status }) => {
  const pathOf = (id: string) => `/v1/admin/accounts/${id}/resume`
  const suspend = async ({ id }: Account) =>
    expectStatus(await board.post(`/v1/admin/accounts/${id}/suspend`, ADMIN_KEY, { reason: 'Check' }), 200)
  const resume = async ({ id }: Account) => expectStatus(await board.post(pathOf(id), ADMIN_KEY, {}), 200).body.data
  const stateOf = async (id: string) => (await board.get(`/v1/jobs/${id}`, ADMIN_KEY)).body.data.is_active

  status(200, () => {
    test('returns to the board only the jobs that were there before the suspension', async () => {
      const employer = await board.employer()
      const [active, closed, draft] = [
        await board.activeJob(employer),
        await board.activeJob(employer),
        await board.job(employer),
      ]
      await board.post(`/v1/jobs/${closed.id}/close`, employer.key)
      await suspend(employer)
      expect(await stateOf(active.id)).toBe(false)
      expect(await resume(employer)).toMatchObject({ id: employer.id, suspended_at: null })
      expect(await Promise.all([active, closed, draft].map(({ id }) => stateOf(id)))).toEqual([true, false, false])
      expect((await board.get(`/v1/jobs/${active.id}`, employer.key)).body.data).toMatchObject({
        posted_at: active.posted_at,
        expires_at: active.expires_at,
      })
    })

    test('leaves a job off the board if it expired during the suspension, and announces its expiry', async () => {
      const employer = await board.employer()
      const { id } = await board.activeJob(employer, { expires_at: new Date(board.clock.time + 60_000).toISOString() })
      await suspend(employer)
      board.clock.advance(60_000)
      await runTask(board, 'job-expiry')
      await resume(employer)
      expect(await stateOf(id)).toBe(false)
      expect(
        (await board.events('job.expired')).filter(({ data }) => (data as never as Of).job.id === id),
      ).toHaveLength(1)
    })

    test('leaves a job off the board if an admin closed or removed it during the suspension', async () => {
      const employer = await board.employer()
      const [closed, removed] = [await board.activeJob(employer), await board.activeJob(employer)]
      const reported = await report(board, { jobId: removed.id })
      await suspend(employer)
      expectStatus(await board.post(`/v1/jobs/${closed.id}/close`, ADMIN_KEY), 200)
      await uphold(board, reported)
      await resume(employer)
      expect([await stateOf(closed.id), await stateOf(removed.id)]).toEqual([false, false])
      // The restoration returns the job to its state before the suspension.
      expectStatus(await board.post(`/v1/admin/jobs/${removed.id}/restore`, ADMIN_KEY), 200)
      expect(await stateOf(removed.id)).toBe(true)
    })

    test('returns a job to the board if it was restored during the suspension', async () => {
      const employer = await board.employer()
      const { id } = await board.activeJob(employer)
      await uphold(board, await report(board, { jobId: id }))
      await suspend(employer)
      expectStatus(await board.post(`/v1/admin/jobs/${id}/restore`, ADMIN_KEY), 200)
      expect(await stateOf(id)).toBe(false)
      await resume(employer)
      expect(await stateOf(id)).toBe(true)
    })

    test('returns more jobs to the board than fit into one batch', async () => {
      const employer = await board.employer()
      const { id } = await board.activeJob(employer, { title: 'Multiplied' })
      await board.database.inTx((tx) => multiply(tx, id, 1_100))
      const total = async () =>
        (await board.get('/v1/jobs?search=multiplied', (await board.candidate()).key)).body.meta.pagination.total
      expect(await total()).toBe(1_101)
      await suspend(employer)
      expect(await total()).toBe(0)
      await resume(employer)
      expect(await total()).toBe(1_101)
    })

    test('changes nothing if the account is not suspended', async () => {
      const employer = await board.employer()
      await board.activeJob(employer)
      const events = (await board.events()).length
      await resume(employer)
      expect((await board.events()).length).toBe(events)
    })
  })

  status(404, () => {
    test('does not find an unknown or closed account', async () => {
      const closed = await board.employer()
      expectStatus(await board.delete('/v1/employers/profile', closed.key), 204)
      for (const id of ['emp_00000000000000000000000000', 'x', closed.id]) {
        expect((await board.post(pathOf(id), ADMIN_KEY, {})).status).toBe(404)
      }
    })
  })

  status(409, () => refusesWhileRunning(board, 'resumeAccount'))
})

interface Of {
  job: { id: string }
}

/** Inserts this many copies of a job, with new IDs. */
async function multiply(tx: Tx, id: string, count: number): Promise<void> {
  const row = await tx.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const { number: _number, changed_xid: _xid, headings: _headings, ...columns } = row as Record<string, unknown>
  await sql`
    insert into job (${sql.raw(Object.keys(columns).join(', '))})
    select ${sql.raw(
      Object.keys(columns)
        .map((name) => (name === 'id' ? 'new_id' : `job.${name}`))
        .join(', '),
    )}
    from job cross join unnest(${Array.from({ length: count }, () => newId('job'))}::text[]) as copy (new_id)
    where job.id = ${id}`.execute(tx)
}
