/**
 * An inverted index of the words of all jobs. It consists of a few typed arrays and pages of bytes, so that garbage
 * collections do not have to visit millions of objects. Each lexeme has a list of the documents that contain it, stored
 * as variable-length differences. The list is a chain of slices that grow with the list (decision 0129).
 *
 * A document is one version of the words of a job. A job whose words change gets a new document. The entries of the
 * previous document remain in the lists, but no longer belong to a slot.
 */
import { randomInt } from 'node:crypto'
import { lowerBound } from '../../lib/lower-bound.ts'
import { temporary } from '../../lib/temporaries.ts'
import type { Alternative, Question, Term } from '../text/operands.ts'
import { Bits, enlarged, wordsFor } from './bits.ts'

const QUOTE = 0x27
const COLON = 0x3a
const COMMA = 0x2c
const [ZERO, NINE] = [0x30, 0x39]
const [A, B] = [0x41, 0x42]

/**
 * The byte appended to a lexeme identifies the weight of its list. Neither byte occurs in UTF-8. Lists of weight A
 * (titles and skills) also contain positions, because rankings look for adjacent words in titles.
 */
const MARKS = { A: 0xff, B: 0xfe } as const

/** Sizes of the slices of a list, in bytes. The last size repeats. A slice ends with the address of the next one. */
const SLICES = [12, 20, 36, 64, 112, 192, 320, 512, 800, 1_280, 2_048, 4_096]
const ADDRESS_BYTES = 4
/** Bytes in a list before it reaches the last size. */
const FIRST_SLICES_BYTES = SLICES.slice(0, -1).reduce((sum, bytes) => sum + bytes - ADDRESS_BYTES, 0)
const PAGE_BITS = 20
const PAGE_BYTES = 1 << PAGE_BITS
/** PostgreSQL's positions take 14 bits. A double represents a document number and a position exactly. */
const POSITIONS = 16_384
const NONE = -1
/** The level of a list that is a set of bits, which takes less memory if many documents contain the lexeme. */
const DENSE = 255
/**
 * A list without positions that reaches the last size becomes a set of bits if it contains at least one in this many
 * documents.
 */
const DENSITY = 16

export class Postings {
  /** Number of documents, including outdated ones and those reserved for empty slots. */
  documents: number
  /** Documents below this number have the number of their slot. A multiple of 32. */
  readonly #first: number
  /** The slots of all other documents. */
  #slots = new Uint32Array(1_024)
  /** The documents that are not outdated, as bits. */
  #current: Uint32Array<ArrayBuffer>
  /** The document of each slot, or `NONE`. */
  #documentOf: Int32Array<ArrayBuffer>
  /** Two hashes of the words in each slot, which identify unchanged words. */
  #hashes: Uint32Array<ArrayBuffer>

  /** UTF-8 bytes of all lexemes, in the order of their numbers. */
  #text = new Uint8Array(65_536)
  #lexemes = 0
  /** The end of each lexeme in `#text`. */
  #ends = new Uint32Array(4_096)
  /** A hash table with open addressing. Each entry is the number of a lexeme plus one, or 0. Length: a power of two. */
  #table = new Uint32Array(8_192)
  /**
   * The newest lexeme that starts with each pair of bytes, plus one. `#next` contains the next older one for each
   * lexeme, plus one. 0: none.
   */
  readonly #starts = new Uint32Array(65_536)
  #next = new Uint32Array(4_096)
  /** The last document of each list, or `NONE`. */
  #last = new Int32Array(4_096)
  /** The address of the first slice; the only document of a list without slices; or the index of a set in `#dense`. */
  #head = new Uint32Array(4_096)
  /** The address after the last byte, or 0 without slices. */
  #tail = new Uint32Array(4_096)
  /** The address at which the last slice is full. */
  #end = new Uint32Array(4_096)
  /** The last slice's index in `SLICES`, or `DENSE`. */
  #level = new Uint8Array(4_096)
  readonly #dense: Bits[] = []
  readonly #pages: Uint8Array[] = []
  #free = PAGE_BYTES

  #bytes = new Uint8Array(8_192)
  readonly #encoder = new TextEncoder()
  readonly #positions = new Uint16Array(256)

  /** `slots`: `add` receives only slots below this number. */
  constructor(slots: number) {
    this.#first = wordsFor(slots) * 32
    this.documents = this.#first
    this.#current = new Uint32Array(wordsFor(this.#first) + 32)
    this.#documentOf = new Int32Array(this.#first + 1_024).fill(NONE)
    this.#hashes = new Uint32Array(2 * this.#documentOf.length)
  }

