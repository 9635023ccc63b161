/**
 * Rewords the faults of schemas for people. The API names the member and the documented format. A page asks for what is
 * missing instead. Faults that services word themselves only get a readable name.
 */
import type { Fault } from '../lib/errors.ts'

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
const chosen = new Set(['category', 'type', 'currency', 'period', 'experience_level', 'status', 'job_type', 'file'])

interface Asked {
  /** Readable name of the member, with a small initial. */
  name: string
  /** Asks for the member, such as "Enter a title." */
  ask: string
}

type Rule = readonly [pattern: RegExp, word: (asked: Asked, found: readonly string[]) => string]

/** Rewordings of the text after the member's name in a fault's detail. The first matching rule applies. */
const rules: readonly Rule[] = [
  [/^(?:is required|must not be empty)\.$/, ({ ask }) => ask],
  [/^must be one of /, ({ ask }) => ask],
  [/^must have at least (\d+) items/, (_, [count]) => `Choose at least ${count === '1' ? 'one' : count}.`],
  [/^must have at most (\d+) items/, ({ name }, [count]) => `Use at most ${count} ${name}.`],
  [/^must have at most (\d+) characters/, ({ name }, [count]) => `Use at most ${count} characters for ${name}.`],
  [/^must not contain duplicates|^must each have/, ({ name }) => `Each of the ${name} must be different.`],
  [/^must not be greater than/, () => '“From” must not be higher than “To”.'],
  [/^must be in the future and no later/, () => 'Enter a date in the future, at most a year from now.'],
  [/^must be an integer/, ({ name }) => `Enter a whole number for ${name}, without letters or decimals.`],
  [/^must be a number/, ({ name }) => `Enter a number for ${name}.`],
  [/^must be an absolute http/, () => 'Enter a web address that starts with https://.'],
  [/^must be an email address/, () => 'Enter an email address, such as name@example.com.'],
  [/^must be an RFC 3339 time/, () => 'Enter a date.'],
  [/^must be an ISO 4217/, () => 'Choose a currency.'],
  [/^must be a month/, () => 'Enter a month.'],
  [/^must be a telephone number/, () => 'Enter a phone number with at least three digits.'],
  [/^is required for single_select/, () => 'Add at least one choice, one per line.'],
]

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Returns the fault with a sentence for people. */
export function inWords<F extends Fault>(fault: F): F {
  const tokens = 'pointer' in fault ? fault.pointer.split('/').slice(1) : [fault.parameter]
  const last = tokens.at(-1) ?? ''
  const member = tokens.findLast((token) => !/^\d+$/.test(token))
  if (member === undefined || !fault.detail.startsWith(`${last} `)) return fault
  const rest = fault.detail.slice(last.length + 1)
  const name = names[member] ?? member.replaceAll('_', ' ')
  const article = /s$|^text$/.test(name) ? '' : /^[aeiou]/.test(name) ? 'an ' : 'a '
  const ask = `${chosen.has(member) ? 'Choose' : 'Enter'} ${article}${name}.`
  for (const [pattern, word] of rules) {
    const found = pattern.exec(rest)
    if (found) return { ...fault, detail: word({ name, ask }, found.slice(1)) }
  }
  return { ...fault, detail: `${upper(name)} ${rest}` }
}
