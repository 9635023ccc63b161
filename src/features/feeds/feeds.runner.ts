/** Queues due runs, claims runs, and executes them one after the other. */
import { randomUUID } from 'node:crypto'
import { type Database, isShownNowhere, type Tx } from '../../db/database.ts'
import type { FeedProblem } from '../../db/schema.ts'
import { newId } from '../../lib/ids.ts'
import { type Clock, DAY_MS } from '../../lib/time.ts'
import type { JobSettings } from '../jobs/index.ts'
import { storeDocument } from './feeds.documents.ts'
import { EmployerSuspended } from './feeds.employers.ts'
import { FetchFailure, type Fetching, fetchDocument, NO_VERSION, type Version } from './feeds.fetch.ts'
import { queueHeldMails } from './feeds.mails.ts'
import { type Pass, runPass, runWithoutDocument } from './feeds.pass.ts'
import {
  claimRun,
  deleteDocument,
  extendLease,
  findFeed,
  insertRun,
  listDueFeeds,
  NOT_FAILING,
  type RunRow,
  updateFeedRow,
  updateRun,
} from './feeds.queries.ts'
import { documentUrlOf } from './feeds.service.ts'
import { BadDocument } from './formats/posting.ts'

export interface RunnerDeps {
  database: Database
  clock: Clock
  settings: JobSettings
  fetching: Omit<Fetching, 'now'>
  /** Whether jobs can be activated without a payment. */
  isFree: boolean
  /** Called with the state of each run that ends or is held. */
  onEnd?(state: RunRow['state']): void
}

/** Duration of a lease, in milliseconds. Longer than fetching one response or processing one batch takes. */
const LEASE_MS = 180_000
/** Minimum time between two extensions of the lease during a fetch or a comparison, in milliseconds. */
const BEAT_MS = 30_000
const DUE_MAX = 100

/** Thrown if another process has taken the run, or if this process is stopping. Another process continues the run. */
class LeaseLost extends Error {}

export async function queueDueRuns({ database, clock }: Pick<RunnerDeps, 'database' | 'clock'>): Promise<void> {
  await database.inTx(async (tx) => {
    isShownNowhere(tx)
    const now = clock.now()
    for (const { id, every_minutes } of await listDueFeeds(tx, now, DUE_MAX)) {
      await insertRun(tx, { id: newId('feedRun'), feed_id: id, dry_run: false, is_stored: false, created_at: now })
      await updateFeedRow(tx, id, { next_run_at: new Date(now.getTime() + every_minutes * 60_000) })
    }
  })
}

/**
 * Executes the next run, or the run `onlyId`. Returns the ended or held run, or undefined if no run can be claimed or
 * the lease was lost.
 */
export async function runNext(
  deps: RunnerDeps,
  { onlyId, ending }: { onlyId?: string; ending?: AbortSignal | undefined } = {},
): Promise<RunRow | undefined> {
  const { database, clock } = deps
  const lease = randomUUID()
  const until = () => new Date(clock.now().getTime() + LEASE_MS)
  const claimed = await database.inTx(async (tx) => {
    isShownNowhere(tx)
    const run = await claimRun(tx, { now: clock.now(), until: until(), lease, onlyId })
    const feed = run && (await findFeed(tx, null, run.feed_id))
    return run && feed && { run, feed }
  })
  if (!claimed) return undefined
  const { run, feed } = claimed
  let beatAt = clock.now().getTime()
  const keepLease = async (tx: Tx) => {
    if (ending?.aborted || !(await extendLease(tx, run.id, lease, until()))) throw new LeaseLost()
    beatAt = clock.now().getTime()
  }
  const keepLeaseBetween = async () => {
    if (ending?.aborted) throw new LeaseLost()
    if (clock.now().getTime() - beatAt < BEAT_MS) return
    await database.inTx(async (tx) => {
      isShownNowhere(tx)
      await keepLease(tx)
    })
  }
  const isOpen = feed.employer_id === null || feed.is_prepaid || deps.isFree
  const pass = { ...deps, now: clock.now(), feed, run, isOpen, keepLease, keepLeaseBetween }
  try {
    const ended = await carryOut(deps, pass)
    deps.onEnd?.(ended.state)
    return ended
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
    // Lets another process continue immediately if this process stops. Has no effect if another process already has the
    // run.
    await database.inTx((tx) => extendLease(tx, run.id, lease, clock.now()))
    return undefined
  }
}