  /**
   * Adds the words of the job in a slot, before any `put`. `vector` is a `tsvector` in PostgreSQL's output format.
   * Slots must ascend.
   */
  add(slot: number, vector: string): void {
    const length = this.#encode(vector)
    this.#isChanged(slot, length)
    this.#read(slot, length, slot)
  }

  /** Adds or replaces the words of the job in a slot. */
  put(slot: number, vector: string): void {
    while (slot >= this.#documentOf.length) {
      const { length: before } = this.#documentOf
      this.#documentOf = grown(this.#documentOf).fill(NONE, before)
      this.#hashes = enlarged(this.#hashes, 2 * this.#documentOf.length)
    }
    const length = this.#encode(vector)
    if (!this.#isChanged(slot, length)) return
    const document = this.documents++
    const at = document - this.#first
    if (at >= this.#slots.length) this.#slots = grown(this.#slots)
    if (document >>> 5 >= this.#current.length) this.#current = grown(this.#current)
    const before = this.#documentOf[slot]!
    if (before !== NONE) this.#current[before >>> 5]! &= ~(1 << (before & 31))
    this.#slots[at] = slot
    this.#read(document, length, slot)
  }

  /** Writes a vector to `#bytes` and returns its length in bytes. */
  #encode(vector: string): number {
    if (this.#bytes.length <= vector.length * 3) this.#bytes = new Uint8Array(vector.length * 3 + 1)
    const { written } = this.#encoder.encodeInto(vector, this.#bytes)
    this.#bytes[written] = 0
    return written
  }

  /** Stores the hashes of a slot's words. Returns whether they differ from before. */
  #isChanged(slot: number, length: number): boolean {
    const bytes = this.#bytes
    let [one, other] = [0, 0]
    for (let at = 0; at < length; at++) {
      const byte = bytes[at]!
      one = Math.imul(one ^ byte, 0x01000193)
      other = (Math.imul(other, 0x85ebca6b) + byte) | 0
    }
    const hashes = this.#hashes
    const at = 2 * slot
    const isSame = hashes[at] === one >>> 0 && hashes[at + 1] === other >>> 0 && this.#documentOf[slot] !== NONE
    hashes[at] = one
    hashes[at + 1] = other
    return !isSame
  }

  /** Adds the lexemes in `#bytes` to the lists. */
  #read(document: number, length: number, slot: number): void {
    this.#documentOf[slot] = document
    this.#current[document >>> 5]! |= 1 << (document & 31)
    const bytes = this.#bytes
    const positions = this.#positions
    for (let at = 0; at < length; at++) {
      const from = ++at
      while (bytes[at] !== QUOTE) at++
      const to = at++
      this.#add(document, from, to)
      let [inTitle, isInCompany] = [0, false]
      if (bytes[at] !== COLON) continue
      // Each position follows a colon or a comma.
      do {
        let position = 0
        let byte = bytes[++at]!
        for (; byte >= ZERO && byte <= NINE; byte = bytes[++at]!) position = position * 10 + byte - ZERO
        if (byte === A) positions[inTitle++] = position
        else if (byte === B) isInCompany = true
        if (byte > NINE) at++
      } while (bytes[at] === COMMA)
      // The mark overwrites the closing quote, which is no longer needed.
      if (inTitle > 0) {
        bytes[to] = MARKS.A
        this.#add(document, from, to + 1, inTitle)
      }
      if (isInCompany) {
        bytes[to] = MARKS.B
        this.#add(document, from, to + 1)
      }
    }
  }

  /** Adds a document to the list of a lexeme, with the first `positions` elements of `#positions`. */
  #add(document: number, from: number, to: number, positions = 0): void {
    const lexeme = this.#find(this.#bytes, from, to) ?? this.#create(from, to)
    if (this.#level[lexeme] === DENSE) {
      setGrowing(this.#dense[this.#head[lexeme]!]!, document)
      return
    }
    const last = this.#last[lexeme]!
    this.#last[lexeme] = document
    if (this.#tail[lexeme] === 0) {
      // Most lexemes occur in only one job. Such a list needs no slice.
      if (last === NONE && positions === 0) {
        this.#head[lexeme] = document
        return
      }
      const address = this.#slice(0)
      this.#tail[lexeme] = address
      this.#end[lexeme] = address + SLICES[0]! - ADDRESS_BYTES
      const first = this.#head[lexeme]!
      this.#head[lexeme] = address
      if (last !== NONE) this.#write(lexeme, first)
    }
    this.#write(lexeme, last === NONE ? document : document - last)
    for (let n = 0; n < positions; n++) this.#write(lexeme, this.#positions[n]! * 2 + Number(n + 1 < positions))
    const isLong = positions === 0 && this.#level[lexeme] === SLICES.length - 1
    if (isLong && document < FIRST_SLICES_BYTES * DENSITY) this.#makeDense(lexeme, document)
  }

  #write(lexeme: number, number: number): void {
    let rest = number
    for (; rest > 127; rest >>>= 7) this.#append(lexeme, (rest & 127) | 128)
    this.#append(lexeme, rest)
  }

