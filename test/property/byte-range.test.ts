import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseByteRange } from '../../src/lib/byte-range.ts'

/** Returns the positions of the bytes in a single range, as RFC 9110 defines it. */
function selected(size: number, first: number | undefined, last: number | undefined): number[] {
  return Array.from({ length: size }, (_, at) => at).filter((at) =>
    first === undefined ? at >= size - last! : at >= first && (last === undefined || at <= last),
  )
}

describe('parseByteRange', () => {
  const size = fc.integer({ min: 1, max: 60 })
  const position = fc.integer({ min: 0, max: 80 })

  test('selects exactly the bytes that the header names', () => {
    fc.assert(
      fc.property(
        size,
        fc.option(position, { nil: undefined }),
        fc.option(position, { nil: undefined }),
        (n, first, last) => {
          fc.pre(first !== undefined || last !== undefined)
          const range = parseByteRange(`bytes=${first ?? ''}-${last ?? ''}`, n)
          const bytes = selected(n, first, last)
          if (first !== undefined && last !== undefined && last < first) expect(range).toBeUndefined()
          else if (bytes.length === 0) expect(range).toBe('unsatisfiable')
          else expect(range).toEqual({ first: bytes[0], last: bytes.at(-1) })
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test('never exceeds the file, for any header', () => {
    const header = fc.oneof(fc.string(), fc.stringMatching(/^bytes=[-0-9, ]{0,40}$/))
    fc.assert(
      fc.property(header, size, (text, n) => {
        const range = parseByteRange(text, n)
        if (range === undefined || range === 'unsatisfiable') return
        expect(0 <= range.first && range.first <= range.last && range.last < n).toBe(true)
      }),
      { numRuns: 5_000 },
    )
  })

  test('accepts huge numbers, and ignores headers with signs or multiple ranges', () => {
    expect(parseByteRange(`bytes=0-${'9'.repeat(400)}`, 10)).toEqual({ first: 0, last: 9 })
    expect(parseByteRange(`bytes=${'9'.repeat(400)}-`, 10)).toBe('unsatisfiable')
    expect(parseByteRange(`bytes=-${'9'.repeat(400)}`, 10)).toEqual({ first: 0, last: 9 })
    for (const header of [
      undefined,
      '',
      'bytes',
      'bytes=-',
      'bytes=+1-2',
      'bytes=1-2,3-4',
      'bytes=1-2,',
      'bytes=1.0-2',
    ]) {
      expect(parseByteRange(header, 10)).toBeUndefined()
    }
  })
})
