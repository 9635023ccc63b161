import { Counter, Gauge, type Registry } from 'prom-client'
import type { Clock } from '../lib/time.ts'
import type { Task } from './loop.ts'

/** Wraps the tasks to count their rounds, and registers metrics that read their backlogs on each scrape. */
export function meterTasks(registry: Registry, tasks: readonly Task[], clock: Clock): Task[] {
  const registers = [registry]
  const rounds = new Counter({
    name: 'task_rounds_total',
    help: 'Rounds of background tasks in this process, by outcome: done or failed',
    labelNames: ['task', 'outcome'],
    registers,
  })
  // Starts at zero; otherwise, monitoring would not see the first failure as an increase.
  for (const { name } of tasks) rounds.inc({ task: name, outcome: 'failed' }, 0)
  /**
   * Reads the backlog of each task that has one. A backlog is undefined if it cannot be read. Both gauges share one
   * read per scrape.
   */
  const look = () =>
    Promise.all(
      tasks
        .filter(({ backlog }) => backlog !== undefined)
        .map(async ({ name, backlog }) => [name, await backlog!().catch(() => undefined)] as const),
    )
  let looked: ReturnType<typeof look> | undefined
  const backlogs = () => {
    looked ??= look().finally(() => {
      looked = undefined
    })
    return looked
  }
  new Gauge({
    name: 'task_waiting',
    help: 'Number of items in the backlog of a background task',
    labelNames: ['task'],
    registers,
    async collect() {
      for (const [task, found] of await backlogs()) this.set({ task }, found?.waiting ?? Number.NaN)
    },
  })
  new Gauge({
    name: 'task_oldest_waiting_age_seconds',
    help: 'Age of the oldest item in the backlog',
    labelNames: ['task'],
    registers,
    async collect() {
      const ageOf = (since: Date) => Math.max(0, (clock.now().getTime() - since.getTime()) / 1_000)
      for (const [task, found] of await backlogs()) {
        this.set({ task }, !found ? Number.NaN : found.since ? ageOf(found.since) : 0)
      }
    },
  })
  return tasks.map((task) => ({
    ...task,
    async once(ending) {
      const outcome = await task.once(ending).catch((error: unknown) => {
        rounds.inc({ task: task.name, outcome: 'failed' })
        throw error
      })
      rounds.inc({ task: task.name, outcome: 'done' })
      return outcome
    },
  }))
}
