/** Checks answers to a job's custom questions. */
import { pointerToken, trimInvisible } from '../../lib/bad-text.ts'
import { type BodyFault, FAULTS_MAX } from '../../lib/errors.ts'
import { nameHint } from '../../lib/nearest.ts'
import { parseDay } from '../../lib/time.ts'
import { isHttpUrl } from '../../lib/url.ts'
import type { CustomQuestion } from '../jobs/index.ts'

/** Answers by question ID. Unanswered questions are absent. */
export type Answers = Record<string, unknown>

const TEXT_MAX = { text: 1_000, textarea: 10_000 }
const URL_MAX = 2_048

type Judged = { answer: unknown } | { code: string; detail: string; path?: string }[]

const fault = (code: string, detail: string): Judged => [{ code, detail }]

export function checkAnswers(
  questions: readonly CustomQuestion[],
  sent: Readonly<Record<string, unknown>>,
): { answers: Answers; faults: BodyFault[] } {
  const faults: BodyFault[] = []
  const report = (id: string, code: string, detail: string, path = '') =>
    faults.push({ pointer: `#/custom_questions/${pointerToken(id)}${path}`, code, detail })

  const answered = questions.flatMap((question): [string, unknown][] => {
    const { id, required } = question
    const value = Object.hasOwn(sent, id) ? sent[id] : null
    const judged = value === null ? { answer: undefined } : judge(question, value)
    if (Array.isArray(judged)) {
      for (const { code, detail, path } of judged) report(id, code, detail, path)
      return []
    }
    const { answer } = judged
    if (answer !== undefined && !(required && Array.isArray(answer) && answer.length === 0)) return [[id, answer]]
    if (required) report(id, 'required', `${id} requires an answer.`)
    return []
  })

  const known = new Set(questions.map(({ id }) => id))
  for (const id of Object.keys(sent)) {
    if (known.has(id)) continue
    // Stops before the costly search for the nearest name, because the response omits further faults.
    if (faults.length > FAULTS_MAX) break
    report(id, 'unknown_field', `This job has no question ${JSON.stringify(id.slice(0, 64))}.${nameHint(id, known)}`)
  }
  return { answers: Object.fromEntries(answered), faults }
}

/** Returns the answer to store, or its faults. The answer is undefined if the candidate left the question blank. */
function judge({ id, type, options = [] }: CustomQuestion, value: unknown): Judged {
  switch (type) {
    case 'text':
    case 'textarea': {
      if (typeof value !== 'string') return fault('invalid_type', `${id} must be a string.`)
      const text = trimInvisible(value)
      const lengthMax = TEXT_MAX[type]
      // Counts characters instead of UTF-16 code units, like all length limits.
      if ([...text].length > lengthMax) return fault('too_long', `${id} must have at most ${lengthMax} characters.`)
      return { answer: text === '' ? undefined : text }
    }
    case 'boolean':
      return typeof value === 'boolean' ? { answer: value } : fault('invalid_type', `${id} must be a boolean.`)
    case 'number':
      // JSON allows numbers that JavaScript parses as infinite, such as 1e999.
      return Number.isFinite(value) ? { answer: value } : fault('invalid_type', `${id} must be a finite number.`)
    case 'date':
      if (typeof value !== 'string') return fault('invalid_type', `${id} must be a string.`)
      return parseDay(value, 'start')
        ? { answer: value }
        : fault('invalid_format', `${id} must be a valid date (YYYY-MM-DD).`)
    case 'url':
      if (typeof value !== 'string') return fault('invalid_type', `${id} must be a string.`)
      if ([...value].length > URL_MAX) return fault('too_long', `${id} must have at most ${URL_MAX} characters.`)
      return isHttpUrl(value)
        ? { answer: value }
        : fault('invalid_format', `${id} must be an absolute http or https URL.`)
    case 'single_select':
      if (typeof value !== 'string') return fault('invalid_type', `${id} must be a string.`)
      return options.includes(value)
        ? { answer: value }
        : fault('not_allowed', `${id} must be one of the question's ${options.length} options.`)
    case 'multi_select': {
      if (!Array.isArray(value)) return fault('invalid_type', `${id} must be an array.`)
      const foreign = [...value.keys()].filter((index) => !options.includes(value[index]))
      if (foreign.length > 0) {
        const detail = `${id} may contain only the question's ${options.length} options.`
        return foreign.slice(0, FAULTS_MAX).map((index) => ({ code: 'not_allowed', detail, path: `/${index}` }))
      }
      return new Set(value).size === value.length
        ? { answer: value }
        : fault('duplicate', `${id} must not contain an option twice.`)
    }
  }
}
