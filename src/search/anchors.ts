/**
 * Finds the instant alerts that a job may match. Each alert stores a few terms as its anchors, and every job that meets
 * the alert's criteria has at least one of these terms. Alerts that share a term with a job are then tested with the
 * filters of GET /jobs.
 */
import { boxAround } from '../lib/distance.ts'
import type { WorkplaceColumns } from '../lib/workplaces.ts'
import type { AppliedFilter, Radius } from '../lists/query.ts'

/** A term that every job has. Serves as the anchor of criteria that have no better one. */
export const ANY = '*'
/** Maximum length of the anchor of a prefix search, in characters. */
const PREFIX_LENGTH = 6
/** Size in degrees of the squares that divide the globe. Most radius searches touch one to four squares. */
const SQUARE = 5
/** Maximum number of squares per radius search. A circle near a pole can touch more; such a search has no anchors. */
const SQUARES_MAX = 60

/** The job columns that determine a job's terms. */
export interface AnchoredJob extends WorkplaceColumns {
  category: string
  type: string
  company_sort: string
  location_sort: string
  location_words: readonly string[]
  locations_folded: readonly string[]
  places: readonly number[] | null
  areas: readonly string[] | null
  skills_folded: readonly string[]
  experience_level: string | null
  /** The language without a region. */
  language: string | null
  lexemes: readonly string[]
}

/** Derives the terms of jobs and the anchors of alerts for one filter. */
export interface Anchor {
  /** Rank by the rarity of the filter's terms, rarest first. An alert uses the first filter that has anchors. */
  rank: number
  terms(job: AnchoredJob): readonly string[]
  /**
   * Returns the anchors, or undefined if no anchors cover all jobs that pass. An empty list means that no job passes.
   */
  wanted(applied: Pick<AppliedFilter, 'operator' | 'value'>): readonly string[] | undefined
}

/** Returns a function that creates one anchor per value for equality and `_in`. */
export const eachTerm =
  (prefix: string, of: (item: string) => string = (item) => item): Anchor['wanted'] =>
  ({ operator, value }) =>
    operator === 'is' || operator === 'in'
      ? ([value].flat() as string[]).map((item) => `${prefix} ${of(item)}`)
      : undefined

/** Returns the terms of a job's word: the word and its prefixes of up to `PREFIX_LENGTH` characters. */
export function termsOfLexeme(lexeme: string): string[] {
  const characters = [...lexeme]
  const prefixes = characters.slice(0, PREFIX_LENGTH).map((_, index) => characters.slice(0, index + 1).join(''))
  return [`word ${lexeme}`, ...prefixes.map((prefix) => `begin ${prefix}`)]
}

/** Returns the terms of the squares that contain these points, given as alternating latitudes and longitudes. */
export function squaresOf(points: readonly number[]): string[] {
  const terms: string[] = []
  for (let index = 0; index < points.length; index += 2) {
    terms.push(squareTerm(squareOf(points[index]!), squareOf(points[index + 1]!)))
  }
  return terms
}

const squareOf = (angle: number) => Math.floor(angle / SQUARE)

/** Returns the term of a square, by its row from the equator and its column from Greenwich. Columns wrap around. */
function squareTerm(up: number, around: number): string {
  const all = 360 / SQUARE
  return `square ${up} ${((around % all) + all) % all}`
}

/** Returns the terms of the squares that the box around a circle touches, or undefined if there are too many. */
export function squaresAround({ lat, lon, miles }: Radius): string[] | undefined {
  const { high, wide } = boxAround(lat, miles)
  const squares = new Set<string>()
  for (let up = squareOf(lat - high); up <= squareOf(lat + high); up++) {
    for (let around = squareOf(lon - wide); around <= squareOf(lon + wide); around++)
      squares.add(squareTerm(up, around))
  }
  return squares.size <= SQUARES_MAX ? [...squares] : undefined
}

/** Returns the longest text, which is probably the rarest. */
export const longest = (texts: readonly string[]): string =>
  texts.reduce((best, text) => (text.length > best.length ? text : best), '')

/** Returns the anchors of a `searchQuery` literal, or undefined if it can match a job without any of its words. */
export function queryAnchors(query: string): string[] | undefined {
  const tokens = [...query.matchAll(/'([^']*)'(:\*)?|<\d+>|[()&|!]/g)]
  let at = 0
  const isNext = (text: string) => tokens[at]?.[0] === text

  function operand(): string[] | undefined {
    const [text, lexeme, isPrefix] = tokens[at++]!
    if (text === '!') {
      operand()
      return undefined
    }
    if (text === '(') {
      const inner = alternatives()
      at++
      return inner
    }
    return [isPrefix ? `begin ${[...lexeme!].slice(0, PREFIX_LENGTH).join('')}` : `word ${lexeme}`]
  }
  /**
   * Returns the anchors of the rarest operand, which are sufficient because all operands must match. Adjacency (`<1>`)
   * also requires both operands.
   */
  function conjunction(): string[] | undefined {
    let best = operand()
    while (isNext('&') || tokens[at]?.[0].startsWith('<')) {
      at++
      const next = operand()
      if (next && (!best || weight(next) > weight(best))) best = next
    }
    return best
  }
  /** Returns the anchors of all alternatives, because any of them may match. */
  function alternatives(): string[] | undefined {
    const branches = [conjunction()]
    while (isNext('|')) {
      at++
      branches.push(conjunction())
    }
    return branches.every((branch) => branch !== undefined) ? branches.flat() : undefined
  }
  return alternatives()
}

/** Estimates the rarity of anchors. Long words are rarer than short ones, and whole words are rarer than prefixes. */
function weight(anchors: readonly string[]): number {
  return Math.min(...anchors.map((anchor) => (anchor.startsWith('word ') ? anchor.length + 1 : anchor.length - 1)))
}
