/**
 * Caches which jobs meet search conditions, and how closely. A condition's set of jobs comes from the words of all jobs
 * if the index keeps them. Otherwise, it comes from the postings or, if they are not complete or cannot answer the
 * condition, from a query. Later changes update the set from the search vectors of changed jobs.
 */
import { setImmediate as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { breather } from '../../lib/breather.ts'
import { lowerBound } from '../../lib/lower-bound.ts'
import { temporary, withTemporaries } from '../../lib/temporaries.ts'
import { type Lexemes, parseVector } from '../text/operands.ts'
import { withLanguages } from '../text/stems.ts'
import type { SearchCondition } from '../text/words.ts'
import { Bits, enlarged, slotsOf, wordsFor } from './bits.ts'
import type { Columns } from './columns.ts'
import { Postings } from './postings.ts'

/** For each operand, returns the numbers of the matching jobs, four bytes per number, or null if no job matches. */
export type AskTexts = (operands: readonly string[]) => Promise<readonly (Buffer | null)[]>

/** Returns the words of jobs by their numbers, or undefined to stop. */
export type ReadWords = (numbers: readonly number[]) => Promise<readonly WordsRow[] | undefined>

/** A condition whose jobs a search needs. `withFits` also requests how closely the jobs match. */
export interface Wanted {
  condition: SearchCondition
  withFits: boolean
}

/** The words of a job, as a search vector in PostgreSQL's output format. */
export interface WordsRow {
  number: number
  vector: string
}

export interface TextSet {
  condition: SearchCondition
  /** The number of the first change that the set does not contain yet. */
  seen: number
  bits: Bits
  fits: Fits | undefined
  /** Size at creation; later growth is small. */
  readonly bytes: number
}

/** A sparse column, which stores a byte for each listed slot. */
export class Fits {
  slots: Uint32Array<ArrayBuffer>
  bytes: Uint8Array<ArrayBuffer>
  length: number

  /** Stores the bytes of a column for these slots, which must ascend. */
  constructor(slots: Uint32Array<ArrayBuffer>, column: Uint8Array) {
    this.slots = slots
    this.length = slots.length
    const { length } = slots
    const bytes = new Uint8Array(length)
    for (let index = 0; index < length; index++) bytes[index] = column[slots[index]!]!
    this.bytes = bytes
  }

  set(slot: number, byte: number): void {
    const at = lowerBound(this.length, (index) => this.slots[index]! < slot)
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

  /** Returns the bytes as a temporary full column of this size, with zeros for all other slots. */
  column(size: number): Uint8Array {
    const { slots, bytes, length } = this
    const column = temporary(Uint8Array, size).fill(0)
    for (let index = 0; index < length; index++) column[slots[index]!] = bytes[index]!
    return column
  }

  #grow(): void {
    const room = Math.ceil(this.length * 1.25) + 8
    this.slots = enlarged(this.slots, room)
    this.bytes = enlarged(this.bytes, room)
  }
}

interface Asked {
  answer: Promise<void>
  /** The number of the first change that may be missing from the query's result. */
  seen: number
}

interface Change {
  slot: number
  vector: string
  lexemes?: Lexemes
}

const LIMITS = { maxSize: 96 * 1024 * 1024, max: 5_000 }
/**
 * The postings are rebuilt when they have more documents than this many times the number of slots, plus `OUTDATED_MIN`.
 */
const OUTDATED_SHARE = 1.5
const OUTDATED_MIN = 10_000
/** Number of jobs read at a time. A vector can take 1 MB, but most take 3 KB. */
const ROWS_READ = 500
const NO_FITS = new Fits(new Uint32Array(0), new Uint8Array(0))
/** Limits on the number and total length of recorded changes. Sets that are further behind are dropped. */
const CHANGES_MAX = 4_000
const CHANGES_LENGTH_MAX = 8_000_000
/**
 * Number of job numbers read at a time, which takes 1 to 2 ms. A frequent word has a million of them; reading all at
 * once would block other requests.
 */
const NUMBERS_AT_ONCE = 100_000

export class Texts {
  readonly #columns: Columns
  /** The words of each slot, if the index keeps them. */
  readonly #words: Map<number, Lexemes> | undefined
  readonly #sets = new LRUCache<string, TextSet>({
    ...LIMITS,
    sizeCalculation: ({ bytes }, key) => bytes + key.length,
  })
  #postings: Postings | undefined
  /**
   * The slots of jobs that have changed since the current build of postings began. Undefined if no build is running.
   */
  #changed: Set<number> | undefined
  readonly #nothing = new Bits(0)
  readonly #asked = new Map<string, Asked>()
  /** Recent changes. A set applies them on use, because most sets are not used between two changes. */
  readonly #changes: Change[] = []
  /** The number of the oldest change still stored, counted from the creation of this object. */
  #first = 0
  #changesLength = 0

  /** `keepsWords`: keeps the words of all jobs, which suits a small index. The index then never needs a query. */
  constructor(columns: Columns, keepsWords = false) {
    this.#columns = columns
    this.#words = keepsWords ? new Map() : undefined
  }

  find(condition: SearchCondition, withFits: boolean): TextSet | undefined {
    // A set with fits is sufficient too, because it also contains the matches.
    const set = this.#sets.get(keyOf(condition, withFits)) ?? this.#sets.get(keyOf(condition, true))
    if (set) this.#catchUp(set)
    else if (this.#postings && condition.questions && !this.#postings.mayMatch(condition.questions[0]!.alternatives)) {
      return this.#nothingOf(condition)
    }
    return set
  }

  /** Returns whether `compute` can compute the set of a condition without a query. */
  canCompute({ condition: { questions }, withFits }: Wanted): boolean {
    if (this.#words) return true
    const asked = withFits ? questions : questions?.slice(0, 1)
    return asked !== undefined && this.#postings !== undefined && asked.every((one) => this.#postings!.canAnswer(one))
  }

  /** Computes and caches the set of a condition. */
  compute({ condition, withFits }: Wanted): void {
    const { capacity, size } = this.#columns
    if (this.#words) {
      this.#keep(condition, this.#scan(this.#words, condition))
      return
    }
    withTemporaries(() => {
      const [bits, ...closer] = condition
        .questions!.slice(0, withFits ? undefined : 1)
        .map((question) => this.#postings!.answer(question, capacity))
      const fits = withFits ? fitsOf(bits!, closer, size) : undefined
      this.#keep(condition, { seen: this.#next, bits: bits!, fits })
    })
  }

  /** Tests the words of every job. Always includes the fits. */
  #scan(words: ReadonlyMap<number, Lexemes>, condition: SearchCondition): Pick<TextSet, 'seen' | 'bits' | 'fits'> {
    const bits = new Bits(wordsFor(this.#columns.capacity))
    const column = new Uint8Array(this.#columns.size)
    for (const [slot, lexemes] of words) {
      column[slot] = condition.fit(lexemes)
      bits.set(slot, column[slot] > 0)
    }
    return { seen: this.#next, bits, fits: new Fits(slotsOf(bits), column) }
  }

  /** Whether the postings are missing, or have many outdated documents. */
  get needsPostings(): boolean {
    const { documents } = this.#postings ?? { documents: Number.POSITIVE_INFINITY }
    return documents > this.#columns.size * OUTDATED_SHARE + OUTDATED_MIN
  }

  /** Builds postings, unless `read` returns undefined. The built postings contain all jobs of the board. */
  async build(read: ReadWords): Promise<void> {
    const { size } = this.#columns
    const building = new Postings(size)
    const changed = new Set<number>()
    this.#changed = changed
    try {
      for (let from = 0; from < size; from += ROWS_READ) {
        const slots = Array.from({ length: Math.min(ROWS_READ, size - from) }, (_, n) => from + n)
        if (!(await this.#readWords(slots, read, (slot, vector) => building.add(slot, vector)))) return
      }
      while (changed.size > 0) {
        const slots = Array.from(changed.values().take(ROWS_READ))
        // A job that changes again during the read is added again.
        for (const slot of slots) changed.delete(slot)
        if (!(await this.#readWords(slots, read, (slot, vector) => building.put(slot, vector)))) return
      }
      this.#postings = building
    } finally {
      this.#changed = undefined
    }
  }

  async #readWords(
    slots: readonly number[],
    read: ReadWords,
    use: (slot: number, vector: string) => void,
  ): Promise<boolean> {
    const numbers = slots.map((slot) => this.#columns.number[slot]!)
    const rows = await read(numbers)
    if (rows === undefined) return false
    const vectors = new Map(rows.map(({ number, vector }) => [number, vector]))
    const breathe = breather()
    for (const [n, slot] of slots.entries()) {
      await breathe()
      const vector = vectors.get(numbers[n]!)
      // If another job has taken the slot, that job is among the changed jobs.
      if (vector !== undefined && this.#columns.slotOf(numbers[n]!) === slot) use(slot, vector)
    }
    // Each query result refers to the next one. Once one result is in V8's old space, all texts that are not cleared
    // here would remain until a full garbage collection: 350 MB for 200,000 jobs.
    vectors.clear()
    for (const row of rows) row.vector = ''
    return true
  }

  /** Returns an empty set without caching it, because sets of words that no job contains would evict other sets. */
  #nothingOf(condition: SearchCondition): TextSet {
    this.#nothing.grow(wordsFor(this.#columns.capacity))
    return { condition, seen: this.#next, bits: this.#nothing, fits: NO_FITS, bytes: 0 }
  }

  /**
   * Loads conditions with at most two queries: which jobs meet each condition, then how closely they match. Waits for
   * conditions that other requests are already loading.
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
      // Only later changes can add languages, and the set applies these changes itself.
      const numbers = await ask(unknown.map((operand) => withLanguages(operand, this.#columns.languages.values)))
      for (const [n, operand] of unknown.entries()) found.set(operand, numbers[n]!)
    }
    const conditions = [...wanted.values()]
    await askFor(conditions.map(({ condition }) => condition.operand))
    const isMet = ({ condition, withFits }: Wanted) => withFits && found.get(condition.operand) !== null
    await askFor(conditions.filter(isMet).flatMap(({ condition }) => condition.closer))
    for (const { condition, withFits } of wanted.values()) {
      const operands = withFits ? [condition.operand, ...condition.closer] : [condition.operand]
      const numbers = operands.map((operand) => found.get(operand) ?? null)
      const bits = await this.#read(numbers[0])
      const fits = withFits ? await this.#readFits(bits, numbers) : undefined
      this.#keep(condition, { seen, bits, fits })
    }
  }

  /** Caches a set. Later changes are applied when the set is used. */
  #keep(condition: SearchCondition, set: Pick<TextSet, 'seen' | 'bits' | 'fits'>): void {
    const bytes = set.bits.words.length * 4 + (set.fits?.slots.length ?? 0) * 5
    this.#sets.set(keyOf(condition, set.fits !== undefined), { condition, ...set, bytes })
  }

  refresh(slot: number, vector: string): void {
    this.#postings?.put(slot, vector)
    this.#words?.set(slot, parseVector(vector))
    this.#changed?.add(slot)
    if (this.#sets.size === 0 && this.#asked.size === 0) return
    this.#changes.push({ slot, vector })
    this.#changesLength += vector.length
    if (this.#changes.length > CHANGES_MAX || this.#changesLength > CHANGES_LENGTH_MAX) this.#forgetChanges()
  }

  get #next(): number {
    return this.#first + this.#changes.length
  }

  /** Updates a set for the jobs that have changed since its last use. */
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

  /** Drops the older half of the changes and the sets that still need them. Keeps changes that running queries need. */
  #forgetChanges(): void {
    const from = Math.min(
      this.#first + (this.#changes.length >> 1),
      ...[...this.#asked.values()].map(({ seen }) => seen),
    )
    for (const [key, { seen }] of [...this.#sets]) if (seen < from) this.#sets.delete(key)
    for (const { vector } of this.#changes.splice(0, from - this.#first)) this.#changesLength -= vector.length
    this.#first = from
  }

  async #read(numbers: Buffer | null | undefined): Promise<Bits> {
    const bits = new Bits(wordsFor(this.#columns.capacity))
    await this.#eachSlot(numbers, (slot) => bits.set(slot, true))
    return bits
  }

  /** Returns the fits of the jobs in `bits`. Each list of job numbers provides one bit. */
  async #readFits(bits: Bits, found: readonly (Buffer | null)[]): Promise<Fits> {
    const column = new Uint8Array(this.#columns.size)
    for (const [bit, numbers] of found.entries()) {
      await this.#eachSlot(numbers, (slot) => {
        // A separate query reads the closer matches. These matches count only for jobs that meet the condition itself.
        if (bits.has(slot)) column[slot]! |= 1 << bit
      })
    }
    return new Fits(slotsOf(bits), column)
  }

  /** Calls `use` with the slot of each job in `numbers`. Skips jobs that are not on the board. */
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

/** Returns fits with bit 0 for each job in the set, and one higher bit for each closer set that contains the job. */
function fitsOf(set: Bits, closer: readonly Bits[], size: number): Fits {
  const column = temporary(Uint8Array, size).fill(0)
  const { words: within } = set
  for (const [n, { words }] of [set, ...closer].entries()) {
    const { length } = words
    for (let at = 0; at < length; at++) {
      let word = words[at]! & within[at]!
      while (word !== 0) {
        const lowest = word & -word
        column[(at << 5) + 31 - Math.clz32(lowest)]! |= 1 << n
        word ^= lowest
      }
    }
  }
  return new Fits(slotsOf(set), column)
}

/** Returns the cache key of a condition. Two words can have the same operand but different stricter conditions. */
function keyOf({ operand, closer }: SearchCondition, withFits: boolean): string {
  return withFits ? [operand, ...closer].join('\n') : operand
}
