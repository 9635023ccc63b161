/** The API's detail and the page's sentence for every validation rule. */
import { expect, test } from 'vitest'
import { problemDocument } from '../../src/http/problem.ts'
import { bodyValidator } from '../../src/http/validation.ts'
import { AppError, type ErrorCode, errorCatalogue, type Fault, validationFailed } from '../../src/lib/errors.ts'
import { parameter } from '../../src/lists/parameters.ts'
import { type ListDeclaration, parseListQuery } from '../../src/lists/query.ts'
import { languages } from '../../src/locale/languages.ts'
import { inLocale } from '../../src/locale/locale.ts'
import { inWords, problemInWords } from '../../src/pages/fault-words.ts'

type Row = [member: string, schema: object, value: unknown, detail: string, sentence: string]

const rows: Row[] = [
  ['title', { minLength: 1 }, '', 'title must not be empty.', 'Enter a title.'],
  ['label', { minLength: 1 }, '', 'label must not be empty.', 'Enter a question text.'],
  ['name', { minLength: 2 }, 'a', 'name must have at least 2 characters.', 'Name must have at least 2 characters.'],
  ['title', { maxLength: 2 }, 'abc', 'title must have at most 2 characters.', 'Use at most 2 characters for title.'],
  ['type', { enum: ['a', 'b', null] }, 'c', 'type must be one of a, b.', 'Choose a type.'],
  ['scopes', { items: { enum: ['a'] } }, ['b'], '0 must be one of a.', 'Enter scopes.'],
  ['skills', { minItems: 1 }, [], 'skills must have at least 1 item.', 'Skills: choose at least one.'],
  ['skills', { minItems: 2 }, [1], 'skills must have at least 2 items.', 'Skills: choose at least 2.'],
  ['skills', { maxItems: 1 }, [1, 2], 'skills must have at most 1 item.', 'Use at most 1 skills.'],
  ['rates', { minProperties: 1 }, {}, 'rates must have at least 1 item.', 'Rates: choose at least one.'],
  ['rates', { maxProperties: 0 }, { a: 1 }, 'rates must have at most 0 items.', 'Use at most 0 rates.'],
  [
    'options',
    { uniqueItems: true },
    [1, 1],
    'options must not contain duplicates.',
    'The choices must all be different.',
  ],
  [
    'custom_questions',
    { 'x-unique-by': 'id' },
    [{ id: 1 }, { id: 1 }],
    'custom_questions must each have a different id.',
    'The questions must all be different.',
  ],
  [
    'salary',
    { 'x-range': ['min', 'max'] },
    { min: 2, max: 1 },
    'min must not be greater than max.',
    '“From” must not be higher than “To”.',
  ],
  ['links', { 'x-some-of': ['a', 'b'] }, {}, 'links needs a or b.', 'Links needs a or b.'],
  [
    'question',
    { 'x-only-with': { member: 'options', of: 'type', values: ['single_select'] } },
    { type: 'single_select' },
    'options is required for single_select, and not allowed for other types.',
    'Enter at least one choice. Put each choice on its own line.',
  ],
  ['years', { minimum: 1 }, 0, 'years must be at least 1.', 'Years must be at least 1.'],
  ['years', { maximum: 1 }, 2, 'years must be at most 1.', 'Years must be at most 1.'],
  [
    'years',
    { type: ['integer', 'null'] },
    1.5,
    'years must be an integer or null.',
    'Enter a whole number for years, without letters or decimals.',
  ],
  ['years', { type: 'number' }, 'a', 'years must be a number.', 'Enter a number for years.'],
  ['is_open', { type: 'boolean' }, 1, 'is_open must be a boolean.', 'Is open must be a boolean.'],
  [
    'url',
    { format: 'uri' },
    'a',
    'url must be an absolute http or https URL.',
    'Enter a web address that starts with https://.',
  ],
  [
    'email',
    { format: 'email' },
    'a',
    'email must be an email address.',
    'Enter an email address, such as name@example.com.',
  ],
  [
    'email',
    { format: 'email' },
    'a@bücher.example',
    'email must be an email address with an ASCII domain (xn--…).',
    'Enter an email address, such as name@example.com.',
  ],
  ['until', { format: 'date-time' }, 'a', 'until must be an RFC 3339 time or a date (YYYY-MM-DD).', 'Enter a date.'],
  [
    'as_of',
    { format: 'date' },
    'a',
    'as_of must be a date (YYYY-MM-DD).',
    'Date of the rates must be a date (YYYY-MM-DD).',
  ],
  ['currency', { format: 'currency' }, 'a', 'currency must be an ISO 4217 currency code.', 'Choose a currency.'],
  [
    'currency',
    { pattern: '^[A-Z]{3}$' },
    'a',
    'currency must be an ISO 4217 currency code in capital letters.',
    'Choose a currency.',
  ],
  ['start_date', { format: 'year-month' }, 'a', 'start_date must be a month (YYYY-MM).', 'Enter a month.'],
  [
    'phone',
    { format: 'phone' },
    'a',
    'phone must be a telephone number on one line, with at least three digits.',
    'Enter a phone number with at least three digits.',
  ],
  [
    'color',
    { pattern: '^#[0-9A-Fa-f]{6}$' },
    'a',
    'color must be a color such as #0b6472.',
    'Color must be a color such as #0b6472.',
  ],
]

