/**
 * Bodies of the permitted 1 MiB blocked the whole service: unknown fields for 330 ms, and a form of `a&a&…` for
 * seconds.
 */
import { describe, expect, test, vi } from 'vitest'
import { findUnstorableText, trimInvisible } from '../../src/lib/bad-text.ts'
import { nearestName } from '../../src/lib/nearest.ts'
import { formBody } from '../../src/pages/forms.ts'
import { ADMIN_KEY, useBoard } from '../support/board.ts'

const board = useBoard()
const MIB = 1_048_576
const fill = (unit: string, before = '', after = '') =>
  before + unit.repeat(Math.floor((MIB - before.length - after.length) / unit.length)) + after

describe('a body of 1 MiB', () => {
  test.each([
    ['unknown members', `{${Array.from({ length: 100_000 }, (_, n) => `"${n.toString(36)}":0`).join(',')}}`],
    ['array items', fill('0,', '{"first_name":[', '0]}')],
    ['empty objects', fill('{},', '{"a":[', '{}]}')],
    ['an unterminated array', fill('0,', '{"a":[')],
  ])('is refused before it is parsed if it consists of %s', async (_what, body) => {
    const parse = vi.spyOn(JSON, 'parse')
    const sent = board.post('/v1/candidates', undefined, body)
    const answer = await sent
    const parsed = parse.mock.calls.filter(([text]) => text.length > 100_000)
    parse.mockRestore()
    expect(parsed).toEqual([])
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
    expect(answer.body.errors).toEqual([
      { pointer: '#', code: 'too_many', detail: expect.stringMatching(/^The body contains more than 1,?\d+ values/) },
    ])
  })

  test('is refused if it consists of nested arrays', async () => {
    const answer = await board.post('/v1/candidates', undefined, fill('['))
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_json'])
    expect(answer.body.detail).toBe('The body is nested deeper than 32 levels.')
  })

  test('is checked only after the resource in the path was found', async () => {
    const employer = await board.employer()
    const answer = await board.put('/v1/jobs/job_01h455vb4pex5vsknk084sn02q', employer.key, fill('0,', '[', '0]'))
    expect(answer.status).toBe(404)
  })

  test('is parsed if it contains one long text, whose length is then checked', async () => {
    const body = { first_name: fill('x').slice(0, 1_000_000), last_name: 'B', email: 'a@b.example' }
    const answer = await board.post('/v1/candidates', undefined, body)
    expect(answer.body.errors).toEqual([{ pointer: '#/first_name', code: 'too_long', detail: expect.any(String) }])
  })
})

test('a body with as many values as a job may have is accepted', async () => {
  const options = Array.from({ length: 100 }, (_, n) => `Option ${n}`)
  const question = { label: 'Which?', type: 'multi_select', required: false, options }
  const texts = Array(50).fill('A, b, [c] {d}')
  const job = await board.job(await board.employer(), {
    custom_questions: Array.from({ length: 50 }, (_, n) => ({ ...question, id: `q${n}` })),
    requirements: texts,
    benefits: texts,
    description: ',[{'.repeat(16_000),
  })
  expect(job.custom_questions).toHaveLength(50)
})

test('the search for invalid texts stops once it has found more than the service reports', () => {
  expect(findUnstorableText(Array(5_000).fill('\0'))).toHaveLength(101)
})

test('any number of invisible characters is trimmed', () => {
  expect(trimInvisible(`${'\u00ad'.repeat(300_000)} a\u200bb ${'\u0085\u2028'.repeat(100_000)}`)).toBe('a\u200bb')
})

describe('a form of 1 MiB', () => {
  test('is refused after 2,000 fields, without parsing the rest', async () => {
    const read = vi.spyOn(globalThis, 'URLSearchParams')
    const response = await fetch(`${board.address}/register/candidate`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: fill('a&'),
    })
    expect(response.status).toBe(413)
    expect(read.mock.calls.filter(([text]) => String(text).length > 1_000)).toEqual([])
    read.mockRestore()
  })

  test('is refused if a list in it has more than 10,000 lines', () => {
    const schema = { type: 'object', properties: { skills: { type: 'array', items: { type: 'string' } } } }
    const bodyOf = (...texts: string[]) => formBody(schema, new Map([['skills', texts]]))
    expect(bodyOf('a\n'.repeat(9_999))).toEqual({ skills: Array(9_999).fill('a') })
    expect(() => bodyOf('\n'.repeat(1_000_000))).toThrow('The body is too large')
    expect(() => bodyOf('a\n'.repeat(6_000), 'a\n'.repeat(6_000))).toThrow('The body is too large')
  })
})

test('a name is compared only with names of similar length', () => {
  const incomparable = { length: 9, charCodeAt: () => expect.fail('compared') }
  expect(nearestName('x'.repeat(60), [incomparable as unknown as string])).toBeUndefined()
})

test('a query with 110 long unknown names returns 100 errors', async () => {
  const names = Array.from({ length: 110 }, (_, n) => `${n.toString(36).padEnd(60, 'abcdefgh')}=1`)
  const answer = await board.get(`/v1/jobs?${names.join('&')}`, ADMIN_KEY)
  expect([answer.status, answer.body.errors.length]).toEqual([400, 100])
})
