/**
 * One run of a feed: compares a document with the postings of earlier documents, and changes the jobs accordingly. The
 * comparison itself changes no job. All later steps depend only on the database and the stored document. After a crash,
 * another process can therefore repeat them without changing anything twice (decision 0111).
 */
import type { Database, Tx } from '../../db/database.ts'
import type { FeedCounts, FeedProblem, FeedSample } from '../../db/schema.ts'
import { isStorableText } from '../../lib/bad-text.ts'
import { breather } from '../../lib/breather.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { ImportedEmployer } from '../employers/index.ts'
import {
  closeFedJobs,
  createFedJobs,
  extendFedJobs,
  type JobSettings,
  reopenFedJobs,
  updateFedJob,
} from '../jobs/index.ts'
import { readDocument } from './feeds.documents.ts'
import { assertEmployerMayPost, findEmployersOf } from './feeds.employers.ts'
import { normalizePosting, type Posting } from './feeds.postings.ts'
import {
  addToCounts,
  compareSeen,
  type FeedRow,
  findPostings,
  listBack,
  listOverdue,
  listRenewals,
  markAbsent,
  markPresent,
  noCounts,
  type RunRow,
  savePostings,
  updatePostings,
  updateRun,
} from './feeds.queries.ts'
import { formatOf } from './formats/index.ts'
import { BadDocument } from './formats/posting.ts'

export interface Pass {
  database: Database
  settings: JobSettings
  now: Date
  feed: FeedRow
  run: RunRow
  /** Whether the feed's jobs become active without a payment. */
  isOpen: boolean
  /** Extends the run's lease. Throws if another process has taken the run, or if this process must stop. */
  keepLease(tx: Tx): Promise<void>
  /** Extends the lease outside a transaction, if an extension is due. */
  keepLeaseBetween(): Promise<void>
}

/** Maximum number of postings per transaction and per comparison. */
const BATCH = 250
/**
 * Maximum total length of a batch's postings as JSON, in characters. Their search vectors can take 20 times as much
 * memory.
 */
const BATCH_LENGTH_MAX = 2_000_000
const POSTINGS_MAX = 250_000
const PROBLEMS_MAX = 100
/** Maximum number of postings in the sample of a dry run. */
const SAMPLE_SIZE = 5
/** Maximum length of a description in a sample, in characters. */
const SAMPLE_LENGTH_MAX = 500
/** Number of days that a job without a deadline stays on the board after its creation, reopening or last extension. */
const RUN_DAYS = 60
/** Number of days between extensions of a job. A lower number would write more events. */
const RENEWAL_DAYS = 30

const inDays = (now: Date, days: number) => new Date(now.getTime() + days * DAY_MS)

type Outcome = { state: 'succeeded' } | { state: 'held'; reason: string }

/**
 * Compares the run's document, unless an earlier attempt has done so. Then changes the jobs, unless the run is held or
 * is a dry run.
 */
export async function runPass(pass: Pass): Promise<Outcome> {
  if (!pass.run.is_compared) {
    const held = await compare(pass)
    if (held !== undefined) return { state: 'held', reason: held }
  }
  if (!pass.run.dry_run) await apply(pass)
  return { state: 'succeeded' }
}

/** Makes only the changes that depend on the time, because the host has no newer document. */
export async function runWithoutDocument(pass: Pass): Promise<Outcome> {
  await pass.database.inTx(async (tx) => {
    await pass.keepLease(tx)
    await addToCounts(tx, pass.run.id, { unchanged: pass.feed.job_count })
  })
  await applyTimes(pass)
  return { state: 'succeeded' }
}

/** Yields the document's valid postings. Reports refused postings, and problems with the valid ones. */
async function* postingsOf(
  { database, feed, run, now }: Pass,
  { seen, report }: { seen: Set<string>; report: (problem: FeedProblem, isRefusal: boolean) => void },
): AsyncGenerator<Posting> {
  const company = feed.company ?? feed.name
  const breathe = breather()
  let count = 0
  for await (const read of formatOf(feed.format).read(readDocument(database, run.id))) {
    await breathe()
    if (++count > POSTINGS_MAX) {
      throw new BadDocument('too_many_postings', `The document has more than ${POSTINGS_MAX} postings.`)
    }
    if (read === 'unlisted') continue
    if ('refusal' in read) {
      const { id = null, code, detail } = read.refusal
      report({ external_id: id, code, detail }, true)
      continue
    }
    const { id } = read.posting
    if (seen.has(id)) {
      report({ external_id: id, code: 'repeated_id', detail: 'An earlier posting has the same ID.' }, true)
      continue
    }
    const normalized = normalizePosting(read.posting, { company, now })
    // A refused posting does not count as missing, so its job is not closed. No known posting has an ID that cannot be
    // stored.
    if (isStorableText(id)) seen.add(id)
    if (!('job' in normalized)) {
      report({ external_id: id, code: normalized.code, detail: normalized.detail }, true)
      continue
    }
    for (const { code, detail } of normalized.notes) report({ external_id: id, code, detail }, false)
    yield normalized
  }
}

