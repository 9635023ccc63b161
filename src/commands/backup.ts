/**
 * `backup` and `restore`: save the whole board, including its resume files, to one file, and load such a file into
 * PostgreSQL or the embedded database.
 */

import { statSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { ClientBase } from 'pg'
import packageJson from '../../package.json' with { type: 'json' }
import { DatabaseClock } from '../db/clock.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { dumpTables, LoadError, loadTables, nextLine, type OnRows, sumTables } from '../db/dump.ts'
import { listAppliedMigrations, migrateClient } from '../db/migrate.ts'
import { backupSteps, noteTaskHealth } from '../db/task-health.ts'
import { createS3 } from '../files/s3.ts'
import type { ObjectStore } from '../files/store.ts'
import { counted } from '../lib/counted.ts'
import { systemClock } from '../lib/time.ts'
import { type Config, readConfig } from '../main/config.ts'
import { keyPlaceOf } from '../main/encryption-key.ts'
import { opensStoredSecrets } from '../main/webhook-parts.ts'
import { readLines, writeFileWhole } from './lines.ts'
import { EXIT_CONFIG, showProgress, UsageError, withBareDatabase } from './run.ts'
import { isEmpty } from './seed-demo.ts'

const FORMAT = 'job-marketplace-backup'
const VERSION = 1
/** Maximum length of a line, in bytes. The longest rows contain a 5 MiB file in hexadecimal notation. */
const LINE_BYTES_MAX = 67_108_864

/** The first line of a backup. The rows of each table follow, then the files from the bucket. */
interface Head {
  format: typeof FORMAT
  version: typeof VERSION
  release: string
  made_at: string
  migrations: string[]
}

/** A line with a file from the bucket, or the last line. */
type Tail = { resume: string; base64: string } | End

interface End {
  end: true
  /** The checksum of each table. */
  sums?: Record<string, string>
  /** IDs of resumes whose rows the backup contains, but which were deleted before their files were read. */
  deleted?: string[]
}

interface BucketFile {
  id: string
  size_bytes: number
}

/** A file that could not be read from the bucket. */
export interface MissingFile {
  resumeId: string
  reason: string
}

/** Writes a consistent snapshot of the board even while other processes write to it. */
export async function backUp(
  { database, objects, now }: { database: Database; objects: ObjectStore | undefined; now: Date },
  file: string,
  onRows?: OnRows,
): Promise<{ missing: MissingFile[] }> {
  const missing: MissingFile[] = []
  const deleted: string[] = []
  const sums: Record<string, string> = {}
  await database.withClient(async (client) => {
    async function* texts() {
      const lines = dumpTables(
        client,
        (migrations): Head => ({
          ...{ format: FORMAT, version: VERSION, release: packageJson.version },
          made_at: now.toISOString(),
          migrations,
        }),
        { sums, onRows },
      )
      let files: BucketFile[] | undefined
      for await (const line of lines) {
        // Runs in the transaction of the dump, so the list matches the dumped rows.
        files ??= await listBucketFiles(client)
        yield line
      }
      for (const { id, size_bytes } of files!) {
        try {
          if (!objects) throw new Error('FILES_URL is not set')
          const bytes = await objects.get(id, { first: 0, last: size_bytes - 1 })
          yield lineOf({ resume: id, base64: bytes.toString('base64') })
        } catch (error) {
          const { rowCount } = await client.query('select from resume where id = $1', [id])
          if (rowCount === 0) deleted.push(id)
          else missing.push({ resumeId: id, reason: (error as Error).message })
        }
      }
      yield lineOf({ end: true, sums, deleted })
    }
    await writeFileWhole(file, texts())
  })
  return { missing }
}

async function listBucketFiles(client: ClientBase): Promise<BucketFile[]> {
  const { rows } = await client.query<BucketFile>("select id, size_bytes from resume where store = 's3' order by id")
  return rows
}

const lineOf = (tail: Tail) => `${JSON.stringify(tail)}\n`

/**
 * Restores a backup into an empty database. Stores its separate files where new files are stored. Deletes the rows of
 * resumes that were deleted during the backup.
 */
export async function restore(
  { database, objects }: { database: Database; objects: ObjectStore | undefined },
  file: string,
  onRows?: OnRows,
): Promise<{ rows: number; files: number; madeAt: string }> {
  const lines = textsOf(file)
  try {
    const head = readHead(await nextLine(lines))
    const hasTables = (await database.withClient(listAppliedMigrations)).length > 0
    if (hasTables && !(await isEmpty(database))) throw new LoadError('The database is not empty. Use a new one.')
    const { rows } = await database.withClient(async (client) => {
      const loaded = await loadTables(client, head.migrations, lines, onRows)
      await migrateClient(client)
      await client.query('vacuum (analyze)')
      return loaded
    })
    let files = 0
    for (;;) {
      const tail = JSON.parse(await nextLine(lines)) as Tail
      if ('end' in tail) {
        const { deleted = [] } = tail
        await database.inTx((tx) => sql`delete from resume where id = any(${deleted}::text[])`.execute(tx))
        return { rows, files, madeAt: head.made_at }
      }
      await keepFile(database, objects, tail.resume, Buffer.from(tail.base64, 'base64'))
      files += 1
    }
  } finally {
    await lines.return(undefined)
  }
}

/**
 * Restores a backup into a temporary embedded database. Compares every table with its checksum in the backup, and
 * checks that the backup contains every file from the bucket. Then migrates the database to this release. Throws if a
 * step fails or a check finds a difference. Tests pass their own `openScratch`.
 */
export async function verifyBackup(
  file: string,
  onRows?: OnRows,
  openScratch = (folder: string): Promise<Database> => openDatabase({ dataDir: join(folder, 'db') }),
): Promise<{ rows: number; tables: number; files: number; madeAt: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'job-marketplace-verify-'))
  const lines = textsOf(file)
  try {
    const head = readHead(await nextLine(lines))
    const scratch = await openScratch(folder)
    try {
      return await scratch.withClient(async (client) => {
        const { rows } = await loadTables(client, head.migrations, lines, onRows)
        const found = await sumTables(client, onRows)
        const files = new Map<string, number>()
        let tail = JSON.parse(await nextLine(lines)) as Tail
        for (; !('end' in tail); tail = JSON.parse(await nextLine(lines)) as Tail) {
          files.set(tail.resume, Buffer.byteLength(tail.base64, 'base64'))
        }
        const { sums, deleted = [] } = tail
        if (!sums) throw new LoadError('The backup has no checksums, because an older release created it.')
        const different = Object.keys({ ...sums, ...found }).filter((table) => sums[table] !== found[table])
        if (different.length > 0)
          throw new LoadError(`These tables do not match their checksums: ${different.join(', ')}.`)
        const inBucket = (await listBucketFiles(client)).filter(({ id }) => !deleted.includes(id))
        const lacking = inBucket.filter(({ id, size_bytes }) => files.get(id) !== size_bytes)
        if (lacking.length > 0)
          throw new LoadError(
            `The files of these resumes are missing or have the wrong size: ${lacking.map(({ id }) => id).join(', ')}.`,
          )
        await migrateClient(client)
        return { rows, tables: Object.keys(found).length, files: files.size, madeAt: head.made_at }
      })
    } finally {
      await scratch.close()
    }
  } finally {
    await lines.return(undefined)
    await rm(folder, { recursive: true, force: true })
  }
}

