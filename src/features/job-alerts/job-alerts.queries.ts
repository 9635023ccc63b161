import { type Insertable, sql, type Updateable } from 'kysely'
import { type Backlog, countRows, findBacklog } from '../../db/backlog.ts'
import type { Reader, Tx } from '../../db/database.ts'
import type { Row, Schema } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'
import { UNPREPARED } from '../../db/statement-names.ts'
import type { Exchange } from '../../lib/exchange.ts'
import type { QueryOf } from '../../lists/query.ts'
import { allOf, type Condition, comparing, foldedText, listPage, type Page, sortKey } from '../../lists/sql-page.ts'
import { isSuspended, joinAccount } from '../accounts/index.ts'
import { jobConditions, jobsOnBoard, testJob } from '../jobs/index.ts'
import { ANCHORS_VERSION } from './job-alerts.anchors.ts'
import { type Criteria, criteriaFilters } from './job-alerts.criteria.ts'
import type { jobAlertList } from './job-alerts.schemas.ts'

export type AlertRow = Omit<Row<'job_alert'>, 'name_sort' | 'anchors' | 'anchors_version'>

const unprepared = sql.raw(UNPREPARED)

/**
 * For an instant alert, selects the time of its latest match. Storing this time in the alert would double the writes
 * per match.
 */
const lastRun = sql`case when job_alert.frequency = 'instant'
  then (select max(matched_at) from job_alert_match where alert_id = job_alert.id) else job_alert.last_run_at end`
const selected = sql`job_alert.id, job_alert.candidate_id, job_alert.name, job_alert.criteria, job_alert.frequency,
  job_alert.is_active, job_alert.watches_from, ${lastRun} as last_run_at, job_alert.next_run_at, job_alert.created_at,
  job_alert.updated_at`

export function findAlert(reader: Reader, candidateId: string, id: string): Promise<AlertRow | undefined> {
  return statement<AlertRow>`
    select ${selected} from job_alert where id = ${id} and candidate_id = ${candidateId}`.first(reader)
}

export async function lockAlert(tx: Tx, candidateId: string, id: string): Promise<AlertRow | undefined> {
  await sql`select 1 from job_alert where id = ${id} and candidate_id = ${candidateId} for no key update`.execute(tx)
  return findAlert(tx, candidateId, id)
}

/** Locks and returns alerts whose anchors come from an earlier release. Skips locked rows. */
export function lockOutdatedAlerts(tx: Tx, limit: number) {
  // Uses a literal, because the index is partial.
  return statement<Pick<AlertRow, 'id' | 'criteria'>>`
    select id, criteria from job_alert where anchors_version < ${sql.lit(ANCHORS_VERSION)}
    order by id limit ${limit} for no key update skip locked`.all(tx)
}

export const countAlerts = (reader: Reader, candidateId: string) =>
  countRows(reader, sql`job_alert where candidate_id = ${candidateId}`)

export async function insertAlert(tx: Tx, row: Insertable<Schema['job_alert']>): Promise<void> {
  await tx.insertInto('job_alert').values(row).execute()
}

export async function updateAlertRow(tx: Tx, id: string, change: Updateable<Schema['job_alert']>): Promise<void> {
  await tx.updateTable('job_alert').set(change).where('id', '=', id).execute()
}

export async function deleteAlertRow(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('job_alert').where('id', '=', id).execute()
}

export async function deleteAlertsOf(tx: Tx, candidateId: string): Promise<void> {
  await tx.deleteFrom('job_alert').where('candidate_id', '=', candidateId).execute()
}

export function listAlerts(
  reader: Reader,
  candidateId: string,
  query: QueryOf<typeof jobAlertList>,
): Promise<Page<AlertRow>> {
  return listPage(reader, query, {
    table: 'job_alert',
    columns: selected,
    where: [sql`job_alert.candidate_id = ${candidateId}`],
    filters: {
      name: foldedText('job_alert.name_sort'),
      frequency: comparing('job_alert.frequency'),
      is_active: comparing('job_alert.is_active'),
      created_at: comparing('job_alert.created_at'),
    },
    sorts: {
      created_at: sortKey.time('job_alert.created_at'),
      updated_at: sortKey.time('job_alert.updated_at'),
      name: sortKey.text('job_alert.name_sort'),
    },
  })
}

/** Returns all of a candidate's alerts with their matches, oldest first. */
export function listAllAlerts(reader: Reader, candidateId: string) {
  return statement<AlertRow & { matches: { job_id: string; matched_at: string }[] }>`
    select ${selected},
      (select coalesce(json_agg(json_build_object('job_id', job_id, 'matched_at', matched_at) order by matched_at, job_id), '[]')
        from job_alert_match where alert_id = job_alert.id) as matches
    from job_alert where candidate_id = ${candidateId} order by created_at, id`.all(reader)
}

function conditionsOf(criteria: Criteria, exchange: Exchange): Condition[] {
  return jobConditions({ filters: criteriaFilters(criteria) }, exchange)
}

/**
 * Locks and returns one due alert, if any. Skips alerts that another process has locked, and alerts of suspended
 * accounts. Also skips alerts whose account is being deleted. Otherwise, the transactions would deadlock: the deletion
 * would wait for the alert, and inserting the alert's email would wait for the account.
 */