/** Yields batches, and prepares the next one while the caller waits for the database. */
export async function* batchesOf<Item extends Pick<Posting, 'length'>>(
  items: AsyncIterable<Item>,
): AsyncGenerator<Item[]> {
  const batches = gathered(items)
  try {
    for (let next = batches.next(); ; ) {
      const { done, value } = await next
      if (done) return
      next = batches.next()
      // The loop awaits this promise later, or never if the caller fails.
      next.catch(() => {})
      yield value
    }
  } finally {
    await batches.return(undefined)
  }
}

async function* gathered<Item extends Pick<Posting, 'length'>>(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  let batch: Item[] = []
  let length = 0
  for await (const item of items) {
    batch.push(item)
    length += item.length
    if (batch.length < BATCH && length < BATCH_LENGTH_MAX) continue
    yield batch
    batch = []
    length = 0
  }
  if (batch.length > 0) yield batch
}

/** Compares the document and records the result. Returns the reason if the run must be held. */
async function compare(pass: Pass): Promise<string | undefined> {
  const { database, feed, run, now } = pass
  const counts: FeedCounts = { ...noCounts }
  const problems: FeedProblem[] = []
  const sample: FeedSample[] = []
  const seen = new Set<string>()
  let isIdentified = true
  const report = (problem: FeedProblem, isRefusal: boolean) => {
    // A refused posting without an ID may be any known posting, so no known posting counts as missing.
    if (isRefusal && problem.external_id === null) isIdentified = false
    if (isRefusal) {
      counts.read += 1
      counts.refused += 1
    }
    if (problems.length < PROBLEMS_MAX)
      problems.push({ ...problem, external_id: problem.external_id?.toWellFormed().replaceAll('\0', '') ?? null })
  }
  for await (const batch of batchesOf(postingsOf(pass, { seen, report }))) {
    await pass.keepLeaseBetween()
    const known = await database.read((db) =>
      findPostings(
        db,
        feed.id,
        batch.map(({ externalId }) => externalId),
      ),
    )
    if (run.dry_run) sample.push(...batch.slice(0, SAMPLE_SIZE - sample.length).map(sampleOf))
    for (const { externalId, hash } of batch) {
      const former = known.get(externalId)?.hash
      counts.read += 1
      counts[former === undefined ? 'created' : former === hash ? 'unchanged' : 'updated'] += 1
    }
  }
  const ids = [...seen]
  const before = closingTime(pass)
  const found = await database.read((db) => compareSeen(db, feed.id, ids, { now, before }))
  counts.missing = isIdentified ? found.absent : 0
  const isEmpty = counts.read === 0 && found.open > 0
  const isShrunk = isIdentified && found.lost * 2 > found.open
  const held = isEmpty ? 'The document has no postings.' : `Missing postings: ${found.lost} of ${found.open}.`
  const isHeld = (isEmpty || isShrunk) && !run.is_approved && !run.dry_run
  if (run.dry_run) Object.assign(counts, { closed: isIdentified ? found.overdue : 0, reopened: found.back })
  await database.inTx(async (tx) => {
    await pass.keepLease(tx)
    if (!isHeld && !run.dry_run) {
      if (isIdentified) await markAbsent(tx, feed.id, ids, now)
      await markPresent(tx, feed.id, ids)
    }
    const report = {
      counts: JSON.stringify(counts),
      problems: JSON.stringify(problems),
      ...(run.dry_run && { sample: JSON.stringify(sample) }),
    }
    Object.assign(run, await updateRun(tx, run.id, { ...report, is_compared: !isHeld }))
  })
  return isHeld ? held : undefined
}

function sampleOf({ externalId, url, job }: Posting): FeedSample {
  const { title, company, location, description } = job
  const beginning = (description ?? '').slice(0, SAMPLE_LENGTH_MAX).toWellFormed()
  return { external_id: externalId, url, title, company, location, description: beginning }
}

/** Returns the closing threshold: jobs whose postings have been missing since this time or earlier are closed. */
const closingTime = ({ feed, now }: Pass) => new Date(now.getTime() - feed.close_after_hours * 3_600_000)

async function apply(pass: Pass): Promise<void> {
  const { created, updated } = pass.run.counts
  if (created + updated > 0) {
    const postings = postingsOf(pass, { seen: new Set(), report: () => {} })
    for await (const batch of batchesOf(postings)) await write(pass, batch)
  }
  await applyTimes(pass)
}

