/**
 * Finds instant alerts without testing each. An alert keeps a few terms, its anchors. Every job that meets its
 * criteria has at least one of them. A job has its own terms. Alerts that share a term with a job are candidates,
 * which the conditions of GET /jobs then test.
 */
import { boxAround } from '../../lib/distance.ts'
import type { AppliedFilter, Radius } from '../../lists/query.ts'
import { fold } from '../../search/text/fold.ts'
import { searchQuery, words } from '../../search/text/words.ts'

/** Anchor of every job, for criteria without a better anchor. */
const ANY = '*'
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

/** Returns every term of a job. */
export function jobTerms(job: AnchoredJob): string[] {
  const terms = new Set([
    ANY,
    `category ${job.category}`,
    `type ${job.type}`,
    `company ${job.company_sort}`,
    `place ${job.location_sort}`,
    `level ${job.experience_level}`,
    `remote ${job.remote}`,
    ...job.location_words.map((word) => `in ${word}`),
    ...job.skills_folded.map((skill) => `skill ${skill}`),
  ])
  const places = job.places ?? []
  for (let index = 0; index < places.length; index += 2) {
    terms.add(squareTerm(squareOf(places[index]!), squareOf(places[index + 1]!)))
  }
  for (const lexeme of job.lexemes) {
    terms.add(`word ${lexeme}`)
    const characters = [...lexeme]
    for (let length = 1; length <= Math.min(PREFIX_LENGTH, characters.length); length++) {
      terms.add(`begin ${characters.slice(0, length).join('')}`)
    }
  }
  return [...terms]
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
function squaresAround({ lat, lon, miles }: Radius): string[] | undefined {
  const { high, wide } = boxAround(lat, miles)
  const squares = new Set<string>()
  for (let up = squareOf(lat - high); up <= squareOf(lat + high); up++) {
    for (let around = squareOf(lon - wide); around <= squareOf(lon + wide); around++)
      squares.add(squareTerm(up, around))
  }
  return squares.size <= SQUARES_MAX ? [...squares] : undefined
}

/** Returns the anchors of a filter, or undefined if it has none. If the list is empty, no job can match. */
function filterAnchors({ filter, operator, value }: AppliedFilter): string[] | undefined {
  const listed = [value].flat() as string[]
  const each = (prefix: string, of: (item: string) => string = (item) => item) =>
    operator === 'is' || operator === 'in' ? listed.map((item) => `${prefix} ${of(item)}`) : undefined
  switch (filter) {
    case 'company':
      return each('company', fold)
    case 'skills':
      // The job must have all skills, so one is enough as an anchor. The longest is the rarest.
      return operator === 'is' ? [`skill ${longest(listed.map(fold))}`] : each('skill', fold)
    case 'location': {
      if (operator !== 'is') return each('place', fold)
      const wanted = words(String(value))
      return wanted.length === 0 ? [] : [`in ${longest(wanted)}`]
    }
    case 'distance':
      return squaresAround(value as Radius)
    case 'search': {
      const query = searchQuery(String(value))
      return query === null ? [] : queryAnchors(query)
    }
    case 'category':
      return each('category')
    case 'experience_level':
      return each('level')
    case 'job_type':
      return each('type')
    case 'remote':
      return [`remote ${value}`]
    default:
      return undefined
  }
}

/** Filters from rarest to most common. The first one with anchors anchors the alert. */
const preference = [
  ...['company', 'skills', 'location', 'distance', 'search', 'category', 'experience_level', 'job_type', 'remote'],
]

/** Returns anchors: every job that matches all these filters has at least one of them. */
export function anchorsOf(filters: readonly AppliedFilter[]): string[] {
  for (const name of preference) {
    for (const filter of filters) {
      const anchors = filter.filter === name ? filterAnchors(filter) : undefined
      if (anchors) return [...new Set(anchors)]
    }
  }
  return [ANY]
}

function longest(texts: readonly string[]): string {
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
