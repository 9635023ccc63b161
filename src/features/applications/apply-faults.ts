/** Sentences about faults of the application form, for people. The API's sentences name its members instead. */
import type { BodyFault } from '../../lib/errors.ts'
import type { CustomQuestion } from '../jobs/index.ts'

/** Instructions for correcting an answer of the wrong type, by the question's type. */
const requests: Readonly<Record<CustomQuestion['type'], string>> = {
  text: 'Shorten your answer to 1,000 characters.',
  textarea: 'Shorten your answer to 10,000 characters.',
  boolean: 'Choose yes or no.',
  number: 'Enter a number, such as 3 or 7.5.',
  date: 'Enter a date, such as 2026-04-01.',
  url: 'Enter a web address that starts with https://.',
  single_select: 'Choose one of the options.',
  multi_select: 'Choose only from the options.',
}

export function inPlainWords({ rule, ...fault }: BodyFault, questions: readonly CustomQuestion[]): BodyFault {
  const [, member, token] = fault.pointer.split('/')
  if (member === 'cover_letter') {
    const detail = fault.code === 'too_long' ? 'Shorten your letter to 20,000 characters.' : 'Write a letter.'
    return { ...fault, detail }
  }
  if (member === 'resume_id') return { ...fault, detail: 'Choose one of your resumes. This one no longer exists.' }
  const question = member === 'custom_questions' && questions.find(({ id }) => id === token)
  if (!question) return { ...fault, ...(rule && { rule }) }
  const detail =
    fault.code === 'required' ? `Answer “${question.label}”.` : `“${question.label}”: ${requests[question.type]}`
  return { ...fault, detail }
}
