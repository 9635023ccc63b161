import type { Span } from '@opentelemetry/api'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { markFailed } from '../../src/lib/tracing.ts'

test('a failed span contains the code or the name of the error, but not its message', () => {
  const setStatus = vi.fn()
  const failed = (error: unknown) => {
    markFailed({ setStatus } as unknown as Span, error)
    return setStatus.mock.lastCall![0].message
  }
  const invalid = new pg.DatabaseError('invalid input syntax for type uuid: "ada@candidate.example"', 0, 'error')
  expect(failed(Object.assign(invalid, { code: '22P02' }))).toBe('22P02')
  expect(failed(new TypeError('ada@candidate.example'))).toBe('TypeError')
  expect(failed('timeout')).toBe('timeout')
  expect(failed(undefined)).toBe('undefined')
})
