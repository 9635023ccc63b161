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

/** Returns the employer of an imported company. Creates the employer unless an earlier import did. */
export async function ensureImportedEmployer(tx: Tx, profile: { name: string }, now: Date) {
  const employer = newImportedEmployer(profile, now)
  await insertImportedEmployers(tx, [employer])
  return (await findImportedEmployers(tx, [employer.name_sort])).get(employer.name_sort)!
}

/** Inserts active jobs and returns their IDs in the order given. The IDs ascend. */
export async function insertJobs(board: Board, seeds: readonly JobSeed[]): Promise<string[]> {
  if (seeds.length === 0) return []
  const now = board.clock.now()
  const settings = { origin: 'https://board.example', defaultCurrency: 'USD' }
  return board.database.inTx(async (tx) => {
    const employers = new Map<string, { id: string; name: string }>()
    const imports = []
    for (const { application_count: _, ...seed } of seeds) {
      const company = seed.company ?? 'Imported Motors'
      if (!employers.has(company)) employers.set(company, await ensureImportedEmployer(tx, { name: company }, now))
      // Companies that differ only in case are one employer, but each job keeps its spelling.
      const employer = { id: employers.get(company)!.id, name: company }
      const id = crypto.randomUUID()
      const job = { title: 'Mechanic', location: 'Turin, Italy', category: 'motorsport', type: 'contract', ...seed }
      imports.push({ job: { ...job, id, company }, employer })
    }
    await importJobs(tx, settings, imports, { isActive: true, now })
    const keys = imports.map(({ job }) => `id:${job.id}`)
    const rows = await tx.selectFrom('job').select(['id', 'import_key']).where('import_key', 'in', keys).execute()
    const idOf = new Map(rows.map(({ id, import_key }) => [import_key, id]))
    const ids = keys.map((key) => idOf.get(key)!)
    for (const [index, { application_count, expires_at }] of seeds.entries()) {
      if (application_count === undefined && expires_at === undefined) continue
      await tx
        .updateTable('job')
        .set({
          ...(application_count !== undefined && { application_count }),
          ...(expires_at !== undefined && { expires_at: new Date(expires_at) }),
        })
        .where('id', '=', ids[index]!)
        .execute()
    }
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
