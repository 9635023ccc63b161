/** Inserts jobs directly, many at once and with any imported value, for tests of lists. */
import { sql } from 'kysely'
import type { Tx } from '../../src/db/database.ts'
import {
  findImportedEmployers,
  insertImportedEmployers,
  newImportedEmployer,
} from '../../src/features/employers/index.ts'
import { type ImportedJob, importJobs } from '../../src/features/jobs/index.ts'
import type { Board } from './board.ts'

export type JobSeed = Partial<ImportedJob> & {
  /** The stored value, which an import cannot set directly. */
  expires_at?: string
  application_count?: number
}

/** Returns the employers of imported companies, by name. Creates the employers that no earlier import created. */
async function ensureImportedEmployers(tx: Tx, names: readonly string[], now: Date) {
  const employers = new Map(names.map((name) => [name, newImportedEmployer({ name }, now)]))
  await insertImportedEmployers(tx, [...employers.values()])
  const found = await findImportedEmployers(
    tx,
    [...employers.values()].map(({ name_sort }) => name_sort),
  )
  return new Map([...employers].map(([name, { name_sort }]) => [name, found.get(name_sort)!]))
}

export async function ensureImportedEmployer(tx: Tx, { name }: { name: string }, now: Date) {
  return (await ensureImportedEmployers(tx, [name], now)).get(name)!
}

/** Inserts active jobs and returns their IDs in the order given. The IDs ascend. */
export async function insertJobs(board: Board, seeds: readonly JobSeed[]): Promise<string[]> {
  if (seeds.length === 0) return []
  const now = board.clock.now()
  const settings = { origin: 'https://board.example', defaultCurrency: 'USD' }
  return board.database.inTx(async (tx) => {
    const jobs = seeds.map(({ application_count: _, ...seed }) => ({
      ...{ title: 'Mechanic', location: 'Turin, Italy', category: 'motorsport', type: 'contract' },
      ...{ company: 'Imported Motors', ...seed, id: crypto.randomUUID() },
    }))
    const employers = await ensureImportedEmployers(
      tx,
      jobs.map(({ company }) => company),
      now,
    )
    // Companies that differ only in case are one employer, but each job keeps its spelling.
    const imports = jobs.map((job) => ({ job, employer: { id: employers.get(job.company)!.id, name: job.company } }))
    await importJobs(tx, settings, imports, { isActive: true, now })
    const keys = imports.map(({ job }) => `id:${job.id}`)
    const rows = await tx.selectFrom('job').select(['id', 'import_key']).where('import_key', 'in', keys).execute()
    const idOf = new Map(rows.map(({ id, import_key }) => [import_key, id]))
    const ids = keys.map((key) => idOf.get(key)!)
    const stored = seeds.flatMap(({ application_count, expires_at }, index) =>
      application_count === undefined && expires_at === undefined
        ? []
        : { id: ids[index], application_count, expires_at },
    )
    if (stored.length === 0) return ids
    await sql`
      update job set application_count = coalesce(stored.application_count, job.application_count),
        expires_at = coalesce(stored.expires_at, job.expires_at)
      from json_to_recordset(${JSON.stringify(stored)}::json)
        as stored (id text, application_count integer, expires_at timestamptz)
      where job.id = stored.id`.execute(tx)
    return ids
  })
}

/** Permanently removes these jobs, or all jobs. Also removes all events. */
export async function removeJobs(board: Board, ids?: readonly string[]): Promise<void> {
  await board.database.inTx(async (tx) => {
    if (ids === undefined) await sql`delete from job`.execute(tx)
    else if (ids.length > 0) await tx.deleteFrom('job').where('id', 'in', ids).execute()
    await sql`delete from event`.execute(tx)
  })
}
