import type { Reader, Tx } from '../../db/database.ts'
import { noteIfAdmin } from '../../db/operator-actions.ts'
import type { Action, Change, Submission } from '../../lib/changes.ts'
import type { Precondition } from '../../lib/entity-tags.ts'
import { AppError, type BodyFault, found, validationFailed } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { compareWithPresent } from '../../lib/merge.ts'
import { type Actor, ownerOf } from '../../lib/scopes.ts'
import { findEmployerNames } from '../employers/index.ts'
import { closeFedJobs, type JobSettings, releaseFedJobs } from '../jobs/index.ts'
import { presentFeed } from './feeds.present.ts'
import {
  countFeedsOf,
  deleteDocument,
  deleteFeedRow,
  type FeedRow,
  findFeed,
  findFeedNamed,
  findRun,
  hasOpenRun,
  insertFeed,
  insertRun,
  listPostingsAfter,
  lockFeed,
  NOT_FAILING,
  type RunRow,
  supersedeHeldRun,
  updateFeedRow,
  updateRun,
} from './feeds.queries.ts'
import { type FeedBody, type FeedMergeBody, writableFeedMembers } from './feeds.schemas.ts'
import { type FormatName, formatOf, formatTitles } from './formats/index.ts'

/** The account that acts. The command line acts as an admin. */
type FeedActor = Pick<Actor, 'accountId' | 'kind' | 'key'>

/** Maximum number of feeds per employer. Admins can create more. */
const FEEDS_MAX = 20
const MINUTES_DEFAULT = 60
const HOURS_DEFAULT = 48

export async function getFeed(reader: Reader, actor: Pick<Actor, 'accountId' | 'kind'>, id: string): Promise<FeedRow> {
  return found(await findFeed(reader, ownerOf(actor), id))
}

export async function getRun(
  reader: Reader,
  actor: Pick<Actor, 'accountId' | 'kind'>,
  { id, run_id }: { id: string; run_id: string },
): Promise<RunRow> {
  const feed = await getFeed(reader, actor, id)
  return found(await findRun(reader, feed.id, run_id))
}

const fault = (member: string, code: string, detail: string): BodyFault => ({ pointer: `#/${member}`, code, detail })

/** Returns the faults of members that are invalid for the format. */
function addressFaults({ format, url, board }: Pick<FeedRow, 'format' | 'url' | 'board'>): BodyFault[] {
  const isHosted = formatOf(format).urlOf !== undefined
  const values = { format: formatTitles[format as FormatName] }
  const found: BodyFault[] = []
  if (isHosted && board === null) {
    const words = { key: 'feeds.fault_board_needed', values } as const
    found.push({ ...fault('board', 'required', `board is required for ${format}.`), words })
  }
  if (isHosted && url !== null) {
    const words = { key: 'feeds.fault_board_instead', values } as const
    found.push({ ...fault('url', 'not_allowed', `${format} has a board instead of a url.`), words })
  }
  if (!isHosted && board !== null) {
    const words = { key: 'feeds.fault_no_boards', values } as const
    found.push({ ...fault('board', 'not_allowed', `${format} has no boards.`), words })
  }
  return found
}

/** Returns the URL of a feed's document, or undefined if the feed's documents must be pushed. */
export function documentUrlOf({ format, url, board }: Pick<FeedRow, 'format' | 'url' | 'board'>): string | undefined {
  return (board === null ? undefined : formatOf(format).urlOf?.(board)) ?? url ?? undefined
}

const addressColumns = (feed: Pick<FeedRow, 'format' | 'url' | 'board'>) => {
  const address = documentUrlOf(feed)
  return { host: address === undefined ? null : (URL.parse(address)?.host ?? null) }
}

