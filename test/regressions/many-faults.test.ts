import { describe, expect, test } from 'vitest'
import { JobBody, jobList } from '../../src/features/jobs/jobs.schemas.ts'
import { bodyValidator } from '../../src/http/validation.ts'
import { parseListQuery } from '../../src/lists/query.ts'
import { useBoard } from '../support/board.ts'

// Found in an attack test: every error was compared with all earlier errors. 20,000 unknown fields took 2.5 s. A body
// of the permitted 1 MiB, sent without a key, blocked the whole service for minutes and caused a response of 12 MB.
describe('a body with many errors', () => {
  const board = useBoard()
  const members = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`a${i}`, 0]))

  test('gets a bounded response', async () => {
    const answer = await board.post('/v1/candidates', undefined, members)
    expect(answer.status).toBe(422)
    expect(answer.body.detail).toBe('More than 100 fields of the body are not valid.')
    expect(answer.body.errors).toHaveLength(100)
    expect(answer.text.length).toBeLessThan(20_000)
  })

  test('gets a bounded response even if the service also checks the valid fields', async () => {
    const employer = await board.employer()
    const unknown = Object.fromEntries(Object.entries(members).slice(0, 200))
    for (const [path, body] of [
      ['/v1/api-keys', { ...unknown, name: 1, scopes: 5, expires_at: 5 }],
      ['/v1/jobs', { ...unknown, salary: 5, expires_at: 'x' }],
      ['/v1/employers/payments', { ...unknown, job_id: 5, products: 5 }],
    ] as const) {
      const answer = await board.post(path, employer.key, body)
      expect([answer.status, answer.body.errors.length], path).toEqual([422, 100])
    }
    const { id } = await board.job(employer)
    const answer = await board.put(`/v1/jobs/${id}`, employer.key, { ...unknown, salary: 'x', expires_at: 5 })
    expect([answer.status, answer.body.errors.length]).toEqual([422, 100])
  })

  test('is checked only after the resource in the path was found', async () => {
    const [owner, other] = [await board.employer(), await board.employer()]
    const { id } = await board.job(owner)
    expect((await board.put(`/v1/jobs/${id}`, other.key, members)).status).toBe(404)
  })

  test('has every error reported if there are exactly 100', async () => {
    const few = Object.fromEntries(Object.entries(members).slice(0, 97))
    const answer = await board.post('/v1/candidates', undefined, few)
    expect(answer.body.detail).toBe('100 fields of the body are not valid.')
    expect(answer.body.errors).toHaveLength(100)
  })

  test('has a bounded list of errors in arrays, too', () => {
    const validate = bodyValidator(JobBody)
    expect(validate({ requirements: Array(6_000).fill(1) })).toHaveLength(101)
    expect(validate({ custom_questions: Array(3_000).fill({}) })).toHaveLength(101)
  })
})

describe('a query with hundreds of errors', () => {
  const board = useBoard()

  test('gets a bounded response', async () => {
    const { key } = await board.candidate()
    const query = Array.from({ length: 2_000 }, (_, i) => i.toString(36)).join('&')
    const answer = await board.get(`/v1/jobs?${query}`, key)
    expect([answer.status, answer.body.code]).toEqual([400, 'unknown_parameter'])
    expect(answer.body.detail).toBe('More than 100 query parameters are not valid.')
    expect(answer.body.errors).toHaveLength(100)
  })

  test('has a fault for every unknown parameter', () => {
    const raw = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`x${i}`, '1']))
    expect(parseListQuery(jobList, raw, new Uint8Array(32)).faults).toHaveLength(300)
  })
})
