/** Figures of the overview, from the tables of all features. */
import { sql } from 'kysely'
import type { Reader } from '../../db/database.ts'
import { listOperatorActions } from '../../db/operator-actions.ts'
import { visibleJob } from '../jobs/index.ts'

export interface Figures {
  payments_waiting: number
  payments_waiting_since: Date | null
  /** New accounts by kind since the given time. */
  candidates_new: number
  employers_new: number
  accounts: number
  accounts_suspended: number
  jobs_active: number
  applications_new: number
}

/** Returns the current figures, and the numbers of new entries since a time. */
export async function findFigures(reader: Reader, since: Date, now: Date): Promise<Figures> {
  const { rows } = await sql<Figures>`
    select
      (select count(*) from payment where status = 'pending') as payments_waiting,
      (select min(created_at) from payment where status = 'pending') as payments_waiting_since,
      (select count(*) from account where created_at >= ${since} and kind = 'candidate') as candidates_new,
      (select count(*) from account where created_at >= ${since} and kind = 'employer') as employers_new,
      (select count(*) from account) as accounts,
      (select count(*) from account where suspended_at is not null) as accounts_suspended,
      (select count(*) from job where ${visibleJob(now)}) as jobs_active,
      (select count(*) from application where applied_at >= ${since}) as applications_new`.execute(reader)
  return rows[0]!
}

/** Failures since a time, and the backlogs that no task reports. */
export interface QueueFigures {
  mails_failed: number
  mails_unknown: number
  deliveries_exhausted: number
  /** Counts at most `UNREADY_MAX`. */
  jobs_unplaced: number
  jobs_wordless: number
  candidates_unplaced: number
  stripe_checks_due: number
  stripe_checks_since: Date | null
}

export const UNREADY_MAX = 10_000

export async function findQueueFigures(reader: Reader, since: Date, now: Date): Promise<QueueFigures> {
  const upTo = sql.lit(UNREADY_MAX)
  const { rows } = await sql<QueueFigures>`
    select
      (select count(*) from mail where settled_at >= ${since} and state = 'failed') as mails_failed,
      (select count(*) from mail where settled_at >= ${since} and state = 'unknown') as mails_unknown,
      (select count(*) from webhook cross join lateral (
        -- A delivery fails at most four days after its creation, so the list's index by creation time finds it.
        select 1 from webhook_delivery as delivery where delivery.webhook_id = webhook.id
          and delivery.created_at >= ${new Date(since.getTime() - 7 * 86_400_000)}
          and state = 'exhausted' and settled_at >= ${since}) as exhausted) as deliveries_exhausted,
      (select count(*) from (select 1 from job where places is null limit ${upTo}) as unplaced) as jobs_unplaced,
      (select count(*) from (
        select 1 from job where search is null and state <> 'deleted' limit ${upTo}) as wordless) as jobs_wordless,
      (select count(*) from (
        select 1 from candidate where places is null limit ${upTo}) as unplaced) as candidates_unplaced,
      due.* from (
        select count(*) as stripe_checks_due, min(check_at) as stripe_checks_since from stripe_checkout
        where check_at <= ${now}
      ) as due`.execute(reader)
  return rows[0]!
}

export interface TableSize {
  name: string
  /** Row estimate from the last ANALYZE. */
  row_count: number
  /** Size of the table, including long values that PostgreSQL stores in a separate table. */
  table_bytes: number
  index_bytes: number
}

/** Returns the size of every table, largest first. The size of a partitioned table is the sum over its partitions. */
export async function listTableSizes(reader: Reader): Promise<TableSize[]> {
  const { rows } = await sql<TableSize>`
    select coalesce(pg_partition_root(oid), oid)::regclass::text as name, sum(greatest(reltuples, 0))::bigint as row_count,
      sum(pg_table_size(oid))::bigint as table_bytes, sum(pg_indexes_size(oid))::bigint as index_bytes
    from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace
    group by 1 order by sum(pg_total_relation_size(oid)) desc, 1`.execute(reader)
  return rows
}

/** Returns the latest operator actions. */
export const listLatestActions = (reader: Reader, limit: number) => listOperatorActions(reader, limit)
