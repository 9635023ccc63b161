/**
 * With 10,000 jobs, lists must not read the whole table. The tests run EXPLAIN on the statements that the service
 * sends, prepared without parameter values, as in production.
 */
import { describe, expect, test } from 'vitest'
import type { Db, Tx } from '../../src/db/database.ts'
import { listJobChanges, listOwnJobs } from '../../src/features/jobs/jobs.list-queries.ts'
import { findJob, listDueJobs, markEndingJobs } from '../../src/features/jobs/jobs.queries.ts'
import { experienceLevels, jobList, ownJobList } from '../../src/features/jobs/jobs.schemas.ts'
import { listWordless } from '../../src/features/jobs/jobs.word-queries.ts'
import { Exchange } from '../../src/lib/exchange.ts'
import { parseListQuery } from '../../src/lists/query.ts'
import { findMatching, listVectors } from '../../src/search/memory/queries.ts'
import { nodesOf, type PlanNode, planners, planOf, useFilledDatabase } from '../support/plans.ts'

const JOBS = 10_000
const secret = new Uint8Array(32)
const now = new Date()
const exchange = new Exchange({ base: 'EUR', as_of: '2026-11-20', rates: { GBP: 0.88, USD: 1.16 } }, 'EUR')

/**
 * Jobs, a tenth of them expired and a fifth inactive, generated in SQL. Only the distribution of the values
 * matters.
 */
const FILL = `
  insert into employer (id, name, name_sort, created_at, updated_at)
  select 'emp_' || n, 'Company ' || n, 'company ' || n, now(), now() from generate_series(0, 49) as n;
  insert into job (id, employer_id, title, title_sort, company, company_sort, location, location_sort, location_words,
    description, salary_min, salary_max, salary_currency, salary_period, salary_annual_low, salary_annual_high, category,
    type, remote, skills, skills_folded, experience_level, language, is_featured, state, created_at, updated_at, posted_at,
    expires_at, application_count, search, places, areas)
  select
    'job_' || lpad(n::text, 8, '0'), 'emp_' || n % 50, 'Title ' || n, 'title ' || n % 401, 'Company ' || n % 50,
    'company ' || n % 50, 'City ' || n % 97, 'city ' || n % 97, array['city', (n % 97)::text], repeat('text ', 40),
    case when n % 3 > 0 then 30000 + n % 70000 end, case when n % 3 > 0 then 40000 + n % 90000 end,
    case when n % 3 > 0 then (array['EUR', 'USD', 'GBP'])[n % 3] end, case when n % 3 > 0 then 'year' end,
    case when n % 3 > 0 then 30000 + n % 70000 end, case when n % 3 > 0 then 40000 + n % 90000 end,
    'category-' || n % 23, 'type-' || n % 7, n % 5 = 0, array['skill ' || n % 211, 'common'],
    array['skill ' || n % 211, 'common'], (array['${experienceLevels.join("', '")}'])[n % 7],
    (array['en', 'de', 'de-AT', 'fr', 'ja'])[1 + n % 5], n % 20 = 0,
    case when n % 5 = 4 then 'inactive' else 'active' end, now(), now(), now() - n * interval '370 seconds',
    now() + (n % 100 - 10) * interval '7 hours', n % 31,
    ('''text'':1 ''word' || n % 503 || ''':2 ''often' || n % 11 || ''':3')::tsvector,
    array[40 + n % 97 * 0.1, 10 + n % 89 * 0.1], array[(array['DE', 'SE', 'US'])[1 + n % 3]]
  from generate_series(1, ${JOBS}) as n;`

/** Changes over the last six weeks. Every expiry except the latest has been announced, as after a sweep. */
const CHANGES = `
  alter table job disable trigger job_board_change;
  update job set board_changed_at = posted_at, first_activated_at = posted_at where state = 'active';
  update job set expiry_announced_at = expires_at
  where state = 'active' and expires_at < now() and expires_at < (select max(expires_at) from job where expires_at < now());
  alter table job enable trigger job_board_change;`

const since = new Date(now.getTime() - 86_400_000).toISOString()

function parse(raw: Record<string, string>) {
  const { query, faults } = parseListQuery(jobList, raw, secret)
  expect(faults).toEqual([])
  return query
}

/** Returns the parsed query with a cursor in the middle of the board. */
function atCursor(raw: Record<string, string>, direction: 'next' | 'prev', key: (string | number)[]) {
  return parse({ ...raw, cursor: parse({ ...raw, cursor: '' }).cursors.encode({ direction, key }) })
}

