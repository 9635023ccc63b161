/** Runs tasks on an operator's request, in any worker process. */
import type { Database } from '../db/database.ts'
import { claimTaskRun, endTaskRun } from '../db/task-runs.ts'
import type { Clock } from '../lib/time.ts'
import type { Task } from './loop.ts'

/**
 * Lease of a run, in milliseconds; longer than any run takes. If a process dies, another process can claim its run when
 * the lease ends.
 */
const LEASE_MS = 15 * 60_000
/** Maximum number of rounds per run. The task's regular loop handles any remaining work. */
const ROUNDS_MAX = 1_000
const ERROR_LENGTH = 300

/** The command line knows tasks only by name, so it may request tasks that cannot run on request. */
const NOT_RUNNABLE = 'Processes run their own copies of this task. It cannot be run on request.'

/**
 * Returns whether operators can request a run of a task. They cannot request tasks that processes run for themselves.
 */
export const isRunnable = ({ runsIn }: Pick<Task, 'runsIn'>): boolean => runsIn === undefined

/** Returns the tasks, plus a task that executes requested runs. Two rounds of a task never overlap within a process. */
export function withRuns(database: Database, clock: Clock, tasks: readonly Task[]): Task[] {
  const exclusive = tasks.map((task) => (isRunnable(task) ? oneRoundAtATime(task) : task))
  const byName = new Map(exclusive.map((task) => [task.name, task]))
  const runner: Task = {
    name: 'task-runs',
    everyMs: 1_000,
    async once(ending) {
      const now = clock.now()
      const leaseUntil = new Date(now.getTime() + LEASE_MS)
      const run = await database.inStatement((tx) => claimTaskRun(tx, [...byName.keys()], leaseUntil, now))
      if (!run) return 'done'
      const task = byName.get(run.task)!
      const error = isRunnable(task) ? await runToEnd(task, ending) : NOT_RUNNABLE
      await database.inStatement((tx) => endTaskRun(tx, run, error, clock.now()))
      return 'more'
    },
  }
  return [...exclusive, runner]
}

/**
 * Runs rounds of a task as long as they return `more`: at most `ROUNDS_MAX`, and none after `ending` is aborted.
 * Returns the error message if a round fails, otherwise null.
 */
async function runToEnd(task: Task, ending: AbortSignal | undefined): Promise<string | null> {
  try {
    for (let round = 0; round < ROUNDS_MAX && !ending?.aborted; round++) {
      if ((await task.once(ending)) !== 'more') break
    }
    return null
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).slice(0, ERROR_LENGTH)
  }
}

function oneRoundAtATime(task: Task): Task {
  let last: Promise<unknown> = Promise.resolve()
  return {
    ...task,
    once(ending) {
      const round = last.then(() => task.once(ending))
      last = round.catch(() => {})
      return round
    },
  }
}
