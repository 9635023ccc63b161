/**
 * Finds the instant alerts that a job may match without testing every alert. Each alert stores a few terms as its
 * anchors, and every job that meets the alert's criteria has at least one of these terms. Alerts that share a term with
 * a job are then tested with the conditions of GET /jobs.
 */
import { boxAround } from '../lib/distance.ts'
import type { AppliedFilter, Radius } from '../lists/query.ts'

/** A term that every job has, used as the anchor of criteria that have no better anchor. */
export const ANY = '*'
/** Number of characters in the anchor of a prefix search. */
const PREFIX_LENGTH = 6
/** Size in degrees of the squares that divide the globe. Most radius searches touch one to four squares. */
const SQUARE = 5
/**
 * Maximum number of squares as anchors. A radius that touches more, such as 500 miles near a pole, is not anchored.
 */
const SQUARES_MAX = 60

/** The columns of a job that determine its terms. */
export interface AnchoredJob {
  category: string
  type: string
  company_sort: string
  location_sort: string
  location_words: readonly string[]
  places: readonly number[] | null
  skills_folded: readonly string[]
  experience_level: string | null
  remote: boolean
  lexemes: readonly string[]
}

/** How a filter provides the terms of jobs and the anchors of alerts. */
export interface Anchor {
  /**
   * Position of the filter, from rarest to most common. An alert uses the anchors of the first filter that has any.
   */
  rank: number
  /** Returns the terms of a job for this filter. */
  terms(job: AnchoredJob): readonly string[]
  /**
   * Returns terms of which every passing job has at least one, or undefined if there are no such terms. If the list is
   * empty, no job passes.
   */
  wanted(applied: Pick<AppliedFilter, 'operator' | 'value'>): readonly string[] | undefined
}

/** Returns the anchors for equality and `_in`, which are one term per value. */
export const eachTerm =
  (prefix: string, of: (item: string) => string = (item) => item): Anchor['wanted'] =>
  ({ operator, value }) =>
    operator === 'is' || operator === 'in'
      ? ([value].flat() as string[]).map((item) => `${prefix} ${of(item)}`)
      : undefined

/** Returns the terms of a word in a job: the word and its prefixes. */
export function termsOfLexeme(lexeme: string): string[] {
  const characters = [...lexeme]
  const lengths = Array.from({ length: Math.min(PREFIX_LENGTH, characters.length) }, (_, index) => index + 1)
  return [`word ${lexeme}`, ...lengths.map((length) => `begin ${characters.slice(0, length).join('')}`)]
}

/** Returns the terms of the squares that contain these points, given as latitude, longitude, latitude, longitude … */
export function squaresOf(points: readonly number[]): string[] {
  const terms: string[] = []
  for (let index = 0; index < points.length; index += 2) {
    terms.push(squareTerm(squareOf(points[index]!), squareOf(points[index + 1]!)))
  }
  return terms
}

const squareOf = (angle: number) => Math.floor(angle / SQUARE)

/**
 * Returns the term of a square, given its row counted from the equator and its column counted from Greenwich. Columns
 * wrap around the globe.
 */
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

/** Returns the longest text, because long words are rare. */
export function longest(texts: readonly string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), '')
}

/**
 * Returns the anchors of a `tsquery` literal from `searchQuery`, or undefined if the query can match a job that has
 * none of its words.
 */
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
   * binds tighter than `&` but, like `&`, requires both operands.
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

/**
 * Returns a measure of how rare anchors are. Long words are rarer than short ones, and whole words are rarer than
 * prefixes.
 */
function weight(anchors: readonly string[]): number {
  return Math.min(...anchors.map((anchor) => (anchor.startsWith('word ') ? anchor.length + 1 : anchor.length - 1)))
}
