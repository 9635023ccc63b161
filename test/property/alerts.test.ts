/** For any criteria and any job, anchors find exactly the instant alerts whose match list contains the job. */
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createJobAlert } from '../../src/features/job-alerts/index.ts'
import { queryAnchors } from '../../src/search/anchors.ts'
import { withLanguages } from '../../src/search/text/stems.ts'
import { searchQuery } from '../../src/search/text/words.ts'
import { ALERTS } from '../support/alerts.ts'
import { type Account, useBoard } from '../support/board.ts'
import { insertJobs, removeJobs } from '../support/jobs.ts'
import { runTask } from '../support/tasks.ts'

const board = useBoard()
let candidate: Account
beforeAll(async () => {
  candidate = await board.candidate()
})

const texts = [
  'Gear',
  'gear motor engineer',
  'Van: C++ gear!',
  'motor-van',
  'Ván',
  'engineering of gears',
  '自動車 van',
]
const places = [
  'New York',
  'york',
  'Newport/York',
  'Århus',
  'arhus, New',
  'Suva, Fiji / Apia, Samoa',
  'Remote, Deutschland',
]
const areas = ['Germany', 'UK', 'Danmark', 'USA', 'NYC', 'Samoa', 'Bavaria']
const companies = ['Álpha', 'alpha beta', 'Beta']
const slugs = ['one', 'two', 'three-four']
const levels = ['entry', 'senior', 'lead'] as const
const workplaces = ['on_site', 'hybrid', 'remote'] as const
const skills = ['C++', 'c#', 'CAN', 'Élan']
const job = fc.record({
  title: fc.constantFrom(...texts),
  description: fc.constantFrom(...texts),
  company: fc.constantFrom(...companies),
  location: fc.constantFrom(...places),
  locations: fc.subarray(places, { maxLength: 2 }),
  category: fc.constantFrom(...slugs),
  type: fc.constantFrom(...slugs),
  workplace: fc.constantFrom(...workplaces),
  is_featured: fc.boolean(),
  salary: fc.option(
    fc.record({
      min: fc.constantFrom(0, 10),
      max: fc.constantFrom(10, 20),
      currency: fc.constantFrom('EUR', 'USD', 'SEK', 'IQD'),
    }),
  ),
  skills: fc.subarray(skills),
  experience_level: fc.option(fc.constantFrom(...levels)),
  language: fc.constantFrom('en', 'de', 'fr-CA', 'es', 'ja'),
})

