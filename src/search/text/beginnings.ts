/** Rules out words that occur in no text, by their prefixes. */

/** Length of a prefix. Real boards contain a fifth of the 46,656 possible prefixes of ASCII words. */
const BEGINNING_LENGTH = 3
/** Marks a complete short word. Lexemes contain no spaces. */
const END = ' '

/**
 * The prefixes of all lexemes, and short lexemes in full. Entries are never removed. A word that the set rules out
 * occurs in no text. Any other word may or may not occur.
 */
export class Beginnings {
  readonly #known = new Set<string>()
  /** Whether the lexemes of all texts are included. */
  isComplete = false

  /** Adds a complete lexeme with a trailing space, or a prefix with at least `BEGINNING_LENGTH` characters. */
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
