/**
 * Which jobs meet the conditions of a search, and how closely: asked of the database the first time, and kept current
 * from then on with the search vectors of the jobs that change.
 */
import { type Lexemes, parseVector } from '../lib/search-operand.ts'
import type { SearchCondition } from '../lib/search-text.ts'
import { Bits, wordsFor } from './bits.ts'
import type { Columns } from './columns.ts'

/** Asks for the numbers of the jobs that an operand matches, four bytes each. */
export type AskText = (operand: string) => Promise<Buffer | null>

/** The jobs that meet a condition. */
export interface TextSet {
  condition: SearchCondition
  bits: Bits
  /** How closely; only where that was asked for. */
  fits: Fits | undefined
  /** As it was made: what it grows by later is little. */
  readonly bytes: number
}

/** A byte for each of some slots, by slot. */
export class Fits {
  slots: Uint32Array<ArrayBuffer>
  bytes: Uint8Array<ArrayBuffer>
  length: number

  /** Keeps the bytes of a column that are not 0. */
  constructor(column: Uint8Array) {
    let count = 0
    for (let slot = 0; slot < column.length; slot++) if (column[slot] !== 0) count++
    this.slots = new Uint32Array(count)
    this.bytes = new Uint8Array(count)
    this.length = 0
    for (let slot = 0; slot < column.length; slot++) {
      if (column[slot] === 0) continue
      this.slots[this.length] = slot
      this.bytes[this.length++] = column[slot]!
    }
  }

  set(slot: number, byte: number): void {
    const at = this.#position(slot)
    const isThere = at < this.length && this.slots[at] === slot
    if (!isThere && byte === 0) return
    if (!isThere) {
      if (this.length === this.slots.length) this.#grow()
      this.slots.copyWithin(at + 1, at, this.length)
      this.bytes.copyWithin(at + 1, at, this.length++)
      this.slots[at] = slot
    }
    this.bytes[at] = byte
  }

  /** Writes the bytes where they belong among those of all slots, which are 0. */
  spread(all: Uint8Array): void {
    for (let index = 0; index < this.length; index++) all[this.slots[index]!] = this.bytes[index]!
  }

  #position(slot: number): number {
    let [from, to] = [0, this.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (this.slots[middle]! < slot) from = middle + 1
      else to = middle
    }
    return from
  }

  #grow(): void {
    const room = Math.ceil(this.length * 1.25) + 8
    const [slots, bytes] = [new Uint32Array(room), new Uint8Array(room)]
    slots.set(this.slots)
    bytes.set(this.bytes)
    this.slots = slots
    this.bytes = bytes
  }
}

interface Asked {
  condition: SearchCondition
  answer: Promise<void>
  /** What is known of jobs that changed meanwhile. */
  verdicts: Map<number, number>
}

/** Sets are dropped, the longest unused first, beyond so many bytes, and beyond so many, as each follows every change. */
const BYTES_MAX = 256 * 1024 * 1024
const COUNT_MAX = 5_000

export class Texts {
  readonly #columns: Columns
  readonly #sets = new Map<string, TextSet>()
  readonly #asked = new Map<string, Asked>()
  #bytes = 0

  constructor(columns: Columns) {
    this.#columns = columns
  }

  /** The jobs that meet a condition, if they are known. */
  find(condition: SearchCondition, withFits: boolean): TextSet | undefined {
    const key = keyOf(condition, withFits)
    const set = this.#sets.get(key)
    if (set === undefined) return undefined
    this.#sets.delete(key)
    this.#sets.set(key, set)
    return set
  }

  /** Makes them known; who asks for the same at the same time waits for one answer. */
  async ask(condition: SearchCondition, withFits: boolean, ask: AskText): Promise<void> {
    const key = keyOf(condition, withFits)
    let asked = this.#asked.get(key)
    if (asked === undefined) {
      const verdicts = new Map<number, number>()
      const operands = withFits ? [condition.operand, ...condition.closer] : [condition.operand]
      const answer = Promise.all(operands.map(ask))
        .then((found) => this.#keep(key, this.#read(condition, withFits, found, verdicts)))
        .finally(() => this.#asked.delete(key))
      asked = { condition, answer, verdicts }
      this.#asked.set(key, asked)
    }
    await asked.answer
  }

  /** Judges a job by the search vector that it has now. */
  refresh(slot: number, vector: string): void {
    if (this.#sets.size === 0 && this.#asked.size === 0) return
    const lexemes: Lexemes = parseVector(vector)
    const room = wordsFor(this.#columns.capacity)
    for (const { condition, bits, fits } of this.#sets.values()) {
      const fit = fits ? condition.fit(lexemes) : Number(condition.matches(lexemes))
      bits.grow(room)
      bits.set(slot, fit > 0)
      fits?.set(slot, fit)
    }
    for (const { condition, verdicts } of this.#asked.values()) verdicts.set(slot, condition.fit(lexemes))
  }

  /** Each of the lists of numbers is a bit of the fit. */
  #read(
    condition: SearchCondition,
    withFits: boolean,
    found: readonly (Buffer | null)[],
    verdicts: ReadonlyMap<number, number>,
  ): TextSet {
    const column = new Uint8Array(this.#columns.size)
    for (const [bit, numbers] of found.entries()) {
      for (let at = 0; at < (numbers?.length ?? 0); at += 4) {
        // Some may not be here yet, or not any more.
        const slot = this.#columns.slotOfNumber(numbers!.readInt32BE(at))
        if (slot !== undefined) column[slot]! |= 1 << bit
      }
    }
    for (const [slot, fit] of verdicts) column[slot] = fit
    const bits = new Bits(wordsFor(this.#columns.capacity))
    for (let slot = 0; slot < column.length; slot++) {
      // What is closer is asked for at another moment: it counts only with the condition itself.
      if ((column[slot]! & 1) === 0) column[slot] = 0
      else bits.set(slot, true)
    }
    const fits = withFits ? new Fits(column) : undefined
    return { condition, bits, fits, bytes: bits.words.length * 4 + (fits?.slots.length ?? 0) * 5 }
  }

  #keep(key: string, set: TextSet): void {
    this.#drop(key)
    this.#sets.set(key, set)
    this.#bytes += set.bytes
    for (const oldest of this.#sets.keys()) {
      if (this.#bytes <= BYTES_MAX && this.#sets.size <= COUNT_MAX) break
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    const set = this.#sets.get(key)
    if (set === undefined) return
    this.#sets.delete(key)
    this.#bytes -= set.bytes
  }
}

/** Words that differ in what makes for a closer fit may be one as an operand. */
function keyOf({ operand, closer }: SearchCondition, withFits: boolean): string {
  return withFits ? [operand, ...closer].join('\n') : operand
}
