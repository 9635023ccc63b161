/**
 * Rewords faults for people. The API describes a fault by the member's name and the documented format. A page asks for
 * the value that is missing instead. Faults that services word themselves are already sentences.
 */
import type { Fault } from '../lib/errors.ts'

/** Names of members that differ from their field's label. */
const names: Readonly<Record<string, string>> = {
  custom_questions: 'questions',
  expires_at: 'end date',
  experience_level: 'experience',
  job_type: 'type',
  label: 'question text',
  max: '“To”',
  min: '“From”',
  options: 'choices',
  application_url: 'external application link',
}

/** Members that people choose from a list instead of typing them. */
const CHOSEN = new Set(['category', 'type', 'currency', 'period', 'experience_level', 'products', 'status', 'job_type'])

const formats: readonly (readonly [RegExp, string])[] = [
  [/^an absolute http or https URL/, 'Enter a web address that starts with https://.'],
  [/^an email address/, 'Enter an email address, such as name@example.com.'],
  [/^an RFC 3339 time/, 'Enter a date.'],
  [/currency code/, 'Choose a currency.'],
  [/^a month/, 'Enter a month.'],
  [/^a telephone number/, 'Enter a phone number with at least three digits.'],
]

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const article = (name: string) => (/^[aeiou]/.test(name) ? 'an' : 'a')

/** Returns the fault with a sentence for people. */
export function inWords<F extends Fault>(fault: F): F {
  const tokens = 'pointer' in fault ? fault.pointer.split('/').slice(1) : [fault.parameter]
  const member = tokens.at(-1) ?? ''
  const name = [...tokens].reverse().find((token) => !/^\d+$/.test(token)) ?? ''
  if (name === '' || !fault.detail.startsWith(`${member} `)) return fault
  const detail = reword(name, fault.detail.slice(member.length + 1), fault.code)
  return { ...fault, detail }
}

function reword(member: string, rest: string, code: string): string {
  const name = names[member] ?? member.replaceAll('_', ' ')
  const limit = /\d+/.exec(rest)?.[0]
  const ask = CHOSEN.has(member) ? 'Choose' : 'Enter'
  switch (code) {
    case 'required':
    case 'not_allowed':
      return `${ask} ${/s$/.test(name) ? '' : `${article(name)} `}${name}.`
    case 'too_short':
      if (limit !== undefined) return `${upper(name)} needs at least ${limit} characters.`
      return `Enter ${/s$/.test(name) ? '' : `${article(name)} `}${name}.`
    case 'too_long':
      return `Use at most ${limit} characters for ${name}.`
    case 'too_small':
      return `${upper(name)} must be ${limit} or more.`
    case 'too_large':
      return `${upper(name)} must be ${limit} or less.`
    case 'too_few':
      return `Choose at least ${limit === '1' ? 'one' : limit}.`
    case 'too_many':
      return `Use at most ${limit} ${name}.`
    case 'duplicate':
      return `Each of the ${name} must be different.`
    case 'invalid_range':
      return rest.startsWith('must not be greater')
        ? '“From” must not be higher than “To”.'
        : `Enter a date in the future, at most a year from now.`
    case 'invalid_type':
      if (/integer/.test(rest)) return `Enter a whole number for ${name}, without letters or decimals.`
      return /number/.test(rest) ? `Enter a number for ${name}.` : `${ask} ${article(name)} ${name}.`
    case 'invalid_options':
      return 'Add at least one choice, one per line.'
    case 'invalid_format': {
      const known = formats.find(([pattern]) => pattern.test(rest.replace(/^must be /, '')))
      return known ? known[1] : `Check the ${name}. It ${rest}`
    }
    default:
      return `${upper(name)} ${rest}`
  }
}
