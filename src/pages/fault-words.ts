/**
 * Words faults for people, by the rules that they break. The API names the member and the documented format. A page asks
 * for what is missing instead. Faults without a sentence here only get a readable name.
 */
import type { Fault } from '../lib/errors.ts'
import { LANGUAGE_TAG } from '../lib/language-tags.ts'

/** Names of members that differ from the member itself. */
const names: Readonly<Record<string, string>> = {
  application_url: 'external application link',
  custom_questions: 'questions',
  expires_at: 'end date',
  label: 'question text',
  max: '“To”',
  min: '“From”',
  options: 'choices',
  url: 'web address',
}

/** Members that people choose from a list instead of typing them. */
const chosen = new Set([
  'category',
  'type',
  'currency',
  'period',
  'experience_level',
  'language',
  'status',
  'job_type',
  'file',
])

interface Asked {
  /** Readable name of the member, with a small initial. */
  name: string
  /** Asks for the member, such as "Enter a title." */
  ask: string
  limit: unknown
}

/** Sentences about broken rules, by the keyword, or by the keyword and its limit. */
const sentences: Readonly<Record<string, (asked: Asked) => string>> = {
  required: ({ ask }) => ask,
  'minLength 1': ({ ask }) => ask,
  enum: ({ ask }) => ask,
  minItems: atLeast,
  minProperties: atLeast,
  maxItems: atMost,
  maxProperties: atMost,
  maxLength: ({ name, limit }) => `Use at most ${limit} characters for ${name}.`,
  uniqueItems: differ,
  'x-unique-by': differ,
  'x-range': () => '“From” must not be higher than “To”.',
  'x-only-with': () => 'Add at least one choice, one per line.',
  future: () => 'Enter a date in the future, at most a year from now.',
  'type integer': ({ name }) => `Enter a whole number for ${name}, without letters or decimals.`,
  multipleOf: ({ name }) => `Use at most two decimals for ${name}.`,
  'type number': ({ name }) => `Enter a number for ${name}.`,
  'format uri': () => 'Enter a web address that starts with https://.',
  'format email': () => 'Enter an email address, such as name@example.com.',
  'format date-time': () => 'Enter a date.',
  'format iban': () => 'Enter a valid IBAN. Check for a mistyped digit.',
  'format currency': () => 'Choose a currency.',
  [`pattern ${LANGUAGE_TAG}`]: () => 'Choose a language.',
  'pattern ^[A-Z]{3}$': () => 'Choose a currency.',
  'format year-month': () => 'Enter a month.',
  'format phone': () => 'Enter a phone number with at least three digits.',
}

function atLeast({ limit }: Asked): string {
  return `Choose at least ${limit === 1 ? 'one' : limit}.`
}

function atMost({ name, limit }: Asked): string {
  return `Use at most ${limit} ${name}.`
}

function differ({ name }: Asked): string {
  return `Each of the ${name} must be different.`
}

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Returns the fault with a sentence for people. */
export function inWords<F extends Fault>(fault: F): F {
  const tokens = 'pointer' in fault ? fault.pointer.split('/').slice(1) : [fault.parameter]
  const last = tokens.at(-1) ?? ''
  const member = tokens.findLast((token) => !/^\d+$/.test(token))
  if (member === undefined) return fault
  const name = names[member] ?? member.replaceAll('_', ' ')
  const article = /s$|^text$/.test(name) ? '' : /^[aeiou]/.test(name) ? 'an ' : 'a '
  const ask = `${chosen.has(member) ? 'Choose' : 'Enter'} ${article}${name}.`
  const { keyword = '', limit } = fault.rule ?? {}
  const sentence = sentences[`${keyword} ${limit}`] ?? sentences[keyword]
  if (sentence) return { ...fault, detail: sentence({ name, ask, limit }) }
  return fault.detail.startsWith(`${last} `)
    ? { ...fault, detail: upper(name) + fault.detail.slice(last.length) }
    : fault
}
