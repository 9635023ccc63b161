/** A short list of numbers for each slot. */
import { enlarged } from './bits.ts'

const FIRST_LENGTH = 1_024

/**
 * Stores all lists in one array. With a million jobs, the array takes a quarter of the memory of one array per job, and
 * garbage collections do not read the array.
 */
export class NumberLists {
  /** The position of each slot's list. 0: an empty list. */
  #starts = new Uint32Array(FIRST_LENGTH)
  /** The length of each list, followed by its numbers. The first element is 0, the length of an empty list. */
  #numbers = new Uint32Array(FIRST_LENGTH)
  #length = 1
  /** Number of elements that belong to no list. */
  #unused = 0

  get(slot: number): Uint32Array {
    const start = this.#starts[slot] ?? 0
    return this.#numbers.subarray(start + 1, start + 1 + this.#numbers[start]!)
  }

  /** Returns whether any number in a slot's list passes the test. Much faster than `get`, which creates an object. */
  some(slot: number, test: (number: number) => boolean): boolean {
    const start = this.#starts[slot] ?? 0
    const end = start + this.#numbers[start]!
    for (let at = start + 1; at <= end; at++) if (test(this.#numbers[at]!)) return true
    return false
  }

  set(slot: number, list: readonly number[]): void {
    if (slot >= this.#starts.length) this.#starts = enlarged(this.#starts, Math.max(slot + 1, this.#starts.length * 2))
    const before = this.#starts[slot]!
    if (before > 0) this.#unused += this.#numbers[before]! + 1
    this.#starts[slot] = list.length > 0 ? this.#append(list) : 0
    if (this.#unused > this.#length / 2 && this.#unused > FIRST_LENGTH) this.#compact()
  }

  #append(list: ArrayLike<number>): number {
    const start = this.#length
    const end = start + 1 + list.length
    if (end > this.#numbers.length) this.#numbers = enlarged(this.#numbers, Math.max(end, this.#numbers.length * 2))
    this.#numbers[start] = list.length
    this.#numbers.set(list, start + 1)
    this.#length = end
    return start
  }

  #compact(): void {
    const lists = new NumberLists()
    lists.#starts = new Uint32Array(this.#starts.length)
    for (const [slot, start] of this.#starts.entries())
      if (start > 0) lists.#starts[slot] = lists.#append(this.get(slot))
    this.restore(lists.save())
  }

  /** Returns the content, which must not change while it is in use. */
  save(): { starts: Uint32Array<ArrayBuffer>; numbers: Uint32Array<ArrayBuffer> } {
    return { starts: this.#starts, numbers: this.#numbers.subarray(0, this.#length) }
  }

  /** Loads saved content. */
  restore({ starts, numbers }: ReturnType<NumberLists['save']>): void {
    this.#starts = starts
    this.#numbers = numbers
    this.#length = numbers.length
    let used = 1
    for (const start of starts) if (start > 0) used += numbers[start]! + 1
    this.#unused = numbers.length - used
  }
}