  #append(lexeme: number, byte: number): void {
    let address = this.#tail[lexeme]!
    if (address === this.#end[lexeme]) {
      const level = Math.min(this.#level[lexeme]! + 1, SLICES.length - 1)
      const next = this.#slice(level)
      const page = this.#pages[address >>> PAGE_BITS]!
      for (let n = 0; n < ADDRESS_BYTES; n++) page[(address & (PAGE_BYTES - 1)) + n] = next >>> (8 * n)
      this.#level[lexeme] = level
      this.#end[lexeme] = next + SLICES[level]! - ADDRESS_BYTES
      address = next
    }
    this.#pages[address >>> PAGE_BITS]![address & (PAGE_BYTES - 1)] = byte
    this.#tail[lexeme] = address + 1
  }

  #makeDense(lexeme: number, document: number): void {
    const bits = new Bits(wordsFor(Math.max(this.#first, document) + 1))
    this.#addList(lexeme, bits.words, false)
    this.#head[lexeme] = this.#dense.push(bits) - 1
    this.#level[lexeme] = DENSE
  }

  /** Allocates a slice and returns its address, which is never 0. */
  #slice(level: number): number {
    const bytes = SLICES[level]!
    if (this.#free + bytes > PAGE_BYTES) {
      this.#pages.push(new Uint8Array(PAGE_BYTES))
      this.#free = this.#pages.length === 1 ? ADDRESS_BYTES : 0
    }
    const address = (this.#pages.length - 1) * PAGE_BYTES + this.#free
    this.#free += bytes
    return address
  }

  #create(from: number, to: number): number {
    const lexeme = this.#lexemes++
    if (lexeme >= this.#ends.length) {
      this.#ends = grown(this.#ends)
      this.#next = grown(this.#next)
      this.#last = grown(this.#last)
      this.#head = grown(this.#head)
      this.#tail = grown(this.#tail)
      this.#end = grown(this.#end)
      this.#level = grown(this.#level)
    }
    const start = lexeme === 0 ? 0 : this.#ends[lexeme - 1]!
    while (start + to - from > this.#text.length) this.#text = grown(this.#text)
    this.#text.set(this.#bytes.subarray(from, to), start)
    this.#ends[lexeme] = start + to - from
    this.#last[lexeme] = NONE
    const begun = startOf(this.#bytes, from, to)
    this.#next[lexeme] = this.#starts[begun]!
    this.#starts[begun] = lexeme + 1
    if (lexeme * 2 > this.#table.length) {
      this.#table = new Uint32Array(this.#table.length * 2)
      for (let each = 0; each < lexeme; each++) {
        this.#enter(each, hashOf(this.#text, each === 0 ? 0 : this.#ends[each - 1]!, this.#ends[each]!))
      }
    }
    this.#enter(lexeme, hashOf(this.#bytes, from, to))
    return lexeme
  }

  #enter(lexeme: number, hash: number): void {
    const mask = this.#table.length - 1
    let at = hash & mask
    while (this.#table[at] !== 0) at = (at + 1) & mask
    this.#table[at] = lexeme + 1
  }

  #find(bytes: Uint8Array, from: number, to: number): number | undefined {
    const mask = this.#table.length - 1
    const text = this.#text
    for (let at = hashOf(bytes, from, to) & mask; ; at = (at + 1) & mask) {
      const lexeme = this.#table[at]! - 1
      if (lexeme < 0) return undefined
      const start = lexeme === 0 ? 0 : this.#ends[lexeme - 1]!
      if (this.#ends[lexeme]! - start !== to - from) continue
      let n = from
      while (n < to && bytes[n] === text[start + n - from]) n++
      if (n === to) return lexeme
    }
  }

  /** Yields the lists of a term: those for any weight, or those for the weight of a mark. */
  *#listsOf({ text, isPrefix }: Term, mark: number | undefined): Generator<number> {
    const bytes = this.#encoder.encode(text)
    if (isPrefix) yield* this.#listsFrom(bytes, mark)
    else {
      const marked = mark === undefined ? bytes : Uint8Array.from([...bytes, mark])
      const lexeme = this.#find(marked, 0, marked.length)
      if (lexeme !== undefined) yield lexeme
    }
  }

  *#listsFrom(prefix: Uint8Array, mark: number | undefined): Generator<number> {
    const first = startOf(prefix, 0, prefix.length)
    // After a prefix of one byte, the second byte of a lexeme can have any value.
    const [from, to] = prefix.length === 1 ? [prefix[0]! << 8, (prefix[0]! + 1) << 8] : [first, first + 1]
    for (let start = from; start < to; start++) {
      for (let lexeme = this.#starts[start]! - 1; lexeme >= 0; lexeme = this.#next[lexeme]! - 1) {
        const begin = lexeme === 0 ? 0 : this.#ends[lexeme - 1]!
        const end = this.#ends[lexeme]!
        const last = this.#text[end - 1]!
        if (mark === undefined ? last >= MARKS.B : last !== mark) continue
        let n = 0
        while (n < prefix.length && begin + n < end && this.#text[begin + n] === prefix[n]) n++
        if (n === prefix.length) yield lexeme
      }
    }
  }

  /** Returns whether any job may match. */
  mayMatch(alternatives: readonly Alternative[]): boolean {
    const exists = (term: Term) => !this.#listsOf(term, undefined).next().done
    return alternatives.some((steps) => steps.every(({ terms }) => terms.some(exists)))
  }

  /** Returns whether the lists suffice to answer a question. Only lists of weight A have positions. */
  canAnswer({ alternatives, weight }: Question): boolean {
    return weight === 'A' || alternatives.every((steps) => steps.length === 1)
  }

  /** Returns the slots of the matching jobs. */
  answer({ alternatives, weight }: Question, capacity: number): Bits {
    const found = temporary(Uint32Array, wordsFor(this.documents)).fill(0)
    const mark = weight && MARKS[weight]
    for (const steps of alternatives) {
      if (steps.length > 1) this.#addSequence(steps, found)
      else {
        for (const term of steps[0]!.terms) {
          for (const lexeme of this.#listsOf(term, mark)) this.#addList(lexeme, found, mark === MARKS.A)
        }
      }
    }
    return this.#inSlots(found, capacity)
  }

  #inSlots(found: Uint32Array, capacity: number): Bits {
    const bits = new Bits(wordsFor(capacity))
    const { words } = bits
    const { length } = found
    const current = this.#current
    const slots = this.#slots
    const first = this.#first >>> 5
    for (let at = 0; at < first; at++) words[at] = found[at]! & current[at]!
    for (let at = first; at < length; at++) {
      let word = found[at]! & current[at]!
      while (word !== 0) {
        const lowest = word & -word
        const slot = slots[((at - first) << 5) + 31 - Math.clz32(lowest)]!
        words[slot >>> 5]! |= 1 << (slot & 31)
        word ^= lowest
      }
    }
    return bits
  }

  /** Adds the documents of a list to `found`, as bits. */
  #addList(lexeme: number, found: Uint32Array, hasPositions: boolean): void {
    if (this.#level[lexeme] === DENSE) {
      const { words } = this.#dense[this.#head[lexeme]!]!
      const length = Math.min(words.length, found.length)
      for (let at = 0; at < length; at++) found[at]! |= words[at]!
      return
    }
    if (this.#tail[lexeme] === 0) {
      const document = this.#head[lexeme]!
      found[document >>> 5]! |= 1 << (document & 31)
      return
    }
    const slices = this.#slicesOf(lexeme)
    if (hasPositions) addTitles(slices, found)
    else addDocuments(slices, found)
  }

  #slicesOf(lexeme: number): Uint8Array[] {
    const slices: Uint8Array[] = []
    const tail = this.#tail[lexeme]!
    let address = this.#head[lexeme]!
    for (let level = 0; ; level = Math.min(level + 1, SLICES.length - 1)) {
      const page = this.#pages[address >>> PAGE_BITS]!
      const from = address & (PAGE_BYTES - 1)
      const bytes = SLICES[level]! - ADDRESS_BYTES
      const isLast = tail >= address && tail <= address + bytes
      slices.push(page.subarray(from, from + (isLast ? tail - address : bytes)))
      if (isLast) return slices
      const at = from + bytes
      address = (page[at]! | (page[at + 1]! << 8) | (page[at + 2]! << 16) | (page[at + 3]! << 24)) >>> 0
    }
  }

