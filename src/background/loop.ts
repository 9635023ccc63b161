/** Background loops: run, wait, run again; one failure is logged and the next round tries anew. */
import type { Backlog } from '../db/backlog.ts'
import { AppError } from '../lib/errors.ts'

export interface Task {
  name: string
  /** The longest pause between two rounds, in milliseconds. */
  everyMs: number
  /** Absent: where background work is done. `http`: where requests are answered; `all`: in every process. */
  runsIn?: 'http' | 'all'
  /** The pause after a round that found something to do, where that is shorter. */
  soonMs?: number
  /** Ends a pause before its time. */
  wake?: Wake
  /**
   * One round; `more` asks for the next at once, `some` for one soon. After `ending` is aborted there are seconds left.
   * Tests call this.
   */
  once(ending?: AbortSignal): Promise<'more' | 'some' | 'done'>
  /** Waits for what rounds have begun and left under way; called after the last one. What `ending` finds is left. */
  finish?(ending?: AbortSignal): Promise<void>
  /** What waits for it, over all processes. */
  backlog?(): Promise<Backlog>
}

/** Tells a task that there is something to do. */
export class Wake {
  #signal = Promise.withResolvers<void>()

  signal(): void {
    this.#signal.resolve()
  }

  /** Forgets signals: what they told of is looked for now. */
  reset(): void {
    this.#signal = Promise.withResolvers()
  }

  /** Resolves when there was a signal since the last reset. */
  get signaled(): Promise<void> {
    return this.#signal.promise
  }
}

interface Log {
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/**
 * Runs a task until stopped; `stop` waits for the round in progress, which `ending` asks to break off, and for what rounds
 * have begun.
 */
export function startLoop(task: Task, log: Log, ending?: AbortSignal): { stop(): Promise<void> } {
  const stopping = Promise.withResolvers<void>()
  let isStopping = false
  const rounds = (async () => {
    while (!isStopping) {
      // Before the round: a signal that comes during it may be about what it has passed already.
      task.wake?.reset()
      const outcome = await task.once(ending).catch((error: unknown) => {
        // Every task says so in every round while the database is away: one line each, without a stack.
        if (error instanceof AppError && error.code === 'unavailable') {
          log.warn({ task: task.name, reason: String(error.cause ?? error.message) }, 'task put off')
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
      // The other tasks finish all the same, and the database waits for them.
      await task.finish?.(ending).catch((error: unknown) => {
        log.error({ err: error, task: task.name }, 'task did not finish')
      })
    },
  }
}
