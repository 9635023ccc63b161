/** After a restore into PostgreSQL or the embedded database, a board and its resume files are the same as before. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  backUp,
  findBackup,
  nameBackup,
  noteBackup,
  removeOldBackups,
  restore,
  verifyBackup,
} from '../../src/commands/backup.ts'
import type { Database } from '../../src/db/database.ts'
import { openDatabase } from '../../src/db/database.ts'
import { isMigrated, migrateClient } from '../../src/db/migrate.ts'
import { listMigrations } from '../../src/db/migration-file.ts'
import { createS3, parseS3Url } from '../../src/files/s3.ts'
import { ALERTS, makeAlert } from '../support/alerts.ts'
import { apply, world } from '../support/applications.ts'
import { type Account, ADMIN_KEY, Board, expectStatus, useBoard } from '../support/board.ts'
import { isOnPostgres, openTestDatabase } from '../support/database.ts'
import { pdf } from '../support/documents.ts'
import { createEmptyDatabase, type EmptyDatabase } from '../support/empty-database.ts'
import { RESUME, upload } from '../support/resumes.ts'
import { TestS3 } from '../support/s3.ts'
import { runTask } from '../support/tasks.ts'
import { dispatch, makeWebhook, WEBHOOKS } from '../support/webhooks.ts'

const board = useBoard()
let folder: string
let file: string
let accounts: { employer: Account; candidate: Account }
const made: Pick<EmptyDatabase, 'remove'>[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'board-backup-'))
  file = join(folder, 'board.ndjson.gz')
  accounts = await fill()
})
afterEach(async () => {
  for (const empty of made.splice(0)) await empty.remove()
})
afterAll(() => rm(folder, { recursive: true }))

/** Creates a migrated, empty database. */
const create = async () => {
  const database = await openTestDatabase()
  made.push({ remove: () => database.close() })
  return database as Database
}
/** Creates an empty database without migrations. Slower than `create`, which copies the template. */
const createUnmigrated = async () => {
  const empty = await createEmptyDatabase()
  made.push(empty)
  return empty.database
}
/**
 * Verifies a backup in a copy of the migrated database. One test lets `verifyBackup` create the database, as operators
 * do.
 */
const verifyQuickly = (from: string) => verifyBackup(from, undefined, openTestDatabase)
const save = (database: Database = board.database, objects?: ReturnType<typeof createS3>, to = file) =>
  backUp({ database, objects, now: board.clock.now() }, to)

/** Fills many tables over HTTP, with unusual characters in the values. */
async function fill() {
  board.receiver.reply = () => 200
  const employer = await board.employer({ name: 'Ølund & Söhne “Vans”', description: 'One\u2028two\tthree' })
  const webhook = await makeWebhook(board, employer, { events: ['application.submitted', 'job.updated'] })
  const candidate = await board.candidate({ last_name: 'O’Neil\\ "tab"' })
  await upload(board, candidate, pdf('Battery engineer, \\x00 and {"json":1}'))
  await runTask(board, 'resume-extraction')
  await makeAlert(board, candidate, { frequency: 'instant', criteria: { search: 'engineer' } })
  const salary = { min: 50_000, max: 999_999_999, currency: 'EUR', period: 'year' }
  const { job } = await world(board, { employer, candidate, job: { salary, skills: ['C++', 'naïve'] } })
  await board.activeJob(employer, { location: 'Malmö, Sweden', description: 'Line 1\nLine 2\u0001' })
  await board.put(`/v1/jobs/${job.id}`, employer.key, { title: 'Cell engineer' })
  await board.post(`/v1/candidates/jobs/${job.id}/save`, candidate.key)
  await apply(board, await board.candidate(), job.id)
  for (const name of ['job-alerts-instant', 'mail']) await runTask(board, name)
  await dispatch(board)
  expect(webhook.id).toMatch(/^wh_/)
  return { employer, candidate }
}

