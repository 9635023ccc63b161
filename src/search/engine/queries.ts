/** Database queries of the search engine's indexes: their positions, and the jobs that they mirror. */
import { sql } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import { DAY_MS } from '../../lib/time.ts'
import { boardColumns, type ChangedRow, history } from '../memory/queries.ts'

/** An index of the search engine, and its position in the database's changes. */
export interface IndexRow {
  name: string
  /** The index contains the changes of all transactions below this one. */
  horizon: string
  server: string
  epoch: number
  /** Increases whenever a round writes changes, and when documents are written again. */
  edition: number
  /** The number of the last job that the fill has read. Null if the fill has ended. */
  filled_to: number | null
  is_current: boolean
  created_at: Date
  followed_at: Date
  follower: string | null
  leased_until: Date | null
}

/**
 * Returns the name, position and edition of the index that lists use, if it belongs to the database's current history.
 */
export async function findCurrentIndex(
  reader: Reader,
): Promise<Pick<IndexRow, 'name' | 'horizon' | 'server' | 'edition'> | undefined> {
  const { rows } = await sql<IndexRow>`
    select name, horizon, server, edition from search_index
    where is_current and server = ${history}`.execute(reader)
  return rows[0]
}

export const listIndexes = (reader: Reader): Promise<IndexRow[]> =>
  reader.selectFrom('search_index').selectAll().orderBy('created_at').orderBy('name').execute()

/** Returns the current history, and the ID that follows its latest ended transaction. */
export async function findHistory(reader: Reader): Promise<{ server: string; end: string }> {
  const { rows } = await sql<{ server: string; end: string }>`
    select ${history} as server, pg_snapshot_xmax(pg_current_snapshot())::text as end`.execute(reader)
  return rows[0]!
}

/** Maximum number of jobs that a round writes, except that it always writes all jobs of its last transaction. */
export const CHANGES_MAX = 2_000

export interface IndexChanges {
  /** The first transaction ID whose changes are not included. The next call starts there. */
  horizon: string
  hasMore: boolean
  changed: number[]
  removed: { number: number; xid: number }[]
}

const unseen = (horizon: string) =>
  sql`changed_xid >= ${horizon}::xid8 and changed_xid < pg_snapshot_xmin(pg_current_snapshot())`

/**
 * Returns the first changes at or above the horizon, ordered by transaction, including all changes of the last
 * transaction.
 */
export async function listIndexChanges(reader: Reader, horizon: string): Promise<IndexChanges> {
  const first = sql`order by changed_xid fetch first ${sql.lit(CHANGES_MAX)} rows with ties`
  const { rows } = await sql<{ until: string; number: number | null; is_removed: boolean; xid: number }>`
    select until, number, is_removed, xid from
      (select pg_snapshot_xmin(pg_current_snapshot())::text as until) as bound left join
      (select number, is_removed, changed_xid::text::bigint as xid from (
        (select number, false as is_removed, changed_xid from job where ${unseen(horizon)} ${first})
        union all
        (select number, true, changed_xid from removed_job where ${unseen(horizon)} ${first})) as change
      ${first}) as change on true`.execute(reader)
  const found = rows.filter((row): row is (typeof rows)[number] & { number: number } => row.number !== null)
  const hasMore = found.length >= CHANGES_MAX
  return {
    horizon: hasMore ? String(found.reduce((last, { xid }) => Math.max(last, xid), 0) + 1) : rows[0]!.until,
    hasMore,
    changed: found.filter(({ is_removed }) => !is_removed).map(({ number }) => number),
    removed: found.filter(({ is_removed }) => is_removed),
  }
}

/** Returns the number of committed changes that an index lacks, up to a limit. */
export async function countIndexLag(reader: Reader, horizon: string, limit: number): Promise<number> {
  const lacking = sql`changed_xid >= ${horizon}::xid8 and changed_xid < pg_snapshot_xmax(pg_current_snapshot())`
  const { rows } = await sql<{ count: number }>`
    select count(*) from (
      (select 1 from job where ${lacking} limit ${limit})
      union all
      (select 1 from removed_job where ${lacking} limit ${limit})
      limit ${limit}) as change`.execute(reader)
  return rows[0]!.count
}

/**
 * A job with the values that an index mirrors. If the job is not listed, only the number and the transaction ID matter.
 */
export interface IndexedRow extends ChangedRow {
  xid: number
  is_listed: boolean
}

/** Does not depend on the time, because lists filter out expired jobs. */
const isListed = sql`(state = 'active' and expires_at is not null)`
/**
 * The ID of the transaction that last changed a row. A row restored from another server's dump has a meaningless ID. If
 * the ID is too high, uses 0, because a later transaction that changes the row may have a lower ID.
 */
const xid = sql`case when changed_xid < pg_snapshot_xmax(pg_current_snapshot()) then changed_xid::text::bigint else 0 end`

const indexedRows = sql`
  select ${boardColumns}, case when ${isListed} then coalesce(search, '')::text else '' end as vector,
    ${xid} as xid, ${isListed} as is_listed from job`

export async function listIndexedRows(reader: Reader, numbers: readonly number[]): Promise<IndexedRow[]> {
  const { rows } = await sql<IndexedRow>`${indexedRows} where number = any(${numbers}::int[])`.execute(reader)
  return rows
}

/** Returns the next jobs, ordered by number. */
export async function listNextRows(reader: Reader, after: number, limit: number): Promise<IndexedRow[]> {
  const { rows } = await sql<IndexedRow>`
    ${indexedRows} where number > ${after} order by number limit ${limit}`.execute(reader)
  return rows
}

