/** Database access and error handling that commands share. */
import { DatabaseClock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import type { Clock } from '../lib/time.ts'
import { type Config, originOf, readConfig } from '../main/config.ts'
import { openConfiguredDatabase } from '../main/databases.ts'

/** EX_CONFIG from sysexits.h. */
export const EXIT_CONFIG = 78
/** EX_TEMPFAIL from sysexits.h. */
export const EXIT_TRY_AGAIN = 75

/** An error that the caller of a command can fix, such as an invalid option. */
export class UsageError extends Error {}

/** Returns the reason for an error in one line: its cause if there is one, otherwise its own message. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  if (typeof cause === 'string') return cause
  const { message: reason, code } = (cause ?? {}) as { message?: string; code?: string }
  return reason || code || message || String(error)
}

export const settingsOf = (config: Config) => ({ origin: originOf(config), defaultCurrency: config.defaultCurrency })

/** Runs work on the database without migrating it. */
export async function withBareDatabase<T>(work: (database: Database, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig(process.env)
  const database = await openConfiguredDatabase(config)
  try {
    return await work(database, config)
  } finally {
    await database.close()
  }
}

/** Migrates the database, then runs work on it. */
export function withDatabase<T>(work: (database: Database, config: Config, clock: Clock) => Promise<T>): Promise<T> {
  return withBareDatabase(async (database, config) => {
    await migrate(database, { onBlocked: console.error })
    return work(database, config, await DatabaseClock.open(database))
  })
}

/** Replaces the last line on a terminal; prints nothing if standard error is not a terminal. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}
