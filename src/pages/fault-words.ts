/**
 * Describes faults and problems to people in the reader's language. The API names the member and its format, whereas a
 * page asks for what is missing.
 */
import type { AppError, Fault, Words } from '../lib/errors.ts'
import { LANGUAGE_TAG } from '../lib/language-tags.ts'
import { formatDay } from '../locale/formats.ts'
import { currentLocale } from '../locale/locale.ts'
import { isMessageKey, type MessageKey, t } from '../locale/messages.ts'

/** Members whose values people choose instead of typing them. */
const chosen = new Set([
  'category',
  'type',
  'currency',
  'period',
  'experience_level',
  'workplace',
  'language',
  'status',
  'job_type',
  'file',
  'format',
  'frequency',
  'kind',
  'method',
  'registration',
  'role',
])

/** Messages about broken rules, by keyword or by keyword and limit. */
const messages: Readonly<Record<string, MessageKey>> = {
  minItems: 'fault.at_least',
  minProperties: 'fault.at_least',
  maxItems: 'fault.at_most',
  maxProperties: 'fault.at_most',
  minLength: 'fault.length_min',
  maxLength: 'fault.length_max',
  minimum: 'fault.minimum',
  maximum: 'fault.maximum',
  uniqueItems: 'fault.differ',
  'x-unique-by': 'fault.differ',
  'x-known-place': 'fault.place_unknown',
  'x-needs-place': 'fault.place_needed',
  'x-range': 'fault.range',
  'x-only-with': 'fault.no_choices',
  future: 'fault.future',
  multipleOf: 'fault.decimals',
  'type integer': 'fault.integer',
  'type number': 'fault.number',
  'format uri': 'fault.url',
  'format email': 'fault.email',
  'format date-time': 'fault.date',
  'format currency': 'fault.currency',
  'format year-month': 'fault.month',
  'format phone': 'fault.phone',
  'format iban': 'fault.iban',
  'pattern ^[A-Z]{3}$': 'fault.currency',
  'pattern ^#[0-9A-Fa-f]{6}$': 'fault.color',
  'pattern ^[a-z0-9]+(-[a-z0-9]+)*$': 'fault.slug',
}

/** Rules whose messages ask the reader to enter or choose a value. */
const asking = new Set(['required', 'minLength 1', 'enum', `pattern ${LANGUAGE_TAG}`])

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Returns a member's name for use within a sentence. */
function nameOf(member: string): string {
  const key = `member.${member}`
  return isMessageKey(key) ? t(key) : member.replaceAll('_', ' ')
}

/** Adds the article that English sentences need. Messages in other languages need no article. */
function withArticle(name: string): string {
  if (currentLocale().language !== 'en' || /[^s]s$|^text$/.test(name)) return name
  return `${/^(?!URL\b)[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`
}

const say = (words: Words) => {
  if (typeof words === 'string') return words
  return typeof words === 'function' ? words() : t(words.key, words.values)
}

/**
 * Returns faults with sentences for people. If a member breaks two rules with the same sentence, returns only one
 * fault.
 */
export function allInWords(faults: readonly Fault[]): Fault[] {
  const idOf = (fault: Fault) => `${'pointer' in fault ? fault.pointer : fault.parameter} ${fault.detail}`
  return [...new Map(faults.map(inWords).map((fault) => [idOf(fault), fault])).values()]
}

/** Returns the fault with a sentence for people. */
export function inWords<F extends Fault>(fault: F): F {
  return { ...fault, detail: sentenceOf(fault) }
}

/** Returns a rule's limit as a value of a message: a date as a day in the reader's language. */
function limitInWords(limit: unknown): string | number {
  if (limit instanceof Date) return formatDay(limit.toISOString())
  return typeof limit === 'number' ? limit : String(limit)
}

function sentenceOf(fault: Fault): string {
  const { words, rule, detail } = fault
  if (words !== undefined) return say(words)
  const tokens = 'pointer' in fault ? fault.pointer.split('/').slice(1) : [fault.parameter]
  const member = tokens.findLast((token) => !/^\d+$/.test(token))?.replace(/^_/, '')
  const isEnglish = currentLocale().language === 'en'
  if (member === undefined) return isEnglish ? detail : t('fault.body')
  const { keyword = '', limit } = rule ?? {}
  const name = nameOf(member)
  const isAsking =
    asking.has(keyword) || asking.has(`${keyword} ${limit}`) || (keyword === 'pattern' && chosen.has(member))
  if (isAsking) {
    return t(chosen.has(member) ? 'fault.choose' : 'fault.enter', { asked: withArticle(name) })
  }
  const key = messages[`${keyword} ${limit}`] ?? messages[keyword]
  if (key) return t(key, { name, subject: upper(name), limit: limitInWords(limit) })
  // Details are in English, so readers of other languages see a general sentence.
  if (!isEnglish)
    return keyword === 'x-characters' ? t('fault.characters', { subject: upper(name) }) : t('fault.check', { name })
  const last = tokens.at(-1)!
  return detail.startsWith(`${last} `) ? upper(name) + detail.slice(last.length) : detail
}

/** Returns a sentence that describes a problem to people. */
export function problemInWords({ code, options }: AppError): string {
  const { words, errors = [], detail } = options
  if (words !== undefined) return say(words)
  if (errors.length === 1) return sentenceOf(errors[0]!)
  return detail !== undefined && currentLocale().language === 'en' ? detail : t(`problem.${code}`)
}
