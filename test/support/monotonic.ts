/** Controls the monotonic clock, which bounds how long the service trusts cached keys. */
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