async function carryOut(deps: RunnerDeps, pass: Pass): Promise<RunRow> {
  const { feed, run } = pass
  try {
    const version = run.is_stored ? undefined : await fetchInto(deps, pass)
    const outcome = version === 'unchanged' ? await runWithoutDocument(pass) : await runPass(pass)
    if (outcome.state === 'held') return await end(pass, { state: 'held', held_reason: outcome.reason })
    return await end(pass, { state: 'succeeded', finished_at: pass.now })
  } catch (error) {
    const problem = problemOf(error)
    if (!problem) throw error
    const isFetched = documentUrlOf(feed) !== undefined && !run.dry_run
    const retryAfter = error instanceof FetchFailure ? error.retryAfterMs : null
    const problems = JSON.stringify([problem, ...run.problems].slice(0, 100))
    return end(pass, { state: 'failed', finished_at: pass.now, problems }, isFetched ? { retryAfter } : undefined)
  }
}

/** Returns the problem that ended a run, or undefined if the error is unexpected. */
function problemOf(error: unknown): FeedProblem | undefined {
  if (error instanceof EmployerSuspended) {
    return { external_id: null, code: 'account_suspended', detail: "The employer's account is suspended or closed." }
  }
  if (!(error instanceof BadDocument || error instanceof FetchFailure)) return undefined
  return { external_id: null, code: error.code, detail: error.message }
}

/** Fetches the document and stores it with the run. */
async function fetchInto({ database, clock, fetching }: RunnerDeps, pass: Pass): Promise<'unchanged' | undefined> {
  const { feed, run } = pass
  // A process may have died while it stored the document.
  await database.inTx(async (tx) => {
    isShownNowhere(tx)
    await deleteDocument(tx, run.id)
  })
  const known: Version = run.dry_run ? NO_VERSION : { etag: feed.etag, lastModified: feed.last_modified }
  const url = documentUrlOf(feed)
  if (url === undefined) throw new FetchFailure('no_url', 'The feed has no url.')
  const { version, redirectHost } = await fetchDocument(
    { ...fetching, now: () => clock.now(), keepLease: pass.keepLeaseBetween },
    { format: feed.format, url, known },
    (chunks) => storeDocument(database, run.id, chunks),
  )
  if (redirectHost !== feed.redirect_host) {
    await database.inTx(async (tx) => {
      isShownNowhere(tx)
      await updateFeedRow(tx, feed.id, { redirect_host: redirectHost })
    })
  }
  if (version === undefined) return 'unchanged'
  await database.inTx(async (tx) => {
    isShownNowhere(tx)
    await pass.keepLease(tx)
    const { etag, lastModified: last_modified } = version
    Object.assign(run, await updateRun(tx, run.id, { is_stored: true, etag, last_modified }))
  })
  return undefined
}

/** Maximum backoff of a feed whose runs fail, in milliseconds, unless its interval is longer. */
const PAUSE_MAX_MS = DAY_MS

/** Ends or holds a run. `failure` delays the next run of the feed. */
async function end(
  { database, feed, run, now, keepLease }: Pass,
  change: Parameters<typeof updateRun>[2],
  failure?: { retryAfter: number | null },
): Promise<RunRow> {
  return database.inTx(async (tx) => {
    isShownNowhere(tx)
    await keepLease(tx)
    if (change.state !== 'held') await deleteDocument(tx, run.id)
    if (failure) {
      const interval = feed.every_minutes * 60_000
      const doubled = interval * 2 ** Math.min(feed.failures, 10)
      const pause = Math.min(Math.max(PAUSE_MAX_MS, interval), Math.max(doubled, failure.retryAfter ?? 0))
      const next_run_at = new Date(now.getTime() + pause)
      const failing_since = feed.failing_since ?? now
      await updateFeedRow(tx, feed.id, { failures: feed.failures + 1, failing_since, next_run_at })
    } else if (change.state === 'succeeded' && !run.dry_run) {
      await updateFeedRow(tx, feed.id, { ...NOT_FAILING, succeeded_at: now, ...versionOf(run) })
    } else if (change.state === 'held') await queueHeldMails(tx, feed, run.id, now)
    return updateRun(tx, run.id, { ...change, lease: null, leased_until: null })
  })
}

/**
 * Returns the feed's columns for the version of the document that the run has read. A pushed document has no version,
 * and implies nothing about the document at the URL. A run without a document keeps the feed's version.
 */
const versionOf = ({ is_stored, etag, last_modified }: RunRow) => (is_stored ? { etag, last_modified } : {})
