/** Jobs of accounts that an earlier release suspended without removing the jobs from the board. */
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'

const board = useBoard()
const migration = readFileSync(new URL('../../migrations/0030_jobs_of_suspended_accounts.sql', import.meta.url), 'utf8')

const suspendAsBefore = async () => {
  // The migration uses the current time of the database.
  board.clock.time = Date.now()
  const employer = await board.employer()
  const { id } = await board.activeJob(employer)
  await board.database.inTx((tx) =>
    tx.updateTable('account').set({ suspended_at: board.clock.now() }).where('id', '=', employer.id).execute(),
  )
  return { employer, id }
}
const isActive = async (id: string) => (await board.get(`/v1/jobs/${id}`, ADMIN_KEY)).body.data.is_active

test('the migration takes jobs of suspended accounts off the board, and resuming an account puts its jobs back', async () => {
  const { employer, id } = await suspendAsBefore()
  const other = await board.activeJob(await board.employer())
  await board.database.inTx((tx) => sql.raw(migration).execute(tx))
  expect([await isActive(id), await isActive(other.id)]).toEqual([false, true])
  expectStatus(await board.post(`/v1/admin/accounts/${employer.id}/resume`, ADMIN_KEY, {}), 200)
  expect(await isActive(id)).toBe(true)
})

test('jobs leave the board when the account is suspended again', async () => {
  const { employer, id } = await suspendAsBefore()
  expectStatus(await board.post(`/v1/admin/accounts/${employer.id}/suspend`, ADMIN_KEY, { reason: 'Again' }), 200)
  expect(await isActive(id)).toBe(false)
})
