import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { QueryCursors } from '../../src/lists/cursor.ts'
import { parameter, suffixes } from '../../src/lists/parameters.ts'
import { LIMIT_MAX, type ListDeclaration, parameterNames, parseListQuery } from '../../src/lists/query.ts'

const cars = {
  name: 'cars',
  filters: {
    search: parameter.text('Words.', { suffixes: [] }),
    maker: parameter.text('Maker.', { maxLength: 5 }),
    body: parameter.choice('Body.', ['van', 'coupe']),
    color: parameter.slug('Color.'),
    doors: parameter.integer('Doors.', { minimum: 2, maximum: 5 }),
    doors_max: parameter.integer('At most.', { suffixes: [] }),
    built_at: parameter.time('Built.'),
    electric: parameter.boolean('Electric.'),
    extras: parameter.textList('Extras.'),
  },
  filterAliases: { brand: 'maker' },
  sorts: { maker: {}, built_at: {}, price: {}, relevance: { within: 'search' } },
  sortAliases: { age: 'built_at' },
  defaultSort: [
    { field: 'built_at', direction: 'desc' },
    { field: 'maker', direction: 'asc' },
  ],
  pairSorts: ['age', 'price', 'relevance'],
  ranges: [['doors', 'doors_max']],
} as const satisfies ListDeclaration

const secret = Buffer.alloc(32, 7)
const parse = (raw: Record<string, string | string[]>) => parseListQuery(cars, raw, secret)
const parsed = (raw: Record<string, string | string[]>) => {
  const { query, faults } = parse(raw)
  expect(faults).toEqual([])
  return query
}
const faultsOf = (raw: Record<string, string | string[]>) =>
  parse(raw).faults.map(({ parameter: name, code }) => `${name} ${code}`)

