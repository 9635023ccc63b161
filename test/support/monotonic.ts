/** Controls the monotonic clock, which bounds how long the service uses cached keys and lists. */
import { afterAll, beforeAll, vi } from 'vitest'

export interface Monotonic {
  advance(ms: number): void
}

/** Freezes `performance.now()` for the tests in a describe block, which move the time forward. */
export function useMonotonic(): Monotonic {
  let ahead = 0
  const begun = performance.now()
  beforeAll(() => {
    vi.spyOn(performance, 'now').mockImplementation(() => begun + ahead)
  })
  afterAll(() => {
    vi.restoreAllMocks()
  })
  return {
    advance(ms) {
      ahead += ms
    },
  }
}

/**
 * Limits the time between two readings to one millisecond, so that cached keys and lists do not expire when the machine
 * stalls between two requests.
 */
export function useSteadyTime(): void {
  let real = performance.now()
  let steady = real
  const { now } = performance
  beforeAll(() => {
    vi.spyOn(performance, 'now').mockImplementation(() => {
      const before = real
      real = now.call(performance)
      steady += Math.min(real - before, 1)
      return steady
    })
  })
  afterAll(() => {
    vi.restoreAllMocks()
  })
}
