import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { Turns } from '../../src/lib/turns.ts'

/** Waits until nothing more can run. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

/** Returns functions that start and end work items, and the names of the started items in order. */
function workshop(turns: Turns) {
  const begun: string[] = []
  const gates = new Map<string, () => void>()
  const start = (account: string, name: string) =>
    turns.take(account, async () => {
      begun.push(name)
      const gate = Promise.withResolvers<void>()
      gates.set(name, gate.resolve)
      await gate.promise
      return name
    })
  const end = async (name: string) => {
    gates.get(name)!()
    await settle()
  }
  return { begun, start, end }
}

test('turns that may run two work items and queue two refuse a fifth', async () => {
  const { begun, start, end } = workshop(new Turns({ atOnce: 2, waitingMax: 2 }))
  const taken = ['1', '2', '3', '4'].map((name) => start('a', name))
  await expect(start('a', '5')).rejects.toMatchObject({ code: 'unavailable' })
  expect(begun).toEqual(['1', '2'])
  await end('2')
  expect(begun).toEqual(['1', '2', '3'])
  for (const name of ['1', '3', '4']) await end(name)
  expect(await Promise.all(taken)).toEqual(['1', '2', '3', '4'])
})

test('turns continue with the next work after a failure', async () => {
  const turns = new Turns({ atOnce: 1, waitingMax: 1 })
  const failing = turns.take('a', () => Promise.reject(new Error('no')))
  const next = turns.take('a', async () => 'yes')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('yes')
})

test('turns alternate between accounts, however much one account requests', async () => {
  const { begun, start, end } = workshop(new Turns({ atOnce: 1 }))
  const taken = [...['a1', 'a2', 'a3', 'a4'].map((name) => start('a', name)), start('b', 'b1'), start('c', 'c1')]
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'a4']) await end(name)
  await Promise.all(taken)
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'a4'])
})

test('turns reserve room for other accounts if there is a limit per account', async () => {
  const { begun, start, end } = workshop(new Turns({ atOnce: 2, atOnceEach: 1, waitingMax: 9, waitingMaxEach: 1 }))
  const taken = [start('a', 'a1'), start('a', 'a2')]
  await expect(start('a', 'a3')).rejects.toMatchObject({ code: 'unavailable' })
  taken.push(start('b', 'b1'))
  expect(begun).toEqual(['a1', 'b1'])
  await end('b1')
  expect(begun).toEqual(['a1', 'b1'])
  await end('a1')
  await end('a2')
  expect(await Promise.all(taken)).toEqual(['a1', 'a2', 'b1'])
})

test('turns run all work once, and never more work at once than allowed', async () => {
  const works = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(
      works,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 3 }),
      async (accounts, atOnce, each) => {
        const turns = new Turns({ atOnce, atOnceEach: each })
        const running = new Map<string, number>()
        const done = accounts.map((account, n) =>
          turns.take(account, async () => {
            running.set(account, (running.get(account) ?? 0) + 1)
            expect(running.get(account)).toBeLessThanOrEqual(each)
            expect([...running.values()].reduce((sum, count) => sum + count)).toBeLessThanOrEqual(atOnce)
            await settle()
            running.set(account, running.get(account)! - 1)
            return n
          }),
        )
        expect(await Promise.all(done)).toEqual(accounts.map((_, n) => n))
      },
    ),
    { numRuns: 30 },
  )
})

test('turns let other accounts work while one account pauses, and continue after the pause', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    const pauses = new Map([['a', 500]])
    const turns = new Turns({ atOnce: 1, pauseMs: (account) => pauses.get(account) ?? 0 })
    const { begun, start, end } = workshop(turns)
    const taken = [start('a', 'a1'), start('a', 'a2'), start('b', 'b1')]
    await end('a1')
    expect(begun).toEqual(['a1', 'b1'])
    await end('b1')
    vi.advanceTimersByTime(499)
    await settle()
    expect(begun).toEqual(['a1', 'b1'])
    vi.advanceTimersByTime(1)
    await settle()
    expect(begun).toEqual(['a1', 'b1', 'a2'])
    await end('a2')
    await Promise.all(taken)
  } finally {
    vi.useRealTimers()
  }
})

test('the event loop can handle other work between two turns of blocking work', async () => {
  const turns = new Turns({ atOnce: 1, isBlocking: true })
  const order: string[] = []
  const taken = ['1', '2'].map((name) => turns.take('a', async () => order.push(name)))
  setImmediate(() => order.push('event loop'))
  await Promise.all(taken)
  expect(order).toEqual(['1', 'event loop', '2'])
})