/** Returns all rows as text, without transaction IDs and columns named `applied_at`. */
async function rowsOf(database: Database) {
  const { rows: tables } = await database.read((db) =>
    sql<{ name: string }>`
      select relname as name from pg_class
        where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace order by 1`.execute(
      db,
    ),
  )
  const texts: Record<string, string[]> = {}
  for (const { name } of tables) {
    const { rows } = await database.read((db) =>
      sql<{
        row: string
      }>`select (to_jsonb(t) - 'changed_xid' - 'applied_at')::text as row from ${sql.table(name)} as t`.execute(db),
    )
    texts[name] = rows.map(({ row }) => row).sort()
  }
  return texts
}

/** Returns a board's responses to a candidate, an employer and an admin. */
async function answersOf(asked: Board) {
  const { employer, candidate } = accounts
  const paths: [path: string, key: string][] = [
    ['/v1/jobs?facets=category,job_type', candidate.key],
    ['/v1/jobs?search=engineer', candidate.key],
    ['/v1/jobs?location=Malmö&distance=50', candidate.key],
    ['/v1/employers', candidate.key],
    ['/v1/candidates/profile', candidate.key],
    ['/v1/candidates/applications', candidate.key],
    ['/v1/candidates/jobs/saved', candidate.key],
    [ALERTS, candidate.key],
    [RESUME, candidate.key],
    ['/v1/employers/applications', employer.key],
    ['/v1/employers/payments', employer.key],
    ['/v1/candidates?search=battery', employer.key],
    [WEBHOOKS, employer.key],
    ['/v1/events?limit=100', ADMIN_KEY],
    ['/v1/employers/products', ADMIN_KEY],
  ]
  const answers = await Promise.all(paths.map(([path, key]) => asked.get(path, key)))
  const resume = (await asked.get(RESUME, candidate.key)).body.data
  const bytes = expectStatus(await asked.get(`/v1/candidates/resume/${resume.id}`, candidate.key), 200).bytes
  return [...answers.map((answer) => expectStatus(answer, 200).text), bytes.toString('hex')]
}

async function boardOn(database: Database): Promise<Board> {
  const other = new Board()
  other.database = database
  other.clock.time = board.clock.time
  await other.start()
  return other
}

describe('a backup', () => {
  test('restores the same rows into an empty database, and a board on that database gives the same responses', async () => {
    expect(await save()).toEqual({ missing: [] })
    const database = await create()
    const report = await restore({ database, objects: undefined }, file)
    const rows = await rowsOf(board.database)
    expect(await rowsOf(database)).toEqual(rows)
    expect(Object.values(rows).flat().length).toBe(report.rows + rows.schema_migration!.length)
    const other = await boardOn(database)
    try {
      expect(await answersOf(other)).toEqual(await answersOf(board))
      // The restored board continues: no ID is used twice, and changes are tracked again.
      const job = await other.activeJob(accounts.employer, { title: 'New after the restore' })
      const found = await other.get('/v1/jobs?search="after the restore"', accounts.candidate.key)
      expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([job.id])
    } finally {
      await other.service.app.close()
    }
  })

  test.runIf(isOnPostgres)('can move a board from PostgreSQL to the embedded database and back', async () => {
    await save()
    const embedded = await openDatabase({ dataDir: undefined })
    try {
      await restore({ database: embedded, objects: undefined }, file)
      const again = join(folder, 'embedded.ndjson.gz')
      await save(embedded, undefined, again)
      const database = await create()
      await restore({ database, objects: undefined }, again)
      expect(await rowsOf(database)).toEqual(await rowsOf(board.database))
    } finally {
      await embedded.close()
    }
  })

  test('is migrated if it comes from an earlier release', async () => {
    const names = await listMigrations()
    const early = await createUnmigrated()
    await early.withClient((client) => migrateClient(client, { only: names.slice(0, 6) }))
    await early.inTx((tx) =>
      sql`insert into account (id, kind, name, email, created_at)
        values ('emp_1', 'employer', 'Early', 'early@mail.example', now())`.execute(tx),
    )
    await save(early)
    // Does nothing, because the earlier release lacks the table.
    await noteBackup(early, 'written', board.clock.now())
    const verified = await verifyBackup(file, undefined, createUnmigrated)
    const database = await createUnmigrated()
    expect((await restore({ database, objects: undefined }, file)).rows).toBe(verified.rows)
    expect(await isMigrated(database)).toBe(true)
    const accounts = await database.read((db) => db.selectFrom('account').select(['name', 'email_key']).execute())
    expect(accounts).toContainEqual({ name: 'Early', email_key: null })
  })

  test('appears only when it is complete, and only its owner may read it', async () => {
    await rm(file, { force: true })
    const failing = { ...board.database, withClient: board.database.withClient, isEmbedded: false } as Database
    const broken: Database = Object.assign(Object.create(failing), {
      withClient: (work: (client: never) => Promise<unknown>) =>
        board.database.withClient((client) => {
          let asked = 0
          const query = (...args: unknown[]) => {
            asked += 1
            if (asked === 12) throw new Error('The connection broke')
            return (client.query as (...rest: unknown[]) => unknown)(...args)
          }
          return work({ query } as never)
        }),
    })
    await expect(save(broken)).rejects.toThrow('The connection broke')
    expect(await readdir(folder)).not.toContain('board.ndjson.gz')
    expect(await readdir(folder)).not.toContain('board.ndjson.gz.part')
    await save()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })
})