/** Returns the numbers and last transaction IDs of the next listed jobs, ordered by number. */
export async function listNextVersions(
  reader: Reader,
  after: number,
  limit: number,
): Promise<{ number: number; xid: number }[]> {
  const { rows } = await sql<{ number: number; xid: number }>`
    select number, ${xid} as xid from job
    where number > ${after} and ${isListed} order by number limit ${limit}`.execute(reader)
  return rows
}

/** Returns the highest number of a job, or 0 if there are no jobs. */
export async function findLastNumber(reader: Reader): Promise<number> {
  const { rows } = await sql<{ last: number }>`select coalesce(max(number), 0) as last from job`.execute(reader)
  return rows[0]!.last
}

/** Inserts an index to fill, unless another one is being filled. Returns whether it inserted one. */
export async function insertIndex(tx: Tx, name: string, now: Date): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended('search_index', 0))`.execute(tx)
  const { numAffectedRows } = await sql`
    insert into search_index (name, horizon, server, filled_to, created_at, followed_at)
    select ${name}, pg_snapshot_xmin(pg_current_snapshot()), ${history}, 0, ${now}, ${now}
    where not exists (select from search_index where filled_to is not null)`.execute(tx)
  return numAffectedRows === 1n
}

export async function deleteIndex(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('search_index').where('name', '=', name).execute()
}

/** Updates an index if its columns still have the values in `unchanged`. Returns whether it updated the index. */
async function updateIndex(tx: Tx, unchanged: Partial<IndexRow>, to: Partial<IndexRow>): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('search_index')
    .set(to)
    .where((is) => is.and(unchanged))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Makes all later versions higher than all previous ones. From then on, processes with the previous epoch cannot
 * advance the position. Returns whether the epoch was still the same.
 */
export const raiseEpoch = (tx: Tx, { name, epoch }: IndexRow): Promise<boolean> =>
  updateIndex(tx, { name, epoch }, { epoch: epoch + 1 })

/**
 * Records that the documents of this epoch were written again, so that the index matches this history. Returns whether
 * the epoch and the edition were still the same.
 */
export const noteRewritten = (
  tx: Tx,
  { name, epoch, edition }: Pick<IndexRow, 'name' | 'epoch' | 'edition'>,
  to: Pick<IndexRow, 'server' | 'edition'>,
): Promise<boolean> => updateIndex(tx, { name, epoch, edition }, to)

/** Advances the position, unless another process has advanced it. Returns whether this call advanced the position. */
export const advanceIndex = (
  tx: Tx,
  { name, horizon, epoch, edition }: IndexRow,
  to: Pick<IndexRow, 'horizon' | 'edition' | 'followed_at' | 'follower' | 'leased_until'>,
): Promise<boolean> => updateIndex(tx, { name, horizon, epoch, edition }, to)

/**
 * Records the progress of a fill, unless another process fills the index. Returns whether the progress was recorded.
 */
export const noteFilled = (tx: Tx, { name, filled_to, epoch }: IndexRow, to: number): Promise<boolean> =>
  updateIndex(tx, { name, filled_to, epoch }, { filled_to: to })

/** Ends the fill of an index and makes lists use the index. Returns whether the index was still being filled. */
export async function switchIndex(tx: Tx, name: string): Promise<boolean> {
  const isFilling = sql<boolean>`exists (select from search_index where name = ${name} and filled_to is not null)`
  await tx
    .updateTable('search_index')
    .set({ is_current: false })
    .where('is_current', '=', true)
    .where(isFilling)
    .execute()
  const { numUpdatedRows } = await tx
    .updateTable('search_index')
    // Ends the lease of the process that filled the index, because that process might not follow the index.
    .set({ is_current: true, filled_to: null, leased_until: null })
    .where('name', '=', name)
    .where('filled_to', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** A document that the engine refused. */
export interface Refusal {
  number: number
  reason: string
}

/** Records which of the written documents the engine refused. */
export async function noteRefusals(
  tx: Tx,
  name: string,
  { written, refused, now }: { written: readonly number[]; refused: readonly Refusal[]; now: Date },
): Promise<void> {
  await sql`delete from search_refusal where name = ${name} and number = any(${written}::int[])`.execute(tx)
  if (refused.length === 0) return
  await sql`
    insert into search_refusal (name, number, reason, refused_at)
    select ${name}, number, reason, ${now} from
      unnest(${refused.map(({ number }) => number)}::int[], ${refused.map(({ reason }) => reason)}::text[])
        as refused (number, reason)
    on conflict (name, number) do update set reason = excluded.reason, refused_at = excluded.refused_at`.execute(tx)
}

/** Returns refused jobs, with the IDs of those that still exist. */
export async function listRefusals(
  reader: Reader,
  name: string,
  limit: number,
): Promise<{ number: number; id: string | null; reason: string; refused_at: Date }[]> {
  return reader
    .selectFrom('search_refusal')
    .leftJoin('job', 'job.number', 'search_refusal.number')
    .select(['search_refusal.number', 'job.id', 'reason', 'refused_at'])
    .where('name', '=', name)
    .orderBy('search_refusal.number')
    .limit(limit)
    .execute()
}

export async function countRefusals(reader: Reader, name: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from search_refusal where name = ${name}`.execute(reader)
  return rows[0]!.count
}

/**
 * Maximum time for which an index needs the records of removed jobs, in days. An index that is further behind is
 * rebuilt.
 */
const BEHIND_MAX_DAYS = 7
export const isTooFarBehind = ({ followed_at }: IndexRow, now: Date): boolean =>
  now.getTime() - followed_at.getTime() > BEHIND_MAX_DAYS * DAY_MS

/** The first transaction whose removed jobs an index may still have to read. */
export const neededRemovals = sql`
  (select coalesce(min(horizon), '18446744073709551615') from search_index
    where followed_at > now() - make_interval(days => ${sql.lit(BEHIND_MAX_DAYS)}))`
