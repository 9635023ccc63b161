/**
 * Lists and runs background tasks from the command line. Reads the names of tasks from the database, which records the
 * outcome of every task.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { noteOperatorAction } from '../db/operator-actions.ts'
import { listTaskHealth } from '../db/task-health.ts'
import { listTaskRuns, requestTaskRun } from '../db/task-runs.ts'
import { commandLineActor } from '../features/accounts/index.ts'
import type { Clock } from '../lib/time.ts'
import { UsageError, withDatabase } from './run.ts'

const LOOK_MS = 250

const timeOf = (at: Date | null | undefined) => at?.toISOString() ?? '-'

/** Returns a heading and one line for each task with a recorded outcome. */
async function describeTasks(database: Database): Promise<string[]> {
  const { health, runs } = await database.read(async (db) => ({
    health: await listTaskHealth(db),
    runs: new Map((await listTaskRuns(db)).map((run) => [run.task, run])),
  }))
  const line = (...cells: string[]) =>
    cells
      .map((cell, n) => cell.padEnd(n === 0 ? 22 : 25))
      .join(' ')
      .trimEnd()
  return [
    line('TASK', 'LAST ROUND', 'LAST FAILURE', 'LAST REQUESTED RUN'),
    ...health.map(({ task, done_at, failed_at }) =>
      line(task, timeOf(done_at), timeOf(failed_at), timeOf(runs.get(task)?.requested_at)),
    ),
  ]
}

/** Requests a task run, and waits up to `waitS` seconds for the run to end. */
async function runTaskNow(
  database: Database,
  clock: Clock,
  name: string,
  waitS: number,
): Promise<{ text: string; isDone: boolean }> {
  const names = (await database.read(listTaskHealth)).map(({ task }) => task)
  if (!names.includes(name)) {
    const known = names.length > 0 ? `Tasks: ${names.join(', ')}.` : 'No worker has run yet.'
    return { text: `Unknown task ${name}. ${known}`, isDone: false }
  }
  await database.inTx(async (tx) => {
    const now = clock.now()
    if (!(await requestTaskRun(tx, name, commandLineActor.key.name, now))) return
    await noteOperatorAction(tx, commandLineActor, { action: 'task.run', subject: name }, now)
  })
  for (const until = performance.now() + waitS * 1_000; ; await pause(LOOK_MS)) {
    const run = (await database.read(listTaskRuns)).find(({ task }) => task === name)
    if (run?.ended_at)
      return run.error === null ? { text: 'Done.', isDone: true } : { text: `Failed: ${run.error}`, isDone: false }
    if (performance.now() < until) continue
    const text = run?.started_at
      ? `Still running after ${waitS} s.`
      : `No worker started the task within ${waitS} s. The task runs as soon as a worker is available.`
    return { text, isDone: false }
  }
}

export const runTaskList = (): Promise<void> =>
  withDatabase(async (database) => {
    for (const line of await describeTasks(database)) console.log(line)
  })

export async function runTask(name: string, { wait }: { wait: string }): Promise<void> {
  if (!/^\d{1,6}$/.test(wait)) throw new UsageError('--wait must be a whole number of seconds from 0 to 999999.')
  await withDatabase(async (database, _config, clock) => {
    const { text, isDone } = await runTaskNow(database, clock, name, Number(wait))
    console.log(text)
    if (!isDone) process.exitCode = 1
  })
}
