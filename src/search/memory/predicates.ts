/** Predicates on slots, which filters use as their tests. */
import type { FilterValue, Operator, ScalarValue } from '../../lists/query.ts'
import type { Columns, Dictionary } from './columns.ts'

/** Returns whether the job in a slot passes. */
export type Predicate = (slot: number) => boolean

/** A predicate on a dictionary's codes, which is evaluated once per value. */
export interface CodePredicate {
  codes(): Uint32Array
  dictionary: Dictionary<unknown>
  passes(code: number): boolean
}

/** Returns a predicate on codes. Code 0 (no value) passes if `nonePasses` is true. Unused codes never pass. */
export function byCode<T>(
  codes: () => Uint32Array,
  dictionary: Dictionary<T>,
  passes: (value: T) => boolean,
  nonePasses = false,
): CodePredicate {
  const { values } = dictionary
  const passesCode = (code: number) => {
    const value = values[code]
    return value === undefined ? code === 0 && nonePasses : passes(value)
  }
  return { codes, dictionary, passes: passesCode }
}

const [UNKNOWN, NO, YES] = [0, 1, 2]

/** Converts a predicate on codes to a predicate on slots. New values are evaluated on first use. */
export function testByCode({ codes, dictionary, passes }: CodePredicate): Predicate {
  let verdicts = new Uint8Array(dictionary.values.length)
  let { edition } = dictionary
  return (slot) => {
    const code = codes()[slot]!
    if (edition !== dictionary.edition || code >= verdicts.length) {
      // Codes may now belong to other values, or there may be new codes.
      edition = dictionary.edition
      verdicts = new Uint8Array(dictionary.values.length * 2)
    }
    if (verdicts[code] === UNKNOWN) verdicts[code] = passes(code) ? YES : NO
    return verdicts[code] === YES
  }
}

/** Returns the predicate on texts for equality, `_not` or `_in`. */
export function textPredicate(
  operator: Operator,
  value: FilterValue,
  convert: (text: string) => string = (text) => text,
): (text: string) => boolean {
  if (operator === 'in') {
    const wanted = new Set((value as readonly ScalarValue[]).map((one) => convert(String(one))))
    return (text) => wanted.has(text)
  }
  const wanted = convert(String(value))
  return operator === 'not' ? (text) => text !== wanted : (text) => text === wanted
}

/** Returns the predicate on numbers for a comparison. NaN (no value) never passes. */
export function numberPredicate(operator: Operator, value: FilterValue): (number: number) => boolean {
  if (operator === 'in') {
    const wanted = new Set((value as readonly ScalarValue[]).map(Number))
    return (number) => wanted.has(number)
  }
  const wanted = Number(value)
  switch (operator) {
    case 'gt':
      return (number) => number > wanted
    case 'gte':
      return (number) => number >= wanted
    case 'lt':
      return (number) => number < wanted
    case 'lte':
      return (number) => number <= wanted
    case 'not':
      return (number) => number < wanted || number > wanted
    default:
      return (number) => number === wanted
  }
}

/** Returns the predicate for jobs with all of the skills, any of them (`_in`) or none (`_not`). */
export function skillPredicate(
  { skills, skillNames }: Columns,
  operator: Operator,
  wanted: readonly string[],
): Predicate {
  let known = -1
  let codes: (number | undefined)[] = []
  let any = new Set<number>()
  return (slot) => {
    // The board may have gained one of these skills since the last call.
    if (known !== skillNames.additions) {
      known = skillNames.additions
      codes = wanted.map((name) => skillNames.find(name))
      any = new Set(codes.filter((code) => code !== undefined))
    }
    const own = skills[slot]!
    if (operator === 'in') return own.some((code) => any.has(code))
    if (operator === 'not') return !own.some((code) => any.has(code))
    return codes.every((code) => code !== undefined && own.includes(code))
  }
}
