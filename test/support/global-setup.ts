/** Migrates one database before the tests. Every test file starts from a copy. */
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { openDatabase, type PoolMode } from '../../src/db/database.ts'
import { embeddedConnection } from '../../src/db/embedded-stream.ts'
import { migrate, migrateClient } from '../../src/db/migrate.ts'
import setupEngine from './engine-setup.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The `db` folder of the migrated embedded database, or the name of a PostgreSQL template database. */
    template: string
    /** The `db` folder of an embedded database without migrations. Absent on PostgreSQL. */
    emptyTemplate?: string
    /** Processes that tests start load compiled modules from this folder, which takes half as long. */
    compileCache: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env.TEST_DATABASE_URL
  const folder = await mkdtemp(join(tmpdir(), 'job-marketplace-test-'))
  project.provide('compileCache', join(folder, 'compiled'))
  const dropDatabase = url ? await setupPostgres(project, url) : await setupPglite(project, folder)
  const stopEngine = process.env.TEST_LISTS === 'engine' ? await setupEngine(project) : undefined
  return async () => {
    await dropDatabase?.()
    await stopEngine?.()
    await rm(folder, { recursive: true, maxRetries: 5 })
  }
}

async function setupPglite(project: TestProject, folder: string): Promise<undefined> {
  const [emptyTemplate, template] = [join(folder, 'empty'), join(folder, 'db')]
  await mkdir(emptyTemplate)
  const empty = await PGlite.create({ dataDir: join(emptyTemplate, 'pglite') })
  // Only `create database` reads these databases. Without them, a copy has 900 files instead of 1,500.
  await empty.exec('update pg_database set datistemplate = false')
  for (const name of ['template0', 'template1']) await empty.exec(`drop database ${name}`)
  await empty.close()
  await cp(emptyTemplate, template, { recursive: true })
  const lite = await PGlite.create({ dataDir: join(template, 'pglite') })
  const client = new pg.Client(embeddedConnection(lite))
  await client.connect()
  await migrateClient(client)
  await lite.close()
  project.provide('template', template)
  project.provide('emptyTemplate', emptyTemplate)
}

async function setupPostgres(project: TestProject, url: string): Promise<() => Promise<void>> {
  const name = `job_marketplace_test_${process.pid}`
  await administrate(url, `create database ${name}`)
  const target = new URL(url)
  target.pathname = `/${name}`
  const database = await openDatabase({ url: target.href, poolSize: 1 })
  await migrate(database)
  await database.close()
  project.provide('template', name)
  return () => administrate(url, `drop database ${name} with (force)`)
}

/**
 * Returns how to connect to a database on this server: directly, or through the transaction pooler at TEST_POOLER_URL.
 */
export function reach(serverUrl: string, name: string): { url: string; poolMode: PoolMode } {
  const pooler = process.env.TEST_POOLER_URL
  const url = new URL(pooler ?? serverUrl)
  url.pathname = `/${name}`
  return { url: url.href, poolMode: pooler ? 'transaction' : 'session' }
}

/** Runs one statement outside a transaction. */
export async function administrate(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
