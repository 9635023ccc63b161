import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY_MS, parseDay, parseTime, parseTimestamp } from '../../src/lib/time.ts'

describe('parseTimestamp', () => {
  test.each([
    ['2026-03-02T09:00:00Z', '2026-03-02T09:00:00.000Z'],
    ['2026-03-02t09:00:00z', '2026-03-02T09:00:00.000Z'],
    ['2026-03-02T09:00:00.1Z', '2026-03-02T09:00:00.100Z'],
    ['2026-03-02T09:00:00.123456789Z', '2026-03-02T09:00:00.123Z'],
    ['2026-03-02T09:00:00.999999999Z', '2026-03-02T09:00:00.999Z'],
    ['2026-03-02T09:00:00+02:00', '2026-03-02T07:00:00.000Z'],
    ['2026-03-02T09:00:00-23:59', '2026-03-03T08:59:00.000Z'],
    ['2026-03-02T09:00:00-00:00', '2026-03-02T09:00:00.000Z'],
    ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['1000-01-01T00:00:00Z', '1000-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('reads %s', (text, expected) => {
    expect(parseTimestamp(text)?.toISOString()).toBe(expected)
  })

  test.each([
    '',
    'now',
    '2026-03-02',
    '2026-03-02T09:00',
    '2026-03-02T09:00:00',
    '2026-03-02 09:00:00Z',
    '2026-03-02T09:00:00.Z',
    '2026-03-02T09:00:00.1234567890Z',
    '2026-03-02T09:00:00+0200',
    '2026-03-02T09:00:00+02',
    '2026-03-02T09:00:00+24:00',
    '9999-12-31T23:59:59-00:01',
    '9999-12-31T23:59:59.999-23:59',
    '2026-03-02T09:00:00+02:60',
    '2026-03-02T24:00:00Z',
    '2026-03-02T09:60:00Z',
    '2026-03-02T09:00:60Z',
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '0999-12-31T00:00:00Z',
    '10000-01-01T00:00:00Z',
    '+2026-03-02T09:00:00Z',
    ' 2026-03-02T09:00:00Z',
    '2026-03-02T09:00:00Z\n',
    '٢٠٢٦-03-02T09:00:00Z',
    '1772442000000',
  ])('refuses %j', (text) => {
    expect(parseTimestamp(text)).toBeUndefined()
  })

  test('parses every timestamp that the service formats', () => {
    const range = { min: new Date('1000-01-01T00:00:00.000Z'), max: new Date('9999-12-31T23:59:59.999Z') }
    fc.assert(
      fc.property(fc.date({ ...range, noInvalidDate: true }), (date) => {
        expect(parseTimestamp(date.toISOString())).toEqual(date)
      }),
    )
  })
})

describe('parseDay', () => {
  test('returns the first or the last millisecond of the UTC day', () => {
    expect(parseDay('2026-03-02', 'start')?.toISOString()).toBe('2026-03-02T00:00:00.000Z')
    expect(parseDay('2026-03-02', 'end')?.toISOString()).toBe('2026-03-02T23:59:59.999Z')
    expect(parseDay('2024-02-29', 'end')?.toISOString()).toBe('2024-02-29T23:59:59.999Z')
    expect(DAY_MS).toBe(24 * 60 * 60 * 1_000)
  })

  test.each(['', '2026-02-29', '2026-3-2', '20260302', '2026-03-02Z', '2026-03', '0000-01-01', '2026-03-02T00:00:00Z'])(
    'refuses %j',
    (text) => {
      expect(parseDay(text, 'start')).toBeUndefined()
    },
  )
})

describe('parseTime', () => {
  test('accepts a date or a time, and applies the given edge of the day only to dates', () => {
    expect(parseTime('2026-03-02', 'end')?.toISOString()).toBe('2026-03-02T23:59:59.999Z')
    expect(parseTime('2026-03-02T01:00:00Z', 'end')?.toISOString()).toBe('2026-03-02T01:00:00.000Z')
  })

  test('never throws and never returns an invalid date', () => {
    const shaped = fc
      .array(fc.oneof(fc.constantFrom('2026', '-', ':', 'T', 'Z', '+', '.', ' '), fc.nat(99).map(String)), {
        maxLength: 14,
      })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.oneof(shaped, fc.string({ unit: 'binary' })), (text) => {
        const time = parseTime(text, 'start')
        expect(time === undefined || Number.isFinite(time.getTime())).toBe(true)
      }),
    )
  })
})
