/** Counts the use of a quota in fixed time windows, which are the same in every process. */

export interface Policy {
  /** Lowercase letters and hyphens only. */
  name: string
  /** Maximum use per subject and window. */
  quota: number
  windowS: number
  /**
   * Counts per network even with an API key, but exempts admins and integrators, because they act on behalf of many
   * people.
   */
  isPerNetwork?: true
}

/** Formats a policy as an item of the `RateLimit-Policy` header. */
export const describePolicy = ({ name, quota, windowS }: Policy): string => `"${name}";q=${quota};w=${windowS}`

interface Count {
  used: number
  /** The part of `used` that other processes have not received yet. */
  unshared: number
}

/** One subject's use, which a process reports to the other processes. */
export interface Share {
  policy: string
  windowEnd: Date
  subject: string
  added: number
  /** Sets the count to `used`, the total of all processes, plus the use that is still unshared. */
  settle(used: number): void
}

/**
 * Maximum number of subjects per quota; each uses 120 bytes. Further subjects are not counted: counting them would not
 * stop a client that has this many IP addresses.
 */
const SUBJECTS_MAX = 100_000
/** A subject's unshared use is shared with other processes once it exceeds this fraction of the quota. */
const SHARED_PART = 0.01

export class Quota {
  readonly policy: Policy
  /** The quota as an item of the `RateLimit-Policy` header. */
  readonly described: string
  readonly #counts = new Map<string, Count>()
  readonly #subjectsMax: number
  #endMs = 0

  constructor(policy: Policy, subjectsMax = SUBJECTS_MAX) {
    this.policy = policy
    this.described = describePolicy(policy)
    this.#subjectsMax = subjectsMax
  }

  /** Uses an amount and returns the remaining quota. If too little remains, uses nothing and returns -1. */
  take(subject: string, nowMs: number, amount = 1): number {
    const { quota } = this.policy
    const count = this.#countOf(subject, nowMs)
    if (count === undefined) return quota - amount
    if (count.used + amount > quota) return -1
    count.used += amount
    count.unshared += amount
    return quota - count.used
  }

  /** Uses an amount even if less remains. */
  spend(subject: string, nowMs: number, amount: number): void {
    const count = this.#countOf(subject, nowMs)
    if (count === undefined) return
    count.used += amount
    count.unshared += amount
  }

  /** Returns the subject's use in this window, as known to this process. */
  usedBy(subject: string, nowMs: number): number {
    this.#turn(nowMs)
    return this.#counts.get(subject)?.used ?? 0
  }

  /** Returns the count of a subject, or `undefined` if the subject would exceed the maximum number of subjects. */
  #countOf(subject: string, nowMs: number): Count | undefined {
    this.#turn(nowMs)
    let count = this.#counts.get(subject)
    if (count === undefined && this.#counts.size < this.#subjectsMax) {
      count = { used: 0, unshared: 0 }
      this.#counts.set(subject, count)
    }
    return count
  }

  isSpent(subject: string, nowMs: number): boolean {
    return this.usedBy(subject, nowMs) >= this.policy.quota
  }

  /** Returns when the window ends. */
  endsAt(nowMs: number): Date {
    this.#turn(nowMs)
    return new Date(this.#endMs)
  }

  /** Returns the number of seconds until the next window, at least 1. */
  resetS(nowMs: number): number {
    return Math.max(1, Math.ceil((this.#endMs - nowMs) / 1_000))
  }

  /** Returns the use to share with other processes. */
  shares(nowMs: number): Share[] {
    this.#turn(nowMs)
    const { name, quota } = this.policy
    const windowEnd = this.endsAt(nowMs)
    const shares: Share[] = []
    for (const [subject, count] of this.#counts) {
      const added = count.unshared
      if (added <= quota * SHARED_PART) continue
      const settle = (used: number) => {
        count.unshared -= added
        count.used = used + count.unshared
      }
      shares.push({ policy: name, windowEnd, subject, added, settle })
    }
    return shares
  }

  /** Starts a new window if needed, even if the clock was set back. */
  #turn(nowMs: number): void {
    const windowMs = this.policy.windowS * 1_000
    if (nowMs < this.#endMs && nowMs >= this.#endMs - windowMs) return
    this.#endMs = (Math.floor(nowMs / windowMs) + 1) * windowMs
    this.#counts.clear()
  }
}
