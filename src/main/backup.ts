/** `backup` and `restore`: the whole board with the files of its resumes as one file, the same for either database. */
import { sql } from 'kysely'
import packageJson from '../../package.json' with { type: 'json' }
import type { Database } from '../db/database.ts'
import { dumpTables, LoadError, loadTables, nextLine } from '../db/dump.ts'
import { listAppliedMigrations } from '../db/migrate.ts'
import type { ObjectStore } from '../files/store.ts'
import { readLines, writeFileWhole } from './lines.ts'
import { isEmpty } from './seed-demo.ts'

const FORMAT = 'job-marketplace-backup'
const VERSION = 1
/** A file of 5 MiB in hexadecimal, and more than any other row. */
const LINE_BYTES_MAX = 67_108_864

/** The first line. The rows follow, table by table, and then the files that lie in the bucket. */
interface Head {
  format: typeof FORMAT
  version: typeof VERSION
  release: string
  made_at: string
  migrations: string[]
}

/** A file of the bucket, or the last line. */
type Tail = { resume: string; base64: string } | { end: true }

/** A file that could not be had from the bucket. */
export interface MissingFile {
  resumeId: string
  reason: string
}

/** Writes the board as it is at one moment, while others may go on writing. */
export async function backUp(
  { database, objects, now }: { database: Database; objects: ObjectStore | undefined; now: Date },
  file: string,
): Promise<{ missing: MissingFile[] }> {
  const missing: MissingFile[] = []
  await database.withClient(async (client) => {
    async function* texts() {
      yield* dumpTables(
        client,
        (migrations): Head => ({
          ...{ format: FORMAT, version: VERSION, release: packageJson.version },
          made_at: now.toISOString(),
          migrations,
        }),
      )
      // Those that were added since have no row above: they do no harm.
      const { rows } = await client.query<{ id: string; size_bytes: number }>(
        "select id, size_bytes from resume where store = 's3' order by id",
      )
      for (const { id, size_bytes } of rows) {
        try {
          if (!objects) throw new Error('FILES_URL names no bucket')
          const bytes = await objects.get(id, { first: 0, last: size_bytes - 1 })
          yield lineOf({ resume: id, base64: bytes.toString('base64') })
        } catch (error) {
          missing.push({ resumeId: id, reason: (error as Error).message })
        }
      }
      yield lineOf({ end: true })
    }
    await writeFileWhole(file, texts())
  })
  return { missing }
}

const lineOf = (tail: Tail) => `${JSON.stringify(tail)}\n`

/** Brings a backup into a database that holds nothing. Files go where new ones go. */
export async function restore(
  { database, objects }: { database: Database; objects: ObjectStore | undefined },
  file: string,
): Promise<{ rows: number; files: number; madeAt: string }> {
  const lines = textsOf(file)
  try {
    const head = readHead(await nextLine(lines))
    const hasTables = (await database.withClient(listAppliedMigrations)).length > 0
    if (hasTables && !(await isEmpty(database))) throw new LoadError('The database is not empty: take a new one.')
    const { rows } = await database.withClient((client) => loadTables(client, head.migrations, lines))
    let files = 0
    for (;;) {
      const tail = JSON.parse(await nextLine(lines)) as Tail
      if ('end' in tail) return { rows, files, madeAt: head.made_at }
      await keepFile(database, objects, tail.resume, Buffer.from(tail.base64, 'base64'))
      files += 1
    }
  } finally {
    await lines.return(undefined)
  }
}

function readHead(line: string): Head {
  let head: Partial<Head> | null = null
  try {
    head = JSON.parse(line)
  } catch {
    // Said below.
  }
  if (head?.format !== FORMAT || !Array.isArray(head.migrations)) throw new LoadError('It is no backup of a board.')
  if (head.version !== VERSION) throw new LoadError('It was made by a newer release, in another form.')
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
