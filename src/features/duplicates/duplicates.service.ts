/** Finds copies of jobs, and folds copies that feeds created: lists show another job instead (decision 0117). */
import { isShownNowhere, type Reader, type Tx } from '../../db/database.ts'
import { findPerformers, noteOperatorAction } from '../../db/operator-actions.ts'
import { breather } from '../../lib/breather.ts'
import { type BodyFault, found, validationFailed } from '../../lib/errors.ts'
import type { Actor } from '../../lib/scopes.ts'
import type { Page } from '../../lists/sql-page.ts'
import { findFeedsOfEmployers } from '../feeds/index.ts'
import { findComparedJobs, findExistingJobTitles, findNamedJobs, foldJobs, type NamedJob } from '../jobs/index.ts'
import {
  type Blocked,
  clearSuspects,
  type DecisionRow,
  deleteDecisions,
  findBlocks,
  findDecisions,
  listDecisions,
  listMembers,
  lockFolding,
  queueJobs,
  replaceBlocks,
  replaceSuspects,
  type Suspect,
  storeDecision,
  takeJobsToCompare,
} from './duplicates.queries.ts'
import {
  blockOf,
  byRank,
  compare,
  type Decision,
  type Decisions,
  fingerprintOf,
  foldMembers,
  isCovered,
  type Kind,
  type Member,
  SUSPECTED_MIN,
} from './duplicates.rule.ts'

/** Maximum number of changes that one transaction handles. */
const CHANGES = 1_000
/**
 * Number of jobs at which a group of blocks is full, to limit the texts in memory. A group may exceed this number by
 * its last block, or if decisions connect many blocks.
 */
const MEMBERS = 500
/**
 * Maximum number of jobs per block to compare. Lists show the block's other jobs, unless operators marked them as
 * copies. This many jobs with the same title are usually in different locations.
 */
const COMPARED_MAX = 200

/**
 * Handles the oldest changes. Returns whether more changes may remain. If another process is already handling changes,
 * returns false.
 */
export async function foldChangedJobs(tx: Tx, now: Date): Promise<boolean> {
  if (!(await lockFolding(tx))) return false
  const changes = await takeJobsToCompare(tx, CHANGES)
  if (changes.length === 0) {
    isShownNowhere(tx)
    return false
  }
  const ids = [...new Set(changes)]
  const jobs = await findNamedJobs(tx, ids, now)
  const former = await findBlocks(tx, ids)
  const onBoard = [...jobs.values()].filter(({ is_on_board }) => is_on_board)
  const blocked = onBoard.map((job) => ({ job_id: job.id, block: blockOf(job) }))
  const gone = ids.filter((id) => !jobs.get(id)?.is_on_board)
  await replaceBlocks(tx, blocked, gone)
  const originals = new Map<string, string | null>()
  const suspects = new Map<string, Suspect>()
  const compared = new Set(gone)
  for (const id of gone) if (jobs.get(id)?.duplicate_of) originals.set(id, null)
  const blocks = [...new Set([...former, ...blocked].map(({ block }) => block))]
  for (const group of await groupsOf(tx, blocks, ids)) {
    for (const id of idsOf(group.members)) compared.add(id)
    await foldGroup(tx, group, { jobs, originals, suspects }, now)
  }
  await replaceSuspects(tx, [...compared], suspects, now)
  if (originals.size === 0) isShownNowhere(tx)
  await foldJobs(tx, originals)
  return changes.length === CHANGES
}

interface Group {
  members: readonly Blocked[]
  decisions: Decisions
}

/**
 * Returns the members of blocks in groups of a few blocks. One group contains all blocks that decisions connect,
 * including blocks that are not in `blocks`.
 */
async function groupsOf(reader: Reader, blocks: readonly number[], changed: readonly string[]): Promise<Group[]> {
  const members = await listMembers(reader, blocks)
  // Jobs that left the board are not members, but decisions may have folded other jobs under them.
  const decisions = await findDecisions(reader, [...idsOf(members), ...changed])
  const decidedBlocks = new Set(members.flatMap(({ job_id, block }) => (decisions.has(job_id) ? [block] : [])))
  const decided = members.filter(({ block }) => decidedBlocks.has(block))
  const connected = await connectedGroup(reader, decided, decisions)
  const isConnected = new Set(connected.members.map(({ block }) => block))
  const apart = members.filter(({ block }) => !isConnected.has(block))
  const parts: Blocked[][] = []
  for (const block of Map.groupBy(apart, (member) => member.block).values()) {
    const last = parts.at(-1)
    if (last && last.length < MEMBERS) for (const member of block) last.push(member)
    else parts.push(block)
  }
  const groups = [connected, ...parts.map((part) => ({ members: part, decisions }))]
  return groups.filter((group) => group.members.length > 0)
}

