/** Creates a migrated database for a test file: PGlite in memory, or PostgreSQL if TEST_DATABASE_URL is set. */
import { randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type Database, openDatabase, type PoolMode } from '../../src/db/database.ts'
import { giveBack, takeEmbedded } from './embedded.ts'
import { administrate, reach } from './global-setup.ts'

/** Whether the tests run on PostgreSQL rather than on PGlite. */
export const isOnPostgres = process.env.TEST_DATABASE_URL !== undefined

/** The pool mode for tests that open the `url` of a test database. */
export const poolMode: PoolMode = process.env.TEST_POOLER_URL === undefined ? 'session' : 'transaction'

/** Opens a database that is dropped or emptied when it is closed. Only PostgreSQL has a `url`. */
export async function openTestDatabase(): Promise<Database & { url?: string }> {
  const template = inject('template')
  const serverUrl = process.env.TEST_DATABASE_URL
  if (serverUrl === undefined) {
    const embedded = await takeEmbedded()
    return withClose(await openDatabase({ dataDir: undefined, lite: embedded.lite }), () => giveBack(embedded))
  }
  const name = `${template}_${randomUUID().replaceAll('-', '')}`
  await administrate(serverUrl, `create database ${name} template ${template}`)
  const reached = reach(serverUrl, name)
  const database = await openDatabase({ ...reached, poolSize: 8 })
  const dropDatabase = () => administrate(serverUrl, `drop database ${name} with (force)`)
  return Object.assign(withClose(database, dropDatabase), { url: reached.url })
}

/** Returns a copy of the database. The copy's `close` also runs `then`. */
function withClose(database: Database, then: () => Promise<void>): Database {
  // Copies property descriptors, because `connections` is a getter.
  const own = Object.defineProperties({}, Object.getOwnPropertyDescriptors(database)) as Database
  return Object.assign(own, {
    async close() {
      await database.close()
      await then()
    },
  })
}

/**
 * Puts a migrated embedded database into a data folder for a process to open, which saves five seconds of migrations.
 * On PostgreSQL, does nothing.
 */
export function copyMigratedDatabase(dataDir: string): void {
  if (!isOnPostgres) cpSync(inject('template'), join(dataDir, 'db'), { recursive: true })
}
