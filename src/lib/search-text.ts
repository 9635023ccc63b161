/**
 * Full-text search in words of our own: how a text becomes a PostgreSQL `tsvector` and what people type a `tsquery`.
 * Both are made here, as literals, so no text search configuration is involved and every database, whatever its
 * version, gives the same answers. There are no stop words: every word of a text can be found.
 *
 * A text is folded (see fold.ts) and read as words: runs of letters and digits, and `c++`, `c#`, `f#`. A word is
 * indexed as its English stem and, at the same position, as it is written, so that a prefix of it can be found too.
 * Words held together by a joiner (`front-end`, `node.js`, `ci/cd`) are indexed one by one and, at the position of the
 * first, joined (`frontend`). Scripts that put no spaces between words (and Korean, which glues endings to them) are
 * indexed as pairs of neighbouring characters.
 */
import { stemmer } from 'stemmer'
import { fold } from './fold.ts'

/** The texts of a job advertisement that can be searched. */
export type SearchDocument = {
  title: string
  skills: readonly string[]
  company: string
  description: string
}

type Weight = 'A' | 'B' | 'C'

/** A word of a text, or (`unspaced`) a run of characters of a script that does not separate its words. */
type Word = {
  text: string
  unspaced: boolean
  /** Whether a joiner, and nothing else, stands between the previous word and this one. */
  joined: boolean
}

const UNSPACED =
  '[[\\p{scx=Hani}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]' +
  '&&[\\p{L}\\p{N}\\p{M}]]'
const WORD = new RegExp(
  `(${UNSPACED}+)|c\\+\\+|[cf]#|[[\\p{L}\\p{N}]--${UNSPACED}][[\\p{L}\\p{N}\\p{M}]--${UNSPACED}]*`,
  'gv',
)
const JOINERS = "-.'/&_·"
const MAX_WORD_LENGTH = 64

/** Cuts a lexeme to its longest allowed length, in whole characters. */
function cut(lexeme: string): string {
  return lexeme.length <= MAX_WORD_LENGTH ? lexeme : [...lexeme].slice(0, MAX_WORD_LENGTH).join('')
}

/** The words of a text that is folded already. */
function scan(folded: string): Word[] {
  const found: Word[] = []
  let end = 0
  for (const match of folded.matchAll(WORD)) {
    const unspaced = match[1] !== undefined
    const previous = found.at(-1)
    const spaced = previous !== undefined && !previous.unspaced && !unspaced
    found.push({
      text: unspaced ? match[0] : cut(match[0]),
      unspaced,
      joined: spaced && match.index === end + 1 && JOINERS.includes(folded[end]!),
    })
    end = match.index + match[0].length
  }
  return found
}

/**
 * The whole words of a text, folded and in order; joiners separate words. A run of characters of a script without
 * spaces counts as one word.
 */
export function words(text: string): string[] {
  return scan(fold(text)).map((word) => word.text)
}

/** What a word takes up in a vector: a position each for the characters of an unspaced run, otherwise one. */
function pieces(word: Word): string[] {
  if (!word.unspaced) return [word.text]
  const characters = [...word.text]
  return characters.map((character, index) => character + (characters[index + 1] ?? ''))
}

const MAX_CACHED_STEMS = 50_000
const stems = new Map<string, string>()

/** The stem of an English-looking word; any other word is its own stem. */
function stem(word: string): string {
  let result = stems.get(word)
  if (result === undefined) {
    result = /^[a-z]+$/.test(word) ? stemmer(word) : word
    if (stems.size >= MAX_CACHED_STEMS) stems.clear()
    stems.set(word, result)
  }
  return result
}

/** A lexeme as both literals want it. It holds only letters, marks, digits, `+` and `#`: there is nothing to escape. */
function quote(lexeme: string): string {
  return `'${lexeme}'`
}

const FIELD_GAP = 10
const MAX_POSITION = 16_383
const MAX_POSITIONS_PER_LEXEME = 255
/** PostgreSQL refuses a vector of 1 MiB. */
const MAX_VECTOR_BYTES = 1_000_000

/** The lexemes of a document and where they stand, within the limits of PostgreSQL. */
class VectorBuilder {
  readonly #places = new Map<string, { list: string; count: number; last: number }>()
  #position = 1
  #bytes = 0

  /** Adds a text, far enough from the one before for no phrase to span both. */
  addField(text: string, weight: Weight): void {
    let chain: string[] = []
    let chainStart = 0
    for (const word of scan(fold(text))) {
      if (!word.joined) {
        this.#addChain(chain, chainStart, weight)
        chain = []
        chainStart = this.#position
      }
      chain.push(word.text)
      for (const piece of pieces(word)) this.#addWord(piece, this.#position++, weight)
    }
    this.#addChain(chain, chainStart, weight)
    this.#position += FIELD_GAP
  }

  /** The `tsvector` literal. */
  toString(): string {
    return [...this.#places].map(([lexeme, { list }]) => `${quote(lexeme)}:${list}`).join(' ')
  }

  /** Adds the joined forms of a chain: all of it, and neighbours by themselves (`nodejs` of `node.js/react`). */
  #addChain(chain: readonly string[], start: number, weight: Weight): void {
    for (let index = 1; index < chain.length; index++) {
      this.#addWord(cut(chain[index - 1]! + chain[index]!), start + index - 1, weight)
    }
    if (chain.length > 2) this.#addWord(cut(chain.join('')), start, weight)
  }

