import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely'
import { countRows } from '../../db/backlog.ts'
import type { Reader, Tx } from '../../db/database.ts'
import type { FeedCounts, FeedProblem, FeedRunTable, FeedTable, Row, Schema } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'
import { firstId } from '../../lib/ids.ts'
import type { QueryOf } from '../../lists/query.ts'
import { type Condition, comparingColumns, listPage, type Page, sortKey } from '../../lists/sql-page.ts'
import { isSuspendedOrClosed } from '../accounts/index.ts'
import type { feedList, runList } from './feeds.schemas.ts'

export type RunRow = Row<'feed_run'>
export type FeedRow = Row<'feed'> & {
  job_count: number
  last_run: RunRow | null
  /** Contains `running` if a run of the feed is in progress, and `held` if a run is held. */
  open_states: FeedRunTable['state'][]
}

const feedColumns = () => sql`feed.*,
  (select count(*)::int from feed_posting where feed_id = feed.id and closed_at is null) as job_count,
  (select to_jsonb(latest) - '{problems,sample}'::text[] from (
    select * from feed_run where feed_id = feed.id order by created_at desc, id desc limit 1) as latest) as last_run,
  array(select state from feed_run where feed_id = feed.id and state in ('running', 'held')) as open_states`

/** Matches the feeds of an owner, or all feeds if `ownerId` is null. */
const ownedBy = (ownerId: string | null): Condition =>
  ownerId === null ? sql`true` : sql`feed.employer_id = ${ownerId}`

export function findFeed(reader: Reader, ownerId: string | null, id: string): Promise<FeedRow | undefined> {
  return statement<FeedRow>`
    select ${feedColumns()} from feed where feed.id = ${id} and ${ownedBy(ownerId)}`.first(reader)
}

/** Locks a feed, which serializes the changes to its runs. */
export async function lockFeed(tx: Tx, ownerId: string | null, id: string): Promise<FeedRow | undefined> {
  await sql`select 1 from feed where feed.id = ${id} and ${ownedBy(ownerId)} for update`.execute(tx)
  return findFeed(tx, ownerId, id)
}

export function listFeeds(
  reader: Reader,
  ownerId: string | null,
  query: QueryOf<typeof feedList>,
): Promise<Page<FeedRow>> {
  return listPage(reader, query, {
    table: 'feed',
    columns: feedColumns(),
    where: [ownedBy(ownerId)],
    filters: comparingColumns('feed', ['format', 'employer_id', 'is_active', 'created_at']),
    sorts: { created_at: sortKey.time('feed.created_at'), name: sortKey.text('feed.name') },
  })
}

/** Returns all feeds, oldest first. */
export function listAllFeeds(reader: Reader): Promise<FeedRow[]> {
  return statement<FeedRow>`select ${feedColumns()} from feed order by created_at, id`.all(reader)
}

/** Returns which of these feeds belong to employers. */
export async function findFeedsOfEmployers(reader: Reader, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await statement<{ id: string }>`
    select id from feed where id = any(${ids}::text[]) and employer_id is not null`.allValues(reader)
  return new Set(found)
}

export function findFeedNames(reader: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  return statement<{ id: string; name: string }>`
    select id, name from feed where id = any(${ids}::text[])`.toMap(reader, 'id', 'name')
}

/** Returns the ID of the board's oldest own feed with this name and format, if any. */
export function findFeedNamed(reader: Reader, format: string, name: string): Promise<string | undefined> {
  return statement<{ id: string }>`
    select id from feed where employer_id is null and format = ${format} and name = ${name}
    order by created_at, id limit 1`.firstValue(reader)
}

export const countFeedsOf = (reader: Reader, employerId: string) =>
  countRows(reader, sql`feed where employer_id = ${employerId}`)

export async function insertFeed(tx: Tx, feed: Insertable<FeedTable>): Promise<void> {
  await tx.insertInto('feed').values(feed).execute()
}

export async function updateFeedRow(tx: Tx, id: string, change: Updateable<FeedTable>): Promise<void> {
  await tx.updateTable('feed').set(change).where('id', '=', id).execute()
}

export async function deleteFeedRow(tx: Tx, id: string): Promise<void> {
  await sql`delete from feed_document_part where run_id in (select id from feed_run where feed_id = ${id})`.execute(tx)
  await tx.deleteFrom('feed').where('id', '=', id).execute()
}

export function listRuns(reader: Reader, feedId: string, query: QueryOf<typeof runList>): Promise<Page<RunRow>> {
  return listPage(reader, query, {
    table: 'feed_run',
    where: [sql`feed_run.feed_id = ${feedId}`],
    filters: comparingColumns('feed_run', ['state', 'created_at']),
    sorts: { created_at: sortKey.time('feed_run.created_at'), state: sortKey.text('feed_run.state') },
  })
}

