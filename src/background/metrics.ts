/** What operators watch of background work. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Clock } from '../lib/time.ts'
import type { Task } from './loop.ts'

/** The tasks with their rounds counted, and what waits for them asked whenever somebody reads it. */
export function meterTasks(registry: Registry, tasks: readonly Task[], clock: Clock): Task[] {
  const registers = [registry]
  const rounds = new Counter({
    name: 'task_rounds_total',
    help: 'Rounds of background tasks in this process, by how they ended: done or failed',
    labelNames: ['task', 'outcome'],
    registers,
  })
  // There from the beginning, so that the first failure is an increase.
  for (const { name } of tasks) rounds.inc({ task: name, outcome: 'failed' }, 0)
  /** By name, undefined while the database is away. Two gauges that are read at once ask once. */
  const look = async () => {
    const looking = tasks.flatMap(({ name, backlog }) =>
      backlog
        ? [
            backlog().then(
              (found) => [name, found] as const,
              () => [name, undefined] as const,
            ),
          ]
        : [],
    )
    return Promise.all(looking)
  }
  let looked: ReturnType<typeof look> | undefined
  const backlogs = () => {
    looked ??= look().finally(() => {
      looked = undefined
    })
    return looked
  }
  new Gauge({
    name: 'task_waiting',
    help: 'What waits for a background task',
    labelNames: ['task'],
    registers,
    async collect() {
      for (const [task, found] of await backlogs()) this.set({ task }, found?.waiting ?? Number.NaN)
    },
  })
  new Gauge({
    name: 'task_oldest_waiting_age_seconds',
    help: 'For how long the oldest of them has waited',
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
