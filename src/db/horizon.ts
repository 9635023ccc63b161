/**
 * Determines which changes all readers can see. A change gets its number or time when it is written, but becomes
 * visible only when it is committed. A reader that continued after the highest number would miss changes with a lower
 * number and a later commit.
 */
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { statement } from './statement.ts'

/** A value, and the ID of a transaction that received its ID after the value was read. */
interface Mark<T> {
  /** Identifies the server, because another server may use the same IDs again, for example after a failover. */
  server: string
  xid: number
  value: T
}

/**
 * Finds the latest value of an SQL expression, such as the time, below which no new changes can appear.
 *
 * Each call creates a mark with the ID of its own transaction. Once all transactions up to that ID have ended, the mark
 * is settled: every unseen change belongs to a transaction with a higher ID. That transaction numbers its changes after
 * it receives its ID, and therefore above the mark's value. The horizon keeps the latest settled mark and one open
 * mark. Newer marks do not replace the open mark, because it settles before them.
 */
export class Horizon<T> {
  readonly #expression: string
  #settled: Mark<T> | undefined
  #open: Mark<T> | undefined

  constructor(expression: string) {
    this.#expression = expression
  }

  /** Whether an open transaction held back the latest mark. */
  get isHeldBack(): boolean {
    return this.#open !== undefined
  }

  /**
   * Returns the value, or undefined if no mark has settled yet or the server is a standby. Call this method before
   * reading the changes.
   */
  async find(database: Pick<Database, 'read'>): Promise<T | undefined> {
    // Does not use the xmax of pg_current_snapshot(), which is only one above the latest transaction that has ended.
    // Later transactions may still be open. Skips standbys, which do not assign IDs. `materialized` makes the statement
    // read the value before its transaction receives an ID.
    const newMark = statement<Mark<T>>`
      with before as materialized (select ${sql.raw(this.#expression)} as value)
      select pg_postmaster_start_time()::text as server, pg_current_xact_id()::text::bigint as xid, value
      from before where not pg_is_in_recovery()`
    const mark = await database.read((db) => newMark.first(db))
    if (!mark) return undefined
    const oldest = statement<{ ended: number }>`
      select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as ended`
    const ended = await database.read((db) => oldest.oneValue(db))
    if (this.#settled?.server !== mark.server) this.#settled = undefined
    if (this.#open?.server !== mark.server) this.#open = undefined
    if (mark.xid < ended) {
      this.#settled = mark
      this.#open = undefined
    } else if (this.#open && this.#open.xid < ended) {
      this.#settled = this.#open
      this.#open = mark
    } else this.#open ??= mark
    return this.#settled?.value
  }
}
