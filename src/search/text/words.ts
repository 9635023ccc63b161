/**
 * Full-text search with custom word rules: converts a text to a PostgreSQL `tsvector` and a search to a `tsquery`. Both
 * are built here as literals, without a text search configuration, so results do not depend on the version of the
 * database. Stop words are indexed too, so every word of a text can be found.
 *
 * A text is folded (see fold.ts) and split into words: runs of letters and digits, and `c++`, `c#`, `f#`. A word is
 * indexed as its stem in the text's language (see stems.ts) and, at the same position, as written, for prefix searches.
 * A search has no language, so it compares the stems in all languages. Words connected by a joiner (`front-end`,
 * `node.js`, `ci/cd`) are indexed separately and, at the position of the first word, joined (`frontend`). Texts in
 * scripts without spaces between words, and in Korean, which attaches endings to words, are indexed as pairs of
 * adjacent characters.
 */
import { LRUCache } from 'lru-cache'
import { fold, isAscii } from './fold.ts'
import {
  anyOf,
  beginning,
  type Lexemes,
  lexeme,
  type Operand,
  type Question,
  sequence,
  WEIGHT,
  type Weight,
} from './operands.ts'
import { lexemesIn, searchedLexemes, type WordLexemes } from './stems.ts'

/** The searchable texts of a job. */
export type SearchDocument = {
  title: string
  skills: readonly string[]
  company: string
  description: string
  /** A language tag. Null: not detected yet. */
  language: string | null
}

