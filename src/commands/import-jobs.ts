/**
 * `import jobs`: imports jobs from NDJSON lines that follow the specification's Job schema. Reports ignored members,
 * missing members that it replaces with a default, and changed expiry dates.
 */
import type { Database } from '../db/database.ts'
import {
  findImportedEmployers,
  importedEmployerKey,
  insertImportedEmployers,
  newImportedEmployer,
} from '../features/employers/index.ts'
import {
  experienceLevels,
  expiryNote,
  findImported,
  type ImportedJob,
  ImportedJobSchema,
  insertPrepared,
  type JobSettings,
  type PreparedImport,
  prepareImport,
  UNSPECIFIED,
} from '../features/jobs/index.ts'
import { bodyValidator } from '../http/validation.ts'
import { findUnstorableText } from '../lib/bad-text.ts'
import { counted } from '../lib/counted.ts'
import { isLanguageTag } from '../lib/language-tags.ts'
import { allLocations, LOCATIONS_MAX } from '../lib/locations.ts'
import { type Clock, parseTime } from '../lib/time.ts'
import { workplaces } from '../lib/workplaces.ts'
import { readLines } from './lines.ts'
import { settingsOf, showProgress, withDatabase } from './run.ts'

export interface ImportReport {
  lines: number
  imported: number
  /** Number of jobs that were skipped because an earlier run or an earlier line contained the same job. */
  alreadyThere: number
  refused: number
  /** Number of affected lines by kind of missing or ignored member. Excludes refused lines. */
  notes: Record<string, number>
  seconds: number
}

export interface ImportOptions {
  isActive: boolean
  /** Called for each refused line. */
  onRefused: (line: number, reason: string) => void
  /** Called after each batch with the number of lines read so far. */
  onProgress?: (lines: number) => void
}

/** Number of jobs per transaction. */
const BATCH = 500
/** Number of jobs to prepare before yielding to the event loop, and number of rows per insert statement. */
const PIECE = 250
const known = new Set(Object.keys(ImportedJobSchema.properties))

type Employers = Map<string, { id: string; name: string }>

/** A batch that is ready to write. */
interface PreparedBatch {
  jobs: readonly ImportedJob[]
  fresh: readonly ImportedJob[]
  newEmployers: ReturnType<typeof newImportedEmployer>[]
  prepared: PreparedImport[]
  now: Date
}

/**
 * Imports a file, and decompresses it if its name ends in .gz. Each batch is one transaction. Importing a file again
 * adds no duplicates. Prepares the next batch while the database writes the current one; both take about the same time.
 */
export async function importJobsFile(
  { database, settings, clock }: { database: Database; settings: JobSettings; clock: Clock },
  file: string,
  options: ImportOptions,
): Promise<ImportReport> {
  const started = performance.now()
  const report: ImportReport = { lines: 0, imported: 0, alreadyThere: 0, refused: 0, notes: {}, seconds: 0 }
  const validate = bodyValidator(ImportedJobSchema)
  /** Employers from the database or from earlier lines. */
  const employers: Employers = new Map()

  const prepare = async (jobs: readonly ImportedJob[]): Promise<PreparedBatch> => {
    const now = clock.now()
    const keyed = new Map(jobs.map((job) => [importedEmployerKey(job.company), job]))
    const unknown = [...keyed.keys()].filter((key) => !employers.has(key))
    const { there, found } = await database.read(async (db) => ({
      there: await findImported(db, jobs),
      found: await findImportedEmployers(db, unknown),
    }))
    const fresh = jobs.filter((job) => !there.has(job))
    const newEmployers: PreparedBatch['newEmployers'] = []
    for (const job of fresh) {
      const key = importedEmployerKey(job.company)
      if (employers.has(key)) continue
      const known = found.get(key)
      if (known) employers.set(key, known)
      else {
        const employer = newImportedEmployer(profileOf(job), now)
        newEmployers.push(employer)
        employers.set(key, { id: employer.id, name: employer.name })
      }
    }
    const prepared: PreparedImport[] = []
    for (let start = 0; start < fresh.length; start += PIECE) {
      const imports = fresh.slice(start, start + PIECE).map((job) => {
        return { job, employer: employers.get(importedEmployerKey(job.company))! }
      })
      prepared.push(await prepareImport(settings, imports, { isActive: options.isActive, now }))
    }
    // Sorted, because concurrent imports could deadlock if they inserted employers in different orders.
    newEmployers.sort((a, b) => (a.name_sort < b.name_sort ? -1 : 1))
    return { jobs, fresh, newEmployers, prepared, now }
  }

  const write = async ({ jobs, fresh, newEmployers, prepared, now }: PreparedBatch) => {
    const lines = report.lines
    const imported = await database.inTx(async (tx) => {
      let pieces = prepared
      if (newEmployers.length > 0 && (await insertImportedEmployers(tx, newEmployers)) < newEmployers.length) {
        // If another import has created some of these employers in the meantime, this import uses their rows.
        const names = newEmployers.map(({ name_sort }) => name_sort)
        for (const [key, employer] of await findImportedEmployers(tx, names)) employers.set(key, employer)
        const imports = fresh.map((job) => ({ job, employer: employers.get(importedEmployerKey(job.company))! }))
        pieces = [await prepareImport(settings, imports, { isActive: options.isActive, now })]
      }
      let count = 0
      for (const piece of pieces) count += await insertPrepared(tx, piece)
      return count
    })
    report.imported += imported
    report.alreadyThere += jobs.length - imported
    options.onProgress?.(lines)
  }

  let writing = Promise.resolve()
  let batch: ImportedJob[] = []
  const flush = async () => {
    const prepared = await prepare(batch)
    batch = []
    await writing
    writing = write(prepared)
    // This promise is awaited later. Until then, a rejection must not end the process.
    writing.catch(() => {})
  }
  for await (const line of readLines(file)) {
    report.lines += 1
    if ('text' in line && line.text.trim() === '') continue
    const read = 'text' in line ? readLine(line.text, validate, clock.now()) : line
    if ('refusal' in read) {
      report.refused += 1
      options.onRefused(report.lines, read.refusal)
      continue
    }
    for (const note of read.notes) report.notes[note] = (report.notes[note] ?? 0) + 1
    batch.push(read.job)
    if (batch.length === BATCH) await flush()
  }
  if (batch.length > 0) await flush()
  await writing
  // Updates the statistics and the visibility map now, because a later update would slow down the first readers.
  if (report.imported > 0) await database.withClient((client) => client.query('vacuum (analyze) job'))
  report.seconds = (performance.now() - started) / 1000
  return report
}

