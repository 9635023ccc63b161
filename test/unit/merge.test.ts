import { describe, expect, test } from 'vitest'
import { compareWithPresent } from '../../src/lib/merge.ts'

const present = { id: 'emp_1', name: 'Voltaire', tags: ['a', 'b'], salary: { min: 1, max: null }, note: null, count: 0 }
const writable = ['name', 'tags', 'salary', 'note'] as const

describe('compareWithPresent', () => {
  test('finds no changes in an empty body or an unmodified resource', () => {
    expect(compareWithPresent(present, {}, writable)).toEqual({ changed: [], faults: [] })
    expect(compareWithPresent(present, structuredClone(present), writable)).toEqual({ changed: [], faults: [] })
  })

  test('finds the writable fields that change, in the order of the body', () => {
    const body = { salary: { min: 1, max: 2 }, name: 'Other', tags: ['a', 'b'] }
    expect(compareWithPresent(present, body, writable)).toEqual({ changed: ['salary', 'name'], faults: [] })
  })

  test('compares whole values: order matters in arrays, but not in objects', () => {
    const { changed } = compareWithPresent(present, { tags: ['b', 'a'], salary: { max: null, min: 1 } }, writable)
    expect(changed).toEqual(['tags'])
  })

  test('distinguishes null from zero, false and a text', () => {
    expect(compareWithPresent(present, { note: null }, writable).changed).toEqual([])
    expect(compareWithPresent(present, { note: 0 }, writable).changed).toEqual(['note'])
    expect(compareWithPresent(present, { note: false }, writable).changed).toEqual(['note'])
    expect(compareWithPresent(present, { name: null }, writable).changed).toEqual(['name'])
  })

  test('reports a read-only field only if its value differs', () => {
    const { changed, faults } = compareWithPresent(present, { id: 'emp_2', count: 0, name: 'Other' }, writable)
    expect(changed).toEqual(['name'])
    expect(faults).toEqual([
      {
        pointer: '#/id',
        code: 'read_only_field',
        detail: 'id is read-only. Omit it or send its current value.',
      },
    ])
    expect(compareWithPresent(present, { count: null }, writable).faults).toHaveLength(1)
  })

  test('ignores fields that the resource lacks, including inherited fields', () => {
    const body = JSON.parse('{"color": 1, "toString": 2, "__proto__": 3, "constructor": 4}')
    expect(compareWithPresent(present, body, writable)).toEqual({ changed: [], faults: [] })
  })

  test('escapes the pointer of an error', () => {
    const { faults } = compareWithPresent({ 'a/b~c': 1 }, { 'a/b~c': 2 }, [])
    expect(faults[0]!.pointer).toBe('#/a~1b~0c')
  })
})