/** Creates and updates the jobs of a batch. Ignores unchanged postings. */
async function write(pass: Pass, batch: readonly Posting[]): Promise<void> {
  const { database, feed, settings, now, isOpen } = pass
  const ids = batch.map(({ externalId }) => externalId)
  await database.inTx(async (tx) => {
    await pass.keepLease(tx)
    await assertEmployerMayPost(tx, feed)
    const known = await findPostings(tx, feed.id, ids)
    const unknown = batch.filter(({ externalId }) => !known.has(externalId))
    const employerOf = await findEmployersOf(tx, feed, unknown, now)
    // Skips new postings of suspended employers. The next run with a document finds these postings again.
    const fresh = unknown.filter(employerOf)
    const created = fresh.map((posting) => importOf(pass, posting, employerOf(posting)!))
    const jobIds = await createFedJobs(tx, { settings, now }, created, isOpen)
    const saved = fresh.map((posting, index) => ({ posting, job_id: jobIds[index]! }))
    for (const posting of batch) {
      const former = known.get(posting.externalId)
      if (former === undefined || former.hash === posting.hash) continue
      const change = {
        id: former.job_id,
        job: posting.job,
        source: sourceOf(feed, posting),
        expiresAt: expiryOf(pass, posting, former),
      }
      await updateFedJob(tx, { settings, now }, change)
      saved.push({ posting, job_id: former.job_id })
    }
    await savePostings(
      tx,
      saved.map(({ posting: { externalId, hash, job }, job_id }) => ({
        ...{ feed_id: feed.id, external_id: externalId, job_id, hash },
        renew_at: isOpen && !job.expires_at ? (known.get(externalId)?.renew_at ?? inDays(now, RENEWAL_DAYS)) : null,
      })),
    )
  })
}

const sourceOf = (feed: FeedRow, { externalId, url }: Posting) => ({ feed_id: feed.id, external_id: externalId, url })

function importOf({ feed, isOpen, now }: Pass, posting: Posting, employer: ImportedEmployer) {
  const { job } = posting
  const expires_at = job.expires_at ?? (isOpen ? inDays(now, RUN_DAYS).toISOString() : null)
  return { job: { ...job, company: employer.name, expires_at }, employer, source: sourceOf(feed, posting) }
}

/**
 * Returns the new expiry of an updated job: its deadline or, if its posting no longer has one, the expiry of a new job.
 * Returns undefined to keep the current expiry.
 */
function expiryOf({ isOpen, now }: Pass, { job }: Posting, former: { renew_at: Date | null }): Date | undefined {
  if (job.expires_at) return new Date(job.expires_at)
  return isOpen && former.renew_at === null ? inDays(now, RUN_DAYS) : undefined
}

/** Reopens, closes and extends jobs. Selects the jobs only by the times of their postings. */
async function applyTimes(pass: Pass): Promise<void> {
  const { feed, run, settings, now, isOpen } = pass
  const moment = { settings, now }
  const before = closingTime(pass)
  await repeat(pass, async (tx) => {
    const back = await listBack(tx, feed.id, BATCH)
    await assertEmployerMayPost(tx, feed)
    const wereOpen = back.filter(({ was_open }) => was_open).map(({ job_id }) => job_id)
    const reopened = await reopenFedJobs(tx, moment, wereOpen, isOpen ? inDays(now, RUN_DAYS) : undefined)
    await addToCounts(tx, run.id, { reopened })
    await updatePostings(tx, feed.id, idsOf(back), { closed_at: null, was_open: false })
    return back.length
  })
  await repeat(pass, async (tx) => {
    const overdue = await listOverdue(tx, feed.id, before, BATCH)
    const { wereOpen, closed } = await closeFedJobs(
      tx,
      moment,
      overdue.map(({ job_id }) => job_id),
    )
    await addToCounts(tx, run.id, { closed })
    const isOpenJob = new Set(wereOpen)
    for (const was_open of [true, false]) {
      const postings = overdue.filter(({ job_id }) => isOpenJob.has(job_id) === was_open)
      await updatePostings(tx, feed.id, idsOf(postings), { closed_at: now, was_open })
    }
    return overdue.length
  })
  await repeat(pass, async (tx) => {
    const due = await listRenewals(tx, feed.id, now, BATCH)
    if (isOpen)
      await extendFedJobs(
        tx,
        moment,
        due.map(({ job_id }) => job_id),
        inDays(now, RUN_DAYS),
      )
    await updatePostings(tx, feed.id, idsOf(due), { renew_at: isOpen ? inDays(now, RENEWAL_DAYS) : null })
    return due.length
  })
}

const idsOf = (postings: readonly { external_id: string }[]) => postings.map(({ external_id }) => external_id)

/** Repeats a step, each time in a separate transaction, until a batch is not full. */
async function repeat({ database, keepLease }: Pass, step: (tx: Tx) => Promise<number>): Promise<void> {
  for (let count = BATCH; count === BATCH; ) {
    count = await database.inTx(async (tx) => {
      await keepLease(tx)
      return step(tx)
    })
  }
}