const NAMED = /^board-\d{8}T\d{9}Z\.ndjson\.gz$/

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** Returns the file names of the backups in a folder, newest first. */
const listBackups = async (folder: string) =>
  (await readdir(folder))
    .filter((name) => NAMED.test(name))
    .sort()
    .reverse()

/** Returns the path of a new backup. If `path` is a folder, the file name contains the time. */
export async function nameBackup(path: string, now: Date): Promise<string> {
  return isFolder(path) ? join(path, `board-${now.toISOString().replaceAll(/[-:.]/g, '')}.ndjson.gz`) : path
}

/** Returns the path of the backup to verify. If `path` is a folder, returns the newest backup in that folder. */
export async function findBackup(path: string): Promise<string> {
  if (!isFolder(path)) return path
  const [newest] = await listBackups(path)
  if (newest === undefined) throw new LoadError(`${path} contains no backup.`)
  return join(path, newest)
}

/**
 * Deletes the backups named by `nameBackup` in a folder, except the newest `keep`. Returns the names of the deleted
 * files.
 */
export async function removeOldBackups(folder: string, keep: number): Promise<string[]> {
  const old = (await listBackups(folder)).slice(keep)
  for (const name of old) await rm(join(folder, name))
  return old
}

/**
 * Records a success for `/metrics`. Does nothing if the database lacks the table for these records: an early release
 * may have migrated it last.
 */
