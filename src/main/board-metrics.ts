/** Business metrics of a board: open jobs, registrations and payments. */
import { Counter, type Registry } from 'prom-client'
import type { Database } from '../db/database.ts'
import { paymentStatuses } from '../features/payments/index.ts'
import type { Board } from '../search/memory/board.ts'
import { gauge } from './process-metrics.ts'

export function registerBoardMetrics(registry: Registry, database: Database, board: Board): void {
  const registers = [registry]
  gauge(
    registry,
    'board_jobs',
    'Jobs on the board in this process; NaN until the board is loaded',
    () => board.state?.jobs ?? Number.NaN,
  )
  gauge(
    registry,
    'board_age_seconds',
    'Time since this process last compared its board with the database; NaN until the board is loaded',
    () => (board.state ? board.state.ageMs / 1_000 : Number.NaN),
  )
  const registrations = new Counter({
    name: 'registrations_total',
    help: 'Accounts registered by this process, by kind',
    labelNames: ['kind'],
    registers,
  })
  for (const kind of ['employer', 'candidate'] as const) {
    // Starts at zero; otherwise, monitoring would not see the first registration as an increase.
    registrations.inc({ kind }, 0)
    database.listen(`registered-${kind}`, () => registrations.inc({ kind }))
  }
  const payments = new Counter({
    name: 'payments_total',
    help: 'Payments whose status this process changed, by new status',
    labelNames: ['status'],
    registers,
  })
  for (const status of paymentStatuses) {
    payments.inc({ status }, 0)
    database.listen(`payment-${status}`, () => payments.inc({ status }))
  }
}
