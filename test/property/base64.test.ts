/** The decoder accepts exactly the texts that pass a regular expression and a length check, and returns their bytes. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeBase64 } from '../../src/http/upload.ts'

const STRICT = /^[A-Za-z0-9+/]*={0,2}$/

test('the decoder accepts padded base64 and nothing else', () => {
  const units = fc.constantFrom(...'ABz09+/', '=', '-', '_', ' ', '\n', '\u00e9', '\u0141')
  const text = fc.oneof(
    fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64')),
    fc.string({ unit: units, maxLength: 12 }),
  )
  fc.assert(
    fc.property(text, (base64) => {
      const isValid = base64.length % 4 === 0 && STRICT.test(base64)
      expect(decodeBase64(base64)).toEqual(isValid ? Buffer.from(base64, 'base64') : undefined)
    }),
    { numRuns: 5_000 },
  )
})
