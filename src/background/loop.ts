/** Background loops: run, wait, repeat. A failure is logged, and the next round retries. */
import type { Backlog } from '../db/backlog.ts'
import { AppError } from '../lib/errors.ts'

export interface Task {
  name: string
  /** The longest pause between two rounds, in milliseconds. */
  everyMs: number
  /** Default: worker processes. `http`: processes that serve requests; `all`: every process. */
  runsIn?: 'http' | 'all'
  /** The pause after a round that found work (`some`), in milliseconds. Default: `everyMs`. */
  soonMs?: number
  /** Ends a pause early. */
  wake?: Wake
  /**
   * Runs one round. `more` requests the next one immediately, `some` requests one soon. After `ending` is aborted, only
   * seconds remain. Tests call this.
   */
  once(ending?: AbortSignal): Promise<'more' | 'some' | 'done'>
  /**
   * Waits for work that rounds started and left running; called after the last round. Abandons the work that `ending`
   * aborts.
   */
  finish?(ending?: AbortSignal): Promise<void>
  /** Returns the backlog of the task, over all processes. */
  backlog?(): Promise<Backlog>
}

/** Notifies a task of new work. */
export class Wake {
  #signal = Promise.withResolvers<void>()

  signal(): void {
    this.#signal.resolve()
  }

  /** Discards earlier signals. Call it before a round, which finds their work anyway. */
  reset(): void {
    this.#signal = Promise.withResolvers()
  }

  /** Resolves after a signal since the last reset. */
  get signaled(): Promise<void> {
    return this.#signal.promise
  }
}

interface Log {
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/**
 * Runs a task until stopped. `stop` waits for the current round, which `ending` aborts, and for work that rounds have
 * started.
 */
export function startLoop(task: Task, log: Log, ending?: AbortSignal): { stop(): Promise<void> } {
  const stopping = Promise.withResolvers<void>()
  let isStopping = false
  const rounds = (async () => {
    while (!isStopping) {
      // Reset before the round: a signal during the round may concern work that the round has already passed.
      task.wake?.reset()
      const outcome = await task.once(ending).catch((error: unknown) => {
        // While the database is unavailable, every round of every task fails: one line each, without a stack.
        if (error instanceof AppError && error.code === 'unavailable') {
          log.warn({ task: task.name, reason: String(error.cause ?? error.message) }, 'task postponed')
        } else log.error({ err: error, task: task.name }, 'task failed')
        return 'done' as const
      })
      if (outcome === 'more') continue
      let timer: NodeJS.Timeout | undefined
      const pause = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, outcome === 'some' ? (task.soonMs ?? task.everyMs) : task.everyMs)
      })
      await Promise.race([pause, stopping.promise, ...(task.wake ? [task.wake.signaled] : [])])
      clearTimeout(timer)
    }
  })()
  return {
    async stop() {
      isStopping = true
      stopping.resolve()
      await rounds
      // A failure must not prevent the other tasks from finishing; the database stays open for them.
      await task.finish?.(ending).catch((error: unknown) => {
        log.error({ err: error, task: task.name }, 'task did not finish')
      })
    },
  }
}
