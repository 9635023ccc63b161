import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nearestName } from '../../src/lib/nearest.ts'

const known = ['page', 'limit', 'cursor', 'sort', 'order', 'location', 'employee_count', 'employee_count_gte']

describe('nearestName', () => {
  test.each([
    ['lmit', 'limit'],
    ['limti', 'limit'],
    ['LIMIT', 'limit'],
    ['Location', 'location'],
    ['employeecount', 'employee_count'],
    ['employee_count_get', 'employee_count_gte'],
    ['sorts', 'sort'],
  ])('corrects %s to %s', (name, nearest) => {
    expect(nearestName(name, known)).toBe(nearest)
  })

  test.each(['color', 'xyz', '', 'salary_min', '__proto__'])('suggests nothing for %j', (name) => {
    expect(nearestName(name, known)).toBeUndefined()
  })

  test('suggests nothing without known names', () => {
    expect(nearestName('limit', [])).toBeUndefined()
  })

  test('returns a known name unchanged, and suggests nothing for a million characters', () => {
    for (const name of known) expect(nearestName(name, known)).toBe(name)
    expect(nearestName('x'.repeat(1_000_000), known)).toBeUndefined()
  })

  test('finds a name after one character was removed, or replaced by one or two others', () => {
    const edited = fc.tuple(
      fc.constantFrom('location', 'cursor', 'employee_count'),
      fc.nat(),
      fc.constantFrom('', 'x', 'ab'),
    )
    fc.assert(
      fc.property(edited, ([name, at, by]) => {
        const i = at % name.length
        return nearestName(name.slice(0, i) + by + name.slice(i + 1), [name, 'zzzzzzzzzzzz']) === name
      }),
    )
  })
})