describe('a verification', () => {
  const linesOf = async () =>
    gunzipSync(await readFile(file))
      .toString()
      .split('\n')
  const write = async (lines: readonly string[]) => {
    const to = join(folder, 'changed.ndjson.gz')
    await writeFile(to, gzipSync(lines.join('\n')))
    return to
  }

  test('restores into a temporary database, compares every row and leaves nothing behind', async () => {
    await save()
    // Other tests verify backups at the same time, so this one has its own temporary folder.
    const scratch = await mkdtemp(join(tmpdir(), 'job-marketplace-test-'))
    vi.stubEnv('TMPDIR', scratch)
    const done = new Map<string, number>()
    const report = await verifyBackup(file, (table, count, rows) => {
      expect(count).toBeLessThanOrEqual(rows)
      done.set(table, count)
    })
    const rows = await rowsOf(board.database)
    const omitted = ['schema_migration', 'search_index', 'search_refusal']
    const tables = Object.keys(rows).filter((table) => !omitted.includes(table))
    expect(report).toMatchObject({
      rows: tables.flatMap((table) => rows[table]!).length,
      tables: tables.length,
      files: 0,
    })
    expect(Object.fromEntries(done)).toEqual(
      Object.fromEntries(tables.flatMap((table) => (rows[table]!.length > 0 ? [[table, rows[table]!.length]] : []))),
    )
    expect(await readdir(scratch)).toEqual([])
    vi.unstubAllEnvs()
    await rm(scratch, { recursive: true })
  })

  test('detects a row that differs, and a missing row even if its table declares the lower row count', async () => {
    await save()
    const lines = (await linesOf()).map((line) => line.replace('"title":"Cell engineer"', '"title":"Sell engineer"'))
    const head = lines.findIndex((line) => line.startsWith('{"table":"catalogue_entry",'))
    const { rows } = JSON.parse(lines[head]!)
    lines.splice(head, 2, JSON.stringify({ table: 'catalogue_entry', rows: rows - 1 }))
    const error = await verifyQuickly(await write(lines)).catch((thrown: Error) => thrown.message)
    expect(error).toMatch(/^These tables do not match their checksums: (catalogue_entry, job|job, catalogue_entry)\.$/)
  })

  test('requires the checksums and a complete file', async () => {
    await save()
    const lines = await linesOf()
    const unsummed = await write([...lines.slice(0, -2), '{"end":true}', ''])
    await expect(verifyQuickly(unsummed)).rejects.toThrow('The backup has no checksums')
    await expect(verifyQuickly(await write(lines.slice(0, -2)))).rejects.toThrow('The backup is incomplete.')
  })
})

