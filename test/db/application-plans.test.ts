/** With 10,000 applications, the lists of candidates, employers and admins must not read the whole table. */
import { describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import {
  countByStatus,
  findApplication,
  findEmployerApplication,
  findNeighbors,
  findOpening,
  findStandingApplicationId,
  listApplications,
  listEmployerApplications,
} from '../../src/features/applications/applications.queries.ts'
import { applicationList, employerApplicationList } from '../../src/features/applications/applications.schemas.ts'
import { countMessages, listAllMessages, listMessagesAbout } from '../../src/features/applications/messages.queries.ts'
import { findNote, listAllNotes, listNotesAbout } from '../../src/features/applications/notes.queries.ts'
import type { Parameter } from '../../src/lists/parameters.ts'
import { type ListDeclaration, parseListQuery } from '../../src/lists/query.ts'
import { nodesOf, type PlanNode, planners, planOf, useFilledDatabase } from '../support/plans.ts'

const APPLICATIONS = 10_000
const secret = new Uint8Array(32)
const now = new Date()

/**
 * 20 employers with 10 jobs and 10 members each, and 500 candidates, generated in SQL. Only their distribution matters.
 * Sources look like job IDs, because `samples` has one value for all text filters.
 */
const FILL = `
  insert into account (id, kind, name, email, email_key, created_at)
  select 'emp_' || n, 'employer', 'Company ' || n, n || '@company.example', n || '@company.example', now()
  from generate_series(0, 19) as n;
  insert into employer (id, account_id, name, name_sort, created_at, updated_at)
  select 'emp_' || n, 'emp_' || n, 'Company ' || n, 'company ' || n, now(), now() from generate_series(0, 19) as n;
  insert into member (id, account_id, email, email_key, role, joined_at)
  select 'mem_' || n, 'emp_' || n % 20, n || '@team.example', n || '@team.example', 'recruiter', now()
  from generate_series(0, 199) as n;
  insert into account (id, kind, name, email, created_at)
  select 'cand_' || n, 'candidate', 'Candidate ' || n, n || '@mail.example', now() from generate_series(0, 499) as n;
  insert into candidate (id, first_name, last_name, created_at, updated_at)
  select 'cand_' || n, 'First', 'Last ' || n, now(), now() from generate_series(0, 499) as n;
  insert into resume (id, candidate_id, filename, content_type, size_bytes, sha256, store, created_at)
  select 'res_' || n, 'cand_' || n % 500, 'cv.pdf', 'application/pdf', 1000, '', 'database', now()
  from generate_series(0, 999) as n;
  insert into job (id, employer_id, title, title_sort, company, company_sort, location, location_sort, location_words,
    description, category, type, custom_questions, search, created_at, updated_at, posted_at)
  select 'job_' || n, 'emp_' || n % 20, '', '', '', '', '', '', '{}', '', 'x', 'x', '[]', '', now(), now(), now()
  from generate_series(0, 199) as n;
  insert into application (id, job_id, employer_id, candidate_id, cover_letter, answers, status, resume_id, applied_at,
    updated_at, withdrawn_at, rating, tags_folded, source)
  select 'app_' || lpad(n::text, 8, '0'), 'job_' || n % 200, 'emp_' || n % 20, 'cand_' || n / 20, repeat('letter ', 60),
    '{}', (array['pending', 'reviewed', 'contacted', 'rejected', 'hired'])[1 + n % 5], 'res_' || n % 1000,
    now() - n * interval '370 seconds', now() - (n * 7919 % ${APPLICATIONS}) * interval '290 seconds',
    case when n % 20 = 0 then now() end, case when n % 9 = 0 then 1 + n % 5 end,
    case when n % 9 = 0 then array['tag ' || n % 500] end, case when n % 4 = 0 then 'job_' || n % 100 end
  from generate_series(0, ${APPLICATIONS - 1}) as n;
  insert into application_status_change (application_id, position, status, at)
  select id, 1, 'pending', applied_at from application;
  insert into application_note (id, application_id, text, created_at)
  select 'note_' || id, id, 'Can start in May.', applied_at from application;
  insert into application_message (id, application_id, is_from_employer, text, created_at)
  select 'msg_' || id, id, true, 'Could we talk?', applied_at from application;`

function parse<F extends string, S extends string>(list: ListDeclaration<F, S>, raw: Record<string, string>) {
  const { query, faults } = parseListQuery(list, raw, secret)
  expect(faults).toEqual([])
  return query
}

const middle = new Date(now.getTime() - APPLICATIONS * 150_000).toISOString()
const samples: Partial<Record<Parameter['type'], string>> = {
  ...{ text: 'job_7', time: middle, integer: '4', 'text-list': 'tag 7' },
}

/** Returns a query for each variant of each list filter. */
function singleFilters(list: ListDeclaration): Record<string, string>[] {
  return Object.entries(list.filters).flatMap(([name, declared]) => {
    const value = declared.choices?.[1] ?? samples[declared.type]!
    return ['', ...declared.suffixes.map((suffix) => `_${suffix}`)].map((suffix) => ({ [name + suffix]: value }))
  })
}

/** Returns queries for each position in a sorted list: its start, a later page, and both directions from a cursor. */
function waysInto<F extends string, S extends string>(list: ListDeclaration<F, S>, sort: string) {
  const query = parse(list, { sort, cursor: '' })
  const cursors = (['next', 'prev'] as const).map((direction) =>
    query.cursors.encode({ direction, key: [middle, 'app_00005000'] }),
  )
  return [{ sort }, { sort, page: '3' }, ...cursors.map((cursor) => ({ sort, cursor }))].map((raw) => parse(list, raw))
}

const sorts = ['applied_at:asc', 'applied_at:desc', 'updated_at:asc', 'updated_at:desc']

describe.each(planners)('on $name', ({ url }) => {
  const used = useFilledDatabase(url, [FILL])

  async function expectNoTableScan(ask: (db: Db) => Promise<unknown>): Promise<PlanNode[]> {
    const nodes = nodesOf(await planOf(used.database, ask))
    expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([])
    return nodes
  }

  /** Asserts that an index provides the order, and that finding the page needs no sort. */
  async function expectOrderedWalk(ask: (db: Db) => Promise<unknown>): Promise<void> {
    const nodes = await expectNoTableScan(ask)
    const page = nodes.find((node) => node['Node Type'] === 'Limit')!
    const below = nodesOf(page).filter((node) => node['Relation Name'] === 'application')
    expect(below.map((node) => node['Node Type'])).toEqual(['Index Scan'])
    expect(nodesOf(page).map((node) => node['Node Type'])).not.toContain('Sort')
  }

  /** Asserts that counting reads only an index, without the wide rows of the table. */
  async function expectCountInIndex(ask: (db: Db) => Promise<unknown>): Promise<void> {
    const nodes = await expectNoTableScan(ask)
    const counts = nodes.filter((node) => node['Node Type'] === 'Aggregate').flatMap((node) => nodesOf(node))
    const scans = counts.filter((node) => node['Relation Name'] === 'application').map((node) => node['Node Type'])
    expect([...new Set(scans)]).toEqual(['Index Only Scan'])
  }

  /** Asserts that counting reads no jobs and no candidates. */
  async function expectLeanCount(ask: (db: Db) => Promise<unknown>): Promise<void> {
    const nodes = await expectNoTableScan(ask)
    const counts = nodes.filter((node) => node['Node Type'] === 'Aggregate').flatMap((node) => nodesOf(node))
    const relations = new Set(counts.map((node) => node['Relation Name']).filter((name) => name !== undefined))
    relations.delete('application_status_change')
    expect([...relations]).toEqual(['application'])
  }

  describe("a candidate's list", () => {
    const list =
      (query: ReturnType<typeof parse<keyof typeof applicationList.filters, 'applied_at' | 'updated_at'>>) =>
      (db: Db) =>
        listApplications(db, 'cand_77', query)

    test.each(sorts)('walks an index when sorted by %s', async (sort) => {
      for (const query of waysInto(applicationList, sort)) await expectOrderedWalk(list(query))
    })

    test.each(singleFilters(applicationList))('does not read the whole table for %o', async (raw) => {
      for (const sort of sorts) await expectNoTableScan(list(parse(applicationList, { ...raw, sort })))
      await expectLeanCount(list(parse(applicationList, raw)))
    })
  })

  describe.each([
    { whose: "an employer's", employerId: 'emp_7' },
    { whose: "an admin's", employerId: null },
  ])('$whose list', ({ employerId }) => {
    const list =
      (query: ReturnType<typeof parse<keyof typeof employerApplicationList.filters, 'applied_at' | 'updated_at'>>) =>
      (db: Db) =>
        listEmployerApplications(db, { employerId }, query)

    test.each(sorts)('walks an index when sorted by %s', async (sort) => {
      for (const query of waysInto(employerApplicationList, sort)) await expectOrderedWalk(list(query))
    })

    test.each(singleFilters(employerApplicationList))('does not read the whole table for %o', async (raw) => {
      for (const sort of sorts) await expectNoTableScan(list(parse(employerApplicationList, { ...raw, sort })))
      await expectLeanCount(list(parse(employerApplicationList, raw)))
    })

    const indexed = singleFilters(employerApplicationList).filter((raw) =>
      /^(status|applied_at)/.test(Object.keys(raw)[0]!),
    )
    test.each([{}, ...indexed])('counts from an index alone for %o', async (raw) => {
      for (const sort of sorts) await expectCountInIndex(list(parse(employerApplicationList, { ...raw, sort })))
    })

    test('does not read the whole table for the pending and reviewed applications of a job', async () => {
      const raw = { job_id: 'job_7', status_in: 'pending,reviewed' }
      await expectNoTableScan(list(parse(employerApplicationList, raw)))
    })
  })

  test('counts applications by stage from an index alone, and reads only the applications in the requested stage', async () => {
    for (const raw of [{}, { status: 'hired' }]) {
      await expectCountInIndex((db) => countByStatus(db, 'emp_7', parse(employerApplicationList, raw)))
    }
    const query = parse(employerApplicationList, { status: 'hired' })
    const nodes = nodesOf(
      await planOf(used.database, (db) => listEmployerApplications(db, { employerId: 'emp_7' }, query)),
    )
    const walked = nodesOf(nodes.find((node) => node['Node Type'] === 'Limit')!)
    expect(walked.map((node) => node['Index Name'])).toContain('application_employer_status_idx')
  })

  test("counts a list's applications by stage, and finds an application's neighbors, without reading the whole table", async () => {
    const here = {
      id: 'app_00000007',
      employer_id: 'emp_7',
      applied_at: new Date(middle),
      updated_at: new Date(middle),
    }
    for (const raw of [{}, ...singleFilters(employerApplicationList)]) {
      await expectNoTableScan((db) => countByStatus(db, 'emp_7', parse(employerApplicationList, raw)))
      for (const sort of sorts) {
        const query = parse(employerApplicationList, { ...raw, sort })
        await expectNoTableScan((db) => findNeighbors(db, here, { query, isStanding: true }))
      }
    }
  })

  test('finds an application, its notes and messages, and the data for a new application by key', async () => {
    const questions: ((db: Db) => Promise<unknown>)[] = [
      (db) => findApplication(db, 'cand_77', 'app_00001540'),
      (db) => findEmployerApplication(db, 'emp_0', 'app_00001540'),
      (db) => findEmployerApplication(db, null, 'app_00001540'),
      (db) => findStandingApplicationId(db, 'cand_77', 'job_140'),
      (db) => findNote(db, { employerId: 'emp_0', applicationId: 'app_00001540' }, 'note_app_00001540'),
      (db) => listAllNotes(db, { employerId: 'emp_0', applicationId: 'app_00001540' }),
      (db) => listNotesAbout(db, 'cand_77'),
      (db) => listAllMessages(db, { applicationId: 'app_00001540', side: 'employer', accountId: 'emp_0' }),
      (db) => listAllMessages(db, { applicationId: 'app_00001540', side: 'candidate', accountId: 'cand_77' }),
      (db) => countMessages(db, 'app_00001540'),
      (db) => listMessagesAbout(db, 'cand_77'),
      (db) => findOpening(db, { candidateId: 'cand_77', jobId: 'job_7', resumeId: null }, now),
    ]
    for (const ask of questions) {
      const nodes = await expectNoTableScan(ask)
      // Few accounts are suspended, so the plan may read the whole index of suspended accounts.
      const keyed = nodes.filter((node) => node['Relation Name'] && node['Index Name'] !== 'account_suspended_idx')
      for (const node of keyed) expect(node['Index Cond'] ?? node['Recheck Cond'], node['Relation Name']).toBeDefined()
    }
  })
})
