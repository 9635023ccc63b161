/** The parameters of lists: their declarations, and the parsing of their values. */
import { isStorableText } from '../lib/bad-text.ts'
import type { BrokenRule } from '../lib/errors.ts'
import { isCurrency } from '../lib/salary.ts'
import { parseTime } from '../lib/time.ts'
import { TERMS_MAX } from '../search/text/words.ts'

export const suffixes = ['gt', 'lt', 'gte', 'lte', 'not', 'in'] as const
export type Suffix = (typeof suffixes)[number]

export type ScalarValue = string | number | boolean | Date

/** The declaration of a parameter: its value type, and the suffixes that its name can have. */
export interface Parameter {
  type: 'text' | 'slug' | 'choice' | 'currency' | 'integer' | 'number' | 'time' | 'boolean' | 'text-list' | 'language'
  description: string
  suffixes: readonly Suffix[]
  /** The values of a `choice`. */
  choices?: readonly string[]
  /** The lower bound, which is exclusive for a `number`. */
  minimum?: number
  maximum?: number
  maxLength?: number
  /** For a search text, the maximum number of terms. Further terms are ignored. */
  termsMax?: number
}

const TEXT_MAX = 1_000
export const LIST_ITEMS_MAX = 100
/** Maximum distance, in miles or kilometers. */
const DISTANCE_MAX = 500

const named: readonly Suffix[] = ['not', 'in']

/** Returns a function that declares parameters of a type. */
const declare =
  (type: Parameter['type'], suffixes: readonly Suffix[], defaults: Partial<Parameter> = {}) =>
  (description: string, more: Partial<Parameter> = {}): Parameter => ({
    type,
    description,
    suffixes,
    ...defaults,
    ...more,
  })
const text = declare('text', named, { maxLength: TEXT_MAX })
const choice = declare('choice', named)

/** Functions that declare parameters. */
export const parameter = {
  text,
  search: (description: string) =>
    text(`${description} Only the first ${TERMS_MAX} terms count.`, { suffixes: [], termsMax: TERMS_MAX }),
  slug: declare('slug', named, { maxLength: 100 }),
  choice: (description: string, choices: readonly string[], more?: Partial<Parameter>) =>
    choice(description, { choices, ...more }),
  currency: declare('currency', named, { maxLength: 3 }),
  language: declare('language', named, { maxLength: 3 }),
  integer: declare('integer', suffixes, { minimum: 0, maximum: 1_000_000_000_000 }),
  time: declare('time', suffixes),
  distance: declare('number', [], { minimum: 0, maximum: DISTANCE_MAX }),
  boolean: declare('boolean', []),
  textList: declare('text-list', named, { maxLength: TEXT_MAX }),
}

/** The parameter for the unit of `distance`. The list parser converts kilometers to miles. */
export const distanceUnit = parameter.choice('Unit of `distance`: mi (miles, the default) or km.', ['mi', 'km'], {
  suffixes: [],
})

export type Parsed<T> = { value: T } | { fault: string; rule?: BrokenRule }

export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

export function parseList(declared: Parameter, items: readonly string[]): Parsed<ScalarValue[]> {
  if (items.length === 0) return { fault: 'needs at least one value.' }
  if (items.length > LIST_ITEMS_MAX) return { fault: `takes at most ${LIST_ITEMS_MAX} values.` }
  const values: ScalarValue[] = []
  for (const item of items) {
    const parsed = parseScalar(declared, item)
    if ('fault' in parsed) return parsed
    values.push(parsed.value)
  }
  return { value: values }
}

const LANGUAGE = /^[a-z]{2,3}$/
const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/

export function parseScalar(declared: Parameter, text: string): Parsed<ScalarValue> {
  if (!isStorableText(text)) return { fault: 'contains a character that is not allowed.' }
  switch (declared.type) {
    case 'text':
    case 'text-list':
    case 'slug':
      if (text.length > TEXT_MAX * 2 || [...text].length > (declared.maxLength ?? TEXT_MAX)) {
        const limit = declared.maxLength ?? TEXT_MAX
        return { fault: `must have at most ${limit} characters.`, rule: { keyword: 'maxLength', limit } }
      }
      if (declared.type === 'slug' && !SLUG.test(text)) {
        return { fault: 'must be a slug: lowercase letters and digits, joined by single hyphens.' }
      }
      return { value: text }
    case 'choice':
      return declared.choices?.includes(text)
        ? { value: text }
        : { fault: `must be one of ${declared.choices?.join(', ')}.`, rule: { keyword: 'enum' } }
    case 'currency':
      return isCurrency(text.toUpperCase())
        ? { value: text }
        : { fault: 'must be an ISO 4217 currency code.', rule: { keyword: 'format', limit: 'currency' } }
    case 'language':
      return LANGUAGE.test(text)
        ? { value: text }
        : { fault: 'must be a language code of two or three lowercase letters, such as de.' }
    case 'boolean':
      if (text !== 'true' && text !== 'false') return { fault: 'must be true or false.' }
      return { value: text === 'true' }
    case 'integer': {
      const value = Number(text)
      const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = declared
      if (!/^-?\d{1,16}$/.test(text) || value < minimum || value > maximum) {
        return { fault: `must be a whole number from ${minimum} to ${maximum}.` }
      }
      return { value }
    }
    case 'number': {
      const value = Number(text)
      const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = declared
      if (!/^\d{1,16}(\.\d{1,6})?$/.test(text) || value <= minimum || value > maximum) {
        const fault = `must be a number greater than ${minimum} and at most ${maximum}.`
        return { fault, rule: { keyword: 'type', limit: 'number' } }
      }
      return { value }
    }
    case 'time': {
      const value = parseTime(withPlus(text), 'start')
      if (value) return { value }
      return {
        fault: 'must be an RFC 3339 time or a date (YYYY-MM-DD).',
        rule: { keyword: 'format', limit: 'date-time' },
      }
    }
  }
}

/** Restores a time's plus sign, which arrives as a space if it was not percent-encoded. */
function withPlus(time: string): string {
  return time.replace(/ (\d\d:\d\d)$/, '+$1')
}

/** Returns a value for `filters_applied`: times as they were sent, all other values as parsed. */
export function echo(
  value: ScalarValue | readonly ScalarValue[],
  items: readonly string[],
  declared: Parameter,
): unknown {
  if (declared.type !== 'time') return value
  return Array.isArray(value) ? items.map(withPlus) : withPlus(items[0]!)
}
