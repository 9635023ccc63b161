/** Search operands, evaluated as a `tsquery` literal or against lexemes in this process, with the same result. */
import { lowerBound } from '../../lib/lower-bound.ts'

export type Weight = 'A' | 'B' | 'C' | 'D'

/** The bits of weights A and B in `Operand.weights`. */
export const WEIGHT = { A: 1, B: 2 } as const

/** A position in a vector and its weight, in one number that sorts by position. */
type WeightedPosition = number
const WEIGHTS = 'ABCD'
const positionOf = (weighted: WeightedPosition): number => weighted >> 2
const NOWHERE: readonly WeightedPosition[] = []

const QUOTE = 39
const COMMA = 44
const NINE = 57

/**
 * Maximum length of cached prefixes. Few lexemes start with a longer prefix, so caching it would hardly save time.
 * Thousands of cached prefixes would take more memory than the text.
 */
const KEPT_PREFIX_LENGTH = 2

/** The lexemes of a text and their positions. */
export class Lexemes {
  readonly #positions: ReadonlyMap<string, readonly WeightedPosition[]>
  /** The sorted lexemes; created when the first prefix is looked up. */
  #sorted: string[] | undefined
  /**
   * Caches weights by short prefix. Each text is matched against thousands of operands, and many operands share a
   * prefix.
   */
  readonly #begun = new Map<string, number>()

  constructor(positions: ReadonlyMap<string, readonly WeightedPosition[]>) {
    this.#positions = positions
  }

  has(lexeme: string): boolean {
    return this.#positions.has(lexeme)
  }

  positions(lexeme: string): readonly WeightedPosition[] {
    return this.#positions.get(lexeme) ?? NOWHERE
  }

  /** Calls `visit` with each lexeme at each of its positions. */
  forEach(visit: (lexeme: string, position: number, weight: Weight) => void): void {
    for (const [lexeme, positions] of this.#positions) {
      for (const weighted of positions) visit(lexeme, positionOf(weighted), WEIGHTS[weighted & 3] as Weight)
    }
  }

  *beginning(prefix: string): Generator<string> {
    this.#sorted ??= [...this.#positions.keys()].sort()
    const sorted = this.#sorted
    let at = lowerBound(sorted.length, (index) => sorted[index]! < prefix)
    for (let lexeme = sorted[at]; lexeme?.startsWith(prefix); lexeme = sorted[++at]) yield lexeme
  }

  weightsBeginning(prefix: string): number {
    let weights = this.#begun.get(prefix)
    if (weights === undefined) {
      weights = 0
      for (const begun of this.beginning(prefix)) weights |= weightsOf(this.positions(begun))
      if (prefix.length <= KEPT_PREFIX_LENGTH) this.#begun.set(prefix, weights)
    }
    return weights
  }
}

function weightsOf(positions: readonly WeightedPosition[]): number {
  let weights = 0
  for (const position of positions) weights |= 1 << (position & 3)
  return weights
}

/** Parses a `tsvector` as PostgreSQL writes it. The lexemes must have positions and contain no quotes. */
export function parseVector(vector: string): Lexemes {
  const found = new Map<string, WeightedPosition[]>()
  let at = 0
  while (vector.charCodeAt(at) === QUOTE) {
    const end = vector.indexOf("'", at + 1)
    const lexeme = vector.slice(at + 1, end)
    const positions: WeightedPosition[] = []
    at = end + 1
    // Each position follows a colon or a comma.
    do {
      let position = 0
      let code = vector.charCodeAt(++at)
      for (; code <= NINE && code > COMMA; code = vector.charCodeAt(++at)) position = position * 10 + code - 48
      const weight = WEIGHTS.indexOf(vector[at] ?? ' ')
      // PostgreSQL omits the lowest weight.
      positions.push(position * 4 + (weight < 0 ? 3 : weight))
      if (weight >= 0) at++
    } while (vector.charCodeAt(at) === COMMA)
    // Copies the array, because an array extended by `push` has spare capacity. A job then takes 19 KB instead of 40
    // KB.
    found.set(lexeme, positions.slice())
    at++
  }
  return new Lexemes(found)
}

/** A lexeme, or all lexemes that start with a prefix. */
export interface Term {
  text: string
  isPrefix: boolean
}

/**
 * Steps that follow each other at fixed distances. A step matches if any of its terms matches. A single step matches
 * anywhere.
 */
export type Alternative = readonly { distance: number; terms: readonly Term[] }[]

