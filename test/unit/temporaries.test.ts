/** Temporary arrays share memory only with arrays of earlier computations. */
import { expect, test } from 'vitest'
import { temporary, withTemporaries } from '../../src/lib/temporaries.ts'

const LENGTH = 3_000

test('a computation recycles the memory of earlier computations, but never its own', () => {
  const use = () => {
    const arrays = [temporary(Uint32Array, LENGTH), temporary(Float32Array, LENGTH)]
    expect(arrays.map(({ length }) => length)).toEqual([LENGTH, LENGTH])
    return arrays.map(({ buffer }) => buffer)
  }
  const first = withTemporaries(use)
  const second = withTemporaries(use)
  expect(new Set([...first, ...second]).size).toBe(2)
})

test('the memory of a failed computation is also recycled', () => {
  let failed: ArrayBuffer | undefined
  const fail = () => {
    failed = temporary(Uint8Array, 2 ** 20).buffer
    throw new Error('expected')
  }
  expect(() => withTemporaries(fail)).toThrow('expected')
  expect(withTemporaries(() => temporary(Uint8Array, 2 ** 20 - 5).buffer)).toBe(failed)
})

test('an array is new outside a computation, or if it is small', () => {
  expect(temporary(Uint32Array, LENGTH).buffer).not.toBe(temporary(Uint32Array, LENGTH).buffer)
  const small = () => temporary(Uint32Array, 3)
  expect([...withTemporaries(small)]).toEqual([0, 0, 0])
  expect(withTemporaries(small).buffer).not.toBe(withTemporaries(small).buffer)
})

test('recycled memory is limited', () => {
  const use = () => Array.from({ length: 40 }, () => temporary(Uint8Array, 2 ** 20).buffer)
  const first = new Set(withTemporaries(use))
  const recycled = withTemporaries(use).filter((memory) => first.has(memory))
  expect(recycled.length).toBeGreaterThan(20)
  expect(recycled.length).toBeLessThanOrEqual(32)
})
