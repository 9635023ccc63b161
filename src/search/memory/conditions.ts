/** Filters as predicates on slots, equivalent to `jobFilters` in SQL, and the sets of slots that pass them. */
import { LRUCache } from 'lru-cache'
import { distanceMiles } from '../../lib/distance.ts'
import type { AppliedFilter, FilterValue, Operator, Radius, ScalarValue } from '../../lists/query.ts'
import { fold } from '../text/fold.ts'
import { words } from '../text/words.ts'
import { Bits, wordsFor } from './bits.ts'
import { type Columns, type Dictionary, fromSortable } from './columns.ts'

export type Predicate = (slot: number) => boolean

/** A filter, other than `search` and similar ones. */
type Wanted = AppliedFilter<string>

/** A condition with the slots that meet it. */
export interface Condition {
  bits: Bits
  test: Predicate
  /** Size at creation. Its later growth is small. */
  readonly bytes: number
}

/** Limits of the cache. Every condition costs time at every change. */
const LIMITS = { maxSize: 256 * 1024 * 1024, max: 5_000 }

/** Cached conditions. Each is created on first use and kept current from then on. */
export class Conditions {
  readonly #columns: Columns
  readonly #kept = new LRUCache<string, Condition>({
    ...LIMITS,
    sizeCalculation: ({ bytes }, key) => bytes + key.length,
  })

  constructor(columns: Columns) {
    this.#columns = columns
  }

  /** Returns the slots that pass a filter. */
  passing(filter: Wanted, isUnspecifiedIncluded: boolean): Bits {
    const key = JSON.stringify([filter.filter, filter.operator, filter.value, isUnspecifiedIncluded])
    const kept = this.#kept.get(key)
    if (kept) return kept.bits
    const predicate = predicateOf(this.#columns, filter, isUnspecifiedIncluded)
    const bits = new Bits(wordsFor(this.#columns.capacity))
    if (typeof predicate !== 'function') fillByCode(bits, this.#columns.size, predicate)
    else for (let slot = 0; slot < this.#columns.size; slot++) if (predicate(slot)) bits.set(slot, true)
    const test = typeof predicate === 'function' ? predicate : testByCode(predicate)
    this.#kept.set(key, { bits, test, bytes: bits.words.length * 4 })
    return bits
  }

  /** Tests these slots again. */
  refresh(slots: readonly number[]): void {
    const room = wordsFor(this.#columns.capacity)
    for (const { bits, test } of this.#kept.values()) {
      bits.grow(room)
      for (const slot of slots) bits.set(slot, test(slot))
    }
  }
}

/** A predicate on the codes of a dictionary, evaluated once for each value. */
interface CodePredicate {
  codes(): Uint32Array
  dictionary: Dictionary<unknown>
  passes(code: number): boolean
}

/** Returns a predicate on codes. `nonePasses` decides for code 0, which means no value. Unused codes never pass. */
function byCode<T>(
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

/** Looks up each slot's code. A million take a millisecond, a tenth of evaluating the predicate for each slot. */
function fillByCode(bits: Bits, size: number, { codes, dictionary, passes }: CodePredicate): void {
  const verdicts = Uint8Array.from({ length: dictionary.values.length }, (_, code) => Number(passes(code)))
  const column = codes()
  const { words } = bits
  for (let slot = 0; slot < size; slot++) words[slot >>> 5]! |= verdicts[column[slot]!]! << (slot & 31)
}

const [UNKNOWN, NO, YES] = [0, 1, 2]

/** Returns the predicate for single slots. New values are evaluated on first use. */
function testByCode({ codes, dictionary, passes }: CodePredicate): Predicate {
  let verdicts = new Uint8Array(dictionary.values.length)
  let { edition } = dictionary
  return (slot) => {
    const code = codes()[slot]!
    if (edition !== dictionary.edition || code >= verdicts.length) {
      // Codes may have new meanings, or new codes may exist.
      edition = dictionary.edition
      verdicts = new Uint8Array(dictionary.values.length * 2)
    }
    if (verdicts[code] === UNKNOWN) verdicts[code] = passes(code) ? YES : NO
    return verdicts[code] === YES
  }
}

/** Returns equality, `_not` or `_in` as a predicate on texts. */
function textPredicate(
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

/** Returns a comparison as a predicate on numbers. NaN, which means no value, never passes. */
function numberPredicate(operator: Operator, value: FilterValue): (number: number) => boolean {
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

function predicateOf(
  columns: Columns,
  { filter, operator, value }: Wanted,
  isUnspecifiedIncluded: boolean,
): Predicate | CodePredicate {
  const isNot = operator === 'not'
  const salary = (passes: Predicate): Predicate =>
    isUnspecifiedIncluded ? (slot) => passes(slot) || Number.isNaN(columns.annualHigh[slot]!) : passes
  switch (filter) {
    case 'category':
      return byCode(() => columns.category, columns.categories, textPredicate(operator, value))
    case 'job_type':
      return byCode(() => columns.type, columns.types, textPredicate(operator, value))
    case 'experience_level':
      return byCode(() => columns.level, columns.levels, textPredicate(operator, value), isNot)
    case 'company': {
      const passes = textPredicate(operator, value, fold)
      return byCode(
        () => columns.company,
        columns.companies,
        ({ sort }) => passes(fromSortable(sort)),
      )
    }
    case 'location': {
      const codeOf = () => columns.place
      if (operator !== 'is') {
        const passes = textPredicate(operator, value, fold)
        return byCode(codeOf, columns.places, ({ sort }) => passes(fromSortable(sort)))
      }
      const wanted = words(String(value))
      // A filter without any word matches no location.
      return byCode(
        codeOf,
        columns.places,
        (place) => wanted.length > 0 && wanted.every((word) => place.words.has(word)),
      )
    }
    case 'distance': {
      const { lat, lon, miles } = value as Radius
      return byCode(
        () => columns.place,
        columns.places,
        ({ points }) => distanceMiles(points, lat, lon) <= miles,
      )
    }
    case 'remote': {
      const flag = Number(value)
      return (slot) => columns.remote[slot] === flag
    }
    case 'is_featured': {
      const flag = Number(value)
      return (slot) => columns.featured[slot] === flag
    }
    case 'salary_min': {
      const passes = numberPredicate(operator === 'is' ? 'gte' : operator, value)
      return operator === 'is'
        ? salary((slot) => passes(columns.annualHigh[slot]!))
        : salary((slot) => passes(columns.salaryMin[slot]!))
    }
    case 'salary_max': {
      const passes = numberPredicate(operator === 'is' ? 'lte' : operator, value)
      return operator === 'is'
        ? salary((slot) => passes(columns.annualLow[slot]!))
        : salary((slot) => passes(columns.salaryMax[slot]!))
    }
    case 'salary_currency': {
      const upper = (code: string) => code.toUpperCase()
      return salary(
        testByCode(byCode(() => columns.currency, columns.currencies, textPredicate(operator, value, upper))),
      )
    }
    case 'salary_unspecified':
      return () => true
    case 'posted_at': {
      const passes = numberPredicate(operator, value)
      return (slot) => passes(columns.postedAt[slot]!)
    }
    case 'posted_after': {
      const time = Number(value)
      return (slot) => columns.postedAt[slot]! > time
    }
    case 'posted_before': {
      const time = Number(value)
      return (slot) => columns.postedAt[slot]! < time
    }
    case 'expires_at': {
      const passes = numberPredicate(operator, value)
      return (slot) => passes(columns.expiresAt[slot]!)
    }
    case 'skills':
      return skillPredicate(columns, operator, (value as string[]).map(fold))
    default:
      throw new Error(`No predicate for the filter ${filter}`)
  }
}

/** Returns the predicate for all of the skills, any (`_in`) or none (`_not`). */
function skillPredicate({ skills, skillNames }: Columns, operator: Operator, wanted: readonly string[]): Predicate {
  let known = -1
  let codes: (number | undefined)[] = []
  let any = new Set<number>()
  return (slot) => {
    // A skill that no job had may appear with the next one.
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
