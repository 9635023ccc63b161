/** The process's monotonic clock, by which the service believes keys for a while: moved instead of waited for. */
import { afterAll, beforeAll, vi } from 'vitest'

export interface Monotonic {
  advance(ms: number): void
}

/** Has `performance.now()` stand still for the tests of a describe block, until it is moved. */
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
