/** Compares any combination of filters on any board with a simple implementation of the rules. */
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { pointsOf, resolvePlace } from '../../src/geo/gazetteer.ts'
import { distanceMiles } from '../../src/lib/distance.ts'
import { type Account, ADMIN_KEY, useBoard } from '../support/board.ts'
import { insertJobs, type JobSeed, removeJobs } from '../support/jobs.ts'

const board = useBoard()
let reader: Account
beforeAll(async () => {
  reader = await board.candidate()
  const { EUR, ...others } = rates
  const table = { base: 'EUR', as_of: '2026-01-02', rates: others }
  expect((await board.put('/v1/admin/currency-rates', ADMIN_KEY, table)).status).toBe(200)
})

const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
const wordsOf = (text: string): string[] => plain(text).match(/[a-z]+/g) ?? []

const titles = ['Gear', 'gear motor', 'Van: gear!', 'motor-van', 'Ván']
const companies = ['Álpha', 'ALPHA', 'alpha beta', 'Beta']
/** Locations of jobs, each with the names of its areas. */
const areas: Record<string, readonly string[]> = {
  'New York': ['New York', 'NYC', 'USA'],
  york: ['York', 'England', 'UK'],
  'Newport/York': ['York', 'England', 'Newport', 'UK'],
  Århus: ['Aarhus', 'Denmark'],
  'arhus, New': ['Aarhus', 'Denmark'],
  'München (hybrid)': ['Munich', 'Bavaria', 'Germany'],
  'Remote, Deutschland': ['Germany'],
}
const locations = Object.keys(areas)
const slugs = ['one', 'two', 'three-four']
const levels = ['entry', 'senior', 'lead'] as const
const workplaces = ['on_site', 'hybrid', 'remote'] as const
const currencies = ['EUR', 'USD', 'GBP', 'JPY'] as const
/** The board's rates, which are powers of two to keep the calculations exact. GBP has no rate. */
const rates: Record<string, number> = { EUR: 1, USD: 2, JPY: 128 }
const periods = { hour: 2_080, day: 260, week: 52, month: 12, year: 1 }
const skills = ['C++', 'c#', 'CAN', 'Élan']
const instant = (n: number) => new Date(Date.UTC(2026, 1, 1) + n * 43_200_000).toISOString()
const expiry = (n: number) => new Date(Date.UTC(2026, 5, 1) + n * 43_200_000).toISOString()
const amounts = [0, 1, 3]

const bound = fc.constantFrom(...amounts)
const salary = fc
  .record({
    low: fc.option(bound),
    high: fc.option(bound),
    currency: fc.constantFrom(...currencies),
    period: fc.constantFrom(...(Object.keys(periods) as (keyof typeof periods)[])),
  })
  .map(({ low, high, currency, period }) => {
    if (low === null && high === null) return null
    const [min, max] = low !== null && high !== null ? [Math.min(low, high), Math.max(low, high)] : [low, high]
    return { min, max, currency, period }
  })

const job = fc.record({
  title: fc.constantFrom(...titles),
  company: fc.constantFrom(...companies),
  location: fc.constantFrom(...locations),
  locations: fc.subarray(locations, { maxLength: 2 }),
  category: fc.constantFrom(...slugs),
  type: fc.constantFrom(...slugs),
  workplace: fc.constantFrom(...workplaces),
  is_featured: fc.boolean(),
  salary,
  skills: fc.subarray(skills),
  experience_level: fc.option(fc.constantFrom(...levels)),
  // Words in these languages are stemmed like English, as the model expects.
  language: fc.constantFrom('en', 'EN-gb', 'nl', 'ja-JP'),
  posted: fc.nat(5),
  expires: fc.nat(5),
})
type Job = typeof job extends fc.Arbitrary<infer T> ? T : never

interface Filter {
  name: string
  value: string
  echo: unknown
  /** Parameters that must be sent with this parameter. They have no conditions themselves. */
  more?: Record<string, string | number>
  passes(job: Job, terms: Terms): boolean
}

/** The parameters that affect salary filters. */
interface Terms {
  isUnspecifiedIncluded: boolean
  /** The currency in which amounts are compared. */
  currency: string | undefined
}

const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 })

