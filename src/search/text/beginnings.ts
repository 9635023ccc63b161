/** Uses prefixes to recognize words that occur in none of a set of texts. */

/**
 * Length of a prefix, in characters. ASCII words have at most 46,656 different prefixes of this length, of which real
 * boards contain a fifth.
 */
export const BEGINNING_LENGTH = 3
/** Marks a complete short word, because lexemes contain no spaces. */
const END = ' '

/**
 * A set of lexeme prefixes of three characters, and of complete lexemes that are not longer. Entries are never removed.
 * A word that the set rules out occurs in no text. A word that it does not rule out need not occur in any.
 */
export class Beginnings {
  readonly #known = new Set<string>()
  /** Whether the lexemes of all texts are included. */
  isComplete = false

  /**
   * Adds a complete lexeme, followed by a space, or a prefix of a lexeme with at least `BEGINNING_LENGTH` characters.
   */
  add(text: string): void {
    if (text.endsWith(END)) this.#known.add(text)
    const length = Math.min(BEGINNING_LENGTH, text.length - Number(text.endsWith(END)))
    for (let end = 1; end <= length; end++) this.#known.add(text.slice(0, end))
  }

  /** Adds the lexemes of a `tsvector` in PostgreSQL's output format. */
  addVector(vector: string): void {
    for (let from = vector.indexOf("'"); from !== -1; ) {
      const to = vector.indexOf("'", from + 1)
      const isShort = to - from - 1 <= BEGINNING_LENGTH
      this.add(isShort ? vector.slice(from + 1, to) + END : vector.slice(from + 1, from + 1 + BEGINNING_LENGTH))
      from = vector.indexOf("'", to + 1)
    }
  }

  /** Returns whether any text may contain this lexeme. */
  mayHave(lexeme: string): boolean {
    return lexeme.length <= BEGINNING_LENGTH ? this.#known.has(lexeme + END) : this.mayBegin(lexeme)
  }

  /** Returns whether any text may contain a lexeme with this prefix. */
  mayBegin(text: string): boolean {
    return this.#known.has(text.slice(0, BEGINNING_LENGTH))
  }
}
