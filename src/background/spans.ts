import { inSpan } from '../lib/tracing.ts'
import type { Task } from './loop.ts'

/** Wraps the tasks to trace every round. */
export function traceTasks(tasks: readonly Task[]): Task[] {
  return tasks.map((task) => ({
    ...task,
    once: (ending) =>
      inSpan(`task ${task.name}`, { task: task.name }, async (span) => {
        const outcome = await task.once(ending)
        span.setAttribute('outcome', outcome)
        return outcome
      }),
  }))
}