  /** Adds the documents whose titles or skills contain all steps at their distances. */
  #addSequence(steps: Alternative, found: Uint32Array): void {
    let before: Float64Array<ArrayBuffer> | undefined
    for (const [n, { distance, terms }] of steps.entries()) {
      const places: Float64Array<ArrayBuffer>[] = []
      for (const term of terms) {
        for (const lexeme of this.#listsOf(term, MARKS.A)) {
          const all = this.#placesOf(lexeme)
          places.push(before ? following(before, distance, all) : all)
        }
      }
      before = united(places)
      // The positions of a single list ascend.
      if (n + 1 < steps.length && places.length > 1) before.sort()
      if (before.length === 0) return
    }
    for (const place of before!) {
      const document = Math.floor(place / POSITIONS)
      found[document >>> 5]! |= 1 << (document & 31)
    }
  }

  /** Returns the documents and positions of a list with positions, ascending. */
  #placesOf(lexeme: number): Float64Array<ArrayBuffer> {
    const slices = this.#slicesOf(lexeme)
    const places = new Float64Array(slices.reduce((sum, { length }) => sum + length, 0))
    let [count, document, number, shift, isPosition] = [0, 0, 0, 0, false]
    for (const slice of slices) {
      const { length } = slice
      for (let at = 0; at < length; at++) {
        const byte = slice[at]!
        number |= (byte & 127) << shift
        if (byte > 127) {
          shift += 7
          continue
        }
        if (isPosition) {
          places[count++] = document * POSITIONS + (number >>> 1)
          isPosition = (number & 1) === 1
        } else {
          document += number
          isPosition = true
        }
        number = 0
        shift = 0
      }
    }
    return places.subarray(0, count)
  }
}