test.each(rows)('the detail and the sentence for %s that violates %j', (member, schema, value, detail, sentence) => {
  const faults = bodyValidator({ type: 'object', properties: { [member]: schema } })({ [member]: value })
  expect(faults.map((fault) => fault.detail)).toEqual([detail])
  expect(faults.map((fault) => inWords(fault).detail)).toEqual([sentence])
})

test('the sentence for a missing field depends on its rule, not on the detail', () => {
  const [fault] = bodyValidator({ type: 'object', required: ['category'] })({})
  expect(fault!.detail).toBe('category is required.')
  expect(inWords(fault!).detail).toBe('Choose a category.')
  expect(inWords({ ...fault!, detail: 'Send category.' }).detail).toBe('Choose a category.')
  const [missing] = bodyValidator({ type: 'object', required: ['url'] })({})
  expect(inWords(missing!).detail).toBe('Enter a URL.')
})

test('a fault whose limit is a date has a sentence', () => {
  const rule = { keyword: 'future', limit: new Date('2026-05-06T07:08:09Z') }
  const fault = { pointer: '#/expires_at', code: 'invalid_range', detail: 'Too late.', rule }
  expect(inWords(fault).detail).toBe('Enter a date in the future, no later than 6 May 2026.')
})

test('a detail without a rule gets a readable field name if it begins with the field, and stays unchanged otherwise', () => {
  const fault = (detail: string): Fault => ({ pointer: '#/end_date', code: 'invalid', detail })
  expect(inWords(fault('end_date must not be before start_date.')).detail).toBe(
    'End date must not be before start_date.',
  )
  expect(inWords(fault('Too early.')).detail).toBe('Too early.')
  expect(inWords({ ...fault('the body must be an object.'), pointer: '#' }).detail).toBe('the body must be an object.')
})

test('faults in a query have sentences', () => {
  const filters = {
    text: parameter.text(''),
    type: parameter.choice('', ['a']),
    currency: parameter.currency(''),
    distance: parameter.distance(''),
    since: parameter.time(''),
    low: parameter.integer(''),
    high: parameter.integer(''),
  }
  const list = { filters, ranges: [['low', 'high']], sorts: {}, defaultSort: [] } as unknown as ListDeclaration
  const raw = { text: 'a'.repeat(1_001), type: 'b', currency: 'x', distance: 'x', since: 'x', low: '2', high: '1' }
  const { faults } = parseListQuery(list, raw, new Uint8Array(32))
  expect(faults.map((fault) => inWords(fault).detail)).toEqual([
    'Use at most 1000 characters for text.',
    'Choose a type.',
    'Choose a currency.',
    'Enter a number for distance.',
    'Enter a date.',
    '“From” must not be higher than “To”.',
  ])
})

test('the problem document does not contain rules', () => {
  const faults = bodyValidator({ type: 'object', required: ['title'] })({})
  const { errors } = problemDocument(validationFailed(faults), '/jobs', 'id')
  expect(errors).toEqual([{ pointer: '#/title', code: 'required', detail: 'title is required.' }])
})

const codes = Object.keys(errorCatalogue) as ErrorCode[]

test.each(languages)('every error code has a sentence in %s', (language) => {
  for (const code of codes) {
    expect(inLocale({ language, timeZone: 'UTC' }, () => problemInWords(new AppError(code)))).toMatch(/[.。]$/)
  }
})

test('German readers get no English details', () => {
  const german = <T>(run: () => T) => inLocale({ language: 'de', timeZone: 'UTC' }, run)
  const fault: Fault = { pointer: '#/end_date', code: 'invalid', detail: 'end_date must not be before start_date.' }
  expect(german(() => inWords(fault).detail)).toBe('Prüfen Sie diese Angabe: Enddatum.')
  expect(german(() => inWords({ ...fault, pointer: '#' }).detail)).toBe('Prüfen Sie Ihre Angaben.')
  const worded: Fault = { ...fault, words: { key: 'fault.end_before_start' } }
  expect(german(() => inWords(worded).detail)).toBe('Das Enddatum darf nicht vor dem Startdatum liegen.')
  const problem = new AppError('conflict', { detail: 'This network contains your own IP address.' })
  expect(german(() => problemInWords(problem))).toMatch(/^Das passt nicht zum aktuellen Stand/)
  const said = new AppError('conflict', { detail: 'Taken.', words: { key: 'problem.already_blocked' } })
  expect(german(() => problemInWords(said))).toBe('Dieser Wert ist schon gesperrt.')
  expect(german(() => problemInWords(validationFailed([worded])))).toBe(german(() => inWords(worded).detail))
})

test('responses of the API contain only English details', () => {
  const fault: Fault = { pointer: '#/a', code: 'invalid', detail: 'No.', words: { key: 'fault.check' } }
  const error = new AppError('conflict', { detail: 'No.', words: { key: 'problem.own_network' }, errors: [fault] })
  const document = problemDocument(error, '/v1', 'request')
  expect(document).toMatchObject({ detail: 'No.', errors: [{ pointer: '#/a', code: 'invalid', detail: 'No.' }] })
  expect(JSON.stringify(document)).not.toContain('words')
})
