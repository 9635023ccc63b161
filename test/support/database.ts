/** A migrated database of its own for a test file: PGlite in memory, or PostgreSQL when TEST_DATABASE_URL names one. */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { inject } from 'vitest'
import { type Database, openDatabase, type PoolMode } from '../../src/db/database.ts'
import { administrate, reach } from './global-setup.ts'

/** Whether the suite runs on PostgreSQL rather than on PGlite. */
export const isOnPostgres = process.env.TEST_DATABASE_URL !== undefined

/** For what a test opens itself at the `url` of such a database. */
export const poolMode: PoolMode = process.env.TEST_POOLER_URL === undefined ? 'session' : 'transaction'

/** Opens it; closing it removes it. `url` is there on PostgreSQL only. */
export async function openTestDatabase(): Promise<Database & { url?: string }> {
  const template = inject('template')
  const serverUrl = process.env.TEST_DATABASE_URL
  if (serverUrl === undefined) {
    const dump = new Blob([await readFile(template)])
    return openDatabase({ dataDir: undefined, loadDataDir: dump })
  }
  const name = `${template}_${randomUUID().replaceAll('-', '')}`
  await administrate(serverUrl, `create database ${name} template ${template}`)
  const reached = reach(serverUrl, name)
  const database = await openDatabase({ ...reached, poolSize: 8 })
  // What counts writes stays what it is: a getter.
  const own = Object.defineProperties({}, Object.getOwnPropertyDescriptors(database)) as Database
  return Object.assign(own, {
    url: reached.url,
    async close() {
      await database.close()
      await administrate(serverUrl, `drop database ${name} with (force)`)
    },
  })
}
