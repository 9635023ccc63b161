/** Finds the slots of jobs by their numbers. */

const FIRST_LENGTH = 2_048

/**
 * A hash table with linear probing. It stores no job numbers, because a column contains them by slot. A Map keyed by ID
 * would keep its keys in V8's string table. An array indexed by number would grow with every job that was ever posted.
 */
export class SlotTable {
  /** Slots plus one. 0: free. The length is a power of two. */
  #entries = new Uint32Array(FIRST_LENGTH)
  #size = 0
  readonly #numbers: () => Uint32Array

  /**
   * `numbers` returns the column of job numbers, by slot. The number of a slot must not change while the slot is in the
   * table.
   */
  constructor(numbers: () => Uint32Array) {
    this.#numbers = numbers
  }

  find(number: number): number | undefined {
    const entry = this.#entries[this.#positionOf(number)]!
    return entry === 0 ? undefined : entry - 1
  }

  /** Adds a slot whose number is not in the table. */
  add(slot: number): void {
    if (++this.#size > this.#entries.length / 2) this.#grow()
    this.#entries[this.#positionOf(this.#numbers()[slot]!)] = slot + 1
  }

  remove(number: number): void {
    const mask = this.#entries.length - 1
    let gap = this.#positionOf(number)
    if (this.#entries[gap] === 0) return
    this.#size--
    // Closes the gap with a later entry that could not be found across it.
    for (let at = (gap + 1) & mask; this.#entries[at] !== 0; at = (at + 1) & mask) {
      const first = this.#firstPosition(this.#numbers()[this.#entries[at]! - 1]!)
      if (((at - first) & mask) < ((at - gap) & mask)) continue
      this.#entries[gap] = this.#entries[at]!
      gap = at
    }
    this.#entries[gap] = 0
  }

  /** Returns the position of a number, or the free position where it belongs. */
  #positionOf(number: number): number {
    const mask = this.#entries.length - 1
    const numbers = this.#numbers()
    let at = this.#firstPosition(number)
    for (let entry = this.#entries[at]!; entry !== 0; entry = this.#entries[at]!) {
      if (numbers[entry - 1] === number) return at
      at = (at + 1) & mask
    }
    return at
  }

  /** Spreads numbers by multiplication, because the numbers of jobs are consecutive only in some ranges. */
  #firstPosition(number: number): number {
    return Math.imul(number, 0x9e3779b1) >>> (Math.clz32(this.#entries.length) + 1)
  }

  #grow(): void {
    const entries = this.#entries
    this.#entries = new Uint32Array(entries.length * 2)
    const numbers = this.#numbers()
    for (const entry of entries) if (entry !== 0) this.#entries[this.#positionOf(numbers[entry - 1]!)] = entry
  }
}