export async function findRun(reader: Reader, feedId: string, id: string): Promise<RunRow | undefined> {
  return reader.selectFrom('feed_run').selectAll().where('id', '=', id).where('feed_id', '=', feedId).executeTakeFirst()
}

export const noCounts: FeedCounts = {
  ...{ read: 0, created: 0, updated: 0, unchanged: 0 },
  ...{ missing: 0, closed: 0, reopened: 0, refused: 0 },
}

export async function insertRun(
  tx: Tx,
  run: { id: string; feed_id: string; dry_run: boolean; is_stored: boolean; created_at: Date },
): Promise<RunRow> {
  return tx
    .insertInto('feed_run')
    .values({ ...run, state: 'pending', counts: JSON.stringify(noCounts), problems: '[]' })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function updateRun(tx: Tx, id: string, change: Updateable<FeedRunTable>): Promise<RunRow> {
  return tx.updateTable('feed_run').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** Returns whether a feed has a pending or running run. */
export function hasOpenRun(reader: Reader, feedId: string): Promise<boolean> {
  return statement<{ is_open: boolean }>`
    select exists (select from feed_run where feed_id = ${feedId} and state in ('pending', 'running')) as is_open`.oneValue(
    reader,
  )
}

/** Marks a feed's held run, if any, as failed, because a newer run replaces it. Deletes the held run's document. */
export async function supersedeHeldRun(tx: Tx, feedId: string, problem: FeedProblem, now: Date): Promise<void> {
  const held = await tx
    .updateTable('feed_run')
    .set({ state: 'failed', finished_at: now, problems: JSON.stringify([problem]) })
    .where('feed_id', '=', feedId)
    .where('state', '=', 'held')
    .returning('id')
    .executeTakeFirst()
  if (held) await deleteDocument(tx, held.id)
}

/** Matches feeds that may run. Excludes feeds of employers whose accounts are suspended or closed. */
const mayRun = (): Condition => sql`(feed.employer_id is null or not ${isSuspendedOrClosed('feed.employer_id')})`

export async function mayFeedRun(reader: Reader, id: string): Promise<boolean> {
  const may_run = await statement<{ may_run: boolean }>`
    select ${mayRun()} as may_run from feed where id = ${id}`.firstValue(reader)
  return may_run ?? false
}

/** Column values of a feed whose last run has not failed. */
export const NOT_FAILING = { failures: 0, failing_since: null, failure_mailed_at: null }

/**
 * Marks and returns up to `limit` feeds that have been failing since `before` or earlier. Marks each feed once per
 * outage.
 */
export function markReported(tx: Tx, before: Date, now: Date, limit: number) {
  return statement<Pick<Row<'feed'>, 'id' | 'employer_id' | 'failing_since'>>`
    update feed set failure_mailed_at = ${now} where id = any(array(
      select id from feed
      where is_active and failing_since <= ${before} and failure_mailed_at is null
      order by failing_since limit ${limit} for update skip locked))
    returning id, employer_id, failing_since`.all(tx)
}

/**
 * Number of automatic feeds in each state, and the oldest of their last successes. A feed without a success counts from
 * its creation.
 */
interface FeedHealth {
  idle: number
  failing: number
  held: number
  oldest_success: Date | null
}

export function getFeedHealth(reader: Reader): Promise<FeedHealth> {
  return statement<FeedHealth>`
    select count(*) filter (where is_held)::int as held,
      count(*) filter (where not is_held and failing_since is not null)::int as failing,
      count(*) filter (where not is_held and failing_since is null)::int as idle,
      min(last_success) as oldest_success
    from (
      select failing_since, coalesce(succeeded_at, created_at) as last_success,
        exists (select from feed_run where feed_id = feed.id and state = 'held') as is_held
      from feed where is_active and next_run_at is not null) as feed`.one(reader)
}

/** Locks and returns at most `limit` feeds that are due. Skips feeds that have an unfinished run. */
export function listDueFeeds(tx: Tx, now: Date, limit: number) {
  return statement<{ id: string; every_minutes: number }>`
    select feed.id, feed.every_minutes from feed
    where feed.is_active and feed.next_run_at <= ${now} and ${mayRun()}
      and not exists (
        select from feed_run where feed_id = feed.id and state in ('pending', 'running', 'held'))
    order by feed.next_run_at, feed.id limit ${limit} for update of feed skip locked`.all(tx)
}

/**
 * Leases a pending run, or a run whose process has died. Never leases two runs at the same time if they belong to the
 * same feed, or to feeds that are fetched from the same host. `onlyId` restricts the claim to one run.
 */
export async function claimRun(
  tx: Tx,
  { now, until, lease, onlyId }: { now: Date; until: Date; lease: string; onlyId?: string | undefined },
): Promise<RunRow | undefined> {
  // Without a lock, concurrent claims could lease runs of feeds with the same host, because they do not see each other.
  await sql`select pg_advisory_xact_lock(hashtextextended('feed runs', 0))`.execute(tx)
  return statement<RunRow>`
    update feed_run set state = 'running', lease = ${lease}, leased_until = ${until},
      started_at = coalesce(started_at, ${now})
    where id = (
      select feed_run.id from feed_run join feed on feed.id = feed_run.feed_id
      where feed_run.state in ('pending', 'running') and (feed_run.leased_until is null or feed_run.leased_until <= ${now})
        and ${onlyId === undefined ? sql`true` : sql`feed_run.id = ${onlyId}`} and ${mayRun()}
        and not exists (
          select from feed_run as other join feed as other_feed on other_feed.id = other.feed_id
          where other.state = 'running' and other.id <> feed_run.id
            and (other.feed_id = feed.id or (
              array[other_feed.host, other_feed.redirect_host] && array[feed.host, feed.redirect_host]
              and other.leased_until > ${now})))
      order by feed_run.state desc, feed_run.id limit 1 for update of feed_run, feed skip locked)
    returning *`.first(tx)
}

/** Extends a lease. Returns false if another process has taken the run, or if the run has ended. */
export function extendLease(tx: Tx, id: string, lease: string, until: Date): Promise<boolean> {
  return statement`
    update feed_run set leased_until = ${until} where id = ${id} and lease = ${lease} and state = 'running'`.changed(tx)
}

export async function addToCounts(tx: Tx, id: string, added: Partial<FeedCounts>): Promise<void> {
  const pairs = Object.entries(added).filter(([, count]) => count > 0)
  if (pairs.length === 0) return
  const change = sql.join(pairs.map(([name, count]) => sql`${name}::text, (counts->>${name})::int + ${count}::int`))
  await sql`update feed_run set counts = counts || jsonb_build_object(${change}) where id = ${id}`.execute(tx)
}

export async function insertPart(tx: Tx, runId: string, number: number, bytes: Buffer): Promise<void> {
  await tx.insertInto('feed_document_part').values({ run_id: runId, number, bytes }).execute()
}

export async function findPart(reader: Reader, runId: string, number: number): Promise<Buffer | undefined> {
  const part = await reader
    .selectFrom('feed_document_part')
    .select('bytes')
    .where('run_id', '=', runId)
    .where('number', '=', number)
    .executeTakeFirst()
  return part?.bytes
}

export async function deleteDocument(tx: Tx, runId: string): Promise<void> {
  await tx.deleteFrom('feed_document_part').where('run_id', '=', runId).execute()
}

/** Deletes documents that arrived before a time and have no run because their requests failed. */
export async function deleteStrayDocuments(tx: Tx, before: Date): Promise<void> {
  await sql`
    delete from feed_document_part
    where run_id < ${firstId('feedRun', before.getTime())}
      and not exists (select from feed_run where feed_run.id = run_id)`.execute(tx)
}

/** Deletes up to `limit` finished runs that were created before a time. Returns their number. */
export function deleteOldRuns(tx: Tx, before: Date, limit: number): Promise<number> {
  return statement`
    delete from feed_run where id = any(array(
      select id from feed_run where id < ${firstId('feedRun', before.getTime())} and finished_at is not null
      order by id limit ${limit} for update skip locked))`.affected(tx)
}

type KnownPosting = Pick<Row<'feed_posting'>, 'external_id' | 'job_id' | 'hash' | 'renew_at'>

/** Returns known postings by external ID. */
export async function findPostings(
  reader: Reader,
  feedId: string,
  ids: readonly string[],
): Promise<Map<string, KnownPosting>> {
  // Without statistics, a plan for "any" reads all postings of the feed.
  const rows = await statement<KnownPosting>`
    select posting.* from unnest(${ids}::text[]) as wanted (id), lateral (
      select external_id, job_id, hash, renew_at from feed_posting
      where feed_id = ${feedId} and external_id = wanted.id offset 0) as posting`.all(reader)
  return new Map(rows.map((row) => [row.external_id, row]))
}

/** Inserts or changes postings. */
export async function savePostings(
  tx: Tx,
  postings: readonly Pick<Row<'feed_posting'>, 'feed_id' | 'external_id' | 'job_id' | 'hash' | 'renew_at'>[],
): Promise<void> {
  if (postings.length === 0) return
  await sql`
    insert into feed_posting (feed_id, external_id, job_id, hash, renew_at)
    select feed_id, external_id, job_id, hash, renew_at
    from json_populate_recordset(null::feed_posting, ${JSON.stringify(postings)}::json)
    on conflict (feed_id, external_id) do update set hash = excluded.hash, renew_at = excluded.renew_at`.execute(tx)
}

/**
 * Matches the postings that a document contains. Looks each posting up among the keys of a JSON object, because without
 * statistics, the planner would scan a list for each posting.
 */
const isIn = (seen: readonly string[]): RawBuilder<boolean> =>
  sql`${`{${seen.map((id) => `${JSON.stringify(id)}:0`).join()}}`}::jsonb ? feed_posting.external_id`

/** Counts that compare a document with the postings that its feed already has. */
interface Seen {
  /** Postings that did not count as missing before this run. */
  open: number
  /** Postings counted in `open` that the document lacks. */
  lost: number
  /** Postings that the document lacks and whose jobs the feed has not closed. */
  absent: number
  /** Postings counted in `absent` whose jobs this run would close. */
  overdue: number
  /** Postings that are back after the feed closed their jobs. */
  back: number
}

/**
 * Compares the known postings of a feed with a document. A posting that has been missing since `before` or earlier is
 * overdue.
 */
export function compareSeen(
  reader: Reader,
  feedId: string,
  seen: readonly string[],
  { now, before }: { now: Date; before: Date },
): Promise<Seen> {
  return statement<Seen>`
    select count(*) filter (where closed_at is null and missing_since is null)::int as open,
      count(*) filter (where closed_at is null and missing_since is null and not is_seen)::int as lost,
      count(*) filter (where closed_at is null and not is_seen)::int as absent,
      count(*) filter (
        where closed_at is null and not is_seen and coalesce(missing_since, ${now}) <= ${before})::int as overdue,
      count(*) filter (where closed_at is not null and is_seen)::int as back
    from (select closed_at, missing_since, ${isIn(seen)} as is_seen from feed_posting where feed_id = ${feedId})
      as posting`.one(reader)
}

/** Records which postings a document lacks. */
export async function markAbsent(tx: Tx, feedId: string, seen: readonly string[], now: Date): Promise<void> {
  await sql`
    update feed_posting set missing_since = ${now}
    where feed_id = ${feedId} and missing_since is null and not ${isIn(seen)}`.execute(tx)
}

export async function markPresent(tx: Tx, feedId: string, seen: readonly string[]): Promise<void> {
  await sql`
    update feed_posting set missing_since = null
    where feed_id = ${feedId} and missing_since is not null and ${isIn(seen)}`.execute(tx)
}

type PostingOfJob = Pick<Row<'feed_posting'>, 'external_id' | 'job_id' | 'was_open' | 'renew_at'>

const postingsWhere = (reader: Reader, feedId: string, condition: RawBuilder<unknown>, limit: number) => {
  return statement<PostingOfJob>`
    select external_id, job_id, was_open, renew_at from feed_posting
    where feed_id = ${feedId} and ${condition} order by external_id limit ${limit}`.all(reader)
}

/** Returns postings that have been missing since `before` or earlier, and whose jobs the feed has not closed. */
export const listOverdue = (reader: Reader, feedId: string, before: Date, limit: number) =>
  postingsWhere(reader, feedId, sql`missing_since <= ${before} and closed_at is null`, limit)

/** Returns postings that are back after the feed closed their jobs. */
export const listBack = (reader: Reader, feedId: string, limit: number) =>
  postingsWhere(reader, feedId, sql`closed_at is not null and missing_since is null`, limit)

/** Returns present postings whose jobs need an extension. */
export const listRenewals = (reader: Reader, feedId: string, now: Date, limit: number) =>
  postingsWhere(reader, feedId, sql`renew_at <= ${now} and missing_since is null`, limit)

/** Returns up to `limit` postings with external IDs after `after`, ordered by external ID. */
export const listPostingsAfter = (reader: Reader, feedId: string, after: string, limit: number) =>
  postingsWhere(reader, feedId, sql`external_id > ${after}`, limit)

export async function updatePostings(
  tx: Tx,
  feedId: string,
  ids: readonly string[],
  change: Updateable<Schema['feed_posting']>,
): Promise<void> {
  if (ids.length === 0) return
  await tx
    .updateTable('feed_posting')
    .set(change)
    .where('feed_id', '=', feedId)
    .where(sql<boolean>`external_id = any(${ids}::text[])`)
    .execute()
}
