import { expect, test } from 'vitest'
import { startLoop, type Task, Wake } from '../../src/background/loop.ts'
import { AppError } from '../../src/lib/errors.ts'

const HOUR_MS = 3_600_000

interface Logged {
  details: object
  message: string
}

function logTo(lines: Logged[]) {
  const note = (details: object, message: string) => void lines.push({ details, message })
  return { error: note, warn: note }
}

test('a loop starts the next round immediately while there is more work, and then pauses', async () => {
  const paused = Promise.withResolvers<void>()
  let rounds = 0
  const task: Task = {
    name: 'three',
    everyMs: HOUR_MS,
    async once() {
      rounds += 1
      if (rounds < 3) return 'more'
      paused.resolve()
      return 'done'
    },
  }
  const loop = startLoop(task, logTo([]))
  await paused.promise
  await loop.stop()
  expect(rounds).toBe(3)
})

test('a loop aborts the round in progress when `ending` is aborted', async () => {
  const ending = new AbortController()
  const begun = Promise.withResolvers<void>()
  const task: Task = {
    name: 'long',
    everyMs: HOUR_MS,
    once: (signal) =>
      new Promise((resolve) => {
        signal!.addEventListener('abort', () => resolve('more'))
        begun.resolve()
      }),
  }
  const loop = startLoop(task, logTo([]), ending.signal)
  await begun.promise
  const stopped = loop.stop()
  ending.abort()
  await stopped
})

test('a loop logs a failed round and continues after the pause', async () => {
  const lines: Logged[] = []
  const recovered = Promise.withResolvers<void>()
  let rounds = 0
  const task: Task = {
    name: 'shaky',
    everyMs: 1,
    async once() {
      rounds += 1
      if (rounds === 1) throw new Error('once')
      recovered.resolve()
      return 'done'
    },
  }
  const loop = startLoop(task, logTo(lines))
  await recovered.promise
  await loop.stop()
  expect(lines).toEqual([{ details: { err: new Error('once'), task: 'shaky' }, message: 'task failed' }])
})

test('a loop logs one line if the service is unavailable, and continues', async () => {
  const lines: Logged[] = []
  const recovered = Promise.withResolvers<void>()
  let rounds = 0
  const task: Task = {
    name: 'away',
    everyMs: 1,
    async once() {
      rounds += 1
      if (rounds === 1) throw new AppError('unavailable', { cause: new Error('Connection refused') })
      recovered.resolve()
      return 'done'
    },
  }
  const loop = startLoop(task, logTo(lines))
  await recovered.promise
  await loop.stop()
  const reason = 'Error: Connection refused'
  expect(lines).toEqual([{ details: { task: 'away', reason }, message: 'task postponed' }])
})

test('a loop waits for the round in progress when the loop is stopped', async () => {
  const entered = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  let isFinished = false
  const task: Task = {
    name: 'slow',
    everyMs: HOUR_MS,
    async once() {
      entered.resolve()
      await release.promise
      isFinished = true
      return 'more'
    },
  }
  const loop = startLoop(task, logTo([]))
  await entered.promise
  const stopped = loop.stop()
  release.resolve()
  await stopped
  expect(isFinished).toBe(true)
})

test('a loop starts the next round when the loop is woken, even during a round', async () => {
  const wake = new Wake()
  const rounds = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let count = 0
  const task: Task = {
    name: 'woken',
    everyMs: HOUR_MS,
    wake,
    async once() {
      if (count === 0) wake.signal()
      rounds[count]!.resolve()
      count += 1
      return 'done'
    },
  }
  const loop = startLoop(task, logTo([]))
  await rounds[1]!.promise
  wake.signal()
  await rounds[2]!.promise
  await loop.stop()
  expect(count).toBe(3)
})

test('a loop checks again soon after a round that found some work, and finishes its work when stopped', async () => {
  const again = Promise.withResolvers<void>()
  let rounds = 0
  let isEnded = false
  const task: Task = {
    name: 'busy',
    everyMs: HOUR_MS,
    soonMs: 1,
    async once() {
      rounds += 1
      if (rounds === 1) return 'some'
      again.resolve()
      return 'done'
    },
    async finish() {
      isEnded = true
    },
  }
  const loop = startLoop(task, logTo([]))
  await again.promise
  await loop.stop()
  expect([rounds, isEnded]).toEqual([2, true])
})

test('a task that fails to finish is logged, and does not prevent stopping', async () => {
  const lines: Logged[] = []
  const loop = startLoop(
    { name: 'late', everyMs: HOUR_MS, once: async () => 'done', finish: () => Promise.reject(new Error('away')) },
    logTo(lines),
  )
  await loop.stop()
  expect(lines.map(({ message }) => message)).toEqual(['task did not finish'])
})
