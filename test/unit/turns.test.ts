import { expect, test } from 'vitest'
import { Turns } from '../../src/lib/turns.ts'

test('lets two work, two wait, and refuses the fifth', async () => {
  const turns = new Turns(2, 2)
  const begun: number[] = []
  const gates = [0, 1, 2, 3, 4].map(() => Promise.withResolvers<void>())
  const work = (n: number) =>
    turns.take(async () => {
      begun.push(n)
      await gates[n]!.promise
      return n
    })
  const taken = [0, 1, 2, 3].map(work)
  await expect(work(4)).rejects.toMatchObject({ code: 'unavailable' })
  expect(begun).toEqual([0, 1])
  gates[1]!.resolve()
  await taken[1]
  await Promise.resolve()
  expect(begun).toEqual([0, 1, 2])
  for (const { resolve } of gates) resolve()
  expect(await Promise.all(taken)).toEqual([0, 1, 2, 3])
  expect(begun).toEqual([0, 1, 2, 3])
})

test('gives the turn of what failed to the next', async () => {
  const turns = new Turns(1, 1)
  const failing = turns.take(() => Promise.reject(new Error('no')))
  const next = turns.take(async () => 'yes')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('yes')
})