/** A word of a text or, if `unspaced` is set, a run of characters that `UNSPACED` matches. */
type Word = {
  text: string
  unspaced: boolean
  /** Whether exactly one joiner separates this word from the previous one. Always false if either is unspaced. */
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

function cut(lexeme: string): string {
  return lexeme.length <= MAX_WORD_LENGTH ? lexeme : [...lexeme].slice(0, MAX_WORD_LENGTH).join('')
}

const scan = (folded: string): Word[] => (isAscii(folded) ? scanAscii(folded) : scanAny(folded))

const isAsciiLetterOrDigit = (code: number) => (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)
const [C, F, PLUS, SHARP] = [0x63, 0x66, 0x2b, 0x23]

/** Returns the same as `scanAny` for ASCII texts, three times as fast. */
function scanAscii(folded: string): Word[] {
  const found: Word[] = []
  let end = -1
  for (let index = 0; index < folded.length; ) {
    const start = index
    const first = folded.charCodeAt(index)
    const next = folded.charCodeAt(index + 1)
    if (first === C && next === PLUS && folded.charCodeAt(index + 2) === PLUS) index += 3
    else if ((first === C || first === F) && next === SHARP) index += 2
    else while (isAsciiLetterOrDigit(folded.charCodeAt(index))) index++
    if (index === start) {
      index++
      continue
    }
    const joined = start === end + 1 && found.length > 0 && JOINERS.includes(folded[end]!)
    found.push({ text: cut(folded.slice(start, index)), unspaced: false, joined })
    end = index
  }
  return found
}

function scanAny(folded: string): Word[] {
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

/** Returns the words of a text, folded and in order. A run of unspaced characters counts as one word. */
export const words = (text: string): string[] => foldedWords(fold(text))

export const foldedWords = (folded: string): string[] => scan(folded).map(({ text }) => text)

/** Returns the parts of a word that have separate positions. An unspaced run has one part per character. */
function pieces(word: Word): string[] {
  if (!word.unspaced) return [word.text]
  const characters = [...word.text]
  return characters.map((character, index) => character + (characters[index + 1] ?? ''))
}

const FIELD_GAP = 10
const MAX_POSITION = 16_383
const MAX_POSITIONS_PER_LEXEME = 255
/** Maximum size of a vector, in bytes. PostgreSQL rejects a vector of 1 MiB. */
const MAX_VECTOR_BYTES = 1_000_000

/** The positions of a lexeme: their list as a literal, their number, and the last one. */
type Positions = { lexeme: string; list: string; count: number; last: number }

/** Collects the lexemes of a document and their positions, within PostgreSQL's limits. */
class VectorBuilder {
  readonly #positions = new Map<string, Positions>()
  /** Caches the positions of a word and of its stem, because most words recur. */
  readonly #ofWord = new Map<string, { stemmed: Positions; written: Positions }>()
  readonly #lexemesOf: (word: string) => WordLexemes
  #position = 1
  #bytes = 0

  constructor(language: string | null) {
    this.#lexemesOf = lexemesIn(language)
  }

  /** Adds a text, followed by a gap, because no phrase may span two texts. */
  addField(text: string, weight: Weight): void {
    let chain: string[] = []
    let chainStart = 0
    for (const word of scan(fold(text))) {
      if (!word.joined) {
        if (chain.length > 1) this.#addChain(chain, chainStart, weight)
        chain = []
        chainStart = this.#position
      }
      chain.push(word.text)
      if (!word.unspaced) this.#addWord(word.text, this.#position++, weight)
      else for (const piece of pieces(word)) this.#addWord(piece, this.#position++, weight)
    }
    this.#addChain(chain, chainStart, weight)
    this.#position += FIELD_GAP
  }

  toString(): string {
    let literal = ''
    for (const { lexeme, list, count } of this.#positions.values()) if (count > 0) literal += `'${lexeme}':${list} `
    return literal.trimEnd()
  }

  /**
   * Joins the words of a chain, and adds the results: each adjacent pair (`nodejs` in `node.js/react`), and all words
   * together.
   */
  #addChain(chain: readonly string[], start: number, weight: Weight): void {
    for (let index = 1; index < chain.length; index++) {
      this.#addWord(cut(chain[index - 1]! + chain[index]!), start + index - 1, weight)
    }
    if (chain.length > 2) this.#addWord(cut(chain.join('')), start, weight)
  }

  #addWord(word: string, position: number, weight: Weight): void {
    let found = this.#ofWord.get(word)
    if (found === undefined) {
      const { stemmed, written } = this.#lexemesOf(word)
      found = { stemmed: this.#positionsOf(stemmed), written: this.#positionsOf(written) }
      this.#ofWord.set(word, found)
    }
    const capped = Math.min(position, MAX_POSITION)
    this.#add(found.stemmed, capped, weight)
    if (found.written !== found.stemmed) this.#add(found.written, capped, weight)
  }

  #positionsOf(lexeme: string): Positions {
    let positions = this.#positions.get(lexeme)
    if (positions === undefined) {
      positions = { lexeme, list: '', count: 0, last: 0 }
      this.#positions.set(lexeme, positions)
    }
    return positions
  }

  #add(positions: Positions, position: number, weight: Weight): void {
    if (positions.last === position || positions.count === MAX_POSITIONS_PER_LEXEME) return
    // Upper bound on the bytes: three per UTF-16 unit, one for padding, two for the count, and two per position.
    const bytes = positions.count === 0 ? positions.lexeme.length * 3 + 5 : 2
    if (this.#bytes + bytes > MAX_VECTOR_BYTES) return
    this.#bytes += bytes
    positions.list += positions.count === 0 ? `${position}${weight}` : `,${position}${weight}`
    positions.count++
    positions.last = position
  }
}

/**
 * Returns the `tsvector` literal of weighted texts in a language. Omits lexemes beyond PostgreSQL's size limits, and
 * caps positions at the highest position that PostgreSQL supports.
 */
export function textVector(
  fields: readonly (readonly [Weight, readonly (string | null)[]])[],
  language: string | null,
): string {
  const vector = new VectorBuilder(language)
  for (const [weight, texts] of fields) {
    for (const text of texts) if (text !== null) vector.addField(text, weight)
  }
  return vector.toString()
}

/** Returns the vector of a job: weight A for the title and the skills, B for the company, C for the description. */
export function searchVector(doc: SearchDocument): string {
  const fields = [
    ['A', [doc.title, ...doc.skills]],
    ['B', [doc.company]],
    ['C', [doc.description]],
  ] as const
  return textVector(fields, doc.language)
}

/** Maximum length of a search, in UTF-16 units. Parameters and alert criteria have at most 1,000 characters. */
const MAX_QUERY_LENGTH = 2_000
/** Maximum number of terms in a stored alert, which may predate `TERMS_MAX`. */
const STORED_TERMS_MAX = 32
/**
 * Maximum number of terms in a search. A typical search has three. Ranking evaluates up to six conditions per term:
 * four for the term, and two for its pair with the previous term.
 */
export const TERMS_MAX = 12

/** Matches a term as typed: dashes that exclude it, then a quoted phrase or all characters up to a separator. */
const TERM = /(-*)(?:"([^"]*)"?|([^\s",;、]+))/g

