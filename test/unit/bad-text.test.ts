import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  findUnstorableText,
  isStorableText,
  JSON_DEPTH_MAX,
  pointerToken,
  trimInvisible,
} from '../../src/lib/bad-text.ts'

describe('isStorableText', () => {
  test.each(['', 'text', '\u{1F697}', '\u0001\u007f\u0085', '\ufffd\uffff', 'a\nb'])('accepts %j', (text) => {
    expect(isStorableText(text)).toBe(true)
  })

  test.each(['\0', 'a\0b', '\ud83d', '\ude97', '\ude97\ud83d', 'a\ud800'])('rejects %j', (text) => {
    expect(isStorableText(text)).toBe(false)
  })

  test('accepts exactly the texts that survive UTF-8 encoding and contain no NUL', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const survives = Buffer.from(text).toString() === text && !text.includes('\0')
        return isStorableText(text) === survives
      }),
    )
  })
})

describe('trimInvisible', () => {
  test.each([
    ['  a b \n', 'a b'],
    ['\u200b\ufeff\u0000a\u200bb\u202e', 'a\u200bb'],
    ['\u200b\u2060\r\n\t\u00ad', ''],
    // Most of these characters are invisible, but neither spaces nor format characters.
    ['\u3164', ''],
    [' \u115f\u1160\uffa0\u034f\u17b4\u180b\u2800\ufe0f ', ''],
    ['\u{e0001}\u{e0100}\u{1d173}', ''],
    // Next to a visible character, fillers and variation selectors are part of the text.
    [' \u2764\ufe0f ', '\u2764\ufe0f'],
    ['\u1100\u1160', '\u1100\u1160'],
    ['\u{1F697}', '\u{1F697}'],
    ['', ''],
  ])('turns %j into %j', (text, trimmed) => {
    expect(trimInvisible(text)).toBe(trimmed)
  })
})

describe('findUnstorableText', () => {
  test('stops after one more text than the service reports', () => {
    expect(findUnstorableText(Array(300_000).fill('\0'))).toHaveLength(101)
  })

  test('finds nothing in values without text, or in valid text', () => {
    for (const value of [null, true, 1, 'text', [], {}, { a: ['b', { c: 'd' }] }]) {
      expect(findUnstorableText(value)).toEqual([])
    }
  })

  test('points to invalid texts and invalid field names', () => {
    const value = { a: '\0', b: ['x', '\ud800'], 'c/d': { 'e~f': '\0' }, 'g\0': 1, h: { '\udfff': { i: '\0' } } }
    expect(findUnstorableText(value)).toEqual([
      '#/a',
      '#/b/1',
      '#/c~1d/e~0f',
      '#/g%00',
      // Values below an invalid name are not reported.
      '#/h/%EF%BF%BD',
    ])
    expect(findUnstorableText('\0')).toEqual(['#'])
  })

  test(`checks ${JSON_DEPTH_MAX} levels and returns undefined for more`, () => {
    const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
    expect(findUnstorableText(nested(JSON_DEPTH_MAX))).toEqual([])
    expect(findUnstorableText(nested(JSON_DEPTH_MAX + 1))).toBeUndefined()
    expect(findUnstorableText({ a: nested(JSON_DEPTH_MAX) })).toBeUndefined()
  })

  test('checks an own property with the name `__proto__`', () => {
    expect(findUnstorableText(JSON.parse('{"__proto__": "\\u0000"}'))).toEqual(['#/__proto__'])
  })
})

describe('pointerToken', () => {
  test.each([
    ['name', 'name'],
    ['a-b_1', 'a-b_1'],
    ['', ''],
    ['a/b', 'a~1b'],
    ['a~b', 'a~0b'],
    ['~1', '~01'],
    ['a b', 'a%20b'],
    ['ü', '%C3%BC'],
    ['"<>', '%22%3C%3E'],
    ['\ud800', '%EF%BF%BD'],
  ])('writes %j as %s', (name, token) => {
    expect(pointerToken(name)).toBe(token)
  })

  test('writes tokens that can be decoded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        return decodeURIComponent(pointerToken(name)).replaceAll('~1', '/').replaceAll('~0', '~') === name
      }),
    )
  })
})
