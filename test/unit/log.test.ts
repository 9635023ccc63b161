import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LineBatch } from '../../src/http/fast-path/line-batch.ts'
import { describeError } from '../../src/main/log.ts'

test('the log shows database errors without row values', () => {
  const error = Object.assign(new Error('duplicate key value violates unique constraint "account_kind_email_key"'), {
    code: '23505',
    detail: 'Key (kind, email_key)=(candidate, ada@candidate.example) already exists.',
    where: 'COPY account, line 1: "ada@candidate.example"',
  })
  const logged = describeError(error)
  expect(logged).toMatchObject({ message: error.message, code: '23505' })
  expect(JSON.stringify({ ...logged, ...{ raw: undefined } })).not.toContain('ada@')
})

describe('a batch of log lines', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('is formatted and written together after 100 ms, or when it is full', () => {
    const written: string[] = []
    const format = vi.fn(() => 'line\n')
    const batch = new LineBatch((text) => written.push(text))
    batch.write('first\n')
    batch.write({ toString: format })
    vi.advanceTimersByTime(99)
    expect([written, format.mock.calls.length]).toEqual([[], 0])
    vi.advanceTimersByTime(1)
    expect([written, format.mock.calls.length]).toEqual([['first\nline\n'], 1])
    for (let n = 0; n < 257; n++) batch.write('x')
    expect(written.at(-1)).toBe('x'.repeat(256))
    batch.flush()
    batch.flush()
    expect(written).toEqual(['first\nline\n', 'x'.repeat(256), 'x'])
  })
})
