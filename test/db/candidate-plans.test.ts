/** With 10,000 candidates, an employer's list of candidates must not read the whole table. */
import { describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import { findVisibleCandidate, listCandidates } from '../../src/features/candidates/candidates.queries.ts'
import { candidateList } from '../../src/features/candidates/candidates.schemas.ts'
import { parseListQuery } from '../../src/lists/query.ts'
import { nodesOf, type PlanNode, planners, planOf, useFilledDatabase } from '../support/plans.ts'

const CANDIDATES = 10_000
const secret = new Uint8Array(32)
const now = new Date()

/** A third of the candidates are discoverable. Each of 10 employers has 300 applicants. */
const FILL = `
  insert into employer (id, name, name_sort, created_at, updated_at)
  select 'emp_' || n, 'Company ' || n, 'company ' || n, now(), now() from generate_series(0, 9) as n;
  insert into account (id, kind, name, email, created_at)
  select 'cand_' || lpad(n::text, 8, '0'), 'candidate', 'Candidate ' || n, n || '@mail.example', now()
  from generate_series(1, ${CANDIDATES}) as n;
  insert into candidate (id, first_name, last_name, last_name_sort, summary, location, location_sort, location_words,
    skills, skills_folded, is_searchable, created_at, updated_at, last_active_at, search)
  select 'cand_' || lpad(n::text, 8, '0'), 'First', 'Last ' || n % 401, 'last ' || n % 401, repeat('text ', 60),
    'City ' || n % 97, 'city ' || n % 97, array['city', (n % 97)::text], array['skill ' || n % 211, 'common'],
    array['skill ' || n % 211, 'common'], n % 3 = 0, now() - n * interval '610 minutes', now(),
    now() - n * interval '370 seconds',
    ('''text'':1 ''word' || n % 503 || ''':2 ''often' || n % 11 || ''':3')::tsvector
  from generate_series(1, ${CANDIDATES}) as n;
  insert into job (id, employer_id, title, title_sort, company, company_sort, location, location_sort, location_words,
    description, category, type, custom_questions, search, created_at, updated_at, posted_at)
  select 'job_' || n, 'emp_' || n % 10, '', '', '', '', '', '', '{}', '', 'x', 'x', '[]', '', now(), now(), now()
  from generate_series(0, 29) as n;
  insert into application (id, job_id, employer_id, candidate_id, cover_letter, answers, applied_at, updated_at)
  select 'app_' || n, 'job_' || n % 30, 'emp_' || n % 10, 'cand_' || lpad((1 + n * 7 % ${CANDIDATES})::text, 8, '0'),
    'letter', '{}', now(), now()
  from generate_series(1, 3000) as n;`

function parse(raw: Record<string, string>) {
  const { query, faults } = parseListQuery(candidateList, raw, secret)
  expect(faults).toEqual([])
  return query
}

function atCursor(raw: Record<string, string>, direction: 'next' | 'prev', key: (string | number)[]) {
  return parse({ ...raw, cursor: parse({ ...raw, cursor: '' }).cursors.encode({ direction, key }) })
}

const middle: Record<string, string | number> = {
  last_active: new Date(now.getTime() - CANDIDATES * 180_000).toISOString(),
  created_at: new Date(now.getTime() - CANDIDATES * 18_000_000).toISOString(),
  last_name: 'last 200',
}

describe.each(planners)('on $name', ({ url }) => {
  const used = useFilledDatabase(url, [FILL])
  const list = (query: ReturnType<typeof parse>) => (db: Db) => listCandidates(db, 'emp_7', query)

  async function expectNoTableScan(ask: (db: Db) => Promise<unknown>): Promise<PlanNode[]> {
    const nodes = nodesOf(await planOf(used.database, ask))
    const scans = nodes.filter((node) => node['Node Type'] === 'Seq Scan')
    expect(scans).toEqual([])
    return nodes
  }

  /** Returns the node that determines a join's order. Plans use joins to exclude suspended accounts. */
  const outermost = (node: PlanNode): PlanNode =>
    node['Node Type'] === 'Nested Loop' ? outermost(node.Plans![0]!) : node

  /**
   * Asserts that an index of discoverable candidates provides the order. Only the employer's own applicants are sorted.
   */
  async function expectOrderedWalk(query: ReturnType<typeof parse>): Promise<void> {
    const nodes = await expectNoTableScan(list(query))
    const pages = nodes.filter((node) => node['Node Type'] === 'Limit')
    expect(pages.flatMap((node) => node.Plans!.map((below) => outermost(below)['Node Type']))).toContain('Index Scan')
  }

  test('counts discoverable candidates from an index alone', async () => {
    const nodes = await expectNoTableScan(list(parse({})))
    const read = nodes.filter((node) => node['Node Type'] === 'Index Only Scan').map((node) => node['Relation Name'])
    expect(read).toContain('candidate')
  })

  describe.each(Object.keys(middle))('sorted by %s', (field) => {
    test.each(['asc', 'desc'])('walks an index in direction %s', async (direction) => {
      const raw = { sort: `${field}:${direction}` }
      await expectOrderedWalk(parse(raw))
      await expectOrderedWalk(parse({ ...raw, page: '3' }))
      for (const way of ['next', 'prev'] as const) {
        await expectOrderedWalk(atCursor(raw, way, [middle[field]!, 'cand_00005000']))
      }
    })
  })

  test.each([
    { search: 'word7' },
    { search: 'often3', sort: 'relevance' },
    { location: 'City 5' },
    { location_in: 'City 5,City 6' },
    { location_not: 'City 5' },
    { skills: 'skill 7' },
    { skills_in: 'skill 7,skill 8' },
    { skills_not: 'skill 7' },
    { last_active_gt: String(middle.last_active) },
    { created_at_lt: String(middle.created_at) },
    { search: 'often3', location: 'City 5', skills: 'common' },
  ])('does not read the whole table for %o', async (raw) => {
    await expectNoTableScan(list(parse(raw as Record<string, string>)))
  })

  test('finds one candidate without a table scan', async () => {
    await expectNoTableScan((db) => findVisibleCandidate(db, 'emp_7', 'cand_00000007'))
  })
})