export function claimDueAlert(tx: Tx, now: Date): Promise<AlertRow | undefined> {
  return statement<AlertRow>`
    select ${selected} from job_alert ${joinAccount('job_alert.candidate_id')}
    where job_alert.next_run_at <= ${now} and account.suspended_at is null
    order by job_alert.next_run_at, job_alert.id limit 1
    for key share of account skip locked for no key update of job_alert skip locked`.first(tx)
}

/** After the clock has been set back, ensures that no alert waits longer than its period or misses new jobs. */
export async function bringAlertsBack(tx: Tx, now: Date): Promise<void> {
  const period = sql`case frequency when 'daily' then interval '1 day' else interval '7 days' end`
  const tooMany = sql`ceil(extract(epoch from next_run_at - ${now}) / extract(epoch from ${period}) - 1)`
  await sql`
    update job_alert set watches_from = least(watches_from, ${now}),
      next_run_at = next_run_at - greatest(${tooMany}, 0)::float8 * ${period}
    where next_run_at > ${now}::timestamptz + ${period} or watches_from > ${now}`.execute(tx)
}

export function findDueBacklog(reader: Reader, now: Date): Promise<Backlog> {
  return findBacklog(reader, {
    since: 'next_run_at',
    from: sql`job_alert where next_run_at <= ${now} and not ${isSuspended('job_alert.candidate_id')}`,
  })
}

/** Records all new matches of an alert for an email. Returns their number. */
export function insertNewMatches(
  tx: Tx,
  alert: AlertRow,
  { mailId, now, exchange }: { mailId: string; now: Date; exchange: Exchange },
): Promise<number> {
  return statement`${unprepared}
    insert into job_alert_match (alert_id, job_id, mail_id, matched_at)
    select ${alert.id}, job.id, ${mailId}, ${now} from ${jobsOnBoard(now)} and job.visible_since >= ${alert.watches_from}
      and ${allOf(conditionsOf(alert.criteria, exchange))}
    on conflict do nothing`.affected(tx)
}

/** Whether an active instant alert exists. */
export const hasInstantAlerts: Condition = sql`
  exists (select from job_alert where is_active and frequency = 'instant')`

/**
 * Returns the sets of criteria that a job with these terms may meet, each with the IDs of its active instant alerts.
 * Skips alerts that watch only for jobs after `visibleAt`.
 */
export function listAnchored(reader: Reader, terms: readonly string[], visibleAt: Date) {
  return statement<{ criteria: Criteria; ids: string[] }>`
    select criteria, array_agg(id) as ids from job_alert
    where is_active and frequency = 'instant' and anchors && ${terms}::text[] and watches_from <= ${visibleAt}
    group by criteria`.all(reader)
}

/** Maximum number of sets of criteria per statement. Each set adds SQL parameters, and PostgreSQL allows 65,535. */
const JUDGED_AT_ONCE = 250

/** Returns the sets of criteria that a job meets. Uses the conditions of GET /jobs. */
export async function listMet<T extends { criteria: Criteria }>(
  reader: Reader,
  jobId: string,
  anchored: readonly T[],
  exchange: Exchange,
): Promise<T[]> {
  const met: T[] = []
  for (let start = 0; start < anchored.length; start += JUDGED_AT_ONCE) {
    const judged = anchored.slice(start, start + JUDGED_AT_ONCE)
    const conditions = judged.map(({ criteria }) => allOf(conditionsOf(criteria, exchange)))
    const verdicts = await testJob(reader, jobId, conditions)
    met.push(...judged.filter((_, index) => verdicts[index] === true))
  }
  return met
}

/**
 * Locks and returns the given alerts that are still active and instant, and whose accounts are not suspended. Locks
 * each account before its alert; account deletions lock in the same order.
 */
export function lockInstantAlerts(tx: Tx, ids: readonly string[]) {
  return statement<{ id: string; candidate_id: string }>`
    select job_alert.id, job_alert.candidate_id
    from job_alert ${joinAccount('job_alert.candidate_id')}
    where job_alert.id = any(${ids}::text[]) and job_alert.is_active and job_alert.frequency = 'instant'
      and account.suspended_at is null
    for key share of account, job_alert`.all(tx)
}

/** Records a job as a match for these alerts. Returns the IDs of the alerts for which the match is new. */
export async function insertMatches(
  tx: Tx,
  jobId: string,
  matches: readonly { id: string; mailId: string }[],
  now: Date,
): Promise<Set<string>> {
  const alert_ids = await statement<{ alert_id: string }>`
    insert into job_alert_match (alert_id, job_id, mail_id, matched_at)
    select alert_id, ${jobId}, mail_id, ${now}
    from unnest(${matches.map(({ id }) => id)}::text[], ${matches.map(({ mailId }) => mailId)}::text[])
      as found (alert_id, mail_id)
    on conflict do nothing returning alert_id`.allValues(tx)
  return new Set(alert_ids)
}

export const countAlertHoldings = async (reader: Reader, candidateId: string) => ({
  job_alerts: await countAlerts(reader, candidateId),
})
