/** Records when background tasks last succeeded or failed, across all processes. */
import { sql } from 'kysely'
import { isShownNowhere, type Reader, type Tx } from './database.ts'
import type { TaskHealthTable } from './schema.ts'

/** Records the outcomes of this process's tasks. Does not overwrite later outcomes from other processes. */
export async function noteTaskHealth(tx: Tx, found: readonly TaskHealthTable[]): Promise<void> {
  isShownNowhere(tx)
  // Sorted by name, because processes that update rows in different orders can deadlock.
  const rows = found.toSorted((a, b) => (a.task < b.task ? -1 : 1))
  await sql`
    insert into task_health as known (task, done_at, failed_at, error)
    select * from unnest(${rows.map(({ task }) => task)}::text[], ${rows.map(({ done_at }) => done_at)}::timestamptz[],
      ${rows.map(({ failed_at }) => failed_at)}::timestamptz[], ${rows.map(({ error }) => error)}::text[])
    on conflict (task) do update set
      done_at = greatest(known.done_at, excluded.done_at),
      failed_at = greatest(known.failed_at, excluded.failed_at),
      error = case when known.failed_at > excluded.failed_at or excluded.failed_at is null
        then known.error else excluded.error end`.execute(tx)
}

/** The backup steps that `/metrics` reports, each with the task name under which its last success is recorded. */
export const backupSteps = { written: 'backup', verified: 'backup-verification' } as const

/** Lists all tasks that have a recorded outcome. */
export function listTaskHealth(reader: Reader): Promise<TaskHealthTable[]> {
  return reader.selectFrom('task_health').selectAll().orderBy('task').execute()
}