/**
 * Operands of recent words, about 4 KB each. Cached searches share them, which reduces the memory of these searches to
 * a third.
 */
const operands = new LRUCache<string, Operand>({ max: 2_000 })

function keptOperand(key: string, create: () => Operand): Operand {
  let operand = operands.get(key)
  if (operand === undefined) {
    operand = create()
    operands.set(key, operand)
  }
  return operand
}

/** Returns an operand for a word or, if `prefix` is true, for all words that start with it. */
const wordOperand = (word: string, prefix: boolean): Operand =>
  keptOperand(`${prefix ? 'p' : 'w'}${word}`, () => createWordOperand(word, prefix))

function createWordOperand(word: string, prefix: boolean): Operand {
  const { stemmed, markedStems } = searchedLexemes(word)
  if (!prefix) return anyOf([stemmed, ...markedStems].map(lexeme))
  const stems = stemmed === word ? [] : [lexeme(stemmed)]
  const markedOthers = markedStems.filter((stem) => !stem.startsWith(word))
  return anyOf([...stems, beginning(word), ...markedOthers.map(lexeme)])
}

/** Returns an operand for a word as typed. */
const writtenOperand = (word: string): Operand =>
  keptOperand(`t${word}`, () => {
    const { written, markedWritten } = searchedLexemes(word)
    return anyOf([written, ...markedWritten].map(lexeme))
  })

/** Returns an operand for consecutive words, as written or, if `inflected` is true, in any inflection. */
function phraseOperand(
  found: readonly Word[],
  { prefix, inflected }: { prefix: boolean; inflected: boolean },
): Operand {
  const steps: { distance: number; operand: Operand }[] = []
  let distance = 1
  for (const [index, word] of found.entries()) {
    const all = pieces(word)
    // Only the last character of a run is indexed alone, so a search requires a single character only if it is the
    // whole run.
    const asked = all.length > 1 ? all.slice(0, -1) : all
    for (const piece of asked) {
      const begun = word.unspaced ? all.length === 1 : prefix && index === found.length - 1
      steps.push({ distance, operand: inflected || begun ? wordOperand(piece, begun) : writtenOperand(piece) })
      distance = 1
    }
    distance += all.length - asked.length
  }
  const [first, ...rest] = steps
  return sequence(first!.operand, rest)
}

/** A term as typed, with at least one word. */
interface Term {
  found: readonly Word[]
  excluded: boolean
  quoted: boolean
  /** Whether its last word may be the prefix of a longer word. */
  prefix: boolean
}

function termOperand({ found, quoted, prefix }: Term): Operand {
  const phrase = phraseOperand(found, { prefix, inflected: true })
  if (quoted || found.length === 1 || found.some((word) => word.unspaced)) return phrase
  return anyOf([phrase, wordOperand(cut(found.map((word) => word.text).join('')), prefix)])
}

/** A condition on a text. Stricter conditions determine how closely a text meets it. */
export interface SearchCondition {
  /** The condition as a `tsquery` literal. */
  operand: string
  /** The stricter conditions as literals. */
  closer: readonly string[]
  /** Returns whether a text meets the condition, like `vector @@ operand` in PostgreSQL. */
  matches(lexemes: Lexemes): boolean
  /** The condition and the stricter conditions as data. Absent if the condition contains an excluded alternative. */
  questions?: readonly Question[]
  /** The alternatives of a condition that contains an excluded one. */
  either?: readonly { question: Question; excluded: boolean }[]
  /**
   * Returns 0 if there is no match. Otherwise, bit 0 is set, and one higher bit for each stricter condition that the
   * text meets.
   */
  fit(lexemes: Lexemes): number
}

