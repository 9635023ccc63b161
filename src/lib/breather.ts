import { setImmediate as pause } from 'node:timers/promises'

/** Time after which work pauses, in milliseconds. Longer work would noticeably delay other requests. */
const WORK_MS = 5

/** Returns a function for the steps of long work. It lets the process do other work if the last steps took too long. */
export function breather(): () => Promise<void> {
  let resumedAt = performance.now()
  return async () => {
    if (performance.now() - resumedAt < WORK_MS) return
    await pause()
    resumedAt = performance.now()
  }
}
