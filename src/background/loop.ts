/** Background loops: run, wait, repeat. If a round fails, the error is logged and the next round tries again. */
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
  wake?: Wake
  /**
   * Runs one round. `more` requests the next round immediately; `some` requests it after `soonMs`. After `ending` is
   * aborted, the round has only a few seconds left. Tests call this method directly.
   */
  once(ending?: AbortSignal): Promise<'more' | 'some' | 'done'>
  /**
   * Waits for work that earlier rounds left running; called after the last round. When `ending` is aborted, abandons
   * that work.
   */
  finish?(ending?: AbortSignal): Promise<void>
  /** Returns the task's backlog across all processes. */
  backlog?(): Promise<Backlog>
}

/** Returns a task whose rounds leave no work for the next round. */
export const periodicTask = (
  name: string,
  everyMs: number,
  work: (ending: AbortSignal | undefined) => Promise<unknown>,
): Task => ({
  name,
  everyMs,
  async once(ending) {
    await work(ending)
    return 'done'
  },
})

/**
 * Returns a task that works in batches, and begins the next round immediately after a full batch. `work` returns the
 * size of the batch, which is `limit` if the batch is full.
 */
export const batchTask = (
  name: string,
  everyMs: number,
  limit: number,
  work: (limit: number) => Promise<number>,
): Task => ({
  name,
  everyMs,
  once: async () => ((await work(limit)) === limit ? 'more' : 'done'),
})

/** Notifies a task of new work. */
export class Wake {
  #signal = Promise.withResolvers<void>()

  signal(): void {
    this.#signal.resolve()
  }

  /** Discards earlier signals. Call this method before each round: the round finds the work that they announced. */
  reset(): void {
    this.#signal = Promise.withResolvers()
  }

  /** Resolves as soon as a signal has arrived since the last reset. */
  get signaled(): Promise<void> {
    return this.#signal.promise
  }
}

interface Log {
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/**
 * Runs a task until it is stopped. `stop` waits for the current round and for work that rounds left running; `ending`
 * aborts both.
 */
export function startLoop(task: Task, log: Log, ending?: AbortSignal): { stop(): Promise<void> } {
  const stopping = Promise.withResolvers<void>()
  let isStopping = false
  const rounds = (async () => {
    while (!isStopping) {
      // Reset before the round: a signal that arrives during the round may concern work that the round did not find.
      task.wake?.reset()
      const outcome = await task.once(ending).catch((error: unknown) => {
        // While the database is unavailable, most rounds fail. Each failure is logged as one line without a stack
        // trace.
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
      // If this task fails to finish, the other tasks must still finish before the database closes.
      await task.finish?.(ending).catch((error: unknown) => {
        log.error({ err: error, task: task.name }, 'task did not finish')
      })
    },
  }
}
