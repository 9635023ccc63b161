import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type AttemptResult,
  BREAKER,
  FAILING,
  healthAfter,
  healthAfterSuccess,
} from '../../src/features/webhooks/webhooks.health.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const start = Date.parse('2026-03-02T09:00:00Z')
const at = (ms: number) => new Date(start + ms)
const created = {
  consecutive_failures: 0,
  first_failure_at: null,
  last_success_at: null,
  breaker_trips: 0,
  breaker_until: null,
  status: 'active',
  disabled_reason: null,
  disabled_at: null,
  watched_from: at(0),
} as const
const withBreaker = { hasBreaker: true }
const failed = (ms: number): AttemptResult => ({ is_success: false, is_gone: false, at: at(ms) })
const succeeded = (ms: number): AttemptResult => ({ is_success: true, is_gone: false, at: at(ms) })
const gone = (ms: number): AttemptResult => ({ is_success: false, is_gone: true, at: at(ms) })
type State = Parameters<typeof healthAfter>[0]
const after = (before: State, results: AttemptResult[], options = withBreaker): State => ({
  ...before,
  ...healthAfter(before, results, options),
})

describe('the breaker', () => {
  const failing = { ...created, consecutive_failures: 9, first_failure_at: at(0) }

  test('opens at the tenth failure in a row if the failures span a minute', () => {
    expect(after(failing, [failed(MINUTE)]).breaker_until).toEqual(at(2 * MINUTE))
    expect(after(failing, [failed(MINUTE - 1)]).breaker_until).toBeNull()
    expect(after({ ...failing, consecutive_failures: 8 }, [failed(MINUTE)]).breaker_until).toBeNull()
    expect(after(failing, [failed(MINUTE)], { hasBreaker: false }).breaker_until).toBeNull()
  })

  test('doubles its pauses up to 15 minutes, and does not extend a pause that has not ended', () => {
    const pauses = [0, 1, 2, 3, 4, 5, 2_000].map((trips) => {
      const { breaker_until } = after({ ...failing, breaker_trips: trips }, [failed(MINUTE)])
      return (breaker_until!.getTime() - at(MINUTE).getTime()) / MINUTE
    })
    expect(pauses).toEqual([1, 2, 4, 8, 15, 15, 15])
    const open = after(failing, [failed(MINUTE)])
    expect(after(open, [failed(2 * MINUTE - 1)])).toMatchObject({ breaker_trips: 1, breaker_until: at(2 * MINUTE) })
    expect(after(open, [failed(2 * MINUTE)])).toMatchObject({ breaker_trips: 2, breaker_until: at(4 * MINUTE) })
  })

  test('stays open if a failure follows a success in the same batch', () => {
    const open = after(failing, [failed(MINUTE)])
    expect(after(open, [succeeded(2 * MINUTE - 2), failed(2 * MINUTE - 1)])).toMatchObject({
      consecutive_failures: 1,
      breaker_trips: 1,
      breaker_until: at(2 * MINUTE),
    })
  })

  test('starts its pause at the latest attempt time, even if the clock was set back between two attempts', () => {
    expect(after(failing, [failed(MINUTE), failed(0)]).breaker_until).toEqual(at(2 * MINUTE))
  })
})

test("a webhook's health contains neither its secret nor its URL", () => {
  const row = { ...created, secret_sealed: 'sealed', url: 'https://receiver.example' }
  const health = healthAfter(row, [failed(0)], withBreaker)
  expect(Object.keys(health)).not.toContain('secret_sealed')
  expect(Object.keys(health)).not.toContain('url')
})

describe('a webhook', () => {
  const failing = { ...created, consecutive_failures: 19, first_failure_at: at(108 * HOUR) }

  test('is disabled as failing only if all three limits are reached', () => {
    const disabled = { status: 'disabled', disabled_reason: 'failing', disabled_at: at(120 * HOUR) }
    expect(after(failing, [failed(120 * HOUR)])).toMatchObject(disabled)
    for (const state of [
      { ...failing, consecutive_failures: 18 },
      { ...failing, first_failure_at: at(108 * HOUR + 1) },
      { ...failing, watched_from: at(1) },
      { ...failing, last_success_at: at(1) },
    ]) {
      expect(after(state, [failed(120 * HOUR)]).status).toBe('active')
    }
  })

  test('is disabled if its receiver is gone, unless the webhook is paused', () => {
    expect(after(created, [gone(1), succeeded(2)])).toMatchObject({ status: 'disabled', disabled_reason: 'gone' })
    expect(after({ ...created, status: 'paused' }, [gone(1)])).toMatchObject({ status: 'paused', disabled_at: null })
  })
})

const history = fc
  .array(fc.record({ isSuccess: fc.boolean(), pauseMs: fc.constantFrom(0, 1, MINUTE / 9, MINUTE, HOUR, 7 * HOUR) }), {
    minLength: 1,
    maxLength: 60,
  })
  .map((attempts) => {
    let ms = 0
    return attempts.map(({ isSuccess, pauseMs }) => {
      ms += pauseMs
      return isSuccess ? succeeded(ms) : failed(ms)
    })
  })

test('the health counts exactly the failures since the last success, however results are grouped', () => {
  fc.assert(
    fc.property(history, fc.nat(60), (results, cut) => {
      const last = results.findLastIndex(({ is_success }) => is_success)
      const failures = results.slice(last + 1)
      const expected = {
        consecutive_failures: failures.length,
        first_failure_at: failures[0]?.at ?? null,
        last_success_at: results[last]?.at ?? null,
      }
      const groups = [results.slice(0, cut), results.slice(cut)].filter((group) => group.length > 0)
      expect(groups.reduce((state, group) => after(state, group), created as State)).toMatchObject(expected)
    }),
  )
})

test('the breaker and the status respect their limits after every result', () => {
  fc.assert(
    fc.property(history, (results) => {
      let state: State = created
      for (const result of results) {
        const wasDisabled = state.status === 'disabled'
        state = after(state, [result])
        const { consecutive_failures, first_failure_at, breaker_until, breaker_trips } = state
        const failingMs = first_failure_at ? result.at.getTime() - first_failure_at.getTime() : 0
        if (result.is_success) expect(state).toMatchObject(healthAfterSuccess(result.at))
        if (breaker_trips > 0) expect(consecutive_failures).toBeGreaterThanOrEqual(BREAKER.failures)
        expect(breaker_until !== null).toBe(breaker_trips > 0)
        if (consecutive_failures >= BREAKER.failures && failingMs >= BREAKER.overMs) {
          expect(breaker_until!.getTime()).toBeGreaterThan(result.at.getTime())
        }
        if (consecutive_failures < FAILING.failures && !wasDisabled) expect(state.status).toBe('active')
      }
    }),
  )
})

test('a success resets the health after any history', () => {
  fc.assert(
    fc.property(history, (results) => {
      const end = results.at(-1)!.at.getTime() - start
      const { status, disabled_reason, disabled_at, ...health } = after(after(created, results), [succeeded(end)])
      expect(health).toEqual({ ...healthAfterSuccess(at(end)), watched_from: at(0) })
    }),
  )
})
