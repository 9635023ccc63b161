import { describe, expect, test } from 'vitest'
import { type IdKind, idPattern, idPrefixes, newId } from '../../src/lib/ids.ts'

const kinds = Object.keys(idPrefixes) as IdKind[]

describe('newId', () => {
  test.each(kinds)('creates IDs that match their pattern: %s', (kind) => {
    const id = newId(kind)
    expect(id).toMatch(new RegExp(idPattern(kind)))
    expect(id.startsWith(`${idPrefixes[kind]}_`)).toBe(true)
  })

  test('creates ascending, unique IDs, even within a millisecond', () => {
    const ids = Array.from({ length: 5_000 }, () => newId('job'))
    expect(ids).toEqual(ids.toSorted())
    expect(new Set(ids).size).toBe(5_000)
  })

  test('encodes the time in a version 7 UUID', () => {
    const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
    const before = Date.now()
    const bits = [...newId('job').slice(4)]
      .map((digit) => alphabet.indexOf(digit).toString(2).padStart(5, '0'))
      .join('')
    const hex = BigInt(`0b${bits}`).toString(16).padStart(32, '0')
    const time = Number.parseInt(hex.slice(0, 12), 16)
    expect(hex[12]).toBe('7')
    expect(time).toBeGreaterThanOrEqual(before)
    expect(time).toBeLessThanOrEqual(Date.now())
  })
})

describe('idPattern', () => {
  const id = newId('job')

  test('matches a single kind', () => {
    for (const kind of kinds) expect(new RegExp(idPattern(kind)).test(id)).toBe(kind === 'job')
    expect(new Set(Object.values(idPrefixes)).size).toBe(kinds.length)
  })

  test.each([
    ['upper case', id.toUpperCase()],
    ['a line break after it', `${id}\n`],
    ['a space before it', ` ${id}`],
    ['one character too few', id.slice(0, -1)],
    ['one character too many', `${id}0`],
    ['letters that are not in the alphabet', `job_${'i'.repeat(26)}`],
    ['more than 128 bits', 'job_80000000000000000000000000'],
    ['no prefix', id.slice(4)],
  ])('rejects %s', (_what, text) => {
    expect(new RegExp(idPattern('job')).test(text)).toBe(false)
  })
})
