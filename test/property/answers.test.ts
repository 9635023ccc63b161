/** Compares the validation of arbitrary answers with an independent implementation of the rules. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkAnswers } from '../../src/features/applications/applications.answers.ts'
import type { CustomQuestion } from '../../src/features/jobs/index.ts'

const types = ['text', 'textarea', 'boolean', 'number', 'date', 'url', 'single_select', 'multi_select'] as const
const options = ['day', 'night', 'Día', '0']
const ids = ['why', '__proto__', 'constructor', 'toString', 'q-1', 'hasOwnProperty']

const question = fc.record({
  id: fc.constantFrom(...ids),
  label: fc.constant('Question'),
  type: fc.constantFrom(...types),
  required: fc.boolean(),
})
const questions = fc
  .uniqueArray(question, { selector: ({ id }) => id, maxLength: 5 })
  .map((list) => list.map((item): CustomQuestion => (item.type.endsWith('select') ? { ...item, options } : item)))

/** Valid and invalid answers for every type. */
const value = fc.oneof(
  fc.constantFrom(null, '', ' \n ', 'day', 'Día', 'dia', '2026-02-28', '2026-02-29', '2026-2-1', '0000-01-01'),
  fc.constantFrom('https://a.example/x', 'http://user@a.example', 'ftp://a.example', 'javascript:alert(1)', 'https://'),
  fc.constantFrom('x'.repeat(1_000), 'x'.repeat(1_001), '\u{1F697}'.repeat(1_000), ` ${'x'.repeat(10_000)} `),
  fc.constantFrom(
    'x'.repeat(10_001),
    `https://a.example/${'x'.repeat(2_030)}`,
    `https://a.example/${'x'.repeat(2_031)}`,
  ),
  fc.constantFrom(0, -0, 1.5, 1e308, Number.POSITIVE_INFINITY, true, false),
  fc.subarray(options),
  fc.constantFrom(['day', 'day'], ['noon'], [7], [null], [['day']], {}, { day: true }),
  fc.jsonValue(),
)
const sent = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...ids, 'unknown', 'a/b~c'), value), { selector: ([id]) => id })
  .map((entries) => Object.fromEntries(entries))

const characters = (text: string) => Array.from(text).length
const isDay = (text: string) =>
  /^[1-9]\d{3}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true

/** Functions that return whether an answer is valid, by type of question. */
const rules: Record<CustomQuestion['type'], (answer: unknown) => boolean> = {
  text: (answer) => typeof answer === 'string' && characters(answer.trim()) <= 1_000,
  textarea: (answer) => typeof answer === 'string' && characters(answer.trim()) <= 10_000,
  boolean: (answer) => answer === true || answer === false,
  number: (answer) => typeof answer === 'number' && answer - answer === 0,
  date: (answer) => typeof answer === 'string' && isDay(answer),
  url: (answer) => {
    if (typeof answer !== 'string' || characters(answer) > 2_048 || !/^https?:\/\/\S+$/i.test(answer)) return false
    return URL.canParse(answer) && !new URL(answer).username && !new URL(answer).password
  },
  single_select: (answer) => typeof answer === 'string' && options.includes(answer),
  multi_select: (answer) =>
    Array.isArray(answer) && answer.every((item, index) => options.includes(item) && answer.indexOf(item) === index),
}
const isBlank = ({ type, required }: CustomQuestion, answer: unknown) =>
  answer === null ||
  ((type === 'text' || type === 'textarea') && typeof answer === 'string' && answer.trim() === '') ||
  (type === 'multi_select' && required && Array.isArray(answer) && answer.length === 0)

describe('answers to custom questions', () => {
  test('are accepted or refused according to the rules, for any input', () => {
    fc.assert(
      fc.property(questions, sent, (asked, answers) => {
        const expectedFaults = new Set<string>()
        const kept = new Map<string, unknown>()
        const pointer = (id: string) => `#/custom_questions/${id.replaceAll('~', '~0').replaceAll('/', '~1')}`
        for (const item of asked) {
          const answer = Object.hasOwn(answers, item.id) ? answers[item.id] : null
          if (isBlank(item, answer)) {
            if (item.required) expectedFaults.add(pointer(item.id))
          } else if (!rules[item.type](answer)) expectedFaults.add(pointer(item.id))
          else kept.set(item.id, typeof answer === 'string' && item.type.startsWith('text') ? answer.trim() : answer)
        }
        for (const id of Object.keys(answers)) {
          if (!asked.some((item) => item.id === id)) expectedFaults.add(pointer(id))
        }
        const checked = checkAnswers(asked, answers)
        // An error may point to an item within an answer.
        const found = checked.faults.map((fault) => fault.pointer.split('/').slice(0, 3).join('/'))
        expect(new Set(found)).toEqual(expectedFaults)
        expect(new Map(Object.entries(checked.answers))).toEqual(kept)
        // Stored answers survive a JSON round trip and are still valid when they are sent again.
        const again = JSON.parse(JSON.stringify(checked.answers))
        if (expectedFaults.size === 0) {
          expect(checkAnswers(asked, again)).toEqual({ answers: again, faults: [] })
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('have errors with a code and a sentence that names the question', () => {
    const asked: CustomQuestion[] = [
      { id: 'pay', label: 'Pay', type: 'number', required: true },
      { id: 'tools', label: 'Tools', type: 'multi_select', required: true, options: ['CAN', 'LIN'] },
    ]
    expect(checkAnswers(asked, { pay: '5', tools: ['CAN', 'FlexRay', 'x'], tool: 1 }).faults).toEqual([
      { pointer: '#/custom_questions/pay', code: 'invalid_type', detail: 'pay must be a finite number.' },
      {
        pointer: '#/custom_questions/tools/1',
        code: 'not_allowed',
        detail: "tools may contain only the question's 2 options.",
      },
      {
        pointer: '#/custom_questions/tools/2',
        code: 'not_allowed',
        detail: "tools may contain only the question's 2 options.",
      },
      {
        pointer: '#/custom_questions/tool',
        code: 'unknown_field',
        detail: 'This job has no question "tool". Did you mean tools?',
      },
    ])
    expect(checkAnswers(asked, { pay: null, tools: [] }).faults).toEqual([
      { pointer: '#/custom_questions/pay', code: 'required', detail: 'pay requires an answer.' },
      { pointer: '#/custom_questions/tools', code: 'required', detail: 'tools requires an answer.' },
    ])
    expect(checkAnswers(asked, { pay: 1, tools: ['CAN', 'CAN'] }).faults).toEqual([
      {
        pointer: '#/custom_questions/tools',
        code: 'duplicate',
        detail: 'tools must not contain an option twice.',
      },
    ])
  })
})
