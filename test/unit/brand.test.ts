import { expect, test } from 'vitest'
import { parseSettings } from '../../src/commands/board.ts'
import { drawIcon, initialOf } from '../../src/lib/brand.ts'

test.each([
  ['gearwright', 'G'],
  ['“Éclair” jobs', 'É'],
  ['  7 seas', '7'],
  ['ünder', 'Ü'],
  ['自動車', '自'],
  ['***', ''],
])('the initial of %j is %j', (name, initial) => {
  expect(initialOf(name)).toBe(initial)
})

test.each([
  ['#0b6472', '#ffffff'],
  ['#000000', '#ffffff'],
  ['#ffcc00', '#1a1d21'],
  ['#ffffff', '#1a1d21'],
])('on %s, the letter of the icon is %s', (accentColor, letter) => {
  const icon = drawIcon({ name: 'Gearwright', accentColor })
  expect(icon).toContain(`fill="${accentColor}"`)
  expect(icon).toContain(`fill="${letter}">G</text>`)
})

test('a name cannot add markup to the icon', () => {
  const icon = drawIcon({ name: '</title><script>alert(1)</script>', accentColor: null })
  expect(icon).not.toContain('<script')
})

test('command-line settings are written as name=value, and an empty value removes a setting', () => {
  expect(parseSettings(['name=A=B', 'tagline='])).toEqual({ name: 'A=B', tagline: null })
  expect(parseSettings(['vat_rate=8.1', 'prices_include_vat=true', 'languages=en,de', 'bank_bic=12345678'])).toEqual({
    ...{ vat_rate: 8.1, prices_include_vat: true, languages: ['en', 'de'], bank_bic: '12345678' },
  })
  expect(parseSettings(['vat_rate=much', 'prices_include_vat=perhaps'])).toEqual({
    ...{ vat_rate: 'much', prices_include_vat: 'perhaps' },
  })
  for (const wrong of ['name', '=x', '']) expect(() => parseSettings([wrong])).toThrow('name=value')
})
