import { unavailable } from './errors.ts'

interface TurnsOptions {
  /** Maximum number of work items that run at the same time. */
  atOnce: number
  /** Maximum number of work items per account that run at the same time. Absent: no further limit. */
  atOnceEach?: number
  /** Maximum number of waiting work items across all accounts. Further work is refused. Absent: no limit. */
  waitingMax?: number
  /** Maximum number of waiting work items per account. Absent: no further limit. */
  waitingMaxEach?: number
  /** Returns how many milliseconds an account must pause between two work items. Absent: no pause. */
  pauseMs?: (account: string) => number
  /** Whether the event loop serves other connections before the next turn. Set this for work without I/O. */
  isBlocking?: boolean
}

/** Limits concurrent work. Accounts take turns, so an account with a lot of work does not delay others. */
export class Turns {
  readonly #options: Required<TurnsOptions>
  #running = 0
  #waiting = 0
  readonly #runningOf = new Map<string, number>()
  /** Waiting work by account, starting with the account that has waited longest for a turn. */
  readonly #queues = new Map<string, (() => void)[]>()

  constructor(options: TurnsOptions) {
    const { atOnce, atOnceEach = atOnce, waitingMax = Number.POSITIVE_INFINITY, pauseMs = () => 0 } = options
    const { waitingMaxEach = waitingMax, isBlocking = false } = options
    this.#options = { atOnce, atOnceEach, waitingMax, waitingMaxEach, pauseMs, isBlocking }
  }

  /** Runs the work when it is the account's turn. Throws `unavailable` if too much work is waiting. */
  async take<T>(account: string, work: () => Promise<T>): Promise<T> {
    if (this.#mayRun(account)) this.#begin(account)
    else await this.#wait(account)
    try {
      return await work()
    } finally {
      if (this.#options.isBlocking) setImmediate(() => this.#end(account))
      else this.#end(account)
    }
  }

  #mayRun(account: string): boolean {
    const { atOnce, atOnceEach } = this.#options
    return this.#running < atOnce && (this.#runningOf.get(account) ?? 0) < atOnceEach
  }

  #begin(account: string): void {
    this.#running++
    this.#runningOf.set(account, (this.#runningOf.get(account) ?? 0) + 1)
  }

  #wait(account: string): Promise<void> {
    const { waitingMax, waitingMaxEach } = this.#options
    const queue = this.#queues.get(account) ?? []
    if (this.#waiting >= waitingMax || queue.length >= waitingMaxEach) throw unavailable()
    this.#waiting++
    this.#queues.set(account, queue)
    return new Promise((resolve) => queue.push(resolve))
  }

  /**
   * Records that a work item has ended. During the account's pause, the item still counts toward the limit per account,
   * but not toward the limit for all accounts.
   */
  #end(account: string): void {
    this.#running--
    const pauseMs = this.#options.pauseMs(account)
    if (pauseMs === 0) {
      this.#release(account)
      return
    }
    // Does not keep the process alive; the account's requests do.
    setTimeout(() => this.#release(account), pauseMs).unref()
    this.#resumeNext()
  }

  #release(account: string): void {
    const left = this.#runningOf.get(account)! - 1
    if (left === 0) this.#runningOf.delete(account)
    else this.#runningOf.set(account, left)
    this.#resumeNext()
  }

  /** Resumes the next waiting work. Counts it as running first; otherwise, other work could take its slot. */
  #resumeNext(): void {
    for (const [next, queue] of this.#queues) {
      if (!this.#mayRun(next)) continue
      this.#begin(next)
      this.#waiting--
      const resume = queue.shift()!
      this.#queues.delete(next)
      if (queue.length > 0) this.#queues.set(next, queue)
      resume()
      return
    }
  }
}
