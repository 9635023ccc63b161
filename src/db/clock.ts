/** A clock that follows the database's time, which all processes share (decision 0047). */
import { type RawBuilder, sql } from 'kysely'
import type { Clock } from '../lib/time.ts'
import type { Database } from './database.ts'

/** Returns SQL that caps a time column at `latest`. Nulls stay null; `least` would replace them. */
export function notAfter(column: string, latest: RawBuilder<unknown> | Date): RawBuilder<Date | null> {
  const ref = sql.ref(column)
  return sql`case when ${ref} > ${latest} then ${latest} else ${ref} end`
}

export class DatabaseClock implements Clock {
  readonly #database: Pick<Database, 'withClient'>
  /** Offset from this process's monotonic clock, which never steps, to the database's clock, in milliseconds. */
  #offsetMs: number | undefined

  private constructor(database: Pick<Database, 'withClient'>) {
    this.#database = database
  }

  static async open(database: Pick<Database, 'withClient'>): Promise<DatabaseClock> {
    const clock = new DatabaseClock(database)
    await clock.compare()
    return clock
  }

  now(): Date {
    return new Date(performance.now() + this.#offsetMs!)
  }

  /** Reads the database's time and corrects the offset as precisely as the round trip allows. */
  async compare(): Promise<void> {
    const { before, at, after } = await this.#database.withClient(async (client) => {
      // Starts measuring after the wait for a connection.
      const before = performance.now()
      const { rows } = await client.query<{ at: number }>(
        'select extract(epoch from clock_timestamp())::float8 * 1000 as at',
      )
      return { before, at: rows[0]!.at, after: performance.now() }
    })
    // The server read its time between `before` and `after`. The embedded database reports whole milliseconds.
    const [least, most] = [at - after, at - before + 1]
    this.#offsetMs = Math.min(Math.max(this.#offsetMs ?? least, least), most)
  }
}
