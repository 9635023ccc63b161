import { describe, expect, test } from 'vitest'
import { characterFault } from '../../src/lib/characters.ts'
import { shownUrl } from '../../src/lib/url.ts'

describe('a name', () => {
  test.each([
    ['Arabic', 'محمد عبد الله'],
    ['Arabic with a direction mark', 'شركة C++\u200f للبرمجة'],
    ['Hebrew', 'משה בן־דוד'],
    ['Hebrew with Latin and a mark', 'חברת Acme\u200e בע"מ'],
    ['Persian with a non-joiner', 'نیم\u200cفاصله می\u200cخواهم'],
    ['Hindi with a joiner', 'क्\u200dष राजेश'],
    ['Bengali with a non-joiner', 'র\u200d্যাব'],
    ['Khmer with a word break', 'សួស្តី\u200bកម្ពុជា'],
    ['Japanese with a variant', '葛\u{e0100}城 健'],
    ['Mongolian', 'ᠬᠠᠭᠠᠨ\u180eᠠ'],
    ['combined emoji', 'Dev 👩🏽\u200d💻 & 🏳\ufe0f\u200d🌈 ❤\ufe0f 1\ufe0f\u20e3'],
    ['a flag with tags', 'Edinburgh 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
    ['Russian', 'Инженер-программист 1С'],
    ['Russian with a Latin word', 'SMMщик в Яндекс.Taxi, VIPы'],
    ['Greek letters in science', 'TNFα, PPARγ, 5 kΩ, µController, Δt'],
    ['accents and apostrophes', "Zoë O’Brien-Łukasz d'Île Nguyễn"],
    ['Vietnamese in combining marks', 'Nguyễn'.normalize('NFD')],
    ['Chinese and Latin', 'AI工程师 (C++)'],
  ])('may be %s', (_kind, name) => {
    expect(characterFault(name, 'name')).toBeUndefined()
  })

  test.each([
    ['an override', 'invoice\u202efdp.exe', 'U+202E'],
    ['the other override', 'a\u202db', 'U+202D'],
    ['an embedding', 'a\u202bb\u202c', 'U+202B'],
    ['an isolate', 'a\u2067b\u2069', 'U+2067'],
    ['an override in Arabic', 'محمد\u202eعلي', 'U+202E'],
    ['a direction mark in Latin text', 'Ac\u200eme', 'U+200E'],
    ['a joiner between Latin letters', 'Ac\u200dme', 'U+200D'],
    ['a joiner at the beginning', '\u200cAcme', 'U+200C'],
    ['a zero-width space', 'Ac\u200bme', 'U+200B'],
    ['a byte order mark', 'Ac\ufeffme', 'U+FEFF'],
    ['a soft hyphen', 'Ac\u00adme', 'U+00AD'],
    ['a word joiner', 'Ac\u2060me', 'U+2060'],
    ['a filler', 'Ac\u3164me', 'U+3164'],
    ['a selector after a Latin letter', 'Ac\ufe0fme', 'U+FE0F'],
    ['tags', 'Acme\u{e0061}\u{e0062}', 'U+E0061'],
    ['more tags than a flag has', `🏴${'\u{e0061}'.repeat(7)}`, 'U+E0061'],
    ['a line break', 'Ada\nUnsubscribe', 'U+000A'],
    ['a tab', 'Ada\tB', 'U+0009'],
    ['an escape', 'Ada\u001b[1m', 'U+001B'],
    ['a paragraph separator', 'Ada\u2029B', 'U+2029'],
  ])('must not contain %s', (_kind, name, code) => {
    expect(characterFault(name, 'name')).toMatch(new RegExp(`^must not contain ${code.replace('+', '\\+')}, `))
  })

  test.each(['Аcme', 'Gооgle GmbH', 'PаyPal', 'Bosсh', 'Αpple', 'Αpple Ιnc', 'CЕО'])(
    'must not imitate a Latin name: %s',
    (name) => {
      expect(characterFault(name, 'name')).toMatch(/^must not mix alphabets in one word: /)
    },
  )
})

describe('a text', () => {
  test('may contain the characters that languages, emoji and word processors need', () => {
    const text =
      'First\r\n\tsecond\u000c Ac\u00adme \u200eمحمد\u200f می\u200cخواهم 👩🏽\u200d💻 \u2067עברית\u2069 \u202bعربي\u202c \ufeff Аcme'
    expect(characterFault(text, 'text')).toBeUndefined()
  })

  test.each([
    [
      'Pay: \u202e0005',
      'must not contain U+202E, a control character that reverses the direction of text. Type the text again instead of pasting it',
    ],
    [
      'Pay: \u202d5000',
      'must not contain U+202D, a control character that reverses the direction of text. Type the text again instead of pasting it',
    ],
    [
      'Hidden \u{e0049}\u{e0067}',
      'must not contain U+E0049, an invisible character. Type the text again instead of pasting it',
    ],
  ])('must not reverse or hide words: %j', (text, fault) => {
    expect(characterFault(text, 'text')).toBe(fault)
  })

  test('is checked in less than half a second at the maximum size, even if it repeats special characters', () => {
    for (const unit of ['\u200d', '🏴\u{e0061}', '\u{e0061}', 'а', 'aа', '\ufe0f', '👩\u200d', ' ']) {
      const text = unit.repeat(50_000 / unit.length)
      const start = performance.now()
      characterFault(text, 'text')
      characterFault(text, 'name')
      expect(performance.now() - start).toBeLessThan(500)
    }
  })
})

test('URLs are shown in ASCII, and ASCII URLs are unchanged', () => {
  // The letters of `аррӏе` are Cyrillic.
  expect(shownUrl('https://аррӏе.com/jobs')).toBe('https://xn--80ak6aa92e.com/jobs')
  expect(shownUrl('https://münchen.example/stellen/büro')).toBe('https://xn--mnchen-3ya.example/stellen/b%C3%BCro')
  expect(shownUrl('https://a.example/\u202egpj.exe')).toBe('https://a.example/%E2%80%AEgpj.exe')
  expect(shownUrl('https://a.example')).toBe('https://a.example')
})
