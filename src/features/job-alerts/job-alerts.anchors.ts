/**
 * How instant alerts are found without trying each: an alert keeps a few terms (its anchors) of which every job that
 * meets its criteria has at least one, and a job has its terms. The alerts that share a term with the job are the
 * candidates; the conditions of GET /jobs then judge those.
 */
import { boxAround } from '../../lib/distance.ts'
import { fold } from '../../lib/fold.ts'
import type { AppliedFilter, Radius } from '../../lib/list-query.ts'
import { searchQuery, words } from '../../lib/search-text.ts'

/** Shared by every job: the anchor of criteria that nothing better can be said of. */
const ANY = '*'
/** A search for the beginning of a word is anchored by as many of its characters. */
const PREFIX_LENGTH = 6
/** Degrees: the globe in squares, of which most radii touch one to four. */
const SQUARE = 5
/** A radius that touches more (500 miles near a pole) is not worth its anchors. */
const SQUARES_MAX = 60

/** What of a job its terms are made of. */
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

/** Every term that a job has. */
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

/** The square that is the so manieth from the equator and from Greenwich; the way around ends where it began. */
function squareTerm(up: number, around: number): string {
  const all = 360 / SQUARE
  return `square ${up} ${((around % all) + all) % all}`
}

/** The squares that the box around a radius touches, or undefined where these are many. */
function squaresAround({ lat, lon, miles }: Radius): string[] | undefined {
  const { high, wide } = boxAround(lat, miles)
  const squares = new Set<string>()
  for (let up = squareOf(lat - high); up <= squareOf(lat + high); up++) {
    for (let around = squareOf(lon - wide); around <= squareOf(lon + wide); around++)
      squares.add(squareTerm(up, around))
  }
  return squares.size <= SQUARES_MAX ? [...squares] : undefined
}

/** The anchors of a filter, or undefined where it has none; the empty list where no job can pass it. */
function filterAnchors({ filter, operator, value }: AppliedFilter): string[] | undefined {
  const listed = [value].flat() as string[]
  const each = (prefix: string, of: (item: string) => string = (item) => item) =>
    operator === 'is' || operator === 'in' ? listed.map((item) => `${prefix} ${of(item)}`) : undefined
  switch (filter) {
    case 'company':
      return each('company', fold)
    case 'skills':
      // All of them: one will do, and the longest is the least common.
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

/** The rarest first: of several filters one anchors the alert. */
const preference = [
  ...['company', 'skills', 'location', 'distance', 'search', 'category', 'experience_level', 'job_type', 'remote'],
]

/** Terms of which every job that passes all these filters has at least one. */
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

/** The anchors of a `tsquery` literal as `searchQuery` writes it, or undefined when it may match without any word. */
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
  /** All must match: the best of them is enough. Neighbours (`<1>`) bind tighter than `&`, but ask for no less. */
  function conjunction(): string[] | undefined {
    let best = operand()
    while (isNext('&') || tokens[at]?.[0].startsWith('<')) {
      at++
      const next = operand()
      if (next && (!best || weight(next) > weight(best))) best = next
    }
    return best
  }
  /** Any may match: each has to be anchored. */
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

/** A long word is rarer than a short one, and a whole one than a beginning. */
function weight(anchors: readonly string[]): number {
  return Math.min(...anchors.map((anchor) => (anchor.startsWith('word ') ? anchor.length + 1 : anchor.length - 1)))
}
