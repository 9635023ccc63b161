import { sql } from 'kysely'
import { isShownNowhere, type Reader, type Tx } from '../../db/database.ts'
import { statement } from '../../db/statement.ts'
import { applicationsByDay, applicationsBySource } from '../applications/index.ts'
import { joinJob } from '../jobs/index.ts'
import { savesByDay } from '../saved-jobs/index.ts'

/**
 * Deletes old views of months without a partition of their own. The service drops all other old views with the
 * partition of their month.
 */
export function purgeStrayViews(tx: Tx, beforeDay: string, limit: number): Promise<number> {
  isShownNowhere(tx)
  return statement`
    delete from job_view_day_default where ctid = any(array(
      select ctid from job_view_day_default where day < ${beforeDay} order by day limit ${limit}
      for update skip locked))`.affected(tx)
}

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
    ${joinJob('counted.job_id')}
    -- A fixed order prevents deadlocks between processes.
    order by counted.job_id, counted.day
    on conflict (job_id, day) do update set views = job_view_day.views + excluded.views`.execute(tx)
}

interface DayCount {
  kind: 'views' | 'saves' | 'applications'
  day: string
  count: number
}

/** Returns a job's views, current saves and applications per UTC day. Omits days without counts. */
export function countByDay(reader: Reader, jobId: string): Promise<DayCount[]> {
  return statement<DayCount>`
    select 'views' as kind, day, views as count from job_view_day where job_id = ${jobId}
    union all
    select 'saves', day, count from (${savesByDay(jobId)}) as saves
    union all
    select 'applications', day, count from (${applicationsByDay(jobId)}) as applications`.all(reader)
}

/** Returns the number of a job's applications per source, highest first. */
export function countBySource(reader: Reader, jobId: string) {
  return statement<{ source: string | null; applications: number }>`
    select source, count as applications from (${applicationsBySource(jobId)}) as sources
    order by count desc, source collate "C" nulls last`.all(reader)
}

/** Returns the views of an employer's jobs: by job after the day `since`, and by day after the day `before`. */
export function countViewsOf(reader: Reader, employerId: string, { before, since }: { before: string; since: string }) {
  return statement<{ job_id: string | null; day: string | null; views: number }>`
    select job_view_day.job_id, null as day, sum(job_view_day.views)::int as views
    from job_view_day ${joinJob('job_view_day.job_id')}
    where job.employer_id = ${employerId} and job_view_day.day > ${since} group by 1
    union all
    select null, job_view_day.day, sum(job_view_day.views)::int
    from job_view_day ${joinJob('job_view_day.job_id')}
    where job.employer_id = ${employerId} and job_view_day.day > ${before} group by 2`.all(reader)
}
