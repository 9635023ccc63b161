/** Corrects typos: replaces an unknown word with the most similar known word. */
import { replaceWords, type SearchGroup } from './words.ts'

/** Minimum length of a word to correct. Shorter words resemble too many others. */
const SHORTEST = 3
/** Minimum length of a word that allows two edits. */
const LONG = 8

/** Maximum length of a word to correct. Real words are shorter, and the number of edits must fit into a byte. */
const LONGEST = 200

/** Counts how often words occur. Each word takes about 100 bytes. Slots of removed words are reused. */
export class Vocabulary {
  readonly #slots = new Map<string, number>()
  readonly #words: string[] = []
  readonly #letters: number[] = []
  readonly #counts: number[] = []
  readonly #free: number[] = []

  /** Number of slots, including free ones. */
  get size(): number {
    return this.#words.length
  }

  /** Returns all words and their counts. */
  get counts(): [word: string, count: number][] {
    return Array.from(this.#slots, ([word, slot]) => [word, this.#counts[slot]!])
  }

  countOf(word: string): number {
    const slot = this.#slots.get(word)
    return slot === undefined ? 0 : this.#counts[slot]!
  }

  /** Changes the count of a word by `times`, which may be negative. */
  add(word: string, times = 1): void {
    let slot = this.#slots.get(word)
    if (slot === undefined) {
      slot = this.#free.pop() ?? this.#words.length
      this.#slots.set(word, slot)
      this.#words[slot] = word
      this.#letters[slot] = lettersOf(word)
      this.#counts[slot] = 0
    }
    this.#counts[slot]! += times
    if (this.#counts[slot] !== 0) return
    this.#slots.delete(word)
    this.#words[slot] = ''
    this.#free.push(slot)
  }

  /**
   * Returns the known word with the fewest edits, or undefined if no word is similar enough. Among equally
   * similar words, chooses the most frequent, then the first in alphabetical order. Allows one edit, or two in words
   * with at least eight letters. An edit adds, removes or replaces a letter, or swaps two neighbors. Numbers are not corrected.
   */
  nearest(word: string): string | undefined {
    if (word.length < SHORTEST || word.length > LONGEST || !/\p{L}/u.test(word)) return undefined
    const letters = lettersOf(word)
    let best: string | undefined
    let most = word.length < LONG ? 1 : 2
    let bestCount = 0
    const rows = [0, 1, 2].map(() => new Uint8Array(word.length + most + 2))
    for (let slot = 0; slot < this.#words.length; slot++) {
      // An edit changes at most two bits. This cheap check therefore rules out nearly all words.
      if (bitCount(letters ^ this.#letters[slot]!) > 2 * most) continue
      const known = this.#words[slot]!
      const count = this.#counts[slot]!
      if (count === 0 || known === word || Math.abs(known.length - word.length) > most) continue
      const edits = editDistance(word, known, most, rows)
      const isBetter = count > bestCount || (count === bestCount && known < best!)
      if (edits < most || (edits === most && isBetter)) {
        best = known
        most = edits
        bestCount = count
      }
    }
    return best
  }
}

/** Maximum number of words to correct. A search with more unknown words is unlikely to contain typos. */
const MOST_CORRECTED = 4

/**
 * Replaces unknown words in a search. Returns undefined if it replaces none. `isMet` returns whether any job meets a
 * group.
 */
export function correctSearch(
  input: string,
  groups: readonly SearchGroup[],
  isMet: (group: SearchGroup) => boolean,
  vocabulary: Vocabulary,
): string | undefined {
  const unknown = groups.filter((group) => group.word !== undefined && !isMet(group)).map((group) => group.word!)
  if (unknown.length > MOST_CORRECTED) return undefined
  const replacements = new Map<string, string>()
  for (const word of unknown) {
    const nearest = vocabulary.nearest(word)
    if (nearest !== undefined) replacements.set(word, nearest)
  }
  const corrected = replaceWords(input, replacements)
  return corrected === input ? undefined : corrected
}

/** Returns the set of a word's letters as 32 bits. Different characters can share a bit. */
function lettersOf(word: string): number {
  let letters = 0
  for (let index = 0; index < word.length; index++) letters |= 1 << (word.charCodeAt(index) & 31)
  return letters
}

function bitCount(bits: number): number {
  let count = bits - ((bits >>> 1) & 0x55555555)
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333)
  return (((count + (count >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

/**
 * Returns the optimal string alignment distance between two words, or any number above the limit if the distance
 * exceeds the limit. `rows` is working memory for three rows of the longer word.
 */
function editDistance(a: string, b: string, limit: number, rows: readonly Uint8Array[]): number {
  let [before, row, next] = rows as [Uint8Array, Uint8Array, Uint8Array]
  for (let j = 0; j <= b.length; j++) row[j] = j
  let leastBefore = 0
  for (let i = 1; i <= a.length; i++) {
    // Only cells near the diagonal can be within the limit.
    const from = Math.max(1, i - limit)
    const to = Math.min(b.length, i + limit)
    next[from - 1] = from === 1 ? i : limit + 1
    if (to < b.length) next[to + 1] = limit + 1
    let least = next[from - 1]!
    for (let j = from; j <= to; j++) {
      let edits = Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) edits = Math.min(edits, before[j - 2]! + 1)
      next[j] = edits
      if (edits < least) least = edits
    }
    // A swap reaches two rows back at a cost of one. The loop can stop only if that row has also reached the limit.
    if (least > limit && leastBefore >= limit) return least
    leastBefore = least
    ;[before, row, next] = [row, next, before]
  }
  return row[b.length]!
}
