/** Tells the operator's desk how background work goes, whichever process does it. */
import type { Database } from '../db/database.ts'
import type { TaskHealthTable } from '../db/schema.ts'
import { noteTaskHealth } from '../db/task-health.ts'
import type { Clock } from '../lib/time.ts'
import type { Task } from './loop.ts'

/** How long what is shown may be behind. */
const EVERY_MS = 10_000
/** After a start it is less, for so many rounds: else nothing seems to run. */
const SOON_MS = 1_000
const SOON_ROUNDS = 5
const ERROR_LENGTH = 300

/** The tasks with the ends of their rounds noted, and one more that writes them down. */
export function watchTasks(database: Database, clock: Clock, tasks: readonly Task[]): Task[] {
  /** What is not written down yet. */
  const found = new Map<string, TaskHealthTable>()
  const note = (task: string, ended: Partial<TaskHealthTable>) => {
    found.set(task, { task, done_at: null, failed_at: null, error: null, ...found.get(task), ...ended })
  }
  const write = async () => {
    const rows = [...found.values()]
    if (rows.length === 0) return
    await database.inStatement((tx) => noteTaskHealth(tx, rows))
    // Only now: what could not be written is kept for the next time.
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