const word = fc.constantFrom(
  'gear',
  'gea',
  'GEARS',
  'van',
  'v',
  'engineer',
  'engin',
  'motor',
  '自動',
  '車',
  'c++',
  'none',
)
const term = fc.oneof(
  { weight: 6, arbitrary: word },
  word.map((text) => `-${text}`),
  fc.tuple(word, word).map(([a, b]) => `"${a} ${b}"`),
  fc.tuple(word, word).map(([a, b]) => `${a}-${b}`),
  fc.tuple(word, word).map(([a, b]) => `${a} or ${b}`),
  fc.constantFrom('!!', '()', "'", ' ', 'or'),
)
const search = fc.array(term, { minLength: 1, maxLength: 4 }).map((terms) => terms.join(' '))
const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 })
const criterion: fc.Arbitrary<[string, unknown]> = fc.oneof(
  { weight: 4, arbitrary: search.filter((text) => text !== '').map((text): [string, unknown] => ['search', text]) },
  fc.constantFrom(...places, ...areas, 'york new', 'new', '?').map((text): [string, unknown] => ['location', text]),
  some(places).map((list): [string, unknown] => ['location_in', list.map((text) => text.replaceAll(',', ''))]),
  fc.constantFrom(...places).map((text): [string, unknown] => ['location_not', text]),
  ...['category', 'type', 'job_type'].flatMap((name) => [
    fc.constantFrom(...slugs).map((slug): [string, unknown] => [name, slug]),
    some(slugs).map((list): [string, unknown] => [`${name}_in`, list]),
    fc.constantFrom(...slugs).map((slug): [string, unknown] => [`${name}_not`, slug]),
  ]),
  fc.constantFrom('alpha', 'BETA', 'x').map((text): [string, unknown] => ['company', text]),
  some(companies).map((list): [string, unknown] => ['company_in', list]),
  ...['skills', 'skills_in', 'skills_not'].map((name) => some(skills).map((list): [string, unknown] => [name, list])),
  fc.constantFrom(...levels).map((level): [string, unknown] => ['experience_level', level]),
  some(levels).map((list): [string, unknown] => ['experience_level_in', list]),
  fc.constantFrom(...workplaces).map((workplace): [string, unknown] => ['workplace', workplace]),
  some(workplaces).map((list): [string, unknown] => ['workplace_in', list]),
  fc.constantFrom(...workplaces).map((workplace): [string, unknown] => ['workplace_not', workplace]),
  fc.constantFrom('en', 'de', 'fr', 'xx').map((code): [string, unknown] => ['language', code]),
  fc.constant<[string, unknown]>(['language_in', ['de', 'es']]),
  fc.constant<[string, unknown]>(['language_not', 'de']),
  ...['remote', 'is_featured'].map((name) => fc.boolean().map((flag): [string, unknown] => [name, flag])),
  fc.constantFrom(0, 10, 15, 20).map((n): [string, unknown] => ['salary_min', n]),
  fc.constantFrom(10, 20).map((n): [string, unknown] => ['salary_min_lte', n]),
  fc.constantFrom('EUR', 'sek', 'IQD').map((currency): [string, unknown] => ['salary_in', currency]),
  fc.constant<[string, unknown]>(['salary_unspecified', 'include']),
  some(['eur', 'USD']).map((list): [string, unknown] => ['salary_currency_in', list]),
  fc.constantFrom('2026-01-01', '2030-01-01').map((time): [string, unknown] => ['posted_after', time]),
)
/** Searches around points near the edges of grid squares, and across the date line. */
const radius = fc.record({
  location: fc.constantFrom('New York', 'Aarhus', 'Philadelphia', 'York, UK', 'Suva', 'Apia, Samoa', 'Longyearbyen'),
  distance: fc.constantFrom(1, 90, 200, 500),
  distance_unit: fc.constantFrom('mi', 'km'),
})
const criteria = fc
  .tuple(fc.uniqueArray(criterion, { maxLength: 3, selector: ([name]) => name }), fc.option(radius, { freq: 3 }))
  .map(([members, around]) => ({ ...Object.fromEntries(members), ...around }))

test("anchors find exactly the jobs in each alert's match list", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(job, { minLength: 1, maxLength: 6 }),
      fc.array(criteria, { minLength: 15, maxLength: 15 }),
      async (jobs, sets) => {
        await removeJobs(board)
        await board.database.inTx((tx) => tx.deleteFrom('job_alert').execute())
        const alerts: string[] = []
        await board.database.inTx(async (tx) => {
          for (const one of sets) {
            const body = { name: 'Vans', criteria: one, frequency: 'instant' as const }
            const now = board.clock.now()
            const { id } = await createJobAlert(tx, { candidateId: candidate.id, body, faults: [], now })
            alerts.push(id)
          }
        })
        await insertJobs(board, jobs)
        await runTask(board, 'job-alerts-instant')
        const found = await board.database.read((db) =>
          db.selectFrom('job_alert_match').select(['alert_id', 'job_id']).orderBy('job_id').execute(),
        )
        for (const [index, id] of alerts.entries()) {
          const listed = (await board.get(`${ALERTS}/${id}/matches?limit=100`, candidate.key)).body.data
          const matched = found.filter(({ alert_id }) => alert_id === id).map(({ job_id }) => job_id)
          const ids = listed.map((one: { id: string }) => one.id).sort()
          expect([JSON.stringify(sets[index]), matched]).toEqual([JSON.stringify(sets[index]), ids])
        }
      },
    ),
    { numRuns: 60 },
  )
}, 300_000)

test.each([
  ['battery', ['word batteri', 'begin batter']],
  ['battery ', ['word batteri']],
  ['van battery ', ['word batteri']],
  ['-van ', undefined],
  ['van or lorry ', ['word van', 'word lorri']],
  ['van or -lorry ', undefined],
  ['"front end" ', ['word front']],
])('the anchors of %j are %j', (text, expected) => {
  expect(queryAnchors(withLanguages(searchQuery(text)!, []))).toEqual(expected)
})
