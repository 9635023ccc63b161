import { sql } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import type { Schema } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'
import type { QueryOf } from '../../lists/query.ts'
import { comparing, listPage, type Page, sortKey } from '../../lists/sql-page.ts'
import type { Decision, Decisions } from './duplicates.rule.ts'
import type { decisionList, suspectList } from './duplicates.schemas.ts'

/** Locks the folding of copies for this transaction. Returns false if another transaction holds the lock. */
export function lockFolding(tx: Tx): Promise<boolean> {
  return statement<{ is_mine: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('duplicates', 0)) as is_mine`.oneValue(tx)
}

/** Removes the oldest changes from the queue, and returns the IDs of their jobs. */
export function takeJobsToCompare(tx: Tx, limit: number): Promise<string[]> {
  return statement<{ job_id: string }>`
    delete from job_to_compare
    where number = any(array(select number from job_to_compare order by number limit ${limit}))
    returning job_id`.allValues(tx)
}

export async function queueJobs(tx: Tx, ids: readonly string[]): Promise<void> {
  await sql`insert into job_to_compare (job_id) select unnest(${ids}::text[])`.execute(tx)
}

export type Blocked = Schema['job_block']

/** Returns the stored blocks of jobs. Jobs that were not on the board at their last comparison have none. */
export function findBlocks(reader: Reader, ids: readonly string[]): Promise<Blocked[]> {
  return statement<Blocked>`
    select job_id, block from job_block where job_id = any(${ids}::text[])`.all(reader)
}

export function listMembers(reader: Reader, blocks: readonly number[]): Promise<Blocked[]> {
  // With "any", the plan for many blocks reads the whole table.
  return statement<Blocked>`
    select member.job_id, wanted.block from unnest(${blocks}::bigint[]) as wanted (block),
      lateral (select job_id from job_block where job_block.block = wanted.block offset 0) as member`.all(reader)
}

/** Stores the blocks of jobs. Deletes the blocks of the jobs in `gone`, which are not on the board. */
export async function replaceBlocks(tx: Tx, blocked: readonly Blocked[], gone: readonly string[]): Promise<void> {
  const [ids, blocks] = [blocked.map(({ job_id }) => job_id), blocked.map(({ block }) => block)]
  await sql`
    insert into job_block (job_id, block) select * from unnest(${ids}::text[], ${blocks}::bigint[])
    on conflict (job_id) do update set block = excluded.block where job_block.block <> excluded.block`.execute(tx)
  if (gone.length > 0) await sql`delete from job_block where job_id = any(${gone}::text[])`.execute(tx)
}

export async function findDecisions(reader: Reader, ids: readonly string[]): Promise<Decisions> {
  const rows = await statement<Pick<DecisionRow, 'first_job_id' | 'second_job_id' | 'decision'>>`
    select first_job_id, second_job_id, decision from duplicate_decision where first_job_id = any(${ids}::text[])
    union
    select first_job_id, second_job_id, decision from duplicate_decision where second_job_id = any(${ids}::text[])
    `.all(reader)
  const found = new Map<string, Map<string, Decision>>()
  for (const { first_job_id: a, second_job_id: b, decision } of rows) {
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const others = found.get(one)
      if (others) others.set(other, decision)
      else found.set(one, new Map([[other, decision]]))
    }
  }
  return found
}

/** Stores the decision for each pair of these jobs. Replaces earlier decisions. */
export async function storeDecision(
  tx: Tx,
  ids: readonly string[],
  { decision, actionId, now }: { decision: Decision; actionId: string; now: Date },
): Promise<void> {
  await sql`
    insert into duplicate_decision (first_job_id, second_job_id, decision, decided_at, action_id)
    select a.id, b.id, ${decision}, ${now}, ${actionId}
    from unnest(${ids}::text[]) as a (id) join unnest(${ids}::text[]) as b (id) on a.id < b.id collate "C"
    on conflict (first_job_id, second_job_id)
      do update set (decision, decided_at, action_id) = row (excluded.decision, excluded.decided_at, excluded.action_id)
    `.execute(tx)
}

/** Deletes the decisions for all pairs of these jobs. */
export async function deleteDecisions(tx: Tx, ids: readonly string[]): Promise<void> {
  await sql`
    delete from duplicate_decision
    where first_job_id = any(${ids}::text[]) and second_job_id = any(${ids}::text[])`.execute(tx)
}

export type DecisionRow = Schema['duplicate_decision']

export function listDecisions(reader: Reader, query: QueryOf<typeof decisionList>): Promise<Page<DecisionRow>> {
  return listPage(reader, query, {
    table: 'duplicate_decision',
    id: sql`(first_job_id || second_job_id)`,
    filters: { decision: comparing('decision'), decided_at: comparing('decided_at') },
    sorts: { decided_at: sortKey.time('decided_at') },
  })
}

/**
 * A suspected copy. `other_id` is the job under which lists fold the copy or, if the copy is not folded, the job that
 * it resembles most.
 */
export interface Suspect {
  other_id: string
  similarity: number
  is_folded: boolean
}

/** Stores the suspects among jobs that have been compared. The other compared jobs are no longer suspects. */
export async function replaceSuspects(
  tx: Tx,
  compared: readonly string[],
  suspects: ReadonlyMap<string, Suspect>,
  now: Date,
): Promise<void> {
  const cleared = compared.filter((id) => !suspects.has(id))
  if (cleared.length > 0) await sql`delete from suspected_copy where job_id = any(${cleared}::text[])`.execute(tx)
  if (suspects.size === 0) return
  const columnOf = (name: keyof Suspect) => [...suspects.values()].map((suspect) => suspect[name])
  await sql`
    insert into suspected_copy (job_id, other_id, similarity, is_folded, found_at)
    select suspect.*, ${now}::timestamptz from unnest(${[...suspects.keys()]}::text[], ${columnOf('other_id')}::text[],
      ${columnOf('similarity')}::real[], ${columnOf('is_folded')}::boolean[]) as suspect
    on conflict (job_id) do update set (other_id, similarity, is_folded, found_at)
      = row (excluded.other_id, excluded.similarity, excluded.is_folded, excluded.found_at)
    where (suspected_copy.other_id, suspected_copy.similarity, suspected_copy.is_folded)
      is distinct from (excluded.other_id, excluded.similarity, excluded.is_folded)`.execute(tx)
}

/** Removes pairs of these jobs from the suspects, because an operator has decided about them. */
export async function clearSuspects(tx: Tx, ids: readonly string[]): Promise<void> {
  await sql`
    delete from suspected_copy where job_id = any(${ids}::text[]) and other_id = any(${ids}::text[])`.execute(tx)
}

export type SuspectRow = Suspect & { job_id: string; found_at: Date }

export function listSuspects(reader: Reader, query: QueryOf<typeof suspectList>): Promise<Page<SuspectRow>> {
  return listPage(reader, query, {
    table: 'suspected_copy',
    id: sql.ref('job_id'),
    filters: { is_folded: comparing('is_folded') },
    sorts: { found_at: sortKey.time('found_at') },
  })
}

/** Returns the number of folded suspects, and the number of suspects that lists show. */
export function countSuspects(reader: Reader) {
  return statement<{ folded: number; shown: number }>`
    select (select count(*)::int from suspected_copy where is_folded) as folded,
      (select count(*)::int from suspected_copy where not is_folded) as shown`.one(reader)
}