async function connectedGroup(reader: Reader, first: readonly Blocked[], about: Decisions): Promise<Group> {
  const members = new Map(first.map((member) => [member.job_id, member]))
  const decisions = new Map(about)
  for (let known: Decisions = about; known.size > 0; ) {
    const partners = [...known.values()].flatMap((others) => [...others.keys()]).filter((id) => !members.has(id))
    const blocks = new Set((await findBlocks(reader, partners)).map(({ block }) => block))
    const added = (await listMembers(reader, [...blocks])).filter(({ job_id }) => !members.has(job_id))
    for (const member of added) members.set(member.job_id, member)
    known = await findDecisions(reader, idsOf(added))
    for (const id of idsOf(added)) if (known.has(id)) decisions.set(id, known.get(id)!)
  }
  return { members: [...members.values()], decisions }
}

const idsOf = (members: readonly Blocked[]) => members.map(({ job_id }) => job_id)

interface Findings {
  /** The jobs that the transaction has already read. */
  jobs: Map<string, NamedJob>
  /** The new values of `duplicate_of`, by job ID. */
  originals: Map<string, string | null>
  suspects: Map<string, Suspect>
}

/** Adds a group's changes and suspects to the findings. */
async function foldGroup(tx: Tx, group: Group, { jobs, originals, suspects }: Findings, now: Date): Promise<void> {
  const others = idsOf(group.members).filter((id) => !jobs.has(id))
  if (others.length > 0) for (const [id, job] of await findNamedJobs(tx, others, now)) jobs.set(id, job)
  const members = group.members.flatMap(({ job_id: id, block }) => {
    const job = jobs.get(id)
    return job?.is_on_board ? [{ ...job, block }] : []
  })
  const folded = await findFolded(tx, members, group.decisions, suspects)
  for (const { id, duplicate_of } of members) {
    const original = folded.get(id) ?? null
    if (original !== duplicate_of) originals.set(id, original)
  }
}

async function findFolded(
  reader: Reader,
  members: readonly (Member & NamedJob)[],
  decisions: Decisions,
  suspects: Map<string, Suspect>,
): Promise<Map<string, string>> {
  const byBlock = [...Map.groupBy(members, ({ block }) => block).values()]
  const compared = byBlock
    .filter((block) => block.length > 1 && block.some(({ feed_id }) => feed_id !== null))
    .flatMap((block) => block.toSorted(byRank).slice(0, COMPARED_MAX))
  if (compared.length === 0 && decisions.size === 0) return new Map()
  const comparedIds = compared.map(({ id }) => id)
  const rows = await findComparedJobs(reader, comparedIds)
  const feedIds = new Set(compared.flatMap(({ feed_id }) => feed_id ?? []))
  const ofEmployers = await findFeedsOfEmployers(reader, [...feedIds])
  const fingerprint = remembering((id: string) => fingerprintOf(rows.get(id)!))
  const considered = members.filter(({ id }) => rows.has(id) || decisions.has(id))
  const folded = await foldMembers(considered, decisions, {
    covers: (shown, job) =>
      rows.has(shown.id) && rows.has(job.id) && isCovered(rows.get(shown.id)!.places, rows.get(job.id)!.places),
    areCopies: (original, job) => {
      // An employer pays for each job in its own feed.
      if (original.feed_id === job.feed_id && ofEmployers.has(job.feed_id!)) return false
      const { kind, similarity } = compare(fingerprint(original.id), fingerprint(job.id))
      const is_folded = kind !== undefined
      const most = suspects.get(job.id)?.similarity ?? SUSPECTED_MIN
      if (is_folded || similarity >= most) {
        suspects.set(job.id, { other_id: original.id, similarity: rounded(similarity), is_folded })
      }
      return is_folded
    },
  })
  for (const { id } of members) {
    const [suspect, original] = [suspects.get(id), folded.get(id)]
    // Decisions take precedence over resemblance. A suspect that is marked as folded but has no original was not folded
    // after all.
    const isStale = original === undefined ? suspect?.is_folded : suspect?.other_id !== original
    if (isStale) suspects.delete(id)
  }
  return folded
}

