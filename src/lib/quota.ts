/** Counting against a quota in fixed windows of the clock, which are the same in every process. */

export interface Policy {
  /** Of lower-case letters. */
  name: string
  /** How much a subject may use in a window. */
  quota: number
  windowS: number
}

/** Returns a policy as an item of the `RateLimit-Policy` header. */
export const describePolicy = ({ name, quota, windowS }: Policy): string => `"${name}";q=${quota};w=${windowS}`

interface Count {
  used: number
  /** What of it no other process knows of yet. */
  unshared: number
}

/** What a process tells the others of a subject. */
export interface Share {
  policy: string
  windowEnd: Date
  subject: string
  added: number
  /** Takes in what all processes have used together. */
  settle(used: number): void
}

/** 120 bytes each. Whoever has more addresses than this could use the quota of each: one of theirs more is let through. */
const SUBJECTS_MAX = 100_000
/** What is less than this part of the quota is not told to others. */
const SHARED_PART = 0.01

export class Quota {
  readonly policy: Policy
  readonly #counts = new Map<string, Count>()
  readonly #subjectsMax: number
  #endMs = 0

  constructor(policy: Policy, subjectsMax = SUBJECTS_MAX) {
    this.policy = policy
    this.#subjectsMax = subjectsMax
  }

  /** Uses one, or as many as are said; what is left of the quota, or -1 when there was less. */
  take(subject: string, nowMs: number, amount = 1): number {
    const { quota } = this.policy
    const count = this.#countOf(subject, nowMs)
    if (count === undefined) return quota - amount
    if (count.used + amount > quota) return -1
    count.used += amount
    count.unshared += amount
    return quota - count.used
  }

  /** Uses an amount whether or not there is enough left. */
  spend(subject: string, nowMs: number, amount: number): void {
    const count = this.#countOf(subject, nowMs)
    if (count === undefined) return
    count.used += amount
    count.unshared += amount
  }

  /** Returns how much the subject has used in this window, as far as this process knows. */
  usedBy(subject: string, nowMs: number): number {
    this.#turn(nowMs)
    return this.#counts.get(subject)?.used ?? 0
  }

  /** Returns `undefined` for a subject beyond those that are kept. */
  #countOf(subject: string, nowMs: number): Count | undefined {
    this.#turn(nowMs)
    let count = this.#counts.get(subject)
    if (count === undefined && this.#counts.size < this.#subjectsMax) {
      count = { used: 0, unshared: 0 }
      this.#counts.set(subject, count)
    }
    return count
  }

  /** Whether nothing is left for the subject. */
  isSpent(subject: string, nowMs: number): boolean {
    return this.usedBy(subject, nowMs) >= this.policy.quota
  }

  /** Returns when the window ends. */
  endsAt(nowMs: number): Date {
    this.#turn(nowMs)
    return new Date(this.#endMs)
  }

  /** Seconds until the next window, at least one. */
  resetS(nowMs: number): number {
    return Math.max(1, Math.ceil((this.#endMs - nowMs) / 1_000))
  }

  /** What others are to know. */
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

  /** Begins a window, also where the clock was put back. */
  #turn(nowMs: number): void {
    const windowMs = this.policy.windowS * 1_000
    if (nowMs < this.#endMs && nowMs >= this.#endMs - windowMs) return
    this.#endMs = (Math.floor(nowMs / windowMs) + 1) * windowMs
    this.#counts.clear()
  }
}
