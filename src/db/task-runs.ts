/** Stores requested runs of background tasks, one row per task. A process claims the row before it runs the task. */
import { sql } from 'kysely'
import { isShownNowhere, type Reader, type Tx } from './database.ts'
import type { TaskRunTable } from './schema.ts'
import { statement } from './statement.ts'

/** Requests a run of a task. Returns false if a run is already waiting, or is running with a valid lease. */
export function requestTaskRun(tx: Tx, task: string, by: string, now: Date): Promise<boolean> {
  isShownNowhere(tx)
  return statement`
    insert into task_run as run (task, requested_at, requested_by) values (${task}, ${now}, ${by})
    on conflict (task) do update set requested_at = excluded.requested_at, requested_by = excluded.requested_by,
      started_at = null, ended_at = null, lease_until = null, error = null
    where run.ended_at is not null or run.lease_until <= ${now}`.changed(tx)
}

/** Claims the longest-waiting run of these tasks, if any. A run with an expired lease counts as waiting. */
export function claimTaskRun(tx: Tx, tasks: readonly string[], leaseUntil: Date, now: Date) {
  isShownNowhere(tx)
  return statement<TaskRunTable>`
    update task_run set started_at = ${now}, lease_until = ${leaseUntil}
    where task = (
      select task from task_run
      where ended_at is null and (lease_until is null or lease_until <= ${now}) and task = any(${tasks}::text[])
      order by requested_at, task limit 1 for update skip locked)
    returning *`.first(tx)
}

/** Records how a run ended, unless another process has since claimed it. */
export async function endTaskRun(
  tx: Tx,
  { task, lease_until }: TaskRunTable,
  error: string | null,
  now: Date,
): Promise<void> {
  isShownNowhere(tx)
  await sql`
    update task_run set ended_at = ${now}, lease_until = null, error = ${error}
    where task = ${task} and lease_until = ${lease_until}`.execute(tx)
}

export function listTaskRuns(reader: Reader): Promise<TaskRunTable[]> {
  return reader.selectFrom('task_run').selectAll().orderBy('task').execute()
}