export async function createFeed(
  tx: Tx,
  { actor, body, faults, now }: Submission<FeedBody> & { actor: FeedActor },
): Promise<FeedRow> {
  const isAdmin = actor.kind === 'admin'
  const { url = null, board = null, company = null } = body
  const employerId = body.employer_id ?? (isAdmin ? null : actor.accountId)
  const all = [...faults]
  const isSound = (member: string) => !all.some(({ pointer }) => pointer === `#/${member}`)
  if (isSound('format') && isSound('board') && isSound('url')) {
    all.push(...addressFaults({ format: body.format, url, board }))
  }
  if (body.is_prepaid === true && !isAdmin)
    all.push(fault('is_prepaid', 'not_allowed', 'Only admins can set is_prepaid. Omit this field.'))
  if (employerId !== null && isSound('employer_id')) {
    const isKnown = isAdmin
      ? (await findEmployerNames(tx, [employerId])).has(employerId)
      : employerId === actor.accountId
    if (!isKnown)
      all.push(fault('employer_id', 'not_found', 'employer_id is not the ID of an employer that you may use.'))
  }
  if (all.length > 0) throw validationFailed(all)
  if (!isAdmin && (await countFeedsOf(tx, actor.accountId)) >= FEEDS_MAX) {
    const detail = `An employer can have at most ${FEEDS_MAX} feeds. Delete one first.`
    const words = { key: 'problem.feeds_max', values: { limit: FEEDS_MAX } } as const
    throw new AppError('limit_reached', { detail, words, extra: { limit: FEEDS_MAX } })
  }
  const id = newId('feed')
  const address = { format: body.format, url, board }
  await insertFeed(tx, {
    ...{ id, employer_id: employerId, name: body.name, ...address, ...addressColumns(address), company },
    every_minutes: body.every_minutes ?? MINUTES_DEFAULT,
    close_after_hours: body.close_after_hours ?? HOURS_DEFAULT,
    is_active: body.is_active ?? true,
    is_prepaid: body.is_prepaid ?? false,
    ...{ created_at: now, updated_at: now, etag: null, last_modified: null },
    next_run_at: documentUrlOf(address) === undefined ? null : now,
  })
  await noteIfAdmin(tx, actor, { action: 'feed.create', subject: id, note: body.name }, now)
  return found(await findFeed(tx, null, id))
}

/** Returns the ID of the feed for imports from a source. Creates the feed on the first import. */
export async function ensureImportFeed(
  tx: Tx,
  feed: { name: string; format: string; company: string | null; closeAfterHours: number; now: Date },
): Promise<string> {
  const { name, format, company, closeAfterHours, now } = feed
  const known = await findFeedNamed(tx, format, name)
  if (known !== undefined) return known
  const id = newId('feed')
  await insertFeed(tx, {
    ...{ id, employer_id: null, name, format, url: null, board: null, host: null, company },
    ...{ every_minutes: MINUTES_DEFAULT, close_after_hours: closeAfterHours, is_active: false, is_prepaid: false },
    ...{ created_at: now, updated_at: now, next_run_at: null, etag: null, last_modified: null },
  })
  return id
}

export async function updateFeed(
  tx: Tx,
  { actor, id, body, faults, precondition, now }: Change<FeedMergeBody> & { actor: FeedActor },
): Promise<FeedRow> {
  const row = found(await lockFeed(tx, ownerOf(actor), id))
  const present = presentFeed(row)
  const { changed, faults: readOnly } = compareWithPresent(present, body, writableFeedMembers)
  const all = [...faults, ...readOnly]
  const change = Object.fromEntries(changed.map((name) => [name, body[name]]))
  const merged = { ...row, ...change }
  const isMoved = changed.includes('url') || changed.includes('board')
  const isSound = !all.some(({ pointer }) => pointer === '#/board' || pointer === '#/url')
  if (isMoved && isSound) all.push(...addressFaults(merged))
  if (changed.includes('is_prepaid') && actor.kind !== 'admin') {
    all.push(fault('is_prepaid', 'not_allowed', 'Only admins can change is_prepaid. Omit this field.'))
  }
  if (all.length > 0) throw validationFailed(all)
  precondition(present)
  await updateFeedRow(tx, id, {
    ...change,
    updated_at: now,
    ...addressColumns(merged),
    // The next run must read the whole document, because the change may affect how postings become jobs.
    ...(changed.length > 0 && { etag: null, last_modified: null }),
    ...((isMoved || changed.includes('is_active')) && {
      ...NOT_FAILING,
      next_run_at: documentUrlOf(merged) === undefined ? null : now,
    }),
  })
  await noteIfAdmin(tx, actor, { action: 'feed.update', subject: id, note: changed.join(', ') }, now)
  return found(await findFeed(tx, null, id))
}

const JOBS_BATCH = 500