describe('without parameters', () => {
  test('a query returns the first page of 20 in the default order', () => {
    expect(parsed({})).toEqual({
      filters: [],
      applied: {},
      sort: cars.defaultSort,
      facets: [],
      limit: 20,
      page: 1,
      pageMax: 1_000_000_000,
      ignoredTerms: [],
      cursor: { direction: 'next', key: null },
      cursors: expect.any(QueryCursors),
    })
  })

  test('the cursors of a query are the same as in earlier releases', () => {
    const cursor = { direction: 'next', key: ['2026', 'id'] } as const
    const earlier = new QueryCursors(secret, '["cars",[["built_at","desc"],["maker","asc"]],[]]')
    expect(parsed({}).cursors.encode(cursor)).toBe(earlier.encode(cursor))
  })

  test('empty parameters do not change the result, except for an empty cursor', () => {
    const names = parameterNames(cars).filter((name) => name !== 'cursor')
    expect(parsed(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(parsed({}))
    expect(parsed({ cursor: '' })).toEqual({ ...parsed({}), page: undefined })
    expect(parsed({ cursor: '', page: '' }).page).toBeUndefined()
  })
})

describe('filters', () => {
  test.each([
    [{ maker: 'Audi' }, { filter: 'maker', operator: 'is', value: 'Audi' }, 'Audi'],
    [{ brand: 'Audi' }, { filter: 'maker', operator: 'is', value: 'Audi' }, 'Audi'],
    [{ brand_not: 'Audi' }, { filter: 'maker', operator: 'not', value: 'Audi' }, 'Audi'],
    [{ maker_in: 'a, b,,c ' }, { filter: 'maker', operator: 'in', value: ['a', 'b', 'c'] }, ['a', 'b', 'c']],
    [{ maker_in: ['a', 'b,c'] }, { filter: 'maker', operator: 'in', value: ['a', 'b', 'c'] }, ['a', 'b', 'c']],
    [{ body: 'van' }, { filter: 'body', operator: 'is', value: 'van' }, 'van'],
    [{ doors: '4' }, { filter: 'doors', operator: 'is', value: 4 }, 4],
    [{ doors: '0004' }, { filter: 'doors', operator: 'is', value: 4 }, 4],
    [{ doors_gte: '4' }, { filter: 'doors', operator: 'gte', value: 4 }, 4],
    [{ doors_in: '4,5' }, { filter: 'doors', operator: 'in', value: [4, 5] }, [4, 5]],
    [{ doors_max: '3' }, { filter: 'doors_max', operator: 'is', value: 3 }, 3],
    [{ electric: 'false' }, { filter: 'electric', operator: 'is', value: false }, false],
    [{ extras: 'a' }, { filter: 'extras', operator: 'is', value: ['a'] }, ['a']],
    [{ extras_not: 'a,b' }, { filter: 'extras', operator: 'not', value: ['a', 'b'] }, ['a', 'b']],
    [
      { built_at_lt: '2026-01-02' },
      { filter: 'built_at', operator: 'lt', value: new Date('2026-01-02T00:00:00Z') },
      '2026-01-02',
    ],
    [
      { built_at: '2026-01-02T03:00:00 01:00' },
      { filter: 'built_at', operator: 'is', value: new Date('2026-01-02T02:00:00Z') },
      '2026-01-02T03:00:00+01:00',
    ],
    [
      { built_at_in: '2026-01-02, 2026-01-02T03:00:00Z' },
      {
        filter: 'built_at',
        operator: 'in',
        value: [new Date('2026-01-02T00:00:00Z'), new Date('2026-01-02T03:00:00Z')],
      },
      ['2026-01-02', '2026-01-02T03:00:00Z'],
    ],
  ])('%j', (raw, filter, echoed) => {
    const { filters, applied } = parsed(raw as Record<string, string>)
    expect(filters).toEqual([filter])
    expect(applied).toEqual({ [Object.keys(raw)[0]!]: echoed })
  })

  test('count characters, not UTF-16 code units', () => {
    expect(parsed({ maker: '\u{1F697}'.repeat(5) }).applied).toEqual({ maker: '\u{1F697}'.repeat(5) })
    expect(faultsOf({ maker: '\u{1F697}'.repeat(6) })).toEqual(['maker invalid_parameter'])
  })

  test.each([
    ['maker', '123456'],
    ['maker', 'a\0b'],
    ['maker', '\ud800'],
    ['maker', ['a', 'b']],
    ['maker', ['', '']],
    ['maker_in', ','],
    ['maker_in', 'a,123456'],
    ['maker_gt', 'a'],
    ['body', 'Van'],
    ['body_in', 'van,bus'],
    ['body_lte', 'van'],
    ['color', 'Red'],
    ['color', 'a--b'],
    ['doors', '1'],
    ['doors', '6'],
    ['doors', '4.0'],
    ['doors', ' 4'],
    ['doors', '0x4'],
    ['doors', '9007199254740993'],
    ['doors', '-4'],
    ['doors_in', '4,six'],
    ['doors_max_gt', '4'],
    ['built_at', 'today'],
    ['built_at_gt', '2026-02-30'],
    ['electric', 'yes'],
    ['electric_not', 'true'],
    ['extras', Array(101).fill('a')],
    ['search_not', 'a'],
    ['sort', ['maker', 'price']],
    ['order', ['asc', 'asc']],
    ['limit', ['1', '2']],
    ['page', ['1', '2']],
    ['cursor', ['', '']],
  ])('refuse %s=%j', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([`${name} invalid_parameter`])
  })

  test.each([
    'wheels',
    'maker_like',
    'maker_',
    '_not',
    'maker_not_in',
    'brand_lt_gt',
    'sort_in',
    '',
    'toString',
    '__proto__',
  ])('reject %j as unknown', (name) => {
    const raw = Object.create(null) as Record<string, string>
    raw[name] = '1'
    expect(faultsOf(raw)).toEqual([`${name} unknown_parameter`])
  })

  test('allow equal ends of a numeric range, but not reversed ends', () => {
    expect(faultsOf({ doors: '4', doors_max: '4' })).toEqual([])
    expect(faultsOf({ doors: '4', doors_max: '3' })).toEqual(['doors invalid_parameter'])
  })
})

describe('sort', () => {
  const sortOf = (raw: Record<string, string>) =>
    parsed(raw)
      .sort.map(({ field, direction }) => `${field}:${direction}`)
      .join(',')

  test.each([
    [{ order: 'asc' }, 'built_at:asc,maker:asc'],
    [{ order: 'desc' }, 'built_at:desc,maker:desc'],
    [{ sort: 'maker' }, 'maker:asc'],
    [{ sort: 'maker', order: 'desc' }, 'maker:desc'],
    [{ sort: 'maker:asc', order: 'desc' }, 'maker:asc'],
    [{ sort: 'built_at' }, 'built_at:asc'],
    [{ sort: 'age' }, 'built_at:desc'],
    [{ sort: 'age', order: 'asc' }, 'built_at:asc'],
    [{ sort: 'age:asc' }, 'built_at:asc'],
    [{ sort: 'price' }, 'price:desc'],
    [{ sort: 'price,maker' }, 'price:asc,maker:asc'],
    [{ sort: 'price , maker:desc' }, 'price:asc,maker:desc'],
    [{ sort: 'age,price:desc', order: 'asc' }, 'built_at:asc,price:desc'],
    [{ sort: 'relevance', search: 'x' }, 'relevance:desc'],
    [{ sort: 'relevance:desc,maker', search: 'x' }, 'relevance:desc,maker:asc'],
    [{ sort: 'maker,relevance', order: 'desc', search: 'x' }, 'maker:desc,relevance:desc'],
  ])('%j is %s', (raw, expected) => {
    expect(sortOf(raw as unknown as Record<string, string>)).toBe(expected)
  })

  test.each([
    { sort: 'color' },
    { sort: 'maker:' },
    { sort: ':asc' },
    { sort: 'maker:Asc' },
    { sort: 'maker:asc:asc' },
    { sort: 'maker,' },
    { sort: 'maker,maker:desc' },
    { sort: 'age,built_at' },
    { sort: 'relevance' },
    { sort: 'relevance', search: 'x', order: 'asc' },
    { sort: 'relevance:asc', search: 'x' },
    { sort: 'price,relevance', search: 'x' },
    { sort: '__proto__' },
  ])('refuses %j', (raw) => {
    expect(faultsOf(raw as unknown as Record<string, string>)).toEqual(['sort invalid_parameter'])
  })

  test('treats an invalid search as absent when sorting by relevance', () => {
    expect(faultsOf({ sort: 'relevance', search: 'a\0' })).toEqual([
      'search invalid_parameter',
      'sort invalid_parameter',
    ])
  })
})

describe('paging', () => {
  const next = (raw: Record<string, string> = {}) =>
    parsed({ ...raw, cursor: '' }).cursors.encode({ direction: 'next', key: ['2026', 'x', 'id'] })

  test('accepts a cursor from the same query, with any limit and parameter order', () => {
    const cursor = next({ maker: 'a', doors: '4' })
    expect(parsed({ doors: '4', maker: 'a', limit: '7', cursor })).toMatchObject({
      page: undefined,
      limit: 7,
      cursor: { direction: 'next', key: ['2026', 'x', 'id'] },
    })
  })

  test('binds a cursor to the list, its sort and its filters as sent', () => {
    const cursor = next({ maker: 'a' })
    for (const raw of [{}, { maker: 'b' }, { brand: 'a' }, { maker_in: 'a' }, { maker: 'a', sort: 'price' }]) {
      expect(faultsOf({ ...raw, cursor } as Record<string, string>)).toEqual(['cursor invalid_cursor'])
    }
    const { faults } = parseListQuery({ ...cars, name: 'vans' }, { maker: 'a', cursor }, secret)
    expect(faults.map(({ code }) => code)).toEqual(['invalid_cursor'])
  })

  test('refuses a page number together with a cursor, in either order', () => {
    expect(faultsOf({ page: '1', cursor: '' })).toEqual(['cursor pagination_conflict'])
    expect(faultsOf({ cursor: next(), page: 'x' })).toEqual(['cursor pagination_conflict'])
  })

  test('reports other errors, but not a cursor that these errors make impossible to check', () => {
    expect(faultsOf({ limit: '0', cursor: 'garbage' })).toEqual(['limit invalid_parameter'])
  })
})

describe('any query', () => {
  const value = fc.oneof(
    fc.constantFrom(
      '',
      '1',
      '4',
      '0',
      'asc',
      'van',
      'true',
      'maker',
      'age:desc',
      '2026-01-01',
      ',',
      'a,b',
      '\0',
      '9'.repeat(20),
    ),
    fc.string({ unit: 'binary', maxLength: 12 }),
  )
  const name = fc.oneof(fc.constantFrom(...parameterNames(cars)), fc.string({ unit: 'binary', maxLength: 8 }))
  const raw = fc.dictionary(
    name,
    fc.oneof({ weight: 4, arbitrary: value }, fc.array(value, { minLength: 2, maxLength: 3 })),
    {
      maxKeys: 6,
    },
  )

  test('either has errors about its own parameters or respects the limits', () => {
    fc.assert(
      fc.property(raw, (anything) => {
        const { query, faults } = parse(anything)
        for (const fault of faults) {
          expect(fault.detail).toMatch(/^[^\0]{5,400}$/s)
          expect(Object.hasOwn(anything, fault.parameter) || fault.parameter === 'sort').toBe(true)
        }
        if (faults.length > 0) return
        expect(query.limit >= 1 && query.limit <= LIMIT_MAX).toBe(true)
        expect(query.page === undefined).toBe(Object.hasOwn(anything, 'cursor'))
        expect(Object.keys(query.applied).length).toBe(query.filters.length)
        expect(new Set(query.sort.map(({ field }) => field)).size).toBe(query.sort.length)
        // Every parameter is echoed, empty, or one of the five parameters that are not filters.
        for (const [key, sent] of Object.entries(anything)) {
          const isEmpty = [sent].flat().every((text) => text === '')
          const isControl = ['page', 'limit', 'cursor', 'sort', 'order'].includes(key)
          expect(isControl || isEmpty || Object.hasOwn(query.applied, key)).toBe(true)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('recognizes every documented parameter', () => {
    for (const known of parameterNames(cars)) {
      const codes = parse({ [known]: '\0' }).faults.map(({ code }) => code)
      expect([known, codes.includes('unknown_parameter')]).toEqual([known, false])
    }
    for (const [filter, declared] of Object.entries(cars.filters)) {
      for (const suffix of suffixes) {
        expect(parameterNames(cars).includes(`${filter}_${suffix}`)).toBe(declared.suffixes.includes(suffix))
      }
    }
  })
})

describe('a radius', () => {
  const shops = {
    name: 'shops',
    filters: {
      location: parameter.text('Where.'),
      distance: parameter.distance('How far.'),
      search: parameter.text('What.', { suffixes: [] }),
    },
    sorts: { name: {}, distance: { within: 'distance' } },
    defaultSort: [{ field: 'name', direction: 'asc' }],
    geocode: (text) => (text === 'Here' ? { lat: 1, lon: 2 } : undefined),
  } as const satisfies ListDeclaration
  const parse = (raw: Record<string, string | string[]>) => parseListQuery(shops, raw, secret)
  const faultsIn = (raw: Record<string, string | string[]>) =>
    parse(raw).faults.map(({ parameter, code }) => `${parameter} ${code}`)

  test('combines location and distance into one condition, in any order', () => {
    for (const raw of [
      { location: 'Here', search: 'x', distance: '2.5' },
      { distance: '2.5', search: 'x', location: 'Here' },
    ]) {
      const { query, faults } = parse({ ...raw, sort: 'distance' })
      expect(faults).toEqual([])
      expect(query.filters).toEqual([
        { filter: 'search', operator: 'is', value: 'x' },
        { filter: 'distance', operator: 'is', value: { lat: 1, lon: 2, miles: 2.5 } },
      ])
      expect(query.applied).toEqual({ ...raw, distance: 2.5 })
      expect(query.sort).toEqual([{ field: 'distance', direction: 'asc' }])
    }
  })

  test('is independent of the suffixed parameters of location', () => {
    const { query } = parse({ location: 'Here', location_not: 'There', distance: '1' })
    expect(query.filters.map(({ filter, operator }) => `${filter} ${operator}`)).toEqual([
      'location not',
      'distance is',
    ])
  })

  test('does not exist without a distance', () => {
    const { query } = parse({ location: 'There', distance: '' })
    expect(query.filters).toEqual([{ filter: 'location', operator: 'is', value: 'There' }])
  })

  test.each<[Record<string, string | string[]>, string[]]>([
    [{ distance: '1' }, ['distance invalid_parameter']],
    [{ location_in: 'Here', distance: '1' }, ['distance invalid_parameter']],
    [{ location: 'There', distance: '1' }, ['location location_not_resolved']],
    [{ location: 'There', distance: 'x' }, ['distance invalid_parameter', 'location location_not_resolved']],
    [{ location: ['Here', 'Here'], distance: '1' }, ['location invalid_parameter']],
    [{ location: 'Here', distance: ['1', '2'] }, ['distance invalid_parameter']],
    [{ location: 'Here', sort: 'distance' }, ['sort invalid_parameter']],
    [{ location: 'Here', distance: '0', sort: 'distance' }, ['distance invalid_parameter']],
  ])('is refused for %j', (raw, faults) => {
    expect(faultsIn(raw)).toEqual(faults)
    expect(parse(raw).query.filters.every(({ filter }) => filter !== 'distance')).toBe(true)
  })
})
