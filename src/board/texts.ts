/**
 * Which jobs meet the conditions of a search, and how closely: asked of the database the first time, and kept current
 * from then on with the search vectors of the jobs that change.
 */

import { setImmediate as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { Beginnings } from '../lib/beginnings.ts'
import { type Lexemes, parseVector } from '../lib/search-operand.ts'
import type { SearchCondition } from '../lib/search-text.ts'
import { Bits, wordsFor } from './bits.ts'
import type { Columns } from './columns.ts'

/** Asks for the numbers of the jobs that each operand matches, four bytes each. */
export type AskTexts = (operands: readonly string[]) => Promise<readonly (Buffer | null)[]>

/** A condition that a search needs the jobs of; `withFits`, also how closely they meet it. */
export interface Wanted {
  condition: SearchCondition
  withFits: boolean
}

/** The jobs that meet a condition. */
export interface TextSet {
  condition: SearchCondition
  /** The number of the first change that it has not seen. */
  seen: number
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
  answer: Promise<void>
  /** The change from which on it may know nothing. */
  seen: number
}

/** A job's search vector as it is since a change. */
interface Change {
  slot: number
  vector: string
  lexemes?: Lexemes
}

const BYTES_MAX = 512 * 1024 * 1024
const COUNT_MAX = 5_000
const NO_FITS = new Fits(new Uint8Array(0))
/** Changes that are kept, and characters of them, for sets to catch up with; a set that is further behind is dropped. */
const CHANGES_MAX = 4_000
const CHANGES_LENGTH_MAX = 32_000_000
/** Numbers that are read at a time, in a millisecond or two: of a frequent word there are a million, and other requests wait. */
const NUMBERS_AT_ONCE = 100_000

export class Texts {
  readonly #columns: Columns
  readonly #sets = new LRUCache<string, TextSet>({
    max: COUNT_MAX,
    maxSize: BYTES_MAX,
    sizeCalculation: ({ bytes }, key) => bytes + key.length,
  })
  /** Of the lexemes of all jobs, once somebody has begun to learn them. */
  #beginnings: Beginnings | undefined
  readonly #nothing = new Bits(0)
  readonly #asked = new Map<string, Asked>()
  /** The last changes: a set catches up with them when it is asked for, as most are not before the next change. */
  readonly #changes: Change[] = []
  /** The number of the first of them, of all that there were. */
  #first = 0
  #changesLength = 0

  constructor(columns: Columns) {
    this.#columns = columns
  }

  /** The jobs that meet a condition, if they are known. */
  find(condition: SearchCondition, withFits: boolean): TextSet | undefined {
    // Who knows how closely knows whether.
    const set = this.#sets.get(keyOf(condition, withFits)) ?? this.#sets.get(keyOf(condition, true))
    if (set) this.#catchUp(set)
    else if (this.#beginnings?.isComplete && !condition.mayMatch(this.#beginnings)) return this.#nothingOf(condition)
    return set
  }

  /** Whether words that no job can have are known without asking. */
  get knowsBeginnings(): boolean {
    return this.#beginnings?.isComplete ?? false
  }

  /** Begins to learn which lexemes there are. The caller adds those of all jobs and says when it is complete. */
  beginLearning(): Beginnings {
    this.#beginnings = new Beginnings()
    return this.#beginnings
  }

  /** The set of a condition that no job meets. It is not kept: invented words would push out others. */
  #nothingOf(condition: SearchCondition): TextSet {
    this.#nothing.grow(wordsFor(this.#columns.capacity))
    return { condition, seen: this.#next, bits: this.#nothing, fits: NO_FITS, bytes: 0 }
  }

  /** Whether there is room for sets that nobody has asked for yet. */
  get hasRoom(): boolean {
    return this.#sets.calculatedSize < BYTES_MAX / 2
  }

  /**
   * Makes conditions known with at most two questions: which jobs meet each, and how closely those that some job meets are
   * met. Conditions that others are asking for are awaited.
   */
  async ask(wanted: readonly Wanted[], ask: AskTexts): Promise<void> {
    const own = new Map<string, Wanted>()
    const others: Promise<void>[] = []
    for (const one of wanted) {
      const key = keyOf(one.condition, one.withFits)
      const asked = this.#asked.get(key)
      if (asked) others.push(asked.answer)
      else if (!this.find(one.condition, one.withFits)) own.set(key, one)
    }
    if (own.size > 0) {
      const seen = this.#next
      const answer = this.#answer(own, ask, seen).finally(() => {
        for (const key of own.keys()) this.#asked.delete(key)
      })
      for (const key of own.keys()) this.#asked.set(key, { answer, seen })
      others.push(answer)
    }
    await Promise.all(others)
  }

  async #answer(wanted: ReadonlyMap<string, Wanted>, ask: AskTexts, seen: number): Promise<void> {
    const found = new Map<string, Buffer | null>()
    const askFor = async (operands: readonly string[]) => {
      const unknown = [...new Set(operands)].filter((operand) => !found.has(operand))
      if (unknown.length === 0) return
      const numbers = await ask(unknown)
      for (const [n, operand] of unknown.entries()) found.set(operand, numbers[n]!)
    }
    const conditions = [...wanted.values()]
    await askFor(conditions.map(({ condition }) => condition.operand))
    const isMet = ({ condition, withFits }: Wanted) => withFits && found.get(condition.operand) !== null
    await askFor(conditions.filter(isMet).flatMap(({ condition }) => condition.closer))
    for (const [key, { condition, withFits }] of wanted) {
      const operands = withFits ? [condition.operand, ...condition.closer] : [condition.operand]
      const numbers = operands.map((operand) => found.get(operand) ?? null)
      this.#sets.set(key, await this.#read(condition, withFits, numbers, seen))
    }
  }

  /** Notes the search vector that a job has now. */
  refresh(slot: number, vector: string): void {
    this.#beginnings?.addVector(vector)
    if (this.#sets.size === 0 && this.#asked.size === 0) return
    this.#changes.push({ slot, vector })
    this.#changesLength += vector.length
    if (this.#changes.length > CHANGES_MAX || this.#changesLength > CHANGES_LENGTH_MAX) this.#forgetChanges()
  }

  get #next(): number {
    return this.#first + this.#changes.length
  }

  /** Judges the jobs that have changed since the set was last asked for. */
  #catchUp(set: TextSet): void {
    const { condition, bits, fits } = set
    bits.grow(wordsFor(this.#columns.capacity))
    for (const change of this.#changes.slice(set.seen - this.#first)) {
      change.lexemes ??= parseVector(change.vector)
      const fit = fits ? condition.fit(change.lexemes) : Number(condition.matches(change.lexemes))
      bits.set(change.slot, fit > 0)
      fits?.set(change.slot, fit)
    }
    set.seen = this.#next
  }

  /** Forgets the older half of the changes, and the sets that have not seen them; what is being asked for needs its own. */
  #forgetChanges(): void {
    const from = Math.min(
      this.#first + (this.#changes.length >> 1),
      ...[...this.#asked.values()].map(({ seen }) => seen),
    )
    for (const [key, { seen }] of [...this.#sets]) if (seen < from) this.#sets.delete(key)
    for (const { vector } of this.#changes.splice(0, from - this.#first)) this.#changesLength -= vector.length
    this.#first = from
  }

  /** What PostgreSQL answered as a set; what changed since the question is judged when the set is asked for. */
  async #read(
    condition: SearchCondition,
    withFits: boolean,
    found: readonly (Buffer | null)[],
    seen: number,
  ): Promise<TextSet> {
    const bits = new Bits(wordsFor(this.#columns.capacity))
    await this.#eachSlot(found[0], (slot) => bits.set(slot, true))
    const fits = withFits ? await this.#readFits(bits, found) : undefined
    return { condition, seen, bits, fits, bytes: bits.words.length * 4 + (fits?.slots.length ?? 0) * 5 }
  }

  /** Each of the lists of numbers is a bit of the fit. */
  async #readFits(bits: Bits, found: readonly (Buffer | null)[]): Promise<Fits> {
    const column = new Uint8Array(this.#columns.size)
    for (const [bit, numbers] of found.entries()) {
      await this.#eachSlot(numbers, (slot) => {
        // What is closer is asked for at another moment: it counts only with the condition itself.
        if (bits.has(slot)) column[slot]! |= 1 << bit
      })
    }
    return new Fits(column)
  }

  /** Where the jobs of these numbers are; some may not be here yet, or not any more. */
  async #eachSlot(numbers: Buffer | null | undefined, use: (slot: number) => void): Promise<void> {
    if (!numbers) return
    for (let from = 0; from < numbers.length; from += NUMBERS_AT_ONCE * 4) {
      if (from > 0) await pause()
      const end = Math.min(from + NUMBERS_AT_ONCE * 4, numbers.length)
      for (let at = from; at < end; at += 4) {
        const slot = this.#columns.slotOf(numbers.readInt32BE(at))
        if (slot !== undefined) use(slot)
      }
    }
  }
}

/** Words that differ in what makes for a closer fit may be one as an operand. */
function keyOf({ operand, closer }: SearchCondition, withFits: boolean): string {
  return withFits ? [operand, ...closer].join('\n') : operand
}
