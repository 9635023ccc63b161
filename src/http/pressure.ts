/** Detects overload. An overloaded process refuses requests; otherwise, clients would wait longer and longer. */

/** Longest acceptable turn of the event loop, in milliseconds. A new request may wait this long before it is read. */
const TURN_MS_MAX = 1_000
const SAMPLE_MS = 500

export interface Pressure {
  readonly isHigh: boolean
  stop(): void
}

/** Samples the turns of the event loop. Only two consecutive long samples count as overload. */
export function watchEventLoop({ turnMsMax = TURN_MS_MAX, sampleMs = SAMPLE_MS } = {}): Pressure {
  let isHigh = false
  let wasLong = false
  let timer: NodeJS.Timeout
  const measure = () => {
    const begin = performance.now()
    setImmediate(() => {
      const isLong = performance.now() - begin > turnMsMax
      isHigh = isLong && wasLong
      wasLong = isLong
      plan()
    }).unref()
  }
  const plan = () => {
    timer = setTimeout(() => setImmediate(measure).unref(), sampleMs).unref()
  }
  plan()
  return {
    get isHigh() {
      return isHigh
    },
    stop() {
      clearTimeout(timer)
    },
  }
}
