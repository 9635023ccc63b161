/**
 * Finds instant alerts without testing each. An alert keeps a few terms, its anchors. Every job that meets its
 * criteria has at least one of them. A job has its own terms. Alerts that share a term with a job are candidates,
 * which the conditions of GET /jobs then test.
 */
import { boxAround } from '../lib/distance.ts'
import type { AppliedFilter, Radius } from '../lists/query.ts'

/** Anchor of every job, for criteria without a better anchor. */
export const ANY = '*'
/** Prefix searches are anchored by this many characters. */
const PREFIX_LENGTH = 6
/** Size in degrees of the squares that divide the globe. Most radii touch one to four. */
const SQUARE = 5
/** A radius that touches more squares, such as 500 miles near a pole, is not worth its anchors. */
const SQUARES_MAX = 60

/** Columns of a job that determine its terms. */
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

/** The terms by which a filter anchors alerts. */
export interface Anchor {
  /** Filters from rarest to most common. The first one with anchors anchors the alert. */
  rank: number
  /** Returns the terms of a job. */
  terms(job: AnchoredJob): readonly string[]
  /** Returns terms, at least one of which every passing job has; undefined if there are none. Empty: no job passes. */
  wanted(applied: Pick<AppliedFilter, 'operator' | 'value'>): readonly string[] | undefined
}

/** Returns the anchors of equality and `_in`: one term per value. */
export const eachTerm =
  (prefix: string, of: (item: string) => string = (item) => item): Anchor['wanted'] =>
  ({ operator, value }) =>
    operator === 'is' || operator === 'in'
      ? ([value].flat() as string[]).map((item) => `${prefix} ${of(item)}`)
      : undefined

/** Returns the terms of a word of a job: the word and its beginnings. */
export function termsOfLexeme(lexeme: string): string[] {
  const characters = [...lexeme]
  const lengths = Array.from({ length: Math.min(PREFIX_LENGTH, characters.length) }, (_, index) => index + 1)
  return [`word ${lexeme}`, ...lengths.map((length) => `begin ${characters.slice(0, length).join('')}`)]
}

/** Returns the squares of points, given as latitude, longitude, latitude, longitude … */
export function squaresOf(points: readonly number[]): string[] {
  const terms: string[] = []
  for (let index = 0; index < points.length; index += 2) {
    terms.push(squareTerm(squareOf(points[index]!), squareOf(points[index + 1]!)))
  }
  return terms
}

const squareOf = (angle: number) => Math.floor(angle / SQUARE)

/**
 * Returns the term of a square, by its row from the equator and its column from Greenwich. Columns wrap around the
 * globe.
 */
function squareTerm(up: number, around: number): string {
  const all = 360 / SQUARE
  return `square ${up} ${((around % all) + all) % all}`
}

/** Returns the squares that the box around a radius touches, or undefined if there are too many. */
export function squaresAround({ lat, lon, miles }: Radius): string[] | undefined {
  const { high, wide } = boxAround(lat, miles)
  const squares = new Set<string>()
  for (let up = squareOf(lat - high); up <= squareOf(lat + high); up++) {
    for (let around = squareOf(lon - wide); around <= squareOf(lon + wide); around++)
      squares.add(squareTerm(up, around))
  }
  return squares.size <= SQUARES_MAX ? [...squares] : undefined
}

/** Returns the longest text: long words are rare. */
export function longest(texts: readonly string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), '')
}

/** Returns the anchors of a `tsquery` literal from `searchQuery`, or undefined if it may match without any word. */
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
   * All operands must match, so the best one is enough. Adjacency (`<1>`) binds tighter than `&`, but also requires
   * both operands.
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
  /** Any operand may match, so each needs anchors. */
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

/** Returns the rarity of anchors. Long words are rarer than short ones, and whole words rarer than prefixes. */
function weight(anchors: readonly string[]): number {
  return Math.min(...anchors.map((anchor) => (anchor.startsWith('word ') ? anchor.length + 1 : anchor.length - 1)))
}
