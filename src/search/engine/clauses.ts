/** Clauses of the search engine's query language. */
import { CONVERTED_MAX, type Conversion, convert } from '../../lib/exchange.ts'
import type { ScalarValue } from '../../lists/parameters.ts'
import type { FilterValue, Operator } from '../../lists/query.ts'

/** A query in OpenSearch's query language. */
export type Clause = Readonly<Record<string, unknown>>

export const NOTHING: Clause = { match_none: {} }
export const term = (field: string, value: unknown): Clause => ({ term: { [field]: value } })
export const terms = (field: string, values: readonly unknown[]): Clause => ({ terms: { [field]: values } })
export const exists = (field: string): Clause => ({ exists: { field } })
export const range = (field: string, bounds: Readonly<Record<string, number>>): Clause => ({
  range: { [field]: bounds },
})
export const allOf = (filter: readonly Clause[]): Clause => ({ bool: { filter } })
export const anyOf = (should: readonly Clause[]): Clause => ({ bool: { should, minimum_should_match: 1 } })
export const noneOf = (must_not: readonly Clause[]): Clause => ({ bool: { must_not } })
/** Matches documents that have a value of a field but do not match a clause. */
const otherThan = (field: string, clause: Clause): Clause => ({
  bool: { filter: [exists(field)], must_not: [clause] },
})

const listOf = (value: FilterValue): readonly ScalarValue[] => [value].flat() as ScalarValue[]

/** Matches texts by equality, `_not` or `_in`. Documents without a value pass only `_not`. */
export function textClause(
  field: string,
  operator: Operator,
  value: FilterValue,
  convertText: (text: string) => string = (text) => text,
): Clause {
  const wanted = terms(
    field,
    listOf(value).map((one) => convertText(String(one))),
  )
  return operator === 'not' ? noneOf([wanted]) : wanted
}

/** Compares numbers and times. Documents without a value never pass. */
export function numberClause(field: string, operator: Operator, value: FilterValue): Clause {
  const wanted = listOf(value).map(Number)
  if (operator === 'is' || operator === 'in') return terms(field, wanted)
  if (operator === 'not') return otherThan(field, terms(field, wanted))
  return range(field, { [operator]: wanted[0]! })
}

/**
 * Compares converted amounts with a bound, by converting the bound into each currency. Amounts in a currency without a
 * rate never pass.
 */
export function convertedClause(
  field: string,
  comparison: 'gte' | 'lte',
  value: FilterValue,
  { factors }: Conversion,
): Clause {
  const bound = Number(value)
  const inCurrency = ([currency, factor]: readonly [string, number]) =>
    allOf([term('salary_currency', currency), range(field, { [comparison]: boundIn(factor, comparison, bound) })])
  return anyOf([...factors].map(inCurrency))
}

/**
 * Returns the lowest or highest amount whose conversion is within a bound. Conversion preserves the order of amounts.
 */
function boundIn(factor: number, comparison: 'gte' | 'lte', bound: number): number {
  let [below, above] = [-1, CONVERTED_MAX]
  while (above - below > 1) {
    const middle = Math.floor((below + above) / 2)
    const converted = convert(middle, factor)
    if (comparison === 'gte' ? converted >= bound : converted > bound) above = middle
    else below = middle
  }
  return comparison === 'gte' ? above : below
}