/** Adds the documents of a list without positions to `found`, as bits. */
function addDocuments(slices: readonly Uint8Array[], found: Uint32Array): void {
  let [document, number, shift] = [0, 0, 0]
  for (const slice of slices) {
    const { length } = slice
    for (let at = 0; at < length; at++) {
      const byte = slice[at]!
      if (byte < 128) {
        document += number | (byte << shift)
        found[document >>> 5]! |= 1 << (document & 31)
        number = 0
        shift = 0
      } else {
        number |= (byte & 127) << shift
        shift += 7
      }
    }
  }
}

/** Adds the documents of a list with positions to `found`, as bits. */
function addTitles(slices: readonly Uint8Array[], found: Uint32Array): void {
  let [document, number, shift, isPosition] = [0, 0, 0, false]
  for (const slice of slices) {
    const { length } = slice
    for (let at = 0; at < length; at++) {
      const byte = slice[at]!
      number |= (byte & 127) << shift
      if (byte > 127) {
        shift += 7
        continue
      }
      if (isPosition) isPosition = (number & 1) === 1
      else {
        document += number
        found[document >>> 5]! |= 1 << (document & 31)
        isPosition = true
      }
      number = 0
      shift = 0
    }
  }
}

function setGrowing(bits: Bits, document: number): void {
  const words = wordsFor(document + 1)
  if (words > bits.words.length) bits.grow(Math.ceil(words * 1.125))
  bits.set(document, true)
}

const grown = <T extends Parameters<typeof enlarged>[0]>(column: T): T =>
  enlarged(column, Math.ceil(column.length * 1.5))

/** Prevents employers from writing jobs whose words all have the same hash, which would make finding words slow. */
const SEED = randomInt(2 ** 32)

/** The hash FNV-1a, with a seed and better mixed low bits. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = SEED
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193)
  return hash ^ (hash >>> 15)
}

/** Returns the first two bytes as one number. A missing second byte counts as 0. */
const startOf = (bytes: Uint8Array, from: number, to: number) =>
  (bytes[from]! << 8) | (to - from > 1 ? bytes[from + 1]! : 0)

/** Returns the positions at this distance after one of the positions in `before`. Both arrays ascend. */
function following(
  before: Float64Array,
  distance: number,
  places: Float64Array<ArrayBuffer>,
): Float64Array<ArrayBuffer> {
  const isShort = places.length * 16 < before.length
  let [at, count] = [0, 0]
  for (const place of places) {
    const wanted = place - distance
    if (isShort) at = lowerBound(before.length, (index) => before[index]! < wanted)
    else while (at < before.length && before[at]! < wanted) at++
    // Overwrites only positions that have been read.
    if (at < before.length && before[at] === wanted) places[count++] = place
  }
  return places.subarray(0, count)
}

function united(arrays: readonly Float64Array<ArrayBuffer>[]): Float64Array<ArrayBuffer> {
  if (arrays.length === 1) return arrays[0]!
  const all = new Float64Array(arrays.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const array of arrays) {
    all.set(array, at)
    at += array.length
  }
  return all
}
