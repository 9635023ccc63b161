import type { Task } from '../../background/loop.ts'
import type { ViewCounter } from './job-statistics.service.ts'

/** Writes down what was counted, the rest at the end of the process; one that is killed outright loses some seconds. */
export function viewFlusher(views: ViewCounter): Task {
  return {
    name: 'job-views',
    everyMs: 10_000,
    runsIn: 'http',
    async once() {
      await views.flush()
      return 'done'
    },
    finish: () => views.flush(),
  }
}