/** Creates filters by equality, `_not` and `_in` for a property that may be null or have several values. */
function named(
  name: string,
  values: readonly string[],
  of: (job: Job) => string | readonly string[] | null,
): fc.Arbitrary<Filter> {
  const same = (job: Job, value: string) => [of(job) ?? []].flat().some((own) => plain(own) === plain(value))
  return fc.oneof(
    fc.constantFrom(...values).map((value) => ({ name, value, echo: value, passes: (one: Job) => same(one, value) })),
    fc
      .constantFrom(...values)
      .map((value) => ({ name: `${name}_not`, value, echo: value, passes: (one: Job) => !same(one, value) })),
    some(values).map((list) => ({
      name: `${name}_in`,
      value: list.join(','),
      echo: list,
      passes: (one: Job) => list.some((value) => same(one, value)),
    })),
  )
}

const comparisons = {
  gt: (a: number, b: number) => a > b,
  gte: (a: number, b: number) => a >= b,
  lt: (a: number, b: number) => a < b,
  lte: (a: number, b: number) => a <= b,
  not: (a: number, b: number) => a !== b,
}

/** Creates filters by suffixed comparisons and `_in` for a number that may be null. */
function compared(
  name: string,
  values: readonly string[],
  numberOf: (text: string) => number,
  of: (job: Job) => number | null,
  echoOf: (text: string) => unknown,
  isSalary = false,
): fc.Arbitrary<Filter> {
  const orUnspecified = (passes: (job: Job) => boolean) => (one: Job, terms: Terms) =>
    passes(one) || (isSalary && terms.isUnspecifiedIncluded && one.salary === null)
  return fc.oneof(
    fc
      .tuple(fc.constantFrom(...(Object.keys(comparisons) as (keyof typeof comparisons)[])), fc.constantFrom(...values))
      .map(([suffix, value]) => ({
        name: `${name}_${suffix}`,
        value,
        echo: echoOf(value),
        passes: orUnspecified((one) => of(one) !== null && comparisons[suffix](of(one)!, numberOf(value))),
      })),
    some(values).map((list) => ({
      name: `${name}_in`,
      value: list.join(','),
      echo: list.map(echoOf),
      passes: orUnspecified((one) => of(one) !== null && list.map(numberOf).includes(of(one)!)),
    })),
  )
}

const flag = (name: string, of: (job: Job) => boolean): fc.Arbitrary<Filter> =>
  fc.boolean().map((value) => ({ name, value: `${value}`, echo: value, passes: (one) => of(one) === value }))

/** Returns a limit of the yearly range, converted if requested, or NaN if it is not comparable. */
const yearly = (salary: NonNullable<Job['salary']>, end: 'min' | 'max', currency: string | undefined) => {
  const known = end === 'min' ? (salary.min ?? salary.max) : (salary.max ?? salary.min)
  const amount = known! * periods[salary.period]
  if (currency === undefined || currency === salary.currency) return amount
  return Math.round((amount * (rates[currency] ?? Number.NaN)) / (rates[salary.currency] ?? Number.NaN))
}
/** Limits of yearly ranges, converted or not, and each limit plus one. */
const yearlyAmounts = amounts.flatMap((amount) =>
  Object.values(periods).flatMap((n) =>
    [1, 2, 128, 1 / 64].flatMap((factor) => {
      const converted = Math.round(amount * n * factor)
      return [converted, converted + 1]
    }),
  ),
)
const salaryEnd = (name: 'salary_min' | 'salary_max'): fc.Arbitrary<Filter> =>
  fc.constantFrom(...yearlyAmounts).map((amount) => ({
    name,
    value: `${amount}`,
    echo: amount,
    passes: ({ salary }, { isUnspecifiedIncluded, currency }) => {
      if (salary === null) return isUnspecifiedIncluded
      return name === 'salary_min'
        ? yearly(salary, 'max', currency) >= amount
        : yearly(salary, 'min', currency) <= amount
    },
  }))

const currency: fc.Arbitrary<Filter> = named(
  'salary_currency',
  ['EUR', 'usd', 'GBP'],
  (one) => one.salary?.currency ?? null,
).map((filter) => ({
  ...filter,
  passes: (one, terms) => (one.salary === null ? terms.isUnspecifiedIncluded : filter.passes(one, terms)),
}))

const skillSets = (suffix: '' | '_in' | '_not'): fc.Arbitrary<Filter> =>
  some(['c++', 'C#', 'can', 'elan', 'rust']).map((wanted) => ({
    name: `skills${suffix}`,
    value: wanted.join(','),
    echo: wanted,
    passes: (one) => {
      const has = (skill: string) => one.skills.some((known) => plain(known) === plain(skill))
      return suffix === '' ? wanted.every(has) : suffix === '_in' ? wanted.some(has) : !wanted.some(has)
    },
  }))

