/** With 10,000 companies, a search in the directory must not read all of them. */
import { describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import { listDirectory, listHiringIds } from '../../src/features/employers/directory.queries.ts'
import { directoryList } from '../../src/features/employers/employers.schemas.ts'
import { parseListQuery } from '../../src/lists/query.ts'
import { listBoardIds } from '../../src/search/memory/queries.ts'
import { nodesOf, planners, planOf, useFilledDatabase } from '../support/plans.ts'

const COMPANIES = 10_000
const secret = new Uint8Array(32)
const now = new Date()

/** About two thirds of the companies have one open job each. */
const FILL = `
  insert into employer (id, name, name_sort, location, location_sort, location_words, industry, industry_sort,
    description, created_at, updated_at)
  select 'emp_' || lpad(n::text, 8, '0'), 'Name', chr(97 + n % 26) || 'word' || n % 503 || ' works ' || n, 'City', 'city',
    array['city', (n % 97)::text], 'Industry', 'industry ' || n % 211, case when n % 4 = 0 then repeat('text ', 40) end,
    now(), now()
  from generate_series(1, ${COMPANIES}) as n;
  insert into job (id, employer_id, title, title_sort, company, company_sort, location, location_sort, location_words,
    description, category, type, custom_questions, search, state, expires_at, created_at, updated_at, posted_at)
  select 'job_' || lpad(n::text, 8, '0'), 'emp_' || lpad((1 + n * 3 % ${COMPANIES})::text, 8, '0'), '', '', '', '', '', '',
    '{}', '', 'x', 'x', '[]', '', 'active', now() + interval '20 days', now(), now(), now()
  from generate_series(0, 6500) as n;`

function parse(raw: Record<string, string>) {
  const { query, faults } = parseListQuery(directoryList, raw, secret)
  expect(faults).toEqual([])
  return query
}

describe.each(planners)('on $name', ({ url }) => {
  const used = useFilledDatabase(url, [FILL])
  const list = (raw: Record<string, string>) => (db: Db) => listDirectory(db, parse(raw), now)
  const scansIn = async (ask: (db: Db) => Promise<unknown>) => {
    const nodes = nodesOf(await planOf(used.database, ask))
    return nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name'])
  }

  test.each<Record<string, string>>([
    { name: 'aword7' },
    { name: 'aword7 wor' },
    { location: 'city 7' },
    { industry: 'industry 7' },
    { industry: 'industry 7', name: 'a' },
    { name: 'aword7', all: 'true' },
  ])('a search with %o scans no table', async (raw) => {
    expect(await scansIn(list(raw))).toEqual([])
  })

  const part = { from: 'emp_00005000', skip: 0, limit: 50_001 }
  test.each<[string, (db: Db) => Promise<unknown>, string]>([
    ['companies', (db) => listHiringIds(db, part, now), 'employer'],
    ['jobs from the search engine', (db) => listBoardIds(db, part, now), 'job'],
  ])('a sitemap file of %s starts in the middle of an index', async (_what, ask, table) => {
    expect(await scansIn(ask)).toEqual([])
    const nodes = nodesOf(await planOf(used.database, ask))
    const [walk] = nodes.filter((node) => node['Relation Name'] === table)
    expect(walk).toMatchObject({ 'Index Cond': expect.stringContaining('id >= ') })
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Sort')
  })
})