  #addWord(word: string, position: number, weight: Weight): void {
    const stemmed = stem(word)
    this.#add(stemmed, position, weight)
    if (stemmed !== word) this.#add(word, position, weight)
  }

  #add(lexeme: string, position: number, weight: Weight): void {
    const capped = Math.min(position, MAX_POSITION)
    const place = this.#places.get(lexeme)
    if (place === undefined) {
      // At most: three bytes for each UTF-16 unit, one of padding, two for the count, two for the position.
      const bytes = lexeme.length * 3 + 5
      if (this.#bytes + bytes > MAX_VECTOR_BYTES) return
      this.#bytes += bytes
      this.#places.set(lexeme, { list: `${capped}${weight}`, count: 1, last: capped })
    } else if (place.last !== capped && place.count < MAX_POSITIONS_PER_LEXEME) {
      if (this.#bytes + 2 > MAX_VECTOR_BYTES) return
      this.#bytes += 2
      place.list += `,${capped}${weight}`
      place.count++
      place.last = capped
    }
  }
}

/**
 * The `tsvector` literal of texts by weight, in their order; absent ones are passed over. Whatever exceeds the limits of
 * PostgreSQL is left out or, for positions, put at the last one there is.
 */
export function textVector(fields: readonly (readonly [Weight, readonly (string | null)[]])[]): string {
  const vector = new VectorBuilder()
  for (const [weight, texts] of fields) {
    for (const text of texts) if (text !== null) vector.addField(text, weight)
  }
  return vector.toString()
}

/** That of a job: weight A for the title and the skills, B for the company and C for the description. */
export function searchVector(doc: SearchDocument): string {
  return textVector([
    ['A', [doc.title, ...doc.skills]],
    ['B', [doc.company]],
    ['C', [doc.description]],
  ])
}

const MAX_QUERY_LENGTH = 1_000
const MAX_TERMS = 32

/** A term as typed: dashes that exclude it, then a phrase in quotes or anything up to a separator. */
const TERM = /(-*)(?:"([^"]*)"?|([^\s",;、]+))/g

/** The operand that matches a word, or the words it begins when it is a prefix. */
function wordQuery(word: string, prefix: boolean): string {
  const stemmed = quote(stem(word))
  if (!prefix) return stemmed
  const begun = `${quote(word)}:*`
  return stem(word) === word ? begun : `(${stemmed} | ${begun})`
}

/** The operand that matches words that follow each other. */
function phraseQuery(found: readonly Word[], prefix: boolean): string {
  const operands: string[] = []
  let distance = 1
  for (const [index, word] of found.entries()) {
    const all = pieces(word)
    // The last character of a run stands alone only where the run ends, so it is asked for only by itself.
    const asked = all.length > 1 ? all.slice(0, -1) : all
    for (const piece of asked) {
      if (operands.length > 0) operands.push(`<${distance}>`)
      const begun = word.unspaced ? all.length === 1 : prefix && index === found.length - 1
      operands.push(wordQuery(piece, begun))
      distance = 1
    }
    distance += all.length - asked.length
  }
  return operands.length > 1 ? `(${operands.join(' ')})` : operands[0]!
}

/** The operand for one term, or null when there is no word in it. */
function termQuery(text: string, quoted: boolean, prefix: boolean): string | null {
  const found = scan(text)
  if (found.length === 0) return null
  const phrase = phraseQuery(found, prefix)
  if (quoted || found.length === 1 || found.some((word) => word.unspaced)) return phrase
  return `(${phrase} | ${wordQuery(cut(found.map((word) => word.text).join('')), prefix)})`
}

/**
 * The `tsquery` literal of what somebody typed, or null when there is nothing to search for in it.
 *
 * - Terms are separated by spaces, commas or semicolons, and every one of them must match.
 * - `"a phrase"` matches its words, or their inflections, next to each other. A missing last quote is supplied.
 * - `-term` and `-"a phrase"` must not match.
 * - `or` between two terms means either will do. It binds tighter than the rest: `a b or c` is `a` and (`b` or `c`).
 *   An `or` with nothing before or after it is an ordinary word.
 * - The last term is a prefix too, unless it is quoted, excluded, or followed by white space.
 * - A term of several words (`node.js`) matches these in order, or joined (`nodejs`); quoted, only in order.
 * - Everything else is text. A term without any word in it is ignored.
 *
 * Characters past the first 1,000 and terms past the first 32 are ignored.
 */
export function searchQuery(input: string): string | null {
  const folded = fold(input.slice(0, MAX_QUERY_LENGTH)).slice(0, MAX_QUERY_LENGTH)
  const terms = [...folded.matchAll(TERM)]
  const typing = /\s$/.test(input) ? undefined : terms.at(-1)

  const groups: string[][] = []
  let afterOr = false
  for (const [index, term] of terms.slice(0, MAX_TERMS).entries()) {
    const [whole, dashes = '', phrase, text = ''] = term
    if (whole === 'or' && !afterOr && index > 0 && index < terms.length - 1) {
      afterOr = true
      continue
    }
    const excluded = dashes !== ''
    const quoted = phrase !== undefined
    const operand = termQuery(phrase ?? text, quoted, term === typing && !excluded && !quoted)
    if (!afterOr) groups.push([])
    if (operand !== null) groups.at(-1)!.push(excluded ? `!${operand}` : operand)
    afterOr = false
  }

  const required = groups.filter((group) => group.length > 0)
  if (required.length === 0) return null
  return required.map((group) => (group.length > 1 ? `(${group.join(' | ')})` : group[0])).join(' & ')
}
