/** The time of the database, for all processes alike, whatever the clocks of their machines say (decision 0047). */
import { type RawBuilder, sql } from 'kysely'
import type { Clock } from '../lib/time.ts'
import type { Database } from './database.ts'

/** A column of times, none of them after this one; `least` would take it for a null. */
export function notAfter(column: string, latest: RawBuilder<unknown> | Date): RawBuilder<Date | null> {
  const ref = sql.ref(column)
  return sql`case when ${ref} > ${latest} then ${latest} else ${ref} end`
}

type Asked = Pick<Database, 'withClient'>

export class DatabaseClock implements Clock {
  readonly #database: Asked
  /** From the time of this process, which never steps, to that of the database. */
  #offsetMs: number | undefined

  private constructor(database: Asked) {
    this.#database = database
  }

  static async open(database: Asked): Promise<DatabaseClock> {
    const clock = new DatabaseClock(database)
    await clock.compare()
    return clock
  }

  now(): Date {
    return new Date(performance.now() + this.#offsetMs!)
  }

  /** Asks the database for the time, and goes by it as closely as the question was quick. */
  async compare(): Promise<void> {
    const { before, at, after } = await this.#database.withClient(async (client) => {
      // Only now: the connection may have been waited for.
      const before = performance.now()
      const { rows } = await client.query<{ at: number }>(
        'select extract(epoch from clock_timestamp())::float8 * 1000 as at',
      )
      return { before, at: rows[0]!.at, after: performance.now() }
    })
    // It was read some time between the two; the embedded one knows whole milliseconds.
    const [least, most] = [at - after, at - before + 1]
    this.#offsetMs = Math.min(Math.max(this.#offsetMs ?? least, least), most)
  }
}
