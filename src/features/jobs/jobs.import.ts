/** Imports external jobs in bulk, for feeds and for `import jobs`. `import jobs` imports each job only once. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Reader, Tx } from '../../db/database.ts'
import type { JobSource } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'
import { eventRecords, writeEventRecords } from '../../events/outbox.ts'
import { breather } from '../../lib/breather.ts'
import { newId } from '../../lib/ids.ts'
import { Choice, HttpUrl, Name, Nullable, Slug, Text } from '../../lib/schema.ts'
import { DAY_MS, parseTime } from '../../lib/time.ts'
import { workplaces } from '../../lib/workplaces.ts'
import { searchVector } from '../../search/text/words.ts'
import { completeMembers, jobColumns, pristine } from './jobs.columns.ts'
import { presentJobCreateForm } from './jobs.present.ts'
import { JobBody } from './jobs.schemas.ts'
import { type JobSettings, RUN_DAYS_MAX } from './jobs.state.ts'

const { title, location } = JobBody.properties

/** One import line, with the members of the specification's Job schema. Null members count as absent. */
export const ImportedJobSchema = Type.Object({
  id: Type.Optional(Nullable(Text(1, 200))),
  title,
  company: Name(1, 200),
  location,
  description: Type.Optional(Nullable(Text(0, 50_000))),
  category: Type.Optional(Nullable(Slug())),
  type: Type.Optional(Nullable(Slug())),
  remote: Type.Optional(Nullable(Type.Boolean())),
  workplace: Type.Optional(Nullable(Choice(workplaces))),
  posted_at: Type.Optional(Nullable(Type.String({ format: 'date-time' }))),
  expires_at: Type.Optional(Nullable(Type.String({ format: 'date-time' }))),
  is_featured: Type.Optional(Nullable(Type.Boolean())),
  is_urgent: Type.Optional(Nullable(Type.Boolean())),
  is_highlighted: Type.Optional(Nullable(Type.Boolean())),
  company_website: Type.Optional(Nullable(HttpUrl())),
  company_logo_url: Type.Optional(Nullable(HttpUrl())),
  ...Type.Omit(JobBody, [
    ...(['title', 'description', 'location', 'category', 'type'] as const),
    ...(['remote', 'workplace', 'expires_at', 'publish_at'] as const),
  ]).properties,
})
export type ImportedJob = Static<typeof ImportedJobSchema>

/** Default category and type of imported jobs. */
export const UNSPECIFIED = 'other'

const RUN_DAYS_DEFAULT = 30

export interface JobImport {
  job: ImportedJob
  /** `claimedFrom` is the imported company that the employer took over. */
  employer: { id: string; name: string; claimedFrom?: string | null }
  /** The posting from which a feed maintains the job. Absent for jobs that `import jobs` imports. */
  source?: JobSource
}

/** Returns the key that identifies a line across imports: its ID or, without an ID, a hash of its main members. */
function importKey(job: ImportedJob): string {
  if (job.id) return `id:${job.id}`
  const content = JSON.stringify([job.company, job.title, job.location, job.description ?? '', job.posted_at ?? null])
  return `sha256:${createHash('sha256').update(content).digest('hex')}`
}

/**
 * Returns the expiry of a line if it is in the future, but at most a year from now. Otherwise, returns the end of a
 * default run that starts now.
 */
function importedExpiry(text: string | null | undefined, now: Date): Date {
  const given = text ? parseTime(text, 'end')!.getTime() : 0
  const latest = now.getTime() + RUN_DAYS_MAX * DAY_MS
  return new Date(given > now.getTime() ? Math.min(given, latest) : now.getTime() + RUN_DAYS_DEFAULT * DAY_MS)
}

/** Returns how an import changes the expiry of a line, or undefined if it keeps the expiry. */
export function expiryNote(text: string | null | undefined, now: Date): string | undefined {
  if (!text) return `expires_at missing, stored as ${RUN_DAYS_DEFAULT} days after the import`
  const given = parseTime(text, 'end')!.getTime()
  if (given === importedExpiry(text, now).getTime()) return undefined
  return given > now.getTime()
    ? `expires_at too late, stored as ${RUN_DAYS_MAX} days after the import`
    : `expires_at in the past, stored as ${RUN_DAYS_DEFAULT} days after the import`
}

