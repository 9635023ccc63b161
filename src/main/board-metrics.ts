/** Business metrics of a board: open jobs, registrations and payments. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Database } from '../db/database.ts'
import { paymentStatuses } from '../features/payments/index.ts'
import type { Board } from '../search/memory/board.ts'

export function registerBoardMetrics(registry: Registry, database: Database, board: Board): void {
  const registers = [registry]
  new Gauge({
    name: 'board_jobs',
    help: 'Jobs on the board in this process; NaN until the board is loaded',
    registers,
    collect() {
      this.set(board.state?.jobs ?? Number.NaN)
    },
  })
  new Gauge({
    name: 'board_age_seconds',
    help: 'Time since this process last compared its board with the database; NaN until the board is loaded',
    registers,
    collect() {
      this.set(board.state ? board.state.ageMs / 1_000 : Number.NaN)
    },
  })
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