describe('a backup folder', () => {
  let backups: string
  beforeEach(async () => {
    backups = await mkdtemp(join(folder, 'nightly-'))
  })

  test('names backups by time, finds the newest and keeps the configured number', async () => {
    await writeFile(join(backups, 'board-of-directors.ndjson.gz'), '')
    await expect(findBackup(backups)).rejects.toThrow(`${backups} contains no backup.`)
    const days = ['2026-11-20', '2026-11-21', '2026-11-22'].map((day) => new Date(`${day}T02:30:00.000Z`))
    for (const day of days) await writeFile(await nameBackup(backups, day), '')
    expect(await findBackup(backups)).toBe(join(backups, 'board-20261122T023000000Z.ndjson.gz'))
    expect(await removeOldBackups(backups, 2)).toEqual(['board-20261120T023000000Z.ndjson.gz'])
    expect(await removeOldBackups(backups, 2)).toEqual([])
    expect((await readdir(backups)).sort()).toEqual([
      'board-20261121T023000000Z.ndjson.gz',
      'board-20261122T023000000Z.ndjson.gz',
      'board-of-directors.ndjson.gz',
    ])
  })

  test('is optional: the path of a file is used unchanged', async () => {
    const path = join(backups, 'mine.ndjson')
    expect([await nameBackup(path, new Date()), await findBackup(path)]).toEqual([path, path])
  })
})

test('/metrics reports when a backup was last written and verified', async () => {
  const figures = async () =>
    [
      ...(await board.get('/metrics', ADMIN_KEY)).text.matchAll(
        /^backup_last_success_timestamp_seconds(\{.+\}) (\S+)$/gm,
      ),
    ].map(([, labels, value]) => [labels, Number(value)])
  expect(await figures()).toEqual([
    ['{step="written"}', 0],
    ['{step="verified"}', 0],
  ])
  const at = new Date('2026-11-22T02:30:00.000Z')
  await noteBackup(board.database, 'written', at)
  await noteBackup(board.database, 'verified', new Date(at.getTime() + 60_000))
  expect(await figures()).toEqual([
    ['{step="written"}', at.getTime() / 1_000],
    ['{step="verified"}', at.getTime() / 1_000 + 60],
  ])
})