function profileOf(job: ImportedJob) {
  return {
    name: job.company,
    ...(job.company_website && { website: job.company_website }),
    ...(job.company_logo_url && { logo_url: job.company_logo_url }),
  }
}

function readLine(
  line: string,
  validate: (body: unknown) => { pointer: string; detail: string }[],
  now: Date,
): { job: ImportedJob; notes: string[] } | { refusal: string } {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return { refusal: 'The line is not valid JSON.' }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { refusal: 'The line is not a JSON object.' }
  }
  const notes: string[] = []
  const job: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    if (!known.has(name)) notes.push(`unknown field ${JSON.stringify(name.slice(0, 64))} ignored`)
    else if (member !== null) job[name] = member
  }
  const unstorable = findUnstorableText(job)
  if (unstorable === undefined) return { refusal: 'The line is nested too deeply.' }
  if (unstorable.length > 0)
    return { refusal: `The text at ${unstorable.join(', ')} contains characters that cannot be stored.` }
  for (const [name, choices] of Object.entries({ experience_level: experienceLevels, workplace: workplaces })) {
    const chosen = job[name]
    if (typeof chosen !== 'string' || (choices as readonly string[]).includes(chosen)) continue
    notes.push(`unknown ${name} ${JSON.stringify(chosen.slice(0, 64))} ignored`)
    delete job[name]
  }
  if (typeof job.language === 'string' && !isLanguageTag(job.language)) {
    notes.push(`invalid language ${JSON.stringify(job.language.slice(0, 64))} ignored`)
    delete job.language
  }
  const faults = validate(job)
  if (faults.length > 0) return { refusal: faults.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' ') }
  const read = job as ImportedJob
  if (read.posted_at && parseTime(read.posted_at, 'start')! > now)
    return { refusal: '#/posted_at: must not be in the future.' }
  if (allLocations(read.location, read.locations).length > LOCATIONS_MAX)
    return { refusal: `#/locations: must have at most ${LOCATIONS_MAX} items, including location.` }
  if (!read.description) notes.push('description missing, stored as empty text')
  if (!read.posted_at) notes.push('posted_at missing, stored as the time of the import')
  const expiry = expiryNote(read.expires_at, now)
  if (expiry) notes.push(expiry)
  if (!read.category) notes.push(`category missing, stored as ${UNSPECIFIED}`)
  if (!read.type) notes.push(`type missing, stored as ${UNSPECIFIED}`)
  return { job: read, notes }
}

export async function runImportJobs(file: string, { inactive = false }: { inactive?: boolean }): Promise<void> {
  await withDatabase(async (database, config, clock) => {
    const report = await importJobsFile({ database, settings: settingsOf(config), clock }, file, {
      isActive: !inactive,
      onRefused(line, reason) {
        showProgress('')
        console.error(`line ${line} refused: ${reason}`)
      },
      onProgress: (lines) => showProgress(counted(lines, 'line')),
    })
    showProgress('')
    const rate = Math.round(report.lines / report.seconds)
    console.log(`${counted(report.lines, 'line')} read in ${report.seconds.toFixed(1)} s (${rate} per second)`)
    console.log(`${report.imported} imported, ${report.alreadyThere} already existed, ${report.refused} refused`)
    for (const [note, count] of Object.entries(report.notes)) console.log(`${count} × ${note}`)
  })
}
