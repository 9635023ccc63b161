/** Predicates on slots, which filters use as their tests. */
import type { ScalarValue } from '../../lists/parameters.ts'
import type { FilterValue, Operator } from '../../lists/query.ts'
import type { Bits } from './bits.ts'
import type { Columns, Dictionary } from './columns.ts'

/** Returns whether the job in a slot passes. */
export type Predicate = (slot: number) => boolean

/** A predicate on a dictionary's codes, which is evaluated once per value. */
export interface CodePredicate {
  codes(): Uint32Array
  dictionary: Dictionary<unknown>
  passes(code: number): boolean
}

/** Returns a predicate on codes. Code 0 (no value) passes if `nonePasses` is true. Freed codes never pass. */
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

/** Converts a predicate on codes to a predicate on slots, which evaluates each value on first use. */
function testByCode({ codes, dictionary, passes }: CodePredicate): Predicate {
  let verdicts = new Uint8Array(dictionary.values.length)
  let { edition } = dictionary
  return (slot) => {
    const code = codes()[slot]!
    if (edition !== dictionary.edition || code >= verdicts.length) {
      // Codes may now represent different values, or there may be new codes.
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

interface Range {
  low: number
  high: number
  /** Whether the range excludes its bounds. */
  isOpen: boolean
}

/** A predicate on a column of numbers, which needs no call per slot. NaN (no value) is in no range. */
export interface RangePredicate extends Range {
  numbers(): ArrayLike<number>
}

const isWithin = ({ low, high, isOpen }: Range, number: number): boolean =>
  isOpen ? number > low && number < high : number >= low && number <= high

function rangeOf(operator: Exclude<Operator, 'in' | 'not'>, value: FilterValue): Range {
  const [number, none] = [Number(value), Number.POSITIVE_INFINITY]
  switch (operator) {
    case 'gt':
      return { low: number, high: none, isOpen: true }
    case 'gte':
      return { low: number, high: none, isOpen: false }
    case 'lt':
      return { low: -none, high: number, isOpen: true }
    case 'lte':
      return { low: -none, high: number, isOpen: false }
    default:
      return { low: number, high: number, isOpen: false }
  }
}

/** Returns the predicate on a column of numbers for a comparison. NaN (no value) never passes. */
export function numberPredicate(
  numbers: () => ArrayLike<number>,
  operator: Operator,
  value: FilterValue,
): Predicate | RangePredicate {
  if (operator === 'in') {
    const wanted = new Set((value as readonly ScalarValue[]).map(Number))
    return (slot) => wanted.has(numbers()[slot]!)
  }
  if (operator === 'not') {
    const wanted = Number(value)
    return (slot) => numbers()[slot]! < wanted || numbers()[slot]! > wanted
  }
  return { numbers, ...rangeOf(operator, value) }
}

/** Returns the predicate on numbers that are computed for each slot. */
export function computedPredicate(
  numberOf: (slot: number) => number,
  operator: 'gte' | 'lte',
  value: FilterValue,
): Predicate {
  const range = rangeOf(operator, value)
  return (slot) => isWithin(range, numberOf(slot))
}

/** Adds the slots whose numbers are in the range to an empty set. */
export function fillByRange({ words }: Bits, size: number, range: RangePredicate): void {
  const column = range.numbers()
  for (let slot = 0; slot < size; slot++) if (isWithin(range, column[slot]!)) words[slot >>> 5]! |= 1 << (slot & 31)
}

/** Converts any kind of predicate to a predicate on slots. */
export function predicateOf(tested: Predicate | CodePredicate | RangePredicate): Predicate {
  if (typeof tested === 'function') return tested
  return 'numbers' in tested ? (slot) => isWithin(tested, tested.numbers()[slot]!) : testByCode(tested)
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
  const isWanted = (code: number) => any.has(code)
  return (slot) => {
    // The board may have gained one of these skills since the last call.
    if (known !== skillNames.additions) {
      known = skillNames.additions
      codes = wanted.map((name) => skillNames.find(name))
      any = new Set(codes.filter((code) => code !== undefined))
    }
    if (operator === 'in') return skills.some(slot, isWanted)
    if (operator === 'not') return !skills.some(slot, isWanted)
    return codes.every((wanted) => wanted !== undefined && skills.some(slot, (code) => code === wanted))
  }
}
