/**
 * The operands of a search. Each can be expressed as a `tsquery` literal, or matched with the lexemes of a text in this
 * process, with the same result as in PostgreSQL.
 */

import type { Beginnings } from './beginnings.ts'

export type Weight = 'A' | 'B' | 'C' | 'D'

/** The bits of `Operand.weights`. */
export const WEIGHT = { A: 1, B: 2 } as const

/** A position in a vector and its weight, combined in a number that sorts by position. */
type Place = number
const WEIGHTS = 'ABCD'
const positionOf = (place: Place): number => place >> 2
const NOWHERE: readonly Place[] = []

const QUOTE = 39
const COMMA = 44
const NINE = 57

/**
 * Maximum length of cached prefixes. Few lexemes start with the same longer prefix, so they are found just as fast
 * without a cache. Caching thousands of prefixes would take more memory than the text.
 */
const KEPT_PREFIX_LENGTH = 2

/** The lexemes of a text and their positions. */
export class Lexemes {
  readonly #places: ReadonlyMap<string, readonly Place[]>
  /** The sorted lexemes; created when the first prefix is looked up. */
  #sorted: string[] | undefined
  /**
   * Weights by short prefix. The weights are cached, because thousands of operands are matched with each text, and many
   * may start with the same letter.
   */
  readonly #begun = new Map<string, number>()

  constructor(places: ReadonlyMap<string, readonly Place[]>) {
    this.#places = places
  }

  has(lexeme: string): boolean {
    return this.#places.has(lexeme)
  }

  places(lexeme: string): readonly Place[] {
    return this.#places.get(lexeme) ?? NOWHERE
  }

  /** Iterates over the lexemes with this prefix. */
  *beginning(prefix: string): Generator<string> {
    this.#sorted ??= [...this.#places.keys()].sort()
    let low = 0
    let high = this.#sorted.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#sorted[middle]! < prefix) low = middle + 1
      else high = middle
    }
    for (let lexeme = this.#sorted[low]; lexeme?.startsWith(prefix); lexeme = this.#sorted[++low]) yield lexeme
  }

  /** Returns the weights of all lexemes with this prefix. */
  weightsBeginning(prefix: string): number {
    let weights = this.#begun.get(prefix)
    if (weights === undefined) {
      weights = 0
      for (const begun of this.beginning(prefix)) weights |= weightsOf(this.places(begun))
      if (prefix.length <= KEPT_PREFIX_LENGTH) this.#begun.set(prefix, weights)
    }
    return weights
  }
}

/** Returns the weights of these positions, as the bits of `WEIGHT`. */
function weightsOf(places: readonly Place[]): number {
  let weights = 0
  for (const place of places) weights |= 1 << (place & 3)
  return weights
}

/**
 * Parses a `tsvector` in PostgreSQL's output format or as a literal. The lexemes must have positions and contain no
 * quotes.
 */
export function parseVector(vector: string): Lexemes {
  const found = new Map<string, Place[]>()
  let at = 0
  while (vector.charCodeAt(at) === QUOTE) {
    const end = vector.indexOf("'", at + 1)
    const lexeme = vector.slice(at + 1, end)
    const places: Place[] = []
    at = end + 1
    // Each position follows a colon or a comma.
    do {
      let position = 0
      let code = vector.charCodeAt(++at)
      for (; code <= NINE && code > COMMA; code = vector.charCodeAt(++at)) position = position * 10 + code - 48
      const weight = WEIGHTS.indexOf(vector[at] ?? ' ')
      // PostgreSQL omits the lowest weight.
      places.push(position * 4 + (weight < 0 ? 3 : weight))
      if (weight >= 0) at++
    } while (vector.charCodeAt(at) === COMMA)
    // A copied array has no spare capacity, but one that was extended by `push` has room for 16 more values. Copying
    // reduces the memory per job from 40 KB to 19 KB.
    found.set(lexeme, places.slice())
    at++
  }
  return new Lexemes(found)
}

