import type { Reader, Tx } from '../../db/database.ts'
import { noteOperatorAction } from '../../db/operator-actions.ts'
import type { TaskHealthTable, TaskRunTable } from '../../db/schema.ts'
import { listTaskHealth } from '../../db/task-health.ts'
import { listTaskRuns, requestTaskRun } from '../../db/task-runs.ts'
import { pickMembers } from '../../lib/members.ts'
import type { Actor } from '../../lib/scopes.ts'
import type { Task } from './tasks.schemas.ts'

export interface RunnableTask {
  name: string
  everyMs: number
}

/** Returns the tasks, each with its last round and last run in any process. */
export async function listTasks(reader: Reader, tasks: readonly RunnableTask[]): Promise<Task[]> {
  const health = new Map((await listTaskHealth(reader)).map((row) => [row.task, row]))
  const runs = new Map((await listTaskRuns(reader)).map((row) => [row.task, row]))
  return tasks.map((task) => presentTask(task, health.get(task.name), runs.get(task.name)))
}

/** Requests a run of a task. Does nothing if a run is already waiting or running. */
export async function runTask(tx: Tx, actor: Actor, task: RunnableTask, now: Date): Promise<Task> {
  if (await requestTaskRun(tx, task.name, actor.key.name, now)) {
    await noteOperatorAction(tx, actor, { action: 'task.run', subject: task.name }, now)
  }
  return (await listTasks(tx, [task]))[0]!
}

function presentTask(
  { name, everyMs }: RunnableTask,
  health: TaskHealthTable | undefined,
  run: TaskRunTable | undefined,
): Task {
  return {
    name,
    every_seconds: everyMs / 1_000,
    last_done_at: health?.done_at?.toISOString() ?? null,
    last_failed_at: health?.failed_at?.toISOString() ?? null,
    error: health?.error ?? null,
    run: run ? presentRun(run) : null,
  }
}

function presentRun(row: TaskRunTable): NonNullable<Task['run']> {
  const { started_at, ended_at, error } = row
  const state = ended_at ? (error === null ? 'done' : 'failed') : started_at ? 'running' : 'waiting'
  return { state, ...pickMembers(row, ['requested_at', 'requested_by', 'started_at', 'ended_at', 'error']) }
}