export async function noteBackup(database: Database, step: keyof typeof backupSteps, now: Date): Promise<void> {
  await database.inTx(async (tx) => {
    const { rows } = await sql<{
      is_there: boolean
    }>`select to_regclass('task_health') is not null as is_there`.execute(tx)
    if (rows[0]!.is_there) {
      await noteTaskHealth(tx, [{ task: backupSteps[step], done_at: now, failed_at: null, error: null }])
    }
  })
}

function readHead(line: string): Head {
  let head: Partial<Head> | null = null
  try {
    head = JSON.parse(line)
  } catch {
    // The check below throws for invalid JSON, too.
  }
  if (head?.format !== FORMAT || !Array.isArray(head.migrations)) {
    throw new LoadError('The file is not a backup of a board.')
  }
  if (head.version !== VERSION) throw new LoadError('A newer release created the backup in a different format.')
  return head as Head
}

async function keepFile(database: Database, objects: ObjectStore | undefined, id: string, bytes: Buffer) {
  if (objects) return objects.put(id, bytes)
  await database.inTx(async (tx) => {
    const { numAffectedRows } = await sql`
      update resume set store = 'database' where id = ${id} and store = 's3'`.execute(tx)
    if (numAffectedRows === 1n) await tx.insertInto('resume_content').values({ resume_id: id, bytes }).execute()
  })
}

async function* textsOf(file: string): AsyncGenerator<string, void> {
  for await (const line of readLines(file, LINE_BYTES_MAX)) {
    if (!('text' in line)) throw new LoadError(line.refusal)
    yield line.text
  }
}

const objectsOf = (config: Config) => config.files && createS3(config.files)

const showRows = (table: string, done: number, rows: number) =>
  showProgress(done === rows ? '' : `${table}: ${done} of ${counted(rows, 'row')}`)

export async function runBackup(
  path: string,
  { keep, verify = false }: { keep?: string; verify?: boolean },
): Promise<void> {
  if (keep !== undefined && !/^[1-9]\d*$/.test(keep)) throw new UsageError('--keep must be a whole number, at least 1')
  if (verify) return verifyAndNote(path)
  await withBareDatabase(async (database, config) => {
    const file = await nameBackup(path, systemClock.now())
    if (keep !== undefined && file === path) throw new UsageError('--keep requires a folder')
    const { missing } = await backUp({ database, objects: objectsOf(config), now: systemClock.now() }, file, showRows)
    console.log(`Backup written to ${file}. Protect it like the database.`)
    console.log(`It does not contain the encryption key: also keep ${keyPlaceOf(config)}, in a separate place.`)
    for (const { resumeId, reason } of missing) console.error(`The backup lacks the file of ${resumeId}: ${reason}`)
    if (missing.length > 0) {
      process.exitCode = 1
      return
    }
    await noteBackup(database, 'written', (await DatabaseClock.open(database)).now())
    const removed = keep === undefined ? [] : await removeOldBackups(path, Number(keep))
    if (removed.length > 0) console.log(`Removed ${removed.join(', ')}`)
  })
}

/** Verifies a backup without the board's database. If PostgreSQL is configured, records the success there. */
async function verifyAndNote(path: string): Promise<void> {
  const config = readConfig(process.env)
  const file = await findBackup(path)
  const { rows, tables, files, madeAt } = await verifyBackup(file, showRows)
  const size = `${counted(rows, 'row')} in ${counted(tables, 'table')}, ${counted(files, 'separate file')}`
  console.log(`${file} can be restored: created ${madeAt}, ${size}`)
  if (config.databaseUrl === undefined) return
  await withBareDatabase(async (database) =>
    noteBackup(database, 'verified', (await DatabaseClock.open(database)).now()),
  )
}

export const runRestore = (file: string): Promise<void> =>
  withBareDatabase(async (database, config) => {
    const { madeAt, rows, files } = await restore({ database, objects: objectsOf(config) }, file, showRows)
    console.log(`Restored the backup from ${madeAt}: ${counted(rows, 'row')} and ${counted(files, 'separate file')}`)
    if (await opensStoredSecrets(config, database)) return
    console.error(`The service cannot start yet: ${keyPlaceOf(config)} lacks the key for the secrets in the backup.`)
    process.exitCode = EXIT_CONFIG
  })