const bounds = Array.from({ length: 6 }, (_, n) => instant(n)).concat('2026-02-02', '2026-02-01T13:00:00+01:00')
const milliseconds = (text: string) => Date.parse(text)
const postedSince = (name: 'posted_after' | 'posted_before'): fc.Arbitrary<Filter> =>
  fc.constantFrom(...bounds).map((value) => ({
    name,
    value,
    echo: value,
    passes: (one) => {
      const posted = milliseconds(instant(one.posted))
      return name === 'posted_after' ? posted > milliseconds(value) : posted < milliseconds(value)
    },
  }))

const allLocations = (one: Job) => [one.location, ...one.locations]
const hasWords = (one: Job, text: string) =>
  wordsOf(text).every((word) => wordsOf(allLocations(one).join('/')).includes(word))
const isIn = (one: Job, area: string) => allLocations(one).some((location) => areas[location]!.includes(area))
const place: fc.Arbitrary<Filter> = fc
  .constantFrom('york', 'NEW', 'new york', 'york new', 'århus', 'newport', 'por', 'aRhus-new')
  .map((value) => {
    // `york new` means York, and `new york` means New York.
    const named = ['New York', 'York', 'Aarhus', 'Newport'].find(
      (name) => plain(name).replace('aa', 'a') === plain(value).replace(/( |-)new$/, ''),
    )
    return {
      name: 'location',
      value,
      echo: value,
      passes: (one) => hasWords(one, value) || isIn(one, named ?? ''),
    }
  })

const area: fc.Arbitrary<Filter> = fc
  .constantFrom(
    ...[
      ['Munich', 'Munich'],
      ['Deutschland', 'Germany'],
      ['GERMANY', 'Germany'],
      ['Bavaria, Germany', 'Bavaria'],
      ['Danmark', 'Denmark'],
      ['UK', 'UK'],
      ['England', 'England'],
      ['United States', 'USA'],
      ['NYC', 'NYC'],
      ['New York, NY', 'NYC'],
      ['Aarhus', 'Aarhus'],
    ],
  )
  .map(([value, name]) => ({
    name: 'location',
    value: value!,
    echo: value,
    passes: (one) => isIn(one, name!) || hasWords(one, value!),
  }))

const radius: fc.Arbitrary<Filter> = fc
  .tuple(
    fc.constantFrom('NYC', 'Newark, NJ', 'York, UK', 'Leeds', 'Aarhus, Denmark'),
    fc.constantFrom(0.5, 9, 50, 500),
    fc.constantFrom(undefined, 'mi', 'km'),
  )
  .map(([value, distance, unit]) => {
    const { lat, lon } = resolvePlace(value)!
    const miles = unit === 'km' ? distance / 1.609344 : distance
    return {
      name: 'location',
      value,
      echo: value,
      more: { distance, ...(unit && { distance_unit: unit }) },
      passes: (one) => distanceMiles(allLocations(one).flatMap(pointsOf), lat, lon) <= miles,
    }
  })

/** A search whose terms must all match, the last as a prefix, with at most one excluded term. */
const search: fc.Arbitrary<Filter> = fc
  .record({
    terms: some(['gear', 'MOTOR', 'vän', 'beta']),
    isCut: fc.boolean(),
    not: fc.option(fc.constantFrom('motor', 'alpha')),
  })
  .map(({ terms, isCut, not }) => {
    const last = isCut ? terms.at(-1)!.slice(0, 2) : terms.at(-1)!
    const value = [...(not === null ? [] : [`-${not}`]), ...terms.slice(0, -1), last].join(' ')
    return {
      name: 'search',
      value,
      echo: value,
      passes: (one: Job) => {
        const found = [...wordsOf(one.title), ...wordsOf(one.company), ...one.skills.flatMap(wordsOf)]
        return (
          terms.slice(0, -1).every((term) => found.includes(plain(term))) &&
          found.some((word) => word.startsWith(plain(last))) &&
          !found.includes(not ?? '')
        )
      },
    }
  })