describe.each(planners)('on $name', ({ url }) => {
  const used = useFilledDatabase(url, [FILL, CHANGES])

  async function expectNoTableScan(ask: (db: Db) => Promise<unknown>): Promise<PlanNode[]> {
    const nodes = nodesOf(await planOf(used.database, ask))
    const scans = nodes.filter((node) => node['Node Type'] === 'Seq Scan' && node['Relation Name'] === 'job')
    expect(scans).toEqual([])
    return nodes
  }

  describe('the list of changes', () => {
    const changes = (query: ReturnType<typeof parse>) => (db: Db) => listJobChanges(db, query, { now, exchange })
    /** Returns the indexes that fill a page, and all indexes that the plan uses. */
    const usedBy = async (query: ReturnType<typeof parse>) => {
      const nodes = await expectNoTableScan(changes(query))
      const limited = nodes.filter((node) => node['Node Type'] === 'Limit').flatMap((node) => node.Plans ?? [])
      const walked = limited.filter((node) => node['Node Type'] === 'Index Scan')
      const names = (some: PlanNode[]) => [...new Set(some.flatMap((node) => node['Index Name'] ?? []))].sort()
      return { walked: names(walked), all: names(nodes) }
    }

    test.each<Record<string, string>>([
      {},
      { order: 'desc' },
      { page: '3' },
      { category: 'category-3' },
      { location: 'Germany' },
      { language: 'de' },
    ])('walks its index in order: %o', async (more) => {
      const raw = { updated_since: since, ...more }
      const queries = more.page ? [] : [atCursor(raw, 'next', [since, 'job_00005000'])]
      for (const query of [parse(raw), ...queries]) {
        expect((await usedBy(query)).walked).toEqual(['job_board_changed_idx'])
      }
    })

    test.each<Record<string, string>>([{}, { order: 'desc' }, { category: 'category-3', search: 'word7' }])(
      'walks one index for jobs and one for tombstones: %o',
      async (more) => {
        const raw = { updated_since: since, include_deleted: 'true', ...more }
        for (const query of [parse(raw), atCursor(raw, 'next', [since, 'job_00005000'])]) {
          const { walked, all } = await usedBy(query)
          expect(walked).toEqual(['job_board_changed_idx', 'job_left_board_idx'])
          // This index finds expired jobs that no sweep has processed yet.
          expect(all).toContain('job_expiring_idx')
          expect(all).not.toContain('job_location_words_idx')
        }
      },
    )
  })

  test("looks up all of a search's operands in the indexes with one statement", async () => {
    const operands = ["'word7'", "'text'", "'word7' & !'word8'", "'word9':*", "'word7':A", "('often1':B | 'word1':*B)"]
    const nodes = nodesOf(await planOf(used.database, (db) => findMatching(db, operands)))
    const scans = nodes.filter((node) => node['Index Name'])
    expect(scans.map((node) => [node['Node Type'], node['Index Name']])).toEqual([
      ['Bitmap Index Scan', 'job_search_words_idx'],
      ['Bitmap Index Scan', 'job_headings_words_idx'],
    ])
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan')
  })

  test('reads search vectors by job number', async () => {
    const nodes = nodesOf(await planOf(used.database, (db) => listVectors(db, [5_000, 5_001])))
    const scans = nodes.filter((node) => node['Relation Name'] === 'job_search')
    expect(scans.map((node) => node['Index Name'])).toEqual(['job_search_pkey'])
  })

  test('uses an index to find drafts without search vectors, for one employer and for all employers', async () => {
    for (const employerId of ['emp_7', null]) {
      const nodes = await expectNoTableScan((db) => listWordless(db as unknown as Tx, employerId, 200))
      expect(nodes.flatMap((node) => node['Index Name'] ?? [])).toEqual(['job_wordless_idx'])
    }
  })

  test('finds jobs that end soon, and jobs whose publication is due, by index', async () => {
    const until = new Date(now.getTime() + 3 * 86_400_000)
    const nodes = await expectNoTableScan((db) => markEndingJobs(db as unknown as Tx, { now, until, limit: 200 }))
    expect(nodes.flatMap((node) => node['Index Name'] ?? [])).toContain('job_ending_idx')
    const due = await expectNoTableScan((db) => listDueJobs(db, now, 200))
    expect(due.flatMap((node) => node['Index Name'] ?? [])).toContain('job_publication_idx')
  })

  test("does not read the whole table for an employer's own jobs", async () => {
    const { query } = parseListQuery(ownJobList, {}, secret)
    await expectNoTableScan((db) => listOwnJobs(db, 'emp_7', query, { now, exchange }))
  })

  test("does not read the whole table for an employer's jobs in a country, by converted salary", async () => {
    const raw = { location: 'Germany', salary_in: 'EUR', salary_min: '50000', sort: 'salary' }
    const { query, faults } = parseListQuery(ownJobList, raw, secret)
    expect(faults).toEqual([])
    await expectNoTableScan((db) => listOwnJobs(db, 'emp_7', query, { now, exchange }))
  })

  test('finds one job by its ID', async () => {
    const nodes = await expectNoTableScan((db) => findJob(db, 'job_00000007'))
    expect(nodes.find((node) => node['Relation Name'] === 'job')?.['Index Cond']).toContain('id =')
  })
})
