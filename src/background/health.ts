/** Reports the health of background work to the admin area, regardless of which process runs it. */
import type { Database } from '../db/database.ts'
import type { TaskHealthTable } from '../db/schema.ts'
import { noteTaskHealth } from '../db/task-health.ts'
import type { Clock } from '../lib/time.ts'
import type { Task } from './loop.ts'

/** Interval between writes, in milliseconds; bounds how outdated the reported health can be. */
const EVERY_MS = 10_000
/** Shorter interval for the first rounds after startup, in milliseconds. Running tasks then show up soon. */
const SOON_MS = 1_000
const SOON_ROUNDS = 5
const ERROR_LENGTH = 300

/** Wraps the tasks to record the outcome of every round, and adds a task that writes these records. */
export function watchTasks(database: Database, clock: Clock, tasks: readonly Task[]): Task[] {
  const found = new Map<string, TaskHealthTable>()
  const note = (task: string, ended: Partial<TaskHealthTable>) => {
    found.set(task, { task, done_at: null, failed_at: null, error: null, ...found.get(task), ...ended })
  }
  const write = async () => {
    const rows = [...found.values()]
    if (rows.length === 0) return
    await database.inStatement((tx) => noteTaskHealth(tx, rows))
    // Removes the records only after the write; if it fails, the next round writes them again.
    for (const row of rows) if (found.get(row.task) === row) found.delete(row.task)
  }
  const watched = tasks.map(
    (task): Task => ({
      ...task,
      async once(ending) {
        const outcome = await task.once(ending).catch((error: unknown) => {
          const text = error instanceof Error ? error.message : String(error)
          note(task.name, { failed_at: clock.now(), error: text.slice(0, ERROR_LENGTH) })
          throw error
        })
        note(task.name, { done_at: clock.now() })
        return outcome
      },
    }),
  )
  let rounds = 0
  const writer: Task = {
    name: 'task-health',
    everyMs: EVERY_MS,
    soonMs: SOON_MS,
    runsIn: 'all',
    async once() {
      await write()
      return rounds++ < SOON_ROUNDS ? 'some' : 'done'
    },
    finish: write,
  }
  return [...watched, writer]
}
