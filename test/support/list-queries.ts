/** Jobs and queries that cover every filter, every order and every kind of search. */
import fc from 'fast-check'
import { SALARY_MAX } from '../../src/lib/salary.ts'
import type { JobSeed } from './jobs.ts'

const titles = ['Gear designer', 'Gearbox tester', 'Van fitter', 'Ván-fitter', '𝟙 fitter', 'ﬁtter', 'Engine tester']
// Characters whose order differs between UTF-16 code units and code points, and their neighbors.
titles.push('😀 fitter', '\uffee fitter', '\ue000 fitter', '\ud7fb fitter', '가 fitter', 'İ fitter', '𐐷', '!')
const texts = ['Designs gears for vans.', 'Tests engines, and gears too.', 'Fits node.js into vans', 'front-end gears']
export const jobSeed: fc.Arbitrary<JobSeed> = fc.record({
  title: fc.constantFrom(...titles),
  company: fc.constantFrom('Orion', 'ÓRION', 'Zephyr Vans'),
  location: fc.constantFrom(
    'Berlin',
    'Berlin, Germany',
    'Oslo',
    'Potsdam / Oslo',
    'Hamburg, Germany',
    'Remote',
    'Köln',
  ),
  locations: fc.subarray(['Oslo', 'Potsdam / Oslo', 'Köln', 'Remote'], { maxLength: 2 }),
  description: fc.constantFrom(...texts),
  category: fc.constantFrom('one', 'two'),
  type: fc.constantFrom('full-time', 'contract'),
  workplace: fc.constantFrom('on_site', 'hybrid', 'remote'),
  skills: fc.subarray(['CAN', 'C++', 'gears']),
  experience_level: fc.constantFrom(null, 'entry', 'senior'),
  language: fc.constantFrom(null, 'en', 'de', 'de-CH', 'FR', 'es', 'ja'),
  salary: fc
    .constantFrom(null, { min: 5 }, { max: 7 }, { min: 1, max: 12, period: 'month' as const })
    .chain((pay) =>
      fc.constantFrom(
        pay,
        { min: 0, max: 0 },
        { max: SALARY_MAX, period: 'hour' as const },
        { min: 1, currency: 'EUR' },
        { min: 900, max: 1_250, currency: 'JPY' },
        { max: SALARY_MAX, currency: 'JPY', period: 'hour' as const },
        { min: 60, currency: 'SEK', period: 'month' as const },
        { max: 6, currency: 'GBP' },
      ),
    ),
  posted_at: fc.nat(4).map((n) => new Date(Date.UTC(2026, 1, 1 + n)).toISOString()),
  application_count: fc.nat(2),
})

export const listFilter = fc.constantFrom(
  ...['location=berlin', 'location_not=oslo', 'category=one', 'category_in=one,two', 'remote=true', 'skills=can,gears'],
  ...['skills_not=c%2B%2B', 'salary_min=6', 'salary_max_lte=7', 'experience_level_not=entry', 'company=orion'],
  ...['posted_after=2026-02-02', 'posted_at_lte=2026-02-03', 'salary_unspecified=include', 'is_featured=false'],
  ...['salary_min_not=5', 'salary_max_in=0,7', 'salary_max_gt=7', 'salary_min_lt=6', 'salary_min=0', 'salary_max=0'],
  ...[
    'salary_currency_not=EUR',
    'salary_currency_in=usd,eur',
    'company_in=orion,x',
    'company_not=órion',
    'location=%21',
  ],
  ...['posted_at_not=2026-02-02', 'posted_at_in=2026-02-02,2026-02-03', 'experience_level_in=entry,senior'],
  ...['language=de', 'language_not=de', 'language_in=fr,es,xx'],
  ...['skills_in=x,can,c%2B%2B', 'skills=x', 'location_in=oslo,remote', 'expires_at_gt=2026-03-20', 'remote=false'],
  ...['location=Berlin&distance=10', 'location=Potsdam&distance=20.5', 'location=Oslo&distance=500'],
  ...['location=Berlin&distance=16&distance_unit=km', 'location=Germany', 'location=cologne', 'location=Norge'],
  ...['salary_in=EUR', 'salary_in=jpy&salary_min=900', 'salary_in=SEK&salary_max=70&salary_unspecified=include'],
  ...['salary_in=USD&salary_min=7', 'salary_in=GBP&salary_min=1', 'salary_in=eur&salary_currency_in=jpy,sek'],
  ...['workplace=hybrid', 'workplace_in=on_site,remote', 'workplace_not=hybrid'],
)
export const searchWords = fc.constantFrom(
  ...[
    'gear',
    'gears ',
    'van',
    'tester',
    'node.js',
    'front-end',
    '"gears for vans"',
    '-van',
    '-"for vans"',
    'fit',
    'orion',
  ],
  ...['gear or van', 'frontend', '𝟙', '-gear or van', 'c++', '---', '"engines, and gears"', 'eng'],
  ...['vans ', 'testers ', '"gears for van"', '-gears or vans '],
)
const search = fc
  .option(fc.array(searchWords, { minLength: 1, maxLength: 2 }))
  .map((terms) => (terms === null ? [] : [`search=${encodeURIComponent(terms.join(' '))}`]))
const field = fc.constantFrom('title', 'location', 'company_name', 'posted_at', 'application_count', 'salary')
const sort = fc
  .uniqueArray(field, { minLength: 1, maxLength: 3 })
  .chain((fields) => fc.tuple(...fields.map((name) => fc.constantFrom(`${name}:asc`, `${name}:desc`))))
  .map((terms) => `sort=${terms.join(',')}`)
/** The start of the sort order of a query with a radius, which sorting by distance requires. */
const nearest = fc.constantFrom('', 'distance,', 'distance:desc,')
export const listQuery = fc
  .tuple(
    search,
    fc.uniqueArray(listFilter, { maxLength: 3, selector: (text) => text.split(/[=_]/)[0] }),
    sort,
    fc.integer({ min: 1, max: 7 }),
    nearest,
  )
  .map(([searches, filters, order, limit, first]) => {
    const isRadius = filters.some((text) => text.includes('distance'))
    return [...searches, ...filters, isRadius ? order.replace('=', `=${first}`) : order, `limit=${limit}`].join('&')
  })

/** The currency rates that the queries assume. */
export const rateTable = { base: 'EUR', as_of: '2026-01-02', rates: { USD: 1.1629, JPY: 181.37, SEK: 10.9803 } }
