import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Cursor, QueryCursors } from '../../src/lists/cursor.ts'

const secret = fc.uint8Array({ minLength: 16, maxLength: 64 })
const text = fc.string({ unit: 'binary', maxLength: 40 })
const cursor: fc.Arbitrary<Cursor> = fc.record({
  direction: fc.constantFrom('next', 'prev'),
  key: fc.option(fc.array(fc.oneof(text, fc.maxSafeInteger()), { minLength: 1, maxLength: 5 })),
})

test('every encoded cursor can be decoded, and contains no characters that need escaping', () => {
  fc.assert(
    fc.property(secret, text, cursor, (key, binding, written) => {
      const encoded = new QueryCursors(key, binding).encode(written)
      expect(encoded).toMatch(/^[A-Za-z0-9_-]+$/)
      expect(new QueryCursors(key, binding).decode(encoded)).toEqual(written)
    }),
  )
})

test('a cursor from another query or installation is refused', () => {
  fc.assert(
    fc.property(secret, secret, text, text, cursor, (key, otherKey, binding, otherBinding, written) => {
      fc.pre(binding !== otherBinding && Buffer.compare(key, otherKey) !== 0)
      fc.pre(binding.isWellFormed() && otherBinding.isWellFormed())
      const encoded = new QueryCursors(key, binding).encode(written)
      expect(new QueryCursors(key, otherBinding).decode(encoded)).toBeUndefined()
      expect(new QueryCursors(otherKey, binding).decode(encoded)).toBeUndefined()
    }),
  )
})

test('a cursor with any single flipped bit is refused', () => {
  fc.assert(
    fc.property(secret, cursor, fc.nat(), fc.nat(7), (key, written, at, bit) => {
      const bytes = Buffer.from(new QueryCursors(key, 'jobs').encode(written), 'base64url')
      bytes[at % bytes.length]! ^= 1 << bit
      expect(new QueryCursors(key, 'jobs').decode(bytes.toString('base64url'))).toBeUndefined()
    }),
    { numRuns: 500 },
  )
})

test('a cursor with padding, a space, a line break or another last character is refused', () => {
  fc.assert(
    fc.property(secret, cursor, (key, written) => {
      const encoded = new QueryCursors(key, 'jobs').encode(written)
      const last = encoded.at(-1)!
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
      const others = [...alphabet].filter((letter) => letter !== last).map((letter) => encoded.slice(0, -1) + letter)
      for (const spelling of [`${encoded}=`, `${encoded} `, ` ${encoded}`, `${encoded}\n`, ...others]) {
        expect(new QueryCursors(key, 'jobs').decode(spelling)).toBeUndefined()
      }
    }),
    { numRuns: 30 },
  )
})

test('decoding refuses arbitrary text without throwing', () => {
  const alphabet = fc.constantFrom(...'ABCxyz019-_=+/ é\0')
  fc.assert(
    fc.property(secret, fc.oneof(fc.string({ unit: alphabet, maxLength: 200 }), text), (key, anything) => {
      expect(new QueryCursors(key, 'jobs').decode(anything)).toBeUndefined()
    }),
    { numRuns: 500 },
  )
})
