/** The jobs on the board, sorted in the orders that lists use. */
import { lowerBound } from '../../lib/lower-bound.ts'
import type { Direction } from '../../lists/query.ts'
import type { Key } from '../job-index.ts'
import { type Columns, NO_SALARY_ASC, NO_SALARY_DESC } from './columns.ts'
import type { JobIds } from './job-ids.ts'

/** Returns the sort value of the job in a slot. */
export type KeyOf = (slot: number) => Key

/** Returns the sort keys of all stored orders. Salary has two, because jobs without a salary always sort last. */
export function orderKeys(columns: Columns) {
  const salary = (slot: number) => columns.comparableHigh[slot]!
  return {
    posted_at: (slot) => columns.postedAt[slot]!,
    expires_at: (slot) => columns.expiresAt[slot]!,
    title: (slot) => columns.title[slot]!,
    location: (slot) => columns.locations.values[columns.location[slot]!]!.sort,
    company_name: (slot) => columns.companies.values[columns.company[slot]!]!.sort,
    application_count: (slot) => columns.applications[slot]!,
    salary_asc: salaryKey(salary, 'asc'),
    salary_desc: salaryKey(salary, 'desc'),
  } satisfies Record<string, KeyOf>
}

export type OrderName = keyof ReturnType<typeof orderKeys>

/** Returns the sort key of amounts that may be NaN. NaN sorts last in both directions. */
export function salaryKey(amountOf: (slot: number) => number, direction: Direction): KeyOf {
  const none = direction === 'asc' ? NO_SALARY_ASC : NO_SALARY_DESC
  return (slot) => {
    const amount = amountOf(slot)
    return Number.isNaN(amount) ? none : amount
  }
}

const WAITING_MAX = 1_000

/** The slots of all jobs, sorted by a key and then by ID. */
export class Order {
  #slots: Uint32Array<ArrayBuffer> = new Uint32Array(0)
  #length = 0
  /**
   * Added slots that `#slots` does not contain yet. At a million jobs, an insertion moves 2 MB of the order on average.
   * Without this list, these moves would take a fifth of the time that this process needs to post a job.
   */
  #waiting: number[] = []
  readonly #keyOf: KeyOf
  readonly #ids: JobIds

  constructor(keyOf: KeyOf, ids: JobIds) {
    this.#keyOf = keyOf
    this.#ids = ids
  }

  readonly compare = (a: number, b: number): number => {
    const keyA = this.#keyOf(a)
    const keyB = this.#keyOf(b)
    if (keyA !== keyB) return keyA < keyB ? -1 : 1
    return this.#ids.compare(a, b)
  }

  /** Returns the slots. Only the first `length` slots belong to the order. */
  get slots(): Uint32Array<ArrayBuffer> {
    this.#settle()
    return this.#slots
  }

  get length(): number {
    this.#settle()
    return this.#length
  }

  /** Returns the position of the first job that does not sort before this key and ID. */
  positionOf(key: Key, id: string): number {
    this.#settle()
    return lowerBound(this.#length, (index) => {
      const slot = this.#slots[index]!
      const own = this.#keyOf(slot)
      return own < key || (own === key && this.#ids.get(slot) < id)
    })
  }

  build(slots: Uint32Array<ArrayBuffer>): void {
    this.#slots = slots.sort(this.compare)
    this.#length = slots.length
    this.#waiting = []
  }

  /** Uses slots that are already in this order. */
  restore(sorted: Uint32Array<ArrayBuffer>): void {
    this.#slots = sorted
    this.#length = sorted.length
  }

  /** Returns the positions of these slots, ascending. Call this method before their columns change. */
  positions(slots: readonly number[]): number[] {
    return slots.map((slot) => this.positionOf(this.#keyOf(slot), this.#ids.get(slot))).sort((a, b) => a - b)
  }

  /** Removes the jobs at these positions and adds these slots. */
  replace(positions: readonly number[], added: readonly number[]): void {
    // The lookup of the positions has already inserted all waiting jobs. This loop moves each section of the order at
    // most once.
    for (const [index, position] of positions.entries()) {
      this.#slots.copyWithin(position - index, position + 1, positions[index + 1] ?? this.#length)
    }
    this.#length -= positions.length
    this.#waiting.push(...added)
    if (this.#waiting.length > WAITING_MAX) this.#settle()
  }

  /** Inserts the waiting jobs. Moves each section of the order at most once. */
  #settle(): void {
    if (this.#waiting.length === 0) return
    const added = this.#waiting.sort(this.compare)
    this.#waiting = []
    const needed = this.#length + added.length
    if (needed > this.#slots.length) {
      const larger = new Uint32Array(Math.max(needed, Math.ceil(needed * 1.25)))
      larger.set(this.#slots.subarray(0, this.#length))
      this.#slots = larger
    }
    let end = this.#length
    for (let index = added.length - 1; index >= 0; index--) {
      const slot = added[index]!
      const at = lowerBound(end, (position) => this.compare(this.#slots[position]!, slot) < 0)
      this.#slots.copyWithin(at + index + 1, at, end)
      this.#slots[at + index] = slot
      end = at
    }
    this.#length = needed
  }
}
