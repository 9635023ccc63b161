/** Which words may occur in some texts at all, judged by how they begin. */

/** 46,656 beginnings in ASCII at most; real boards have a fifth of them. */
export const BEGINNING_LENGTH = 3
/** Ends what is known of a whole short word. No lexeme holds a space. */
const END = ' '

/**
 * The beginnings of lexemes, up to three characters each, and the lexemes that are no longer. They are only ever added to:
 * a word that they rule out is in no text; one that they do not may be in none either.
 */
export class Beginnings {
  readonly #known = new Set<string>()
  /** Whether the lexemes of all texts are in. */
  isComplete = false

  /** Adds a lexeme, or the beginning of one with at least `BEGINNING_LENGTH` characters; a whole one ends in a space. */
  add(text: string): void {
    if (text.endsWith(END)) this.#known.add(text)
    const length = Math.min(BEGINNING_LENGTH, text.length - Number(text.endsWith(END)))
    for (let end = 1; end <= length; end++) this.#known.add(text.slice(0, end))
  }

  /** Adds the lexemes of a `tsvector`, as PostgreSQL writes it. */
  addVector(vector: string): void {
    for (let from = vector.indexOf("'"); from !== -1; ) {
      const to = vector.indexOf("'", from + 1)
      const isShort = to - from - 1 <= BEGINNING_LENGTH
      this.add(isShort ? vector.slice(from + 1, to) + END : vector.slice(from + 1, from + 1 + BEGINNING_LENGTH))
      from = vector.indexOf("'", to + 1)
    }
  }

  /** Whether a text may have this lexeme. */
  mayHave(lexeme: string): boolean {
    return lexeme.length <= BEGINNING_LENGTH ? this.#known.has(lexeme + END) : this.mayBegin(lexeme)
  }

  /** Whether a text may have a lexeme that begins so. */
  mayBegin(text: string): boolean {
    return this.#known.has(text.slice(0, BEGINNING_LENGTH))
  }
}