/**
 * One condition of a search. Without a ranking, a text must meet every group. A group's fit consists of the bits of
 * `FIT`.
 */
export interface SearchGroup extends SearchCondition {
  /** Whether the group contains an exclusion. Such a group does not affect the ranking. */
  excluded: boolean
  /** The condition that must not be met, if the group consists of a single exclusion. */
  unwanted?: SearchCondition
  /**
   * Requires the previous term and this one to be adjacent in the title or in a skill. The stricter condition also
   * requires them as typed. The pair affects only the ranking.
   */
  pair?: SearchCondition
  /** The folded word, if the group is a single word that may contain a typo. */
  word?: string
}

/** The bits of a fit: matches anywhere, in the title or a skill, in the company, or exactly as typed. */
export const FIT = { any: 1, title: 2, company: 4, written: 8 } as const

/**
 * Returns the conditions of a search, or none if it contains no words.
 *
 * - Spaces, commas (also `、`) and semicolons separate terms. All terms must match.
 * - `"a phrase"` matches its words, or their inflections, next to each other. The closing quote may be missing.
 * - `-term` and `-"a phrase"` must not match.
 * - `or` between two terms means that either of them must match. The word `or` binds tighter than a space: `a b or c`
 *   means `a` and (`b` or `c`). At the start or the end, `or` is an ordinary word.
 * - The last term also matches as a prefix, unless it is quoted, excluded, or followed by white space.
 * - A term of more than one word (`node.js`) matches these words in order, or joined (`nodejs`). In quotes, it matches
 *   only in order.
 * - All other characters are part of terms. A term without any word is ignored.
 *
 * Reads at most 32 terms. `limitTerms` applies a lower limit to the terms of a search.
 */
export function searchGroups(input: string): SearchGroup[] {
  const groups: Term[][] = []
  for (const { term, isAlternative } of readTerms(input).slice(0, STORED_TERMS_MAX)) {
    if (!isAlternative) groups.push([])
    groups.at(-1)!.push(term)
  }
  return groups.map((group, index) => searchGroup(group, groups[index - 1]))
}

/** A term and its position in the folded text. */
interface ReadTerm {
  term: Term
  /** Whether `or` separates the term from the previous one. */
  isAlternative: boolean
  whole: string
  index: number
}

function readTerms(input: string): ReadTerm[] {
  const tokens = [...foldSearch(input).matchAll(TERM)]
  const typing = /\s$/.test(input) ? undefined : tokens.at(-1)
  const terms: ReadTerm[] = []
  let [isAfterOr, hasBefore] = [false, false]
  for (const [index, token] of tokens.entries()) {
    const [whole, dashes = '', phrase, text = ''] = token
    if (whole === 'or' && !isAfterOr && index > 0 && index < tokens.length - 1) {
      isAfterOr = true
      continue
    }
    const found = scan(phrase ?? text)
    // If one side of an `or` has no word, only the other side counts.
    if (!isAfterOr) hasBefore = false
    if (found.length > 0) {
      const [excluded, quoted] = [dashes !== '', phrase !== undefined]
      const term = { found, excluded, quoted, prefix: token === typing && !excluded && !quoted }
      terms.push({ term, isAlternative: isAfterOr && hasBefore, whole, index: token.index })
      hasBefore = true
    }
    isAfterOr = false
  }
  return terms
}

const foldSearch = (input: string) => fold(input.slice(0, MAX_QUERY_LENGTH))

