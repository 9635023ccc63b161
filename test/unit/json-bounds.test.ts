import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JobBody } from '../../src/features/jobs/jobs.schemas.ts'
import { exceededBound, mostValues } from '../../src/lib/json-bounds.ts'

const excess = (text: string, valuesMax: number, depthMax = 32) =>
  exceededBound(Buffer.from(text), { valuesMax, depthMax })

/** Counts every value. An empty array or object counts as two. */
function count(value: unknown): number {
  if (value === null || typeof value !== 'object') return 1
  const members = Object.values(value)
  return members.length === 0 ? 2 : members.reduce((sum: number, member) => sum + count(member), 1)
}
const depthOf = (value: unknown): number =>
  value === null || typeof value !== 'object' ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf))

describe('exceededBound', () => {
  test('counts the values and levels of any JSON text', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.boolean(), (value, isWide) => {
        const text = JSON.stringify(value, null, isWide ? 2 : 0)
        const [values, depth] = [count(value), depthOf(value)]
        expect(excess(text, values, depth)).toBeUndefined()
        if (values > 1 && text.length > 2 * (values - 1)) expect(excess(text, values - 1, depth)).toBe('values')
      }),
    )
    expect(excess('["a,[{\\",", {"b\\\\": ",,"}]', 4, 2)).toBeUndefined()
  })

  test('skips long strings with any escapes', () => {
    const piece = fc.constantFrom('x'.repeat(70), 'x'.repeat(64), '\\\\', '\\"', '[,{', '\u00e9')
    fc.assert(
      fc.property(fc.array(fc.array(piece, { maxLength: 12 }), { minLength: 1, maxLength: 4 }), (texts) => {
        const json = `[${texts.map((pieces) => `"${pieces.join('')}"`).join(',')}]`
        expect(JSON.parse(json)).toHaveLength(texts.length)
        const values = texts.length + 1
        expect(excess(json, values, 1)).toBeUndefined()
        if (json.length > 2 * (values - 1)) expect(excess(json, values - 1, 1)).toBe('values')
      }),
      { numRuns: 2_000 },
    )
  })

  test('stops when a limit is exceeded', () => {
    const text = Buffer.from(`[${'0,'.repeat(500_000)}0]`)
    let read = 0
    const counted = new Proxy(text, {
      get: (bytes, name) => {
        if (typeof name === 'string' && /^\d+$/.test(name)) read++
        return Reflect.get(bytes, name, bytes)
      },
    })
    expect(exceededBound(counted, { valuesMax: 100, depthMax: 32 })).toBe('values')
    expect(read).toBeLessThan(300)
    expect(excess('['.repeat(1_000), 10_000)).toBe('depth')
  })
})

describe('mostValues', () => {
  test('is an upper bound for the values in a valid body, or infinity if there is none', () => {
    const question = { id: 'a', label: 'b', type: 'multi_select', required: true, options: Array(100).fill('c') }
    const body = { requirements: Array(50).fill('a'), custom_questions: Array(50).fill(question) }
    expect(mostValues(JobBody)).toBeGreaterThanOrEqual(count(body))
    expect(mostValues(JobBody)).toBeLessThan(9_000)
    expect(mostValues({ type: ['array', 'null'], items: { type: 'string' } })).toBe(Number.POSITIVE_INFINITY)
    expect(mostValues({ type: 'object', properties: { a: {} } })).toBe(Number.POSITIVE_INFINITY)
  })
})
