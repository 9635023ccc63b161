import { sql } from 'kysely'
import { isShownNowhere, type Reader, type Tx } from '../../db/database.ts'

export interface OwnJobRow {
  id: string
  title: string
  state: 'inactive' | 'active' | 'closed' | 'deleted'
  expires_at: Date | null
}

/** Returns one job of this employer, or any job if `employerId` is null. */
export async function findOwnJob(
  reader: Reader,
  id: string,
  employerId: string | null,
): Promise<OwnJobRow | undefined> {
  const { rows } = await sql<OwnJobRow>`
    select id, title, state, expires_at from job
    where id = ${id} and state <> 'deleted' and (${employerId}::text is null or employer_id = ${employerId})`.execute(
    reader,
  )
  return rows[0]
}

/** Deletes a batch of view counts from before a day. */
export async function purgeViews(tx: Tx, beforeDay: string, limit: number): Promise<number> {
  isShownNowhere(tx)
  const { numAffectedRows } = await sql`
    delete from job_view_day where ctid = any(array(
      select ctid from job_view_day where day < ${beforeDay} order by day limit ${limit} for update skip locked))`.execute(
    tx,
  )
  return Number(numAffectedRows)
}

/** Adds views to the stored counts in one statement. */
export async function addViews(
  tx: Tx,
  counts: readonly { job_id: string; day: string; views: number }[],
): Promise<void> {
  isShownNowhere(tx)
  await sql`
    insert into job_view_day (job_id, day, views)
    select counted.* from unnest(
      ${counts.map(({ job_id }) => job_id)}::text[], ${counts.map(({ day }) => day)}::text[],
      ${counts.map(({ views }) => views)}::integer[]) as counted (job_id, day, views)
    join job on job.id = counted.job_id
    -- A fixed order prevents deadlocks between processes.
    order by counted.job_id, counted.day
    on conflict (job_id, day) do update set views = job_view_day.views + excluded.views`.execute(tx)
}

interface DayCount {
  kind: 'views' | 'saves' | 'applications'
  day: string
  count: number
}

/** Returns a job's views, current saves and applications by UTC day. Days without any of these are absent. */
export async function countByDay(reader: Reader, jobId: string): Promise<DayCount[]> {
  const { rows } = await sql<DayCount>`
    select 'views' as kind, day, views as count from job_view_day where job_id = ${jobId}
    union all
    select 'saves', to_char(saved_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*)::int
    from saved_job where job_id = ${jobId} group by 2
    union all
    select 'applications', to_char(applied_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*)::int
    from application where job_id = ${jobId} group by 2`.execute(reader)
  return rows
}