/** A part of a search that matches a vector at certain positions. */
export interface Operand {
  /** Returns the `tsquery` literal. With a weight, it matches only words of that weight. */
  text(weight?: Weight): string
  matches(lexemes: Lexemes): boolean
  /** Returns whether a text whose lexemes have these prefixes may match. */
  mayMatch(beginnings: Beginnings): boolean
  /** Returns the weights of the matches, as the bits of `WEIGHT`, or 0 if there is no match. */
  weights(lexemes: Lexemes): number
  /**
   * Returns the matching positions in order and without duplicates. For a phrase, returns the positions of its last
   * word.
   */
  places(lexemes: Lexemes): readonly Place[]
}

/**
 * Matches a word as it occurs in the vector. The word contains only letters, marks, digits, `+` and `#`, so nothing
 * needs escaping.
 */
export function lexeme(text: string): Operand {
  return {
    text: (weight) => (weight ? `'${text}':${weight}` : `'${text}'`),
    matches: (lexemes) => lexemes.has(text),
    mayMatch: (beginnings) => beginnings.mayHave(text),
    weights: (lexemes) => weightsOf(lexemes.places(text)),
    places: (lexemes) => lexemes.places(text),
  }
}

/** Matches any word with this prefix. */
export function beginning(text: string): Operand {
  return {
    text: (weight) => `'${text}':*${weight ?? ''}`,
    matches: (lexemes) => !lexemes.beginning(text).next().done,
    mayMatch: (beginnings) => beginnings.mayBegin(text),
    weights: (lexemes) => lexemes.weightsBeginning(text),
    places: (lexemes) => union([...lexemes.beginning(text)].map((begun) => lexemes.places(begun))),
  }
}

/** Matches if at least one of the operands matches. */
export function anyOf(operands: readonly Operand[]): Operand {
  if (operands.length === 1) return operands[0]!
  return {
    text: (weight) => `(${operands.map((operand) => operand.text(weight)).join(' | ')})`,
    matches: (lexemes) => operands.some((operand) => operand.matches(lexemes)),
    mayMatch: (beginnings) => operands.some((operand) => operand.mayMatch(beginnings)),
    weights: (lexemes) => operands.reduce((weights, operand) => weights | operand.weights(lexemes), 0),
    places: (lexemes) => union(operands.map((operand) => operand.places(lexemes))),
  }
}

/** Matches operands that follow each other at the given distances. */
export function sequence(first: Operand, rest: readonly { distance: number; operand: Operand }[]): Operand {
  if (rest.length === 0) return first
  const places = (lexemes: Lexemes) =>
    rest.reduce(
      (before, { distance, operand }) => (before.length === 0 ? NOWHERE : after(before, distance, operand, lexemes)),
      first.places(lexemes),
    )
  return {
    text: (weight) =>
      `(${rest.reduce((text, { distance, operand }) => `${text} <${distance}> ${operand.text(weight)}`, first.text(weight))})`,
    matches: (lexemes) => places(lexemes).length > 0,
    mayMatch: (beginnings) => first.mayMatch(beginnings) && rest.every(({ operand }) => operand.mayMatch(beginnings)),
    weights: (lexemes) => weightsOf(places(lexemes)),
    places,
  }
}

/** Returns the positions of an operand that are at this distance after one of the given positions. */
function after(before: readonly Place[], distance: number, operand: Operand, lexemes: Lexemes): readonly Place[] {
  let at = 0
  return operand.places(lexemes).filter((place) => {
    const wanted = positionOf(place) - distance
    while (at < before.length && positionOf(before[at]!) < wanted) at++
    return at < before.length && positionOf(before[at]!) === wanted
  })
}

function union(lists: readonly (readonly Place[])[]): readonly Place[] {
  const some = lists.filter((list) => list.length > 0)
  if (some.length <= 1) return some[0] ?? NOWHERE
  const sorted = some.flat().sort((a, b) => a - b)
  return sorted.filter((place, index) => index === 0 || positionOf(place) !== positionOf(sorted[index - 1]!))
}
