/** Rules out words that occur in none of a set of texts, judging by their prefixes. */

/** Characters per prefix. ASCII allows at most 46,656 prefixes of this length; real boards have a fifth of them. */
export const BEGINNING_LENGTH = 3
/** Marks a complete short word. Lexemes contain no spaces. */
const END = ' '

/**
 * A set of lexeme prefixes, up to three characters each, and of complete lexemes that are no longer. Entries are only
 * ever added. An excluded word occurs in no text; any other word may also occur in none.
 */
export class Beginnings {
  readonly #known = new Set<string>()
  /** Whether the lexemes of all texts are included. */
  isComplete = false

  /** Adds a lexeme, or a prefix of one with at least `BEGINNING_LENGTH` characters; a complete lexeme ends in a space. */
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

  /** Returns whether a text may contain this lexeme. */
  mayHave(lexeme: string): boolean {
    return lexeme.length <= BEGINNING_LENGTH ? this.#known.has(lexeme + END) : this.mayBegin(lexeme)
  }

  /** Returns whether a text may contain a lexeme with this prefix. */
  mayBegin(text: string): boolean {
    return this.#known.has(text.slice(0, BEGINNING_LENGTH))
  }
}