const rounded = (similarity: number) => Math.round(similarity * 1_000) / 1_000

function remembering<T>(make: (id: string) => T): (id: string) => T {
  const made = new Map<string, T>()
  return (id) => {
    const known = made.get(id) ?? make(id)
    made.set(id, known)
    return known
  }
}

interface Copy {
  job_id: string
  kind: Kind
  similarity: number
}

/**
 * Returns the copies of a job that are on the board, the most similar first. Compares the job with at most
 * `COMPARED_MAX` jobs of its block, and adds the copies that operators marked. The job itself may be inactive.
 */
export async function listCopies(reader: Reader, id: string, now: Date): Promise<Copy[]> {
  const job = found((await findComparedJobs(reader, [id])).get(id))
  const decided = (await findDecisions(reader, [id])).get(id) ?? new Map<string, Decision>()
  const members = idsOf(await listMembers(reader, [blockOf(job)]))
  const ids = [...new Set([...members.sort().slice(0, COMPARED_MAX), ...decided.keys()])].filter(
    (other) => other !== id && decided.get(other) !== 'different',
  )
  const named = await findNamedJobs(reader, ids, now)
  const fingerprint = fingerprintOf(job)
  const breathe = breather()
  const copies: Copy[] = []
  for (const [job_id, row] of await findComparedJobs(reader, ids)) {
    await breathe()
    const { kind, similarity } = compare(fingerprint, fingerprintOf(row))
    const judged = decided.has(job_id) ? 'same' : kind
    if (judged && named.get(job_id)!.is_on_board) copies.push({ job_id, kind: judged, similarity: rounded(similarity) })
  }
  return copies.sort((a, b) => b.similarity - a.similarity || (a.job_id < b.job_id ? -1 : 1))
}

/**
 * Returns the job's most similar copy among the same employer's jobs on the board. Returns undefined if the job itself
 * is on the board.
 */
export async function findOwnCopy(reader: Reader, id: string, now: Date): Promise<NamedJob | undefined> {
  const job = (await findNamedJobs(reader, [id], now)).get(id)
  if (!job || job.is_on_board) return undefined
  const ids = (await listCopies(reader, id, now)).map(({ job_id }) => job_id)
  const named = await findNamedJobs(reader, ids, now)
  return ids.map((copy) => named.get(copy)!).find(({ employer_id }) => employer_id === job.employer_id)
}

/** Stores or deletes decisions on whether jobs are copies of each other. The next comparison applies them. */
export async function decideDuplicates(
  tx: Tx,
  actor: Actor,
  { job_ids, decision }: { job_ids: string[]; decision: Decision | 'undecided' },
  { faults, now }: { faults: readonly BodyFault[]; now: Date },
): Promise<void> {
  if (faults.length > 0) throw validationFailed(faults)
  const existing = await findExistingJobTitles(tx, job_ids)
  const unknown = job_ids.flatMap((id, index): BodyFault[] =>
    existing.has(id) ? [] : [{ pointer: `#/job_ids/${index}`, code: 'not_found', detail: `Job ${id} does not exist.` }],
  )
  if (unknown.length > 0) throw validationFailed(unknown)
  const note = job_ids.slice(1).join(', ')
  const actionId = await noteOperatorAction(tx, actor, { action: `job.${decision}`, subject: job_ids[0]!, note }, now)
  if (decision === 'undecided') await deleteDecisions(tx, job_ids)
  else await storeDecision(tx, job_ids, { decision, actionId, now })
  await clearSuspects(tx, job_ids)
  await queueJobs(tx, job_ids)
}

/** Returns a page of decisions, each with the name of the staff member or key that decided. */
export async function listNamedDecisions(
  reader: Reader,
  query: Parameters<typeof listDecisions>[1],
): Promise<Page<DecisionRow & { decided_by: string | null }>> {
  const page = await listDecisions(reader, query)
  const actionIds = page.rows.flatMap(({ action_id }) => action_id ?? [])
  const performers = await findPerformers(reader, actionIds)
  const nameOf = ({ action_id }: DecisionRow) => (action_id === null ? null : (performers.get(action_id) ?? null))
  return { ...page, rows: page.rows.map((row) => ({ ...row, decided_by: nameOf(row) })) }
}