const filter: fc.Arbitrary<Filter> = fc.oneof(
  named('category', [...slugs, 'nobody'], (one) => one.category),
  named('job_type', slugs, (one) => one.type),
  named('type', slugs, (one) => one.type),
  named('company', ['alpha', 'Bêta', 'nobody'], (one) => one.company),
  named('experience_level', levels, (one) => one.experience_level),
  named('language', ['en', 'nl', 'ja', 'xx'], (one) => one.language.split('-')[0]!.toLowerCase()),
  // The suffixed parameters compare the whole text.
  named('location', ['new YORK', 'york', 'árhus'], allLocations).filter(({ name }) => name !== 'location'),
  place,
  area,
  radius,
  flag('remote', (one) => one.workplace === 'remote'),
  named('workplace', workplaces, (one) => one.workplace),
  flag('is_featured', (one) => one.is_featured),
  salaryEnd('salary_min'),
  salaryEnd('salary_max'),
  compared('salary_min', amounts.map(String), Number, (one) => one.salary?.min ?? null, Number, true),
  compared('salary_max', amounts.map(String), Number, (one) => one.salary?.max ?? null, Number, true),
  currency,
  compared('posted_at', bounds, milliseconds, (one) => milliseconds(instant(one.posted)), String),
  compared('expires_at', [0, 2, 5].map(expiry), milliseconds, (one) => milliseconds(expiry(one.expires)), String),
  postedSince('posted_after'),
  postedSince('posted_before'),
  skillSets(''),
  skillSets('_in'),
  skillSets('_not'),
  search,
  fc.constantFrom('EUR', 'usd', 'JPY', 'GBP', 'SEK').map((value) => ({
    ...{ name: 'salary_in', value, echo: value },
    passes: () => true,
  })),
  fc.constant({ name: 'salary_unspecified', value: 'include', echo: 'include', passes: () => true }),
)

const combination = fc.uniqueArray(filter, { maxLength: 4, selector: ({ name }) => name })

/** Returns whether two suffixed bounds of one parameter exclude each other. */
function isEmptyRange(filters: readonly Filter[]): boolean {
  const number = (value: string) => (/^\d+$/.test(value) ? Number(value) : milliseconds(value))
  const bounds = filters.flatMap(({ name, value }) => {
    const [, field, operator] = /^(.+)_(gte?|lte?)$/.exec(name) ?? []
    return field && operator ? [{ field, operator, value }] : []
  })
  return bounds.some((low) =>
    bounds.some((high) => {
      if (low.field !== high.field || !low.operator.startsWith('g') || !high.operator.startsWith('l')) return false
      const isOpen = low.operator === 'gt' || high.operator === 'lt'
      return isOpen ? number(low.value) >= number(high.value) : number(low.value) > number(high.value)
    }),
  )
}

/** Returns whether any two bounds exclude each other. */
function isImpossible(filters: readonly Filter[]): boolean {
  if (isEmptyRange(filters)) return true
  const of = (name: string) => filters.find((one) => one.name === name)?.value
  const [low, high, after, before] = ['salary_min', 'salary_max', 'posted_after', 'posted_before'].map(of)
  return (
    (low !== undefined && high !== undefined && Number(low) > Number(high)) ||
    (after !== undefined && before !== undefined && milliseconds(after) >= milliseconds(before))
  )
}

test('a list returns and counts exactly the jobs that pass every filter, and echoes the filters', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(job, { minLength: 4, maxLength: 25 }),
      fc.array(combination, { minLength: 8, maxLength: 8 }),
      async (jobs, combinations) => {
        await removeJobs(board)
        const seeds = jobs.map(
          ({ posted, expires, ...members }): JobSeed => ({
            ...members,
            posted_at: instant(posted),
            expires_at: expiry(expires),
          }),
        )
        const ids = await insertJobs(board, seeds)
        for (const filters of combinations) {
          const sent = filters.flatMap(({ name, value, echo, more = {} }) => [
            { name, value, echo },
            ...Object.entries(more).map(([name, echo]) => ({ name, value: `${echo}`, echo })),
          ])
          const query = sent.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('&')
          const answer = await board.get(`/v1/jobs?limit=100&${query}`, reader.key)
          if (isImpossible(filters)) {
            expect([query, answer.status, answer.body.code]).toEqual([query, 400, 'invalid_parameter'])
            continue
          }
          expect(answer.status, answer.text).toBe(200)
          const terms: Terms = {
            isUnspecifiedIncluded: filters.some(({ name }) => name === 'salary_unspecified'),
            currency: filters.find(({ name }) => name === 'salary_in')?.value.toUpperCase(),
          }
          const expected = ids.filter((_, index) => filters.every((one) => one.passes(jobs[index]!, terms)))
          const { data, meta } = answer.body
          expect([query, data.map(({ id }: { id: string }) => id).sort()]).toEqual([query, expected.sort()])
          expect(meta.pagination.total).toBe(expected.length)
          expect(meta.filters_applied).toEqual(Object.fromEntries(sent.map(({ name, echo }) => [name, echo])))
        }
      },
    ),
    { numRuns: 120 },
  )
})
