/** Whether this process has more to do than it can: then it is better to refuse than to let everybody wait longer. */

/** One turn of the event loop: a request that comes now would wait for so long before it is even looked at. */
const TURN_MS_MAX = 1_000
const SAMPLE_MS = 500

export interface Pressure {
  readonly isHigh: boolean
  stop(): void
}

/** Watches how long the event loop takes for a turn. Two long ones running are believed: a single pause is no load. */
export function watchEventLoop(): Pressure {
  let isHigh = false
  let wasLong = false
  let timer: NodeJS.Timeout
  const measure = () => {
    const begin = performance.now()
    setImmediate(() => {
      const isLong = performance.now() - begin > TURN_MS_MAX
      isHigh = isLong && wasLong
      wasLong = isLong
      plan()
    }).unref()
  }
  const plan = () => {
    timer = setTimeout(() => setImmediate(measure).unref(), SAMPLE_MS).unref()
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
