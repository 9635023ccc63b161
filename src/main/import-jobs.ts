/** `import jobs`: NDJSON lines of the specification's Job members into the board, with a report that omits nothing. */
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Database } from '../db/database.ts'
import { ensureImportedEmployer } from '../features/employers/index.ts'
import {
  CATEGORY_UNKNOWN,
  experienceLevels,
  type ImportedJob,
  ImportedJobSchema,
  importJobs,
  type JobSettings,
} from '../features/jobs/index.ts'
import { bodyValidator } from '../http/validation.ts'
import { findUnstorableText } from '../lib/bad-text.ts'
import { fold } from '../lib/fold.ts'
import { type Clock, parseTime } from '../lib/time.ts'

export interface ImportReport {
  lines: number
  imported: number
  /** Not imported because an earlier run, or an earlier line, brought the same job. */
  alreadyThere: number
  refused: number
  /** What was missing or left out in lines that were imported all the same: what, and in how many. */
  notes: Record<string, number>
  seconds: number
}

export interface ImportOptions {
  isActive: boolean
  /** Called for each refused line. */
  onRefused: (line: number, reason: string) => void
  /** Called after each batch with the lines read so far. */
  onProgress?: (lines: number) => void
}

const BATCH = 500
const known = new Set(Object.keys(ImportedJobSchema.properties))

/** Imports a file, gzipped when its name ends in .gz. A batch is one transaction; a second run doubles nothing. */
export async function importJobsFile(
  { database, settings, clock }: { database: Database; settings: JobSettings; clock: Clock },
  file: string,
  options: ImportOptions,
): Promise<ImportReport> {
  const started = performance.now()
  const report: ImportReport = { lines: 0, imported: 0, alreadyThere: 0, refused: 0, notes: {}, seconds: 0 }
  const validate = bodyValidator(ImportedJobSchema)
  const employers = new Map<string, { id: string; name: string }>()
  let batch: ImportedJob[] = []

  const flush = async () => {
    const jobs = batch
    batch = []
    if (jobs.length === 0) return
    const now = clock.now()
    const found = new Map<string, { id: string; name: string }>()
    const imported = await database.inTx(async (tx) => {
      for (const job of jobs) {
        const key = fold(job.company)
        if (employers.has(key) || found.has(key)) continue
        const profile = {
          name: job.company,
          ...(job.company_website && { website: job.company_website }),
          ...(job.company_logo_url && { logo_url: job.company_logo_url }),
        }
        found.set(key, await ensureImportedEmployer(tx, profile, now))
      }
      const imports = jobs.map((job) => {
        const key = fold(job.company)
        return { job, employer: (employers.get(key) ?? found.get(key))! }
      })
      return importJobs(tx, settings, imports, { isActive: options.isActive, now })
    })
    // Only what was committed is remembered.
    for (const [key, employer] of found) employers.set(key, employer)
    report.imported += imported
    report.alreadyThere += jobs.length - imported
    options.onProgress?.(report.lines)
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
  await flush()
  // Fresh statistics and an up-to-date visibility map: the first readers would pay for both otherwise.
  if (report.imported > 0) await database.withClient((client) => client.query('vacuum (analyze) job'))
  report.seconds = (performance.now() - started) / 1000
  return report
}

/** No line of an import needs more, and a file that is no NDJSON must not fill the memory. */
const LINE_BYTES_MAX = 1_048_576
const NEWLINE = 0x0a

/**
 * The lines of a file, each as text or as the reason why it is none. Only a newline ends a line: `node:readline` would
 * also cut at U+2028 and U+2029, which stand unescaped in many a JSON text.
 */
export async function* readLines(file: string): AsyncGenerator<{ text: string } | { refusal: string }> {
  const bytes = createReadStream(file, { highWaterMark: 262_144 })
  // An error of either ends the loop below; pipe() would lose those of the file.
  const input = file.endsWith('.gz') ? pipeline(bytes, createGunzip(), () => {}) : bytes
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let parts: Buffer[] = []
  let length = 0
  const line = () => {
    const isTooLong = length > LINE_BYTES_MAX
    const whole = isTooLong ? undefined : Buffer.concat(parts)
    parts = []
    length = 0
    if (whole === undefined) return { refusal: `The line is longer than ${LINE_BYTES_MAX} bytes.` }
    try {
      return { text: utf8.decode(whole) }
    } catch {
      return { refusal: 'The line is not UTF-8.' }
    }
  }
  const add = (part: Buffer) => {
    length += part.length
    // What is too long already is only counted.
    if (length > LINE_BYTES_MAX) parts = []
    else parts.push(part)
  }
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end))
      yield line()
      start = end + 1
    }
    if (start < chunk.length) add(chunk.subarray(start))
  }
  if (length > 0) yield line()
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
    return { refusal: 'The line is not JSON.' }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { refusal: 'The line is no object.' }
  const notes: string[] = []
  const job: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    if (!known.has(name)) notes.push(`unknown member ${JSON.stringify(name.slice(0, 64))} left out`)
    else if (member !== null) job[name] = member
  }
  const unstorable = findUnstorableText(job)
  if (unstorable === undefined) return { refusal: 'The line is nested too deep.' }
  if (unstorable.length > 0) return { refusal: `Unstorable characters at ${unstorable.join(', ')}.` }
  const level = job.experience_level
  if (typeof level === 'string' && !experienceLevels.includes(level as (typeof experienceLevels)[number])) {
    notes.push(`unknown experience_level ${JSON.stringify(level.slice(0, 64))} left out`)
    delete job.experience_level
  }
  const faults = validate(job)
  if (faults.length > 0) return { refusal: faults.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' ') }
  const read = job as ImportedJob
  if (read.posted_at && parseTime(read.posted_at, 'start')! > now)
    return { refusal: '#/posted_at: lies in the future.' }
  if (!read.description) notes.push('description missing, empty text stored')
  if (!read.posted_at) notes.push('posted_at missing, time of the import stored')
  if (!read.category) notes.push(`category missing, ${CATEGORY_UNKNOWN} stored`)
  if (!read.type) notes.push(`type missing, ${CATEGORY_UNKNOWN} stored`)
  return { job: read, notes }
}
