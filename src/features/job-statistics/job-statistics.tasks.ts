import type { Task } from '../../background/loop.ts'
import type { ViewCounter } from './job-statistics.service.ts'

/** Writes the counted views at intervals and at shutdown. A killed process loses up to ten seconds of views. */
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
