/** The IDs of jobs by slot. */
import { ID_DIGITS, idPrefixes } from '../../lib/ids.ts'
import { enlarged } from './bits.ts'

const PREFIX = `${idPrefixes.job}_`
const DIGITS = 26
/** Each 32-bit word contains six digits of five bits each. The last word contains the last two digits. */
const DIGITS_PER_WORD = 6
const WORDS = 5
const FIRST_LENGTH = 1_024

const LENGTH = PREFIX.length + DIGITS
const units = Uint8Array.from(ID_DIGITS, (digit) => digit.charCodeAt(0))
const NO_DIGIT = 255
const valueByUnit = new Uint8Array(256).fill(NO_DIGIT)
for (const [value, unit] of units.entries()) valueByUnit[unit] = value
/** Maximum number of recently read IDs kept as strings. Small boards have fewer jobs. Must be a power of two. */
const RECENT = 32_768
/** The ID that is being read. Building a string from single digits would take twice as long. */
const written = Buffer.alloc(LENGTH, PREFIX)

/**
 * Stores IDs as numbers that sort like the IDs. A million IDs take 20 MB instead of 56 MB, and garbage collections do
 * not read them.
 */
export class JobIds {
  #words = new Uint32Array(FIRST_LENGTH * WORDS)
  /** IDs that the service did not generate, by slot. */
  readonly #others = new Map<number, string>()
  /** Recently read IDs and their slots. The position of an ID is its slot modulo `RECENT`. */
  readonly #recent = new Array<string>(RECENT).fill('')
  readonly #recentSlots = new Int32Array(RECENT).fill(-1)

  get(slot: number): string {
    const place = slot & (RECENT - 1)
    if (this.#recentSlots[place] !== slot) {
      this.#recent[place] = this.#others.get(slot) ?? this.#read(slot)
      this.#recentSlots[place] = slot
    }
    return this.#recent[place]!
  }

  #read(slot: number): string {
    for (let n = PREFIX.length, at = slot * WORDS; n < LENGTH; at++) {
      const word = this.#words[at]!
      const last = (Math.min(DIGITS_PER_WORD, LENGTH - n) - 1) * 5
      for (let shift = last; shift >= 0; shift -= 5) written[n++] = units[(word >>> shift) & 31]!
    }
    return written.toString('latin1')
  }

  set(slot: number, id: string): void {
    const start = slot * WORDS
    if (start >= this.#words.length) {
      this.#words = enlarged(this.#words, Math.max(start + WORDS, this.#words.length * 2))
    }
    this.#words.fill(0, start, start + WORDS)
    this.#recentSlots[slot & (RECENT - 1)] = -1
    let isGenerated = id.length === LENGTH && id.startsWith(PREFIX)
    for (let n = 0; n < DIGITS; n++) {
      const value = valueByUnit[id.charCodeAt(PREFIX.length + n)] ?? NO_DIGIT
      if (value === NO_DIGIT) isGenerated = false
      const at = start + Math.floor(n / DIGITS_PER_WORD)
      this.#words[at] = (this.#words[at]! << 5) | (value & 31)
    }
    if (isGenerated) this.#others.delete(slot)
    else this.#others.set(slot, id)
  }

  /** Compares the IDs in two slots, like a function for `sort`. */
  compare(a: number, b: number): number {
    if (this.#others.size > 0) return this.get(a) < this.get(b) ? -1 : Number(a !== b)
    for (let n = 0; n < WORDS; n++) {
      const difference = this.#words[a * WORDS + n]! - this.#words[b * WORDS + n]!
      if (difference !== 0) return difference
    }
    return 0
  }

  /** Returns the content. The words must not change while they are in use. */
  save(): { words: Uint32Array<ArrayBuffer>; others: [slot: number, id: string][] } {
    return { words: this.#words, others: [...this.#others] }
  }

  /** Loads saved content. This object must be new. */
  restore({ words, others }: ReturnType<JobIds['save']>): void {
    this.#words = words
    for (const [slot, id] of others) this.#others.set(slot, id)
  }
}