describe('files in a bucket', () => {
  let s3: TestS3
  beforeAll(async () => {
    s3 = await TestS3.start()
  })
  afterAll(() => s3.stop())

  test('are restored into a bucket or into the database', async () => {
    await board.restart({ FILES_URL: s3.url() })
    const candidate = await board.candidate()
    const bytes = pdf('Kept in a bucket')
    const { id } = await upload(board, candidate, bytes)
    const objects = createS3(parseS3Url(s3.url())!)
    expect(await save(board.database, objects)).toEqual({ missing: [] })
    expect(await verifyQuickly(file)).toMatchObject({ files: 1 })
    await objects.delete(id)

    const inBucket = await create()
    expect(await restore({ database: inBucket, objects }, file)).toMatchObject({ files: 1 })
    expect(await objects.get(id, { first: 0, last: bytes.length - 1 })).toEqual(bytes)

    const inDatabase = await create()
    await restore({ database: inDatabase, objects: undefined }, file)
    const other = await boardOn(inDatabase)
    const read = await other.get(`/v1/candidates/resume/${id}`, candidate.key)
    await other.service.app.close()
    expect(expectStatus(read, 200).bytes).toEqual(bytes)
  })

  test('are listed if they cannot be read, and everything else is backed up', async () => {
    const objects = createS3(parseS3Url(s3.url())!)
    s3.mode = 'fail'
    const { missing } = await save(board.database, objects)
    s3.mode = 'pass'
    expect(missing).toEqual([{ resumeId: expect.stringMatching(/^res_/), reason: expect.stringContaining('500') }])
    await expect(verifyQuickly(file)).rejects.toThrow(
      `The files of these resumes are missing or have the wrong size: ${missing[0]!.resumeId}.`,
    )
    const database = await create()
    expect(await restore({ database, objects }, file)).toMatchObject({ files: 0 })
    expect(await rowsOf(database)).toEqual(await rowsOf(board.database))
  })

  test('may be deleted during the backup, and a restore then deletes their rows', async () => {
    const objects = createS3(parseS3Url(s3.url())!)
    const kept = await upload(board, await board.candidate(), pdf('Kept'))
    const { id } = await upload(board, await board.candidate(), pdf('Deleted during the backup'))
    // Deletes the resume as soon as all rows have been read.
    const deleting: Database = Object.assign(Object.create(board.database), {
      withClient: (work: (client: never) => Promise<unknown>) =>
        board.database.withClient((client) => {
          const query = async (...args: [text: string, values?: unknown[]]) => {
            const result = await client.query(...args)
            if (args[0] === 'rollback') {
              await client.query('delete from resume where id = $1', [id])
              await objects.delete(id)
            }
            return result
          }
          return work({ query } as never)
        }),
    })
    expect(await save(deleting, objects)).toEqual({ missing: [] })
    await verifyQuickly(file)

    const database = await create()
    await restore({ database, objects }, file)
    expect(await rowsOf(database)).toEqual(await rowsOf(board.database))
    expect((await rowsOf(database)).resume!.join()).toContain(kept.id)
  })
})

describe('restoring', () => {
  const lines = async () => {
    await save()
    return gunzipSync(await readFile(file))
      .toString()
      .split('\n')
  }
  const write = async (text: string) => {
    const to = join(folder, 'bad.ndjson.gz')
    await writeFile(to, gzipSync(text))
    return to
  }
  const refusal = async (from: string, database?: Database) =>
    restore({ database: database ?? (await create()), objects: undefined }, from).catch((error: Error) => error.message)

  test('refuses a database that is not empty', async () => {
    await save()
    expect(await refusal(file, board.database)).toBe('The database is not empty. Use a new one.')
  })

  test('refuses a backup from a newer release', async () => {
    const [head, ...rest] = await lines()
    const newer = JSON.parse(head!)
    newer.migrations.push('9999_future.sql')
    const message = 'A newer release created the backup: this release does not have 9999_future.sql.'
    expect(await refusal(await write([JSON.stringify(newer), ...rest].join('\n')))).toBe(message)
  })

  test('refuses a database with migrations that the backup lacks', async () => {
    const [head, ...rest] = await lines()
    const older = JSON.parse(head!)
    const last = older.migrations.pop()
    const database = await create()
    const message = `The backup was created before ${last}, which this database already has. Use a new database.`
    expect(await refusal(await write([JSON.stringify(older), ...rest].join('\n')), database)).toBe(message)
  })

  test('refuses an invalid or truncated file without loading any of it', async () => {
    expect(await refusal(await write('hello\n'))).toBe('The file is not a backup of a board.')
    const other = await write('{"format":"other","migrations":[]}\n')
    expect(await refusal(other)).toBe('The file is not a backup of a board.')
    const all = await lines()
    const database = await create()
    expect(await refusal(await write(all.slice(0, -40).join('\n')), database)).toMatch(/The backup is incomplete/)
    expect((await rowsOf(database)).event).toEqual([])
    const cut = join(folder, 'cut.ndjson.gz')
    await writeFile(cut, (await readFile(file)).subarray(0, -500))
    expect(await refusal(cut)).toMatch(/unexpected end of file/)
  })
})