/** An operand as data, for indexes other than PostgreSQL's. With a weight, only words of that weight match. */
export interface Question {
  alternatives: readonly Alternative[]
  weight?: 'A' | 'B'
}

/** A part of a search that matches a vector at certain positions. */
export interface Operand {
  alternatives: readonly Alternative[]
  /** Returns the `tsquery` literal. With a weight, it matches only words of that weight. */
  text(weight?: Weight): string
  matches(lexemes: Lexemes): boolean
  /** Returns the weights of the matches, one bit per weight (see `WEIGHT`), or 0 if there is no match. */
  weights(lexemes: Lexemes): number
  /**
   * Returns the matching positions in order, without duplicates. The positions of a phrase are those of its last word.
   */
  positions(lexemes: Lexemes): readonly WeightedPosition[]
}

/** Returns an operand that matches a lexeme. Lexemes never need escaping. */
export function lexeme(text: string): Operand {
  return {
    alternatives: [[{ distance: 0, terms: [{ text, isPrefix: false }] }]],
    text: (weight) => (weight ? `'${text}':${weight}` : `'${text}'`),
    matches: (lexemes) => lexemes.has(text),
    weights: (lexemes) => weightsOf(lexemes.positions(text)),
    positions: (lexemes) => lexemes.positions(text),
  }
}

export function beginning(text: string): Operand {
  return {
    alternatives: [[{ distance: 0, terms: [{ text, isPrefix: true }] }]],
    text: (weight) => `'${text}':*${weight ?? ''}`,
    matches: (lexemes) => !lexemes.beginning(text).next().done,
    weights: (lexemes) => lexemes.weightsBeginning(text),
    positions: (lexemes) => union([...lexemes.beginning(text)].map((begun) => lexemes.positions(begun))),
  }
}

export function anyOf(operands: readonly Operand[]): Operand {
  if (operands.length === 1) return operands[0]!
  return {
    alternatives: operands.flatMap(({ alternatives }) => alternatives),
    text: (weight) => `(${operands.map((operand) => operand.text(weight)).join(' | ')})`,
    matches: (lexemes) => operands.some((operand) => operand.matches(lexemes)),
    weights: (lexemes) => operands.reduce((weights, operand) => weights | operand.weights(lexemes), 0),
    positions: (lexemes) => union(operands.map((operand) => operand.positions(lexemes))),
  }
}

/** Returns the terms of an operand that is not a sequence. */
const termsOf = ({ alternatives }: Operand) => alternatives.flatMap(([step]) => step!.terms)

/**
 * Returns an operand that matches where these operands follow each other at the given distances. The operands must not
 * be sequences.
 */
export function sequence(first: Operand, rest: readonly { distance: number; operand: Operand }[]): Operand {
  if (rest.length === 0) return first
  const positions = (lexemes: Lexemes) =>
    rest.reduce(
      (before, { distance, operand }) => (before.length === 0 ? NOWHERE : after(before, distance, operand, lexemes)),
      first.positions(lexemes),
    )
  const steps = [{ distance: 0, operand: first }, ...rest]
  return {
    alternatives: [steps.map(({ distance, operand }) => ({ distance, terms: termsOf(operand) }))],
    text: (weight) =>
      `(${rest.reduce((text, { distance, operand }) => `${text} <${distance}> ${operand.text(weight)}`, first.text(weight))})`,
    matches: (lexemes) => positions(lexemes).length > 0,
    weights: (lexemes) => weightsOf(positions(lexemes)),
    positions,
  }
}

/** Returns the positions of an operand that are at this distance after one of the given positions. */
function after(
  before: readonly WeightedPosition[],
  distance: number,
  operand: Operand,
  lexemes: Lexemes,
): readonly WeightedPosition[] {
  let at = 0
  return operand.positions(lexemes).filter((position) => {
    const wanted = positionOf(position) - distance
    while (at < before.length && positionOf(before[at]!) < wanted) at++
    return at < before.length && positionOf(before[at]!) === wanted
  })
}

function union(lists: readonly (readonly WeightedPosition[])[]): readonly WeightedPosition[] {
  const some = lists.filter((list) => list.length > 0)
  if (some.length <= 1) return some[0] ?? NOWHERE
  const sorted = some.flat().sort((a, b) => a - b)
  return sorted.filter((position, index) => index === 0 || positionOf(position) !== positionOf(sorted[index - 1]!))
}
