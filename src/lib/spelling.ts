/** Typing errors: the known word that was probably meant. */
import { replaceWords, type SearchGroup } from './search-text.ts'

/** A word shorter than this is too near to too many others. */
const SHORTEST = 3
/** From this length on two edits are forgiven, below only one. */
const LONG = 8

/** Nobody means a word this long, and rows of bytes would not hold its edits. */
const LONGEST = 200

/** How often words occur. Takes some 100 bytes a word; one that does not occur any more leaves its place to another. */
export class Vocabulary {
  readonly #places = new Map<string, number>()
  readonly #words: string[] = []
  readonly #letters: number[] = []
  readonly #counts: number[] = []
  readonly #free: number[] = []

  /** How many places there are, free ones included. */
  get size(): number {
    return this.#words.length
  }

  /** Counts a word so many times more, or fewer. */
  add(word: string, times = 1): void {
    let place = this.#places.get(word)
    if (place === undefined) {
      place = this.#free.pop() ?? this.#words.length
      this.#places.set(word, place)
      this.#words[place] = word
      this.#letters[place] = lettersOf(word)
      this.#counts[place] = 0
    }
    this.#counts[place]! += times
    if (this.#counts[place] !== 0) return
    this.#places.delete(word)
    this.#words[place] = ''
    this.#free.push(place)
  }

  /** The words that occur at least so many times, the most frequent first, at most so many. */
  frequent(times: number, limit: number): string[] {
    const places = [...this.#counts.keys()].filter((place) => this.#counts[place]! >= times)
    places.sort((a, b) => this.#counts[b]! - this.#counts[a]!)
    return places.slice(0, limit).map((place) => this.#words[place]!)
  }

  /**
   * The word that is the fewest edits away, of several the most frequent: one edit, or two in words of eight letters and
   * more. An edit adds, removes or replaces a letter, or swaps two neighbours. Numbers are not corrected.
   */
  nearest(word: string): string | undefined {
    if (word.length < SHORTEST || word.length > LONGEST || !/\p{L}/u.test(word)) return undefined
    const letters = lettersOf(word)
    let best: string | undefined
    let most = word.length < LONG ? 1 : 2
    let bestCount = 0
    const rows = [0, 1, 2].map(() => new Uint8Array(word.length + most + 2))
    for (let place = 0; place < this.#words.length; place++) {
      // An edit changes at most two of the letters that there are: that rules out nearly all, at a glance.
      if (bitCount(letters ^ this.#letters[place]!) > 2 * most) continue
      const known = this.#words[place]!
      const count = this.#counts[place]!
      if (count === 0 || known === word || Math.abs(known.length - word.length) > most) continue
      const edits = editDistance(word, known, most, rows)
      if (edits < most || (edits === most && count > bestCount)) {
        best = known
        most = edits
        bestCount = count
      }
    }
    return best
  }
}

/** More unknown words than this are no typing errors. */
const MOST_CORRECTED = 4

/**
 * What was typed with the words replaced that no job has, or undefined where there is none, or nothing near it. `isMet`
 * tells whether any job of the board meets a group, whatever else is asked for.
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

/** Which letters a word has: one bit for each, and for whatever else there is one of the same 32. */
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
 * Edits between two words, none of which touches what another has changed (optimal string alignment); as soon as they
 * are more than a limit, just some number above it. `rows` is room for three rows of the longer word.
 */
function editDistance(a: string, b: string, limit: number, rows: readonly Uint8Array[]): number {
  let [before, row, next] = rows as [Uint8Array, Uint8Array, Uint8Array]
  for (let j = 0; j <= b.length; j++) row[j] = j
  let leastBefore = 0
  for (let i = 1; i <= a.length; i++) {
    // Only what is near the diagonal can be within the limit.
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
    // A swap counts one more than two rows above.
    if (least > limit && leastBefore >= limit) return least
    leastBefore = least
    ;[before, row, next] = [row, next, before]
  }
  return row[b.length]!
}
