/** The process's monotonic clock, by which the service believes keys for a while: moved instead of waited for. */
import { afterAll, beforeAll, vi } from 'vitest'

export interface Monotonic {
  advance(ms: number): void
}

/** Takes `performance.now()` over for the tests of a describe block. */
export function useMonotonic(): Monotonic {
  let ahead = 0
  const real = performance.now.bind(performance)
  beforeAll(() => {
    vi.spyOn(performance, 'now').mockImplementation(() => real() + ahead)
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
