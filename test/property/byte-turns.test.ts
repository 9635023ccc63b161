/** Turns for bytes, compared with a model. Limits are respected, work that fits starts, and accounts alternate. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteTurns } from '../../src/lib/byte-turns.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))
const never = new AbortController().signal
const limits = { waitMs: 60_000, waitingMax: 100, waitingMaxEach: 100 }

const account = fc.constantFrom('a', 'b', 'c')
const step = fc.oneof(
  fc.record({ act: fc.constant('take' as const), account, bytes: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ act: fc.constantFrom('release' as const, 'leave' as const), pick: fc.nat() }),
)

test('the turns never exceed their limits, start all work that fits, and lose no work', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const turns = new ByteTurns({ total: 10, each: 5, ...limits })
      const held: { account: string; bytes: number }[] = []
      const waiting: { account: string; bytes: number; leaving: AbortController }[] = []
      const heldBy = (owner: string) =>
        held.filter(({ account }) => account === owner).reduce((sum, { bytes }) => sum + bytes, 0)
      for (const next of steps) {
        if (next.act === 'take') {
          const work = { account: next.account, bytes: next.bytes, leaving: new AbortController() }
          waiting.push(work)
          const begin = () => {
            waiting.splice(waiting.indexOf(work), 1)
            held.push(work)
          }
          turns.take(work.account, work.bytes, work.leaving.signal).then(begin, () => {
            waiting.splice(waiting.indexOf(work), 1)
          })
        } else if (next.act === 'release' && held.length > 0) {
          const [work] = held.splice(next.pick % held.length, 1)
          turns.release(work!.account, work!.bytes)
        } else if (next.act === 'leave' && waiting.length > 0) {
          waiting[next.pick % waiting.length]!.leaving.abort(new Error('left'))
        }
        await settle()
        const total = held.reduce((sum, { bytes }) => sum + bytes, 0)
        expect([turns.held, turns.waiting]).toEqual([total, waiting.length])
        expect(total).toBeLessThanOrEqual(10)
        for (const owner of ['a', 'b', 'c']) expect(heldBy(owner)).toBeLessThanOrEqual(5)
        // If the shares of any accounts permit their next work, the total limit blocks at least one of these accounts.
        const firsts = ['a', 'b', 'c'].flatMap((owner) => waiting.find((work) => work.account === owner) ?? [])
        const able = firsts.filter((work) => heldBy(work.account) + work.bytes <= 5)
        if (able.length > 0) expect(able.some(({ bytes }) => total + bytes > 10)).toBe(true)
      }
      while (held.length > 0) {
        const work = held.pop()!
        turns.release(work.account, work.bytes)
        await settle()
      }
      expect([turns.held, turns.waiting, waiting.length]).toEqual([0, 0, 0])
    }),
    { numRuns: 200 },
  )
})

test('an account waits for at most one turn of each other account', async () => {
  const floods = fc.array(fc.record({ account: fc.constantFrom('a', 'b'), bytes: fc.integer({ min: 1, max: 4 }) }), {
    minLength: 1,
    maxLength: 40,
  })
  await fc.assert(
    fc.asyncProperty(floods, fc.integer({ min: 1, max: 4 }), async (flood, bytes) => {
      const turns = new ByteTurns({ total: 4, each: 4, ...limits })
      const held: { account: string; bytes: number }[] = []
      const begun: string[] = []
      const start = async (work: { account: string; bytes: number }) => {
        await turns.take(work.account, work.bytes, never)
        held.push(work)
        begun.push(work.account)
      }
      for (const work of flood) void start(work)
      await settle()
      const before = begun.length
      void start({ account: 'victim', bytes })
      await settle()
      while (held.length > 0) {
        const work = held.shift()!
        turns.release(work.account, work.bytes)
        await settle()
      }
      const between = begun.slice(before, begun.indexOf('victim'))
      expect(between.filter((account) => account === 'a').length).toBeLessThanOrEqual(1)
      expect(between.filter((account) => account === 'b').length).toBeLessThanOrEqual(1)
    }),
    { numRuns: 100 },
  )
})