/** Returns the first `termsMax` terms of a search, and the folded terms beyond them. */
export function limitTerms(input: string, termsMax: number): { text: string; ignored: string[] } {
  const terms = readTerms(input)
  if (terms.length <= termsMax) return { text: input, ignored: [] }
  const last = terms[termsMax - 1]!
  // The trailing space completes the last term, which would otherwise also match as a prefix.
  const text = `${foldSearch(input).slice(0, last.index + last.whole.length)} `
  return { text, ignored: terms.slice(termsMax).map(({ whole }) => whole) }
}

function searchGroup(terms: readonly Term[], before: readonly Term[] | undefined): SearchGroup {
  const operands = terms.map(termOperand)
  if (terms.some(({ excluded }) => excluded)) {
    const texts = terms.map(({ excluded }, index) => (excluded ? '!' : '') + operands[index]!.text())
    const matches = (lexemes: Lexemes) =>
      terms.some(({ excluded }, index) => operands[index]!.matches(lexemes) !== excluded)
    return {
      ...withoutCloser(texts.length > 1 ? `(${texts.join(' | ')})` : texts[0]!, matches),
      either: terms.map(({ excluded }, index) => ({ question: operands[index]!, excluded })),
      excluded: true,
      ...(terms.length === 1 && {
        unwanted: { ...withoutCloser(operands[0]!.text(), operands[0]!.matches), questions: [operands[0]!] },
      }),
    }
  }
  const operand = anyOf(operands)
  const written = anyOf(terms.map(({ found }) => phraseOperand(found, { prefix: false, inflected: false })))
  const [last] = before ?? []
  const isPair = last && before!.length === 1 && terms.length === 1 && !last.excluded
  return {
    operand: operand.text(),
    closer: [operand.text('A'), operand.text('B'), written.text()],
    questions: [operand, weighing(operand, 'A'), weighing(operand, 'B'), written],
    matches: operand.matches,
    fit(lexemes) {
      const weights = operand.weights(lexemes)
      if (weights === 0) return 0
      const inTitle = weights & WEIGHT.A ? FIT.title : 0
      const inCompany = weights & WEIGHT.B ? FIT.company : 0
      return FIT.any | inTitle | inCompany | (written.matches(lexemes) ? FIT.written : 0)
    },
    excluded: false,
    ...(isPair && { pair: pairOf(last, terms[0]!) }),
    ...(isWord(terms) && { word: terms[0]!.found[0]!.text }),
  }
}

const weighing = ({ alternatives }: Operand, weight: 'A' | 'B'): Question => ({ alternatives, weight })

/** Returns a condition that does not affect the ranking. */
function withoutCloser(operand: string, matches: SearchCondition['matches']): SearchCondition {
  return { operand, closer: [], matches, fit: (lexemes) => (matches(lexemes) ? FIT.any : 0) }
}

function isWord([term, ...others]: readonly Term[]): boolean {
  return others.length === 0 && !term!.quoted && term!.found.length === 1 && !term!.found[0]!.unspaced
}

function pairOf(first: Term, second: Term): SearchCondition {
  const found = [...first.found, ...second.found]
  const pair = phraseOperand(found, { prefix: second.prefix, inflected: true })
  const written = phraseOperand(found, { prefix: false, inflected: false })
  const isInTitle = (operand: Operand, lexemes: Lexemes) => (operand.weights(lexemes) & WEIGHT.A) !== 0
  const matches = (lexemes: Lexemes) => isInTitle(pair, lexemes)
  return {
    operand: pair.text('A'),
    closer: [written.text('A')],
    questions: [weighing(pair, 'A'), weighing(written, 'A')],
    matches,
    fit: (lexemes) => (matches(lexemes) ? 1 + (isInTitle(written, lexemes) ? 2 : 0) : 0),
  }
}

/** Returns all groups of a search as one `tsquery` literal, or null if it contains no words. */
export function searchQuery(input: string): string | null {
  const groups = searchGroups(input)
  return groups.length === 0 ? null : groups.map(({ operand }) => operand).join(' & ')
}

/** Replaces each word whose folded form is a key of `replacements`. */
export function replaceWords(input: string, replacements: ReadonlyMap<string, string>): string {
  return input.replace(WORD, (word) => replacements.get(fold(word)) ?? word)
}
