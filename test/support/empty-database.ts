/** A database without migrations. On PostgreSQL, any number of processes may open it. */
import { randomUUID } from 'node:crypto'
import { PGlite } from '@electric-sql/pglite'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { CopiedFiles } from './copied-files.ts'
import { administrate, reach } from './global-setup.ts'

export interface EmptyDatabase {
  database: Database
  /**
   * Opens the same database again, as another process would. With PGlite, returns the same database object, because
   * PGlite has only one session.
   */
  openAgain(): Promise<Database>
  remove(): Promise<void>
}

export async function createEmptyDatabase(): Promise<EmptyDatabase> {
  const server = process.env.TEST_DATABASE_URL
  if (server === undefined) {
    const lite = await PGlite.create({ fs: new CopiedFiles(inject('emptyTemplate')!) })
    const database = await openDatabase({ dataDir: undefined, lite })
    return { database, openAgain: async () => database, remove: () => database.close().then(() => lite.close()) }
  }
  const name = `job_marketplace_empty_${randomUUID().replaceAll('-', '')}`
  await administrate(server, `create database ${name}`)
  const opened: Database[] = []
  const openAgain = async () => {
    const database = await openDatabase({ ...reach(server, name), poolSize: 2 })
    opened.push(database)
    return database
  }
  return {
    database: await openAgain(),
    openAgain,
    async remove() {
      await Promise.all(opened.map((database) => database.close()))
      await administrate(server, `drop database ${name} with (force)`)
    },
  }
}
