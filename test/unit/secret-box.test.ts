import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SecretBox } from '../../src/lib/secret-box.ts'

const key = randomBytes(32)
const box = new SecretBox(key)

describe('SecretBox', () => {
  test('opens values that it sealed, and seals the same text to a different value each time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, context) => {
        const sealed = box.seal(text, context)
        expect(sealed).toMatch(/^v1\.[\w-]+$/)
        expect(sealed).not.toBe(box.seal(text, context))
        expect(box.open(sealed, context)).toBe(text)
      }),
    )
  })

  test('does not open a value under another context or key', () => {
    const sealed = box.seal('secret', 'webhook_1')
    expect(() => box.open(sealed, 'webhook_2')).toThrow()
    expect(() => new SecretBox(randomBytes(32)).open(sealed, 'webhook_1')).toThrow()
  })

  test('does not open a value that was changed anywhere', () => {
    const bytes = Buffer.from(box.seal('secret', 'c').slice(3), 'base64url')
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes)
      changed[i]! ^= 1
      expect(() => box.open(`v1.${changed.toString('base64url')}`, 'c')).toThrow()
      expect(() => box.open(`v1.${bytes.subarray(0, i).toString('base64url')}`, 'c')).toThrow()
    }
    for (const text of ['', 'v1.', 'v2.abc', 'secret', box.seal('s', 'c').replace('v1', 'v2')]) {
      expect(() => box.open(text, 'c')).toThrow()
    }
  })

  test('refuses a key of another length', () => {
    for (const length of [0, 16, 31, 33]) expect(() => new SecretBox(randomBytes(length))).toThrow('32 bytes')
  })

  test('opens values that any of its keys sealed, seals with the first key, and names that key', () => {
    const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)]
    const [early, late] = [new SecretBox(first), new SecretBox(second, first)]
    const before = early.seal('secret', 'c')
    const after = late.seal('secret', 'c')
    expect(late.keyIds).toEqual([...new SecretBox(second).keyIds, ...early.keyIds])
    expect(after).toMatch(new RegExp(`^v2\\.${late.keyIds[0]}\\.[\\w-]+$`))
    expect(after.startsWith(late.currentPrefix)).toBe(true)
    expect([late.open(before, 'c'), late.open(after, 'c')]).toEqual(['secret', 'secret'])
    expect([late.keyIdOf(before, 'c'), late.keyIdOf(after, 'c')]).toEqual([late.keyIds[1], late.keyIds[0]])
    // Only the key that a value names opens that value, whatever the key's position in the list.
    expect(new SecretBox(second).open(after, 'c')).toBe('secret')
    expect(new SecretBox(third, second).open(after, 'c')).toBe('secret')
    expect(() => early.open(after, 'c')).toThrow('No key decrypts the text')
    expect(early.keyIdOf(after, 'c')).toBe(late.keyIds[0])
    expect(new SecretBox(third).keyIdOf(before, 'c')).toBeUndefined()
  })

  test('does not open a value with a changed key name', () => {
    const [first, second] = [randomBytes(32), randomBytes(32)]
    const both = new SecretBox(first, second)
    const other = both.seal('secret', 'c').replace(both.keyIds[0], both.keyIds[1]!)
    expect(() => both.open(other, 'c')).toThrow()
  })
})