/** Jobs to import and their events, as SQL parameters. */
export interface PreparedImport {
  /** The IDs of the jobs, in the order of the imports. */
  ids: readonly string[]
  columns: readonly string[]
  jobs: string
  events: string
}

/** Returns the given jobs that an earlier import has already inserted. */
export async function findImported(reader: Reader, jobs: readonly ImportedJob[]): Promise<Set<ImportedJob>> {
  const keys = new Map(jobs.map((job) => [importKey(job), job]))
  const found = await statement<{ import_key: string }>`
    select import_key from job where import_key = any(${[...keys.keys()]}::text[])`.allValues(reader)
  return new Set(found.map((key) => keys.get(key)!))
}

/** Prepares the rows of an import. This is the slowest step of an import, and it does not use the database. */
export async function prepareImport(
  settings: JobSettings,
  imports: readonly JobImport[],
  { isActive, now }: { isActive: boolean; now: Date },
): Promise<PreparedImport> {
  const createdOf = (row: ReturnType<typeof importedRow>) => ({
    type: 'job.created' as const,
    subjectId: row.id,
    employerId: row.employer_id,
    at: now,
    data: { job: presentJobCreateForm(row, { origin: settings.origin, now }) },
  })
  const rows: ReturnType<typeof importedRow>[] = []
  const events: ReturnType<typeof createdOf>[] = []
  const breathe = breather()
  for (const one of imports) {
    const row = importedRow(settings, one, isActive, now)
    rows.push(row)
    events.push(createdOf(row))
    await breathe()
  }
  return {
    ids: rows.map(({ id }) => id),
    columns: Object.keys(rows[0] ?? {}),
    jobs: JSON.stringify(rows),
    events: eventRecords(events),
  }
}

/** Inserts jobs that do not exist yet, and their `job.created` events. Returns the number of inserted jobs. */
export async function insertPrepared(tx: Tx, { columns, jobs, events }: PreparedImport): Promise<number> {
  if (columns.length === 0) return 0
  const names = sql.raw(columns.join(', '))
  // Passes all rows in one parameter, because binding thousands of parameters would take longer than the insertion.
  const causes = sql`
    inserted as (
      insert into job (${names})
      select ${names} from json_populate_recordset(null::job, ${jobs}::json)
      on conflict (import_key) do nothing
      returning id, visible_since
    ),
    noted as (
      insert into newly_visible_job (job_id, visible_at)
      select id, visible_since from inserted where visible_since is not null
    ),`
  return writeEventRecords(tx, events, causes, sql`where record.subject_id in (select id from inserted)`)
}

export async function importJobs(
  tx: Tx,
  settings: JobSettings,
  imports: readonly JobImport[],
  options: { isActive: boolean; now: Date },
): Promise<number> {
  return insertPrepared(tx, await prepareImport(settings, imports, options))
}

function importedRow(settings: JobSettings, { job, employer, source }: JobImport, isActive: boolean, now: Date) {
  const postedAt = job.posted_at ? parseTime(job.posted_at, 'start')! : now
  const { description, category, type } = job
  const body = { ...job, description: description ?? '', category: category ?? UNSPECIFIED, type: type ?? UNSPECIFIED }
  const columns = jobColumns(completeMembers(body, settings), employer.name)
  return {
    ...pristine,
    id: newId('job'),
    employer_id: employer.id,
    claimed_from: employer.claimedFrom ?? null,
    ...columns,
    search: isActive ? searchVector({ ...columns, company: employer.name }) : null,
    custom_questions: job.custom_questions ?? [],
    is_featured: job.is_featured ?? false,
    is_urgent: job.is_urgent ?? false,
    is_highlighted: job.is_highlighted ?? false,
    state: isActive ? ('active' as const) : ('inactive' as const),
    created_at: now,
    updated_at: now,
    posted_at: postedAt,
    first_activated_at: isActive ? postedAt : null,
    activated_at: isActive ? now : null,
    visible_since: isActive ? now : null,
    // A feed's inactive job without `expires_at` gets its expiry when a payment starts its run.
    expires_at: source && !isActive && !job.expires_at ? null : importedExpiry(job.expires_at, now),
    import_key: source ? null : importKey(job),
    source: source ?? null,
  }
}
