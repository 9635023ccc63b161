/**
 * Budgets for the resources that accounts use besides requests: processing time, bytes and emails. Processes count and
 * share them like request limits, but charge them after the work, when the cost is known.
 */
import { AppError } from './errors.ts'
import { describePolicy, Quota } from './quota.ts'
import type { Clock } from './time.ts'

const policies = {
  /**
   * Milliseconds that the database and the search engine spend on an account's searches. The quota is a sixth of one
   * core.
   */
  'search-time': { quota: 10_000, windowS: 60 },
  /** KiB written to storage for an account: resources, events, stored responses and files. */
  storage: { quota: 131_072, windowS: 86_400 },
  /**
   * KiB written to storage for an account in a minute. Without this limit, an account that spends its daily budget
   * within minutes would slow down all others. The quota allows two uploads of 5 MB.
   */
  'storage-burst': { quota: 16_384, windowS: 60 },
  /** KiB of response bodies. Mirroring a million jobs reads 1.6 GB. */
  responses: { quota: 4_194_304, windowS: 3_600 },
  /** Emails sent because of an account's actions. */
  emails: { quota: 1_000, windowS: 3_600 },
  /**
   * Milliseconds spent on extracting text from an account's files. When the budget is spent, the account's remaining
   * resumes wait.
   */
  'extraction-time': { quota: 120_000, windowS: 3_600 },
} as const

export type BudgetName = keyof typeof policies

/** Budgets that are charged directly in the database, where a query selects the next work by these charges. */
const chargedThere: ReadonlySet<BudgetName> = new Set(['extraction-time'])

export const budgetNames = Object.keys(policies) as BudgetName[]

/** One account's use of one budget in the current window. */
export interface BudgetUse {
  name: BudgetName
  used: number
  quota: number
  windowS: number
  /** When the next window begins. */
  resetsAt: Date
}

export class Budgets {
  /** The quotas to share between processes, together with the request quotas. */
  readonly quotas: readonly Quota[]
  /** Totals for all accounts since this process started. */
  readonly totals: Readonly<Record<BudgetName, { charged: number; refused: number }>>
  readonly #byName: Readonly<Record<BudgetName, Quota>>
  /** Whether the service refuses requests of accounts that have spent a budget. */
  readonly isLimited: boolean
  readonly #clock: Clock

  /** If `isLimited` is false, the budgets count charges but refuse nothing. */
  constructor(clock: Clock, { isLimited = true } = {}) {
    this.#clock = clock
    this.isLimited = isLimited
    this.#byName = perBudget((name) => new Quota({ name, ...policies[name] }))
    this.totals = perBudget(() => ({ charged: 0, refused: 0 }))
    this.quotas = budgetNames.filter((name) => !chargedThere.has(name)).map((name) => this.#byName[name])
  }

  /** Returns `rate_limited`, which names the budget, if the account has spent the budget. */
  refusalOf(name: BudgetName, account: string): AppError | undefined {
    const now = this.#clock.now().getTime()
    const quota = this.#byName[name]
    if (!this.isLimited || !quota.isSpent(account, now)) return undefined
    this.totals[name].refused++
    const resetS = quota.resetS(now)
    return new AppError('rate_limited', {
      detail: `The budget "${name}" is used up. Try again in ${resetS} s.`,
      words: { key: 'problem.rate_limited_for', values: { seconds: resetS } },
      headers: {
        'retry-after': String(resetS),
        'ratelimit-policy': quota.described,
        ratelimit: `"${name}";r=0;t=${resetS}`,
      },
    })
  }

  /** Returns whether the service must refuse the account's requests because the budget is spent. */
  isSpent(name: BudgetName, account: string, now: number): boolean {
    return this.isLimited && this.#byName[name].isSpent(account, now)
  }

  /**
   * Returns the `RateLimit` header's items for these budgets: the account's remaining amount and the time until the
   * budget resets.
   */
  describeRest(names: readonly BudgetName[], account: string, now: number): string {
    // Builds a string directly, because this runs for every response, and intermediate arrays would double its cost.
    let items = ''
    for (const name of names) {
      const quota = this.#byName[name]
      const rest = Math.max(0, quota.policy.quota - quota.usedBy(account, now))
      items += `${items && ', '}"${name}";r=${rest};t=${quota.resetS(now)}`
    }
    return items
  }

  /** Throws `rate_limited` if the account has spent the budget. */
  check(name: BudgetName, account: string): void {
    const refusal = this.refusalOf(name, account)
    if (refusal) throw refusal
  }

  /** Charges the account, even beyond its budget, because the work has already been done. */
  charge(name: BudgetName, account: string, amount: number): void {
    const whole = Math.ceil(amount)
    if (whole <= 0) return
    this.totals[name].charged += whole
    this.#byName[name].spend(account, this.#clock.now().getTime(), whole)
  }

  /** Returns the current window of a budget and its quota per account. */
  windowOf(name: BudgetName): { policy: BudgetName; windowEnd: Date; quota: number } {
    const { policy } = this.#byName[name]
    const windowEnd = this.#byName[name].endsAt(this.#clock.now().getTime())
    return { policy: name, windowEnd, quota: this.isLimited ? policy.quota : Number.POSITIVE_INFINITY }
  }

  /** Records a charge that has already been made in the database. `used` is the total across all processes. */
  noteCharged(name: BudgetName, account: string, amount: number, used: number): void {
    this.totals[name].charged += amount
    const now = this.#clock.now().getTime()
    const quota = this.#byName[name]
    quota.spend(account, now, used - quota.usedBy(account, now))
  }

  /**
   * Runs work and charges `amount`. If the budget is spent and the amount is not 0, throws `rate_limited` before the
   * work.
   */
  async spend<T>(name: BudgetName, account: string, amount: number, work: () => Promise<T>): Promise<T> {
    if (amount === 0) return work()
    this.check(name, account)
    const result = await work()
    this.charge(name, account, amount)
    return result
  }

  /** Returns the account's use of every budget. */
  usesOf(account: string): BudgetUse[] {
    const now = this.#clock.now().getTime()
    return budgetNames.map((name) => {
      const quota = this.#byName[name]
      const { quota: most, windowS } = quota.policy
      const used = quota.usedBy(account, now)
      return { name, used, quota: most, windowS, resetsAt: quota.endsAt(now) }
    })
  }
}

/** Returns the `RateLimit-Policy` header's items for these budgets. */
export const describeBudgets = (names: readonly BudgetName[]): string =>
  names.map((name) => describePolicy({ name, ...policies[name] })).join(', ')

function perBudget<T>(make: (name: BudgetName) => T): Record<BudgetName, T> {
  return Object.fromEntries(budgetNames.map((name) => [name, make(name)])) as Record<BudgetName, T>
}
