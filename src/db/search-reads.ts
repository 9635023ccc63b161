/** Lets accounts take turns at search queries and computations, and charges the queries to a budget (decision 0073). */
import type { Budgets } from '../lib/budgets.ts'
import { Pace } from '../lib/pace.ts'
import { Turns } from '../lib/turns.ts'
import type { Database, Db, Reads } from './database.ts'

/** Leaves most connections for other requests, and half of the turns for other accounts. */
const TURNS = { atOnce: 4, atOnceEach: 2, waitingMax: 500, waitingMaxEach: 50 }
/**
 * Limits on the searches that wait for a search engine, which has its own cores. Even the slowest searches end before
 * their timeout if an engine with two cores runs this many at the same time.
 */
const ENGINE_TURNS = { atOnce: 32, atOnceEach: 8, waitingMax: 1_000, waitingMaxEach: 100 }
/** An account may search for one second without a pause, then at the rate of its budget: 10 s per minute. */
const PACE = { burstMs: 1_000, share: 1 / 6 }

export class SearchReads {
  readonly #primary: Reads
  readonly #reads: Reads
  readonly #budgets: Budgets
  readonly #pace = new Pace(PACE)
  readonly #turns: Turns
  readonly #computing: Turns
  readonly #engineTurns: Turns

  constructor(database: Database, replica: Reads | undefined, budgets: Budgets) {
    // A session already has its connection when the query starts, so the wait for the connection is not charged.
    this.#primary = { read: (question) => database.readInSession(question) }
    this.#reads = replica ?? this.#primary
    this.#budgets = budgets
    const pauseMs = (account: string) => this.#pace.pauseMs(account, performance.now())
    const paced = budgets.isLimited ? { pauseMs } : {}
    this.#turns = new Turns({ ...TURNS, ...paced })
    this.#computing = new Turns({ atOnce: 1, isBlocking: true, ...paced })
    this.#engineTurns = new Turns({ ...ENGINE_TURNS, ...paced })
  }

  /**
   * Runs a search query when it is the account's turn. Throws `rate_limited` if the account has spent its budget, and
   * `unavailable` if too much work is waiting.
   */
  read<T>(account: string, question: (db: Db) => Promise<T>): Promise<T> {
    return this.inTurn(account, () => this.charging(account, question, this.#reads))
  }

  /**
   * Runs work when it is the account's turn. The work sends its queries through `charging`. Throws the same errors as
   * `read`.
   */
  async inTurn<T>(account: string, work: () => Promise<T>): Promise<T> {
    this.check(account)
    return this.#turns.take(account, async () => {
      // The account may have spent its budget on other queries during the wait.
      this.check(account)
      return work()
    })
  }

  compute<T>(account: string, work: () => T): Promise<T> {
    return this.#computing.take(account, async () => {
      const begun = performance.now()
      try {
        return work()
      } finally {
        const ended = performance.now()
        this.#pace.count(account, ended - begun, ended)
      }
    })
  }

  /** Runs requests to a search engine when it is the account's turn, and charges their duration to the account. */
  asking<T>(account: string, work: () => Promise<T>): Promise<T> {
    return this.#engineTurns.take(account, () => this.#charge(account, work))
  }

  async #charge<T>(account: string, work: () => Promise<T>): Promise<T> {
    const begun = performance.now()
    try {
      return await work()
    } finally {
      const ended = performance.now()
      this.#budgets.charge('search-time', account, ended - begun)
      this.#pace.count(account, ended - begun, ended)
    }
  }

  /** Throws `rate_limited` if the account has spent its budget. */
  check(account: string): void {
    this.#budgets.check('search-time', account)
  }

  /** Runs a query, on the primary by default, and charges its duration to the account. */
  charging<T>(account: string, question: (db: Db) => Promise<T>, reads = this.#primary): Promise<T> {
    return reads.read((db) => this.#charge(account, () => question(db)))
  }
}
