import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fold } from '../../src/search/text/fold.ts'

/** Texts of any code points, including control characters, NUL and lone surrogates. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
)

describe('fold', () => {
  test.each([
    ['case', 'Senior ENGINEER', 'senior engineer'],
    ['accents', 'Curaçao Zoë São', 'curacao zoe sao'],
    ['composed accents', 'M\u00fcnchen', 'munchen'],
    ['decomposed accents', 'Mu\u0308nchen', 'munchen'],
    ['several marks on a letter', 'Việt Nam', 'viet nam'],
    [
      'letters that do not decompose',
      'Straße STRAẞE Łódź Øre Þór Ðóra đ Ægir Œuvre',
      'strasse strasse lodz ore thor dora d aegir oeuvre',
    ],
    ['Turkish i', 'İstanbul Iğdır', 'istanbul igdir'],
    ['Greek, with its final sigma', 'ΌΔΟΣ οδός', 'οδοσ οδοσ'],
    ['Cyrillic', 'Ёлка Й', 'елка и'],
    ['full width', 'Ｃ＋＋　Ａ１', 'c++ a1'],
    ['ligatures and other compatibility forms', 'ﬁne ① Ⅳ', 'fine 1 iv'],
    ['half width kana', 'ｶﾞｷﾞ', 'ガギ'],
    ['dakuten', 'ガ カ\u3099 カ', 'ガ ガ カ'],
    ['Hangul, composed and as jamo', '한국 \u1112\u1161\u11ab', '한국 한'],
    ['vowel signs of other scripts', 'हिन्दी', 'हिन्दी'],
    ['Arabic', '\u0622\u0628', '\u0622\u0628'],
    ['white space', ' \t a\r\n\u00a0 b\u3000c ', 'a b c'],
    ['control characters', 'a\u0000b\u0007\u0085c', 'a b c'],
    ['invisible characters', 'engi\u00adneer\u200b\ufeff', 'engineer'],
    ['trade signs', 'Java™ Acme℠', 'java acme'],
    ['typographic signs', '“L’Oréal” 1–2', '"l\'oreal" 1-2'],
    ['lone surrogates', 'a\ud800b', 'a\ufffdb'],
    ['emoji', '👩‍💻 ❤️', '👩💻 ❤'],
    ['nothing', ' \u0301 ', ''],
  ])('folds %s', (_name, text, folded) => {
    expect(fold(text)).toBe(folded)
  })

  test('folding twice equals folding once', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(fold(fold(text))).toBe(fold(text))
      }),
      { numRuns: 1_000 },
    )
  })

  test('the result is well formed, without control characters or extra white space', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const folded = fold(text)
        expect(folded.isWellFormed()).toBe(true)
        expect(folded).not.toMatch(/\p{Cc}|[^\S ]| {2}|^ | $/u)
      }),
      { numRuns: 1_000 },
    )
  })

  test('the case of ASCII text does not matter', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(fold(text.toUpperCase())).toBe(fold(text.toLowerCase()))
      }),
    )
  })
})
