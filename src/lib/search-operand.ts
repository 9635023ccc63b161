/**
 * The operands of a search, each as a `tsquery` literal and as what it means: the lexemes of a text can be judged here,
 * with the outcome that PostgreSQL would give.
 */

import type { Beginnings } from './beginnings.ts'

export type Weight = 'A' | 'B' | 'C' | 'D'

/** As bits of `Operand.weights`. */
export const WEIGHT = { A: 1, B: 2 } as const

/** A position of a vector and its weight, in one number that orders by position. */
type Place = number
const WEIGHTS = 'ABCD'
const positionOf = (place: Place): number => place >> 2
const NOWHERE: readonly Place[] = []

const QUOTE = 39
const COMMA = 44
const NINE = 57

/** Few lexemes begin with more letters: those are found as fast, and thousands kept for each text took more room than it. */
const KEPT_PREFIX_LENGTH = 2

/** The lexemes of a text and where they stand. */
export class Lexemes {
  readonly #places: ReadonlyMap<string, readonly Place[]>
  /** Made for the first prefix. */
  #sorted: string[] | undefined
  /** By short prefix: a text is judged by thousands of operands, of which many may begin with the same letter. */
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

  /** Those that begin so. */
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

  /** The weights of those that begin so. */
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

/** The weights of some places, a bit for each, as in `WEIGHT`. */
function weightsOf(places: readonly Place[]): number {
  let weights = 0
  for (const place of places) weights |= 1 << (place & 3)
  return weights
}

/** Reads a `tsvector` as PostgreSQL writes it, or as a literal; its lexemes hold no quotes and have positions. */
export function parseVector(vector: string): Lexemes {
  const found = new Map<string, Place[]>()
  let at = 0
  while (vector.charCodeAt(at) === QUOTE) {
    const end = vector.indexOf("'", at + 1)
    const lexeme = vector.slice(at + 1, end)
    const places: Place[] = []
    at = end + 1
    // A colon or a comma stands before each position.
    do {
      let position = 0
      let code = vector.charCodeAt(++at)
      for (; code <= NINE && code > COMMA; code = vector.charCodeAt(++at)) position = position * 10 + code - 48
      const weight = WEIGHTS.indexOf(vector[at] ?? ' ')
      // The lowest weight is not written.
      places.push(position * 4 + (weight < 0 ? 3 : weight))
      if (weight >= 0) at++
    } while (vector.charCodeAt(at) === COMMA)
    // A copy has no room to grow, as an array that was pushed to has for 16 more: 19 KB a job instead of 40.
    found.set(lexeme, places.slice())
    at++
  }
  return new Lexemes(found)
}

/** Something that a vector matches at places. */
export interface Operand {
  /** As a `tsquery` literal; with a weight, as what matches only there. */
  text(weight?: Weight): string
  matches(lexemes: Lexemes): boolean
  /** Whether any of the texts with these beginnings may match. */
  mayMatch(beginnings: Beginnings): boolean
  /** The weights with which it stands somewhere, a bit for each, as in `WEIGHT`; 0: it does not match. */
  weights(lexemes: Lexemes): number
  /** In order, one for a position; of words that follow each other that of the last. */
  places(lexemes: Lexemes): readonly Place[]
}

/** A word as it stands in the vector. It holds only letters, marks, digits, `+` and `#`: there is nothing to escape. */
export function lexeme(text: string): Operand {
  return {
    text: (weight) => (weight ? `'${text}':${weight}` : `'${text}'`),
    matches: (lexemes) => lexemes.has(text),
    mayMatch: (beginnings) => beginnings.mayHave(text),
    weights: (lexemes) => weightsOf(lexemes.places(text)),
    places: (lexemes) => lexemes.places(text),
  }
}

/** Any word that begins so. */
export function beginning(text: string): Operand {
  return {
    text: (weight) => `'${text}':*${weight ?? ''}`,
    matches: (lexemes) => !lexemes.beginning(text).next().done,
    mayMatch: (beginnings) => beginnings.mayBegin(text),
    weights: (lexemes) => lexemes.weightsBeginning(text),
    places: (lexemes) => union([...lexemes.beginning(text)].map((begun) => lexemes.places(begun))),
  }
}

/** Any of some operands. */
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

/** Operands that follow each other, each so many positions after the one before it. */
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

/** The places of an operand that are that far behind one of some places. */
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
