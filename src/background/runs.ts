/** Runs tasks when an operator asks for it, in whichever process does background work. */
import type { Database } from '../db/database.ts'
import { claimTaskRun, endTaskRun } from '../db/task-runs.ts'
import type { Clock } from '../lib/time.ts'
import type { Task } from './loop.ts'

/** Longer than a run takes. A run whose process died is claimed again after that. */
const LEASE_MS = 15 * 60_000
/** A run ends after this many rounds, also where more is waiting: the loop goes on with it. */
const ROUNDS_MAX = 1_000
const ERROR_LENGTH = 300

/** The command line knows tasks by name alone and may ask for these. */
const NOT_RUNNABLE = 'Every process runs this task for itself. It cannot be run on request.'

/** Whether operators can ask for a run: not of what each process does for itself. */
export const isRunnable = ({ runsIn }: Pick<Task, 'runsIn'>): boolean => runsIn === undefined

/** The tasks, and one more that runs what was asked for. Two rounds of a task never overlap in a process. */
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

/** Runs a task until nothing is left to do; returns why it failed, if it did. */
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
