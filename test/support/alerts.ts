/** Helpers that manage job alerts over HTTP, and criteria for tests. */
import { type Account, type Board, expectStatus } from './board.ts'

export const ALERTS = '/v1/candidates/job-alerts'

/** Returns a valid body for POST /candidates/job-alerts. */
export function alertBody(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return { name: 'Vans', criteria: { search: 'van' }, frequency: 'daily', ...overrides }
}

/** Creates an alert and returns it. */
export async function makeAlert(board: Board, candidate: Account, overrides: Record<string, unknown> = {}) {
  return expectStatus(await board.post(ALERTS, candidate.key, alertBody(overrides)), 201).body.data
}

/** Criteria that are refused, with their errors. */
export const badCriteria: [criteria: Record<string, unknown>, faults: string[]][] = [
  [{ salary_min: 'much' }, ['#/criteria/salary_min invalid_type']],
  [{ salary_min: '50000' }, ['#/criteria/salary_min invalid_type']],
  [{ salary_min: 1.5 }, ['#/criteria/salary_min invalid_parameter']],
  [{ salary_min: -1 }, ['#/criteria/salary_min invalid_parameter']],
  [{ salary_min: 1e21 }, ['#/criteria/salary_min invalid_parameter']],
  [{ salary_min: 9, salary_max: 8 }, ['#/criteria/salary_min invalid_parameter']],
  [{ salary_min_gte: [1] }, ['#/criteria/salary_min_gte invalid_type']],
  [{ salary_min_in: [1, '2'] }, ['#/criteria/salary_min_in invalid_type']],
  [{ salary_currency: 'XYZ1' }, ['#/criteria/salary_currency invalid_parameter']],
  [{ remote: 'true' }, ['#/criteria/remote invalid_type']],
  [{ remote: null }, ['#/criteria/remote invalid_type']],
  [{ remote_not: true }, ['#/criteria/remote_not invalid_parameter']],
  [{ search: '' }, ['#/criteria/search too_short']],
  [{ search: 'x'.repeat(1_001) }, ['#/criteria/search invalid_parameter']],
  [{ search_in: ['x'] }, ['#/criteria/search_in invalid_parameter']],
  [{ category: 'No Slug' }, ['#/criteria/category invalid_parameter']],
  [{ category_in: 'one,two' }, ['#/criteria/category_in invalid_type']],
  [{ category_in: [] }, ['#/criteria/category_in invalid_parameter']],
  [{ skills: 'C++' }, ['#/criteria/skills invalid_type']],
  [{ skills: ['C++', ' '] }, ['#/criteria/skills invalid_parameter']],
  [{ skills: ['C, C++'] }, ['#/criteria/skills invalid_parameter']],
  [{ skills: Array(101).fill('C') }, ['#/criteria/skills invalid_parameter']],
  [{ experience_level: 'guru' }, ['#/criteria/experience_level invalid_parameter']],
  [{ posted_after: 'yesterday' }, ['#/criteria/posted_after invalid_parameter']],
  [{ posted_after: '2026-02-02', posted_before: '2026-02-01' }, ['#/criteria/posted_after invalid_parameter']],
  [{ distance: 10 }, ['#/criteria/distance invalid_parameter']],
  [{ location: 'Berlin', distance: '10' }, ['#/criteria/distance invalid_type']],
  [{ location: 'Berlin', distance: 0 }, ['#/criteria/distance invalid_parameter']],
  [{ location: 'Nowhereville', distance: 10 }, ['#/criteria/location location_not_resolved']],
  [
    { location: 'Nowhereville', distance: 501 },
    ['#/criteria/distance invalid_parameter', '#/criteria/location location_not_resolved'],
  ],
  [{ sort: 'title' }, ['#/criteria/sort unknown_field']],
  [
    { page: 1, limit: 2, cursor: '', order: 'asc' },
    ['page', 'limit', 'cursor', 'order'].map((name) => `#/criteria/${name} unknown_field`),
  ],
  [{ serch: 'van' }, ['#/criteria/serch unknown_field']],
  [{ 'a/b~c': 1 }, ['#/criteria/a~1b~0c unknown_field']],
  [
    { salary_min: 'x', remote: 1, color: 'red', category: 'A b', skills: [] },
    [
      '#/criteria/category invalid_parameter',
      '#/criteria/color unknown_field',
      '#/criteria/remote invalid_type',
      '#/criteria/salary_min invalid_type',
      '#/criteria/skills invalid_parameter',
    ],
  ],
  [
    { search: 'x'.repeat(1_000), skills: Array.from({ length: 100 }, (_, i) => `${i}`.repeat(90)) },
    ['#/criteria too_long'],
  ],
]

/** Criteria that are accepted. */
export const goodCriteria: Record<string, unknown>[] = [
  {},
  { search: '"vans" or c++ -diesel' },
  { type: 'full-time', job_type_not: 'contract' },
  { salary_min: 0, salary_max: 1_000_000_000_000, salary_currency: 'EUR', salary_unspecified: 'include' },
  { salary_min_gte: 1, salary_max_in: [1, 2] },
  { skills: ['C++', 'CAN'], skills_not: ['COBOL'] },
  { remote: true, is_featured: false },
  { location: 'Berlin', distance: 12.5 },
  { posted_after: '2026-01-01', expires_at_gte: '2026-01-01T00:00:00+01:00' },
  { experience_level_in: ['senior', 'lead'], company_not: 'Voltaire', location: 'São Paulo' },
]