/** Deletes a feed. Closes or keeps its jobs, which the employers can then edit. */
export async function deleteFeed(
  tx: Tx,
  settings: JobSettings,
  { actor, id, now, jobs }: Omit<Action, 'actor'> & { actor: FeedActor; jobs: 'keep' | 'close' },
  precondition: Precondition,
): Promise<void> {
  const row = found(await lockFeed(tx, ownerOf(actor), id))
  precondition(presentFeed(row))
  for (let after = ''; ; ) {
    const postings = await listPostingsAfter(tx, id, after, JOBS_BATCH)
    const jobIds = postings.map(({ job_id }) => job_id)
    if (jobs === 'close') await closeFedJobs(tx, { settings, now }, jobIds)
    await releaseFedJobs(tx, jobIds)
    if (postings.length < JOBS_BATCH) break
    after = postings.at(-1)!.external_id
  }
  await deleteFeedRow(tx, id)
  await noteIfAdmin(tx, actor, { action: 'feed.delete', subject: id, note: row.name }, now)
}

/** Queues a run, which fetches the document. */
export async function createRun(
  tx: Tx,
  { actor, id, now, dryRun }: Omit<Action, 'actor'> & { actor: FeedActor; dryRun: boolean },
): Promise<RunRow> {
  const feed = found(await lockFeed(tx, ownerOf(actor), id))
  if (documentUrlOf(feed) === undefined) {
    throw new AppError('conflict', { detail: 'This feed has no url. Send its document instead.' })
  }
  return queueRun(tx, feed, { id: newId('feedRun'), dryRun, isStored: false, now })
}

/** Queues a run for a document that is already stored. */
export async function createDocumentRun(
  tx: Tx,
  {
    actor,
    id,
    now,
    runId,
    dryRun = false,
  }: Omit<Action, 'actor'> & { actor: FeedActor; runId: string; dryRun?: boolean },
): Promise<RunRow> {
  const feed = found(await lockFeed(tx, ownerOf(actor), id))
  return queueRun(tx, feed, { id: runId, dryRun, isStored: true, now })
}

async function queueRun(
  tx: Tx,
  feed: FeedRow,
  { id, dryRun, isStored, now }: { id: string; dryRun: boolean; isStored: boolean; now: Date },
): Promise<RunRow> {
  if (await hasOpenRun(tx, feed.id)) {
    const words = { key: 'problem.feed_running' } as const
    throw new AppError('conflict', { detail: 'A run of this feed is still pending or running.', words })
  }
  if (!dryRun) {
    const problem = { external_id: null, code: 'superseded', detail: 'A newer run replaced this one.' }
    await supersedeHeldRun(tx, feed.id, problem, now)
  }
  return insertRun(tx, { id, feed_id: feed.id, dry_run: dryRun, is_stored: isStored, created_at: now })
}

async function lockHeldRun(tx: Tx, actor: FeedActor, { id, run_id }: { id: string; run_id: string }): Promise<RunRow> {
  const feed = found(await lockFeed(tx, ownerOf(actor), id))
  const run = found(await findRun(tx, feed.id, run_id))
  if (run.state === 'held') return run
  const words = { key: 'problem.run_decided' } as const
  throw new AppError('conflict', { detail: `The run's state is ${run.state}, so there is nothing to decide.`, words })
}

type Decision = { actor: FeedActor; params: { id: string; run_id: string }; now: Date }

/** Queues a held run again. The run then makes its changes, even if many postings are missing. */
export async function approveRun(tx: Tx, { actor, params, now }: Decision): Promise<RunRow> {
  const run = await lockHeldRun(tx, actor, params)
  await noteIfAdmin(tx, actor, { action: 'feed.approve', subject: params.id, note: run.held_reason ?? undefined }, now)
  return updateRun(tx, run.id, { state: 'pending', is_approved: true, lease: null, leased_until: null })
}

/** Ends a held run without changing any job. */
export async function discardRun(tx: Tx, { actor, params, now }: Decision): Promise<RunRow> {
  const run = await lockHeldRun(tx, actor, params)
  await deleteDocument(tx, run.id)
  await noteIfAdmin(tx, actor, { action: 'feed.discard', subject: params.id, note: run.held_reason ?? undefined }, now)
  const problem = { external_id: null, code: 'discarded', detail: 'The run was discarded.' }
  return updateRun(tx, run.id, { state: 'failed', finished_at: now, problems: JSON.stringify([problem]) })
}
