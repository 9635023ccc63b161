/**
 * With 100,000 jobs no list may read the whole table. What is explained are the statements that the service sends,
 * planned as the service has them planned: without their values.
 */
import { describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import { KnownTotals } from '../../src/db/known-totals.ts'
import { findJob, listJobs, listOwnJobs } from '../../src/features/jobs/jobs.queries.ts'
import { experienceLevels, jobList, ownJobList } from '../../src/features/jobs/jobs.schemas.ts'
import { encodeCursor } from '../../src/lib/cursor.ts'
import { type ListDeclaration, type Parameter, parseListQuery } from '../../src/lib/list-query.ts'
import { nodesOf, type PlanNode, planners, planOf, useFilledDatabase } from '../support/plans.ts'

const JOBS = 100_000
const secret = new Uint8Array(32)
const now = new Date()

/** Jobs with a tenth expired and a fifth inactive, made by the database: only their spread matters here. */
const FILL = `
  insert into employer (id, name, name_sort, created_at, updated_at)
  select 'emp_' || n, 'Company ' || n, 'company ' || n, now(), now() from generate_series(0, 499) as n;
  insert into job (id, employer_id, title, title_sort, company, company_sort, location, location_sort, location_words,
    description, salary_min, salary_max, salary_currency, salary_period, salary_annual_low, salary_annual_high, category,
    type, remote, skills, skills_folded, experience_level, is_featured, state, created_at, updated_at, posted_at,
    expires_at, application_count, search, places)
  select
    'job_' || lpad(n::text, 8, '0'), 'emp_' || n % 500, 'Title ' || n, 'title ' || n % 4001, 'Company ' || n % 500,
    'company ' || n % 500, 'City ' || n % 97, 'city ' || n % 97, array['city', (n % 97)::text], repeat('text ', 40),
    case when n % 3 > 0 then 30000 + n % 70000 end, case when n % 3 > 0 then 40000 + n % 90000 end,
    case when n % 3 > 0 then (array['EUR', 'USD', 'GBP'])[n % 3] end, case when n % 3 > 0 then 'year' end,
    case when n % 3 > 0 then 30000 + n % 70000 end, case when n % 3 > 0 then 40000 + n % 90000 end,
    'category-' || n % 23, 'type-' || n % 7, n % 5 = 0, array['skill ' || n % 211, 'common'],
    array['skill ' || n % 211, 'common'], (array['${experienceLevels.join("', '")}'])[n % 7], n % 20 = 0,
    case when n % 5 = 4 then 'inactive' else 'active' end, now(), now(), now() - n * interval '37 seconds',
    now() + (n % 100 - 10) * interval '7 hours', n % 31,
    ('''text'':1 ''word' || n % 5003 || ''':2 ''often' || n % 11 || ''':3')::tsvector,
    array[40 + n % 97 * 0.1, 10 + n % 89 * 0.1]
  from generate_series(1, ${JOBS}) as n;`

const samples: Record<Parameter['type'], string> = {
  text: 'City 5',
  slug: 'category-3',
  choice: 'senior',
  currency: 'EUR',
  integer: '50000',
  number: '50',
  time: new Date(now.getTime() - 86_400_000).toISOString(),
  boolean: 'true',
  'text-list': 'skill 7',
}

const named: Record<string, string> = { search: 'word7' }

/** Every filter of a list with each of its suffixes, as a query. */
function singleFilters(list: ListDeclaration): Record<string, string>[] {
  return Object.entries(list.filters).flatMap(([name, declared]) => {
    const value = named[name] ?? declared.choices?.[0] ?? samples[declared.type]
    if (name === 'distance') return [{ location: 'Milan', distance: value }]
    return ['', ...declared.suffixes.map((suffix) => `_${suffix}`)].map((suffix) => ({ [name + suffix]: value }))
  })
}

function parse(raw: Record<string, string>) {
  const { query, faults } = parseListQuery(jobList, raw, secret)
  expect(faults).toEqual([])
  return query
}

/** The same query with a cursor in the middle of the board. */
function atCursor(raw: Record<string, string>, direction: 'next' | 'prev', key: (string | number)[]) {
  return parse({ ...raw, cursor: encodeCursor(secret, parse({ ...raw, cursor: '' }).binding, { direction, key }) })
}

const middle: Record<string, string | number> = {
  title: 'title 2000',
  posted_at: new Date(now.getTime() - JOBS * 18_000).toISOString(),
  location: 'city 48',
  salary: 60_000,
  company_name: 'company 250',
  application_count: 15,
}

describe.each(planners)('on $name', ({ url }) => {
  const used = useFilledDatabase(url, [FILL])

  const list = (query: ReturnType<typeof parse>) => (db: Db) => listJobs(db, query, now, secret, new KnownTotals())

  async function expectNoTableScan(ask: (db: Db) => Promise<unknown>): Promise<PlanNode[]> {
    const nodes = nodesOf(await planOf(used.database, ask))
    const scans = nodes.filter((node) => node['Node Type'] === 'Seq Scan' && node['Relation Name'] === 'job')
    expect(scans).toEqual([])
    return nodes
  }

  /** Walks an index in the order that is asked for, and stops after a page: nothing is sorted to find it. */
  async function expectOrderedWalk(query: ReturnType<typeof parse>): Promise<void> {
    const nodes = await expectNoTableScan(list(query))
    const limits = nodes.filter((node) => node['Node Type'] === 'Limit' && node.Plans?.[0]?.['Relation Name'] === 'job')
    const page = limits.find((node) => node.Plans![0]!['Node Type'] === 'Index Scan')
    expect(page, 'an Index Scan right below a Limit').toBeDefined()
  }

  test('counts the board from an index alone', async () => {
    const nodes = await expectNoTableScan(list(parse({})))
    const counts = nodes.filter((node) => node['Node Type'] === 'Aggregate').flatMap((node) => node.Plans ?? [])
    expect(counts.map((node) => node['Node Type'])).toContain('Index Only Scan')
  })

  describe.each(Object.keys(middle))('sorted by %s', (field) => {
    test.each(['asc', 'desc'])('walks an index %s', async (direction) => {
      const raw = { sort: `${field}:${direction}` }
      await expectOrderedWalk(parse(raw))
      await expectOrderedWalk(parse({ ...raw, page: '3' }))
      for (const way of ['next', 'prev'] as const) {
        await expectOrderedWalk(atCursor(raw, way, [middle[field]!, 'job_00050000']))
      }
    })
  })

  test('reads no whole table for two sort fields in two directions', async () => {
    const raw = { sort: 'company_name:asc,posted_at:desc' }
    await expectNoTableScan(list(parse(raw)))
    await expectNoTableScan(list(atCursor(raw, 'next', ['company 250', String(middle.posted_at), 'job_00050000'])))
  })

  test.each(singleFilters(jobList))('reads no whole table for %o', async (raw) => {
    await expectNoTableScan(list(parse(raw)))
    await expectNoTableScan(list(parse({ ...raw, sort: 'salary', order: 'desc' })))
  })

  test.each([
    { category: 'category-3', remote: 'true' },
    { job_type: 'type-3', experience_level: 'senior' },
    { location: 'City 5', salary_min: '50000' },
    { company: 'Company 7', posted_after: samples.time },
    { category: 'category-3', job_type: 'type-3', salary_max: '90000' },
  ])('reads no whole table for %o', async (raw) => {
    await expectNoTableScan(list(parse(raw)))
  })

  test.each(['word7', 'often3', 'text', 'word7 often3', '"text word7"', 'often', '-often3 text'])(
    'finds %s through the index of words, by date and by relevance',
    async (search) => {
      for (const sort of ['date_posted', 'relevance']) {
        const nodes = await expectNoTableScan(list(parse({ search, sort })))
        // Once for the count and once for the page.
        expect(nodes.filter((node) => node['Node Type'] === 'Bitmap Index Scan')).toHaveLength(2)
      }
    },
  )

  test('reads no whole table for later pages by relevance', async () => {
    const raw = { search: 'often3', sort: 'relevance' }
    await expectNoTableScan(list(atCursor(raw, 'next', [500_000, 'job_00050000'])))
  })

  test("reads no whole table for an employer's own jobs", async () => {
    const { query } = parseListQuery(ownJobList, {}, secret)
    await expectNoTableScan((db) => listOwnJobs(db, 'emp_7', query, now, secret))
  })

  test('finds one job by its key', async () => {
    const nodes = await expectNoTableScan((db) => findJob(db, 'job_00000007'))
    expect(nodes.find((node) => node['Relation Name'] === 'job')?.['Index Cond']).toContain('id =')
  })
})
