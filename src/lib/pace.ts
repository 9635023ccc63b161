interface PaceOptions {
  /** Duration of the work that an account may do without a pause, in milliseconds. */
  burstMs: number
  /** The share of time for which an account may work after its burst. */
  share: number
}

/**
 * Maximum pause, in milliseconds. Without this limit, one long piece of work could make an account wait for a minute.
 */
const PAUSE_MAX_MS = 5_000
/** Number of accounts in memory above which accounts are removed if their earlier work no longer counts. */
const ACCOUNTS_MAX = 10_000

/** Spreads each account's work over time: after its burst, an account must pause between pieces of work. */
export class Pace {
  readonly #burstMs: number
  readonly #share: number
  /** When the work of each account would have ended at the rate of `share`. */
  readonly #finishedAt = new Map<string, number>()

  constructor({ burstMs, share }: PaceOptions) {
    this.#burstMs = burstMs / share
    this.#share = share
  }

  /** Counts work that has just ended; `nowMs` must not decrease between calls. */
  count(account: string, ms: number, nowMs: number): void {
    if (this.#finishedAt.size > ACCOUNTS_MAX) {
      for (const [other, finishedAt] of this.#finishedAt) if (finishedAt <= nowMs) this.#finishedAt.delete(other)
    }
    const begunAt = Math.max(this.#finishedAt.get(account) ?? 0, nowMs - ms)
    this.#finishedAt.set(account, begunAt + ms / this.#share)
  }

  /** Returns how many milliseconds the account must pause before its next work. */
  pauseMs(account: string, nowMs: number): number {
    const restMs = (this.#finishedAt.get(account) ?? 0) - nowMs - this.#burstMs
    return Math.min(Math.max(0, restMs), PAUSE_MAX_MS)
  }
}
