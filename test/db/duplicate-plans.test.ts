/** With 10,000 rows in each table, comparing jobs and claiming companies must not read a whole table. */
import { describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import {
  countAttempt,
  deleteClaimsOf,
  findClaim,
  findClaimById,
  replaceClaim,
  updateClaim,
} from '../../src/features/claims/claims.queries.ts'
import {
  clearSuspects,
  countSuspects,
  deleteDecisions,
  findBlocks,
  findDecisions,
  listDecisions,
  listMembers,
  listSuspects,
  replaceBlocks,
  replaceSuspects,
  takeJobsToCompare,
} from '../../src/features/duplicates/duplicates.queries.ts'
import { decisionList, suspectList } from '../../src/features/duplicates/duplicates.schemas.ts'
import {
  findClaimant,
  findImportedEmployers,
  listClaimed,
  lockImportedEmployers,
  lockUnclaimedEmployer,
} from '../../src/features/employers/employers.queries.ts'
import { isDomainTaken } from '../../src/features/employers/index.ts'
import { findComparedJobs, findExistingJobTitles, findNamedJobs } from '../../src/features/jobs/index.ts'
import { isClaimedFrom, lockJobsOf } from '../../src/features/jobs/jobs.queries.ts'
import { parseListQuery } from '../../src/lists/query.ts'
import { nodesOf, planners, plansOf, useFilledDatabase } from '../support/plans.ts'

const ROWS = 10_000
const secret = new Uint8Array(32)
const now = new Date()

const idOf = (prefix: string, n: string) => `'${prefix}_' || lpad((${n})::text, 8, '0')`
/** Every tenth job shares a block with another job. Every hundredth company belongs to the employer that claimed it. */
const FILL = `
  insert into employer (id, account_id, name, name_sort, location_words, verified_domain, claimed_by, created_at, updated_at)
  select ${idOf('emp', 'n')}, case when n % 2 = 0 then ${idOf('emp', 'n')} end, 'Name', 'name ' || n, '{}',
    case when n % 2 = 0 then 'host' || n || '.example' end, case when n % 100 = 1 then ${idOf('emp', 'n + 1')} end, now(), now()
  from generate_series(1, ${ROWS}) as n;
  insert into job (id, employer_id, title, title_sort, company, company_sort, location, location_sort, location_words,
    description, category, type, custom_questions, search, state, expires_at, claimed_from, created_at, updated_at, posted_at)
  select ${idOf('job', 'n')}, ${idOf('emp', '1 + n % 2000')}, 'Title', '', 'Company', '', '', '', '{}', repeat('word ', 50),
    'x', 'x', '[]', '', 'active', now() + interval '20 days', case when n % 50 = 0 then ${idOf('emp', 'n')} end, now(), now(), now()
  from generate_series(1, ${ROWS}) as n;
  insert into job_block (job_id, block) select ${idOf('job', 'n')}, n - (case when n % 10 = 0 then 1 else 0 end)
  from generate_series(1, ${ROWS}) as n;
  insert into job_to_compare (job_id) select ${idOf('job', 'n')} from generate_series(1, ${ROWS}) as n;
  insert into duplicate_decision (first_job_id, second_job_id, decision, decided_at)
  select ${idOf('job', 'n')}, ${idOf('job', 'n + 1 + n % 7')}, 'different', now() from generate_series(1, ${ROWS}) as n;
  insert into suspected_copy (job_id, other_id, similarity, is_folded, found_at)
  select ${idOf('job', 'n')}, ${idOf('job', 'n - 1')}, 0.8, n % 10 <> 0, now() - n * interval '1 minute'
  from generate_series(1, ${ROWS}) as n;
  insert into claim (id, account_id, employer_id, domain, host, method, created_at, expires_at)
  select ${idOf('claim', 'n')}, ${idOf('emp', 'n')}, ${idOf('emp', 'n')}, 'host' || n || '.example', 'host', 'dns', now(),
    now() + interval '7 days'
  from generate_series(1, ${ROWS}) as n;`

/** Job IDs: the most that a transaction looks up (500), and the most that it compares (200). */
const [jobs, compared] = [500, 200].map((count) => Array.from({ length: count }, (_, n) => `job_${5_000 + n * 7}`)) as [
  string[],
  string[],
]
const blocks = jobs.map((_, n) => n * 7)
const suspects = (is_folded: string) => {
  const { query, faults } = parseListQuery(suspectList, { is_folded, limit: '5' }, secret)
  expect(faults).toEqual([])
  return query
}
const own = { accountId: 'emp_00000008', employerId: 'emp_00000008', now }

/** Functions that write receive the database as their transaction, because the statements do not run. */
const questions: readonly [string, (db: Db) => Promise<unknown>][] = [
  ['the next changes', (db) => takeJobsToCompare(db as never, 500)],
  ['the blocks of jobs', (db) => findBlocks(db, jobs)],
  ['the members of blocks', (db) => listMembers(db, blocks)],
  ['new blocks', (db) => replaceBlocks(db as never, [{ job_id: 'job_00000007', block: 1 }], jobs)],
  ['decisions', (db) => findDecisions(db, jobs)],
  ['the list of decisions', (db) => listDecisions(db, parseListQuery(decisionList, {}, secret).query)],
  ['undone decisions', (db) => deleteDecisions(db as never, jobs.slice(0, 10))],
  ['the names of jobs', (db) => findNamedJobs(db, jobs, now)],
  ['the texts of jobs', (db) => findComparedJobs(db, compared)],
  ['existing jobs', (db) => findExistingJobTitles(db, jobs.slice(0, 10))],
  ['former suspects', (db) => replaceSuspects(db as never, jobs, new Map(), now)],
  ['suspects with a decision', (db) => clearSuspects(db as never, jobs.slice(0, 10))],
  ['suspects', (db) => listSuspects(db, suspects('false'))],
  ['folded suspects', (db) => listSuspects(db, suspects('true'))],
  ['the number of suspects', countSuspects],
  ['the claim of an account', (db) => findClaim(db, { ...own, id: 'claim_00000008' })],
  ['a claim', (db) => findClaimById(db, 'claim_00000008')],
  [
    'a new claim',
    (db) => replaceClaim(db as never, { account_id: 'emp_00000008', employer_id: 'emp_00000007' } as never),
  ],
  ['a checked claim', (db) => updateClaim(db as never, 'claim_00000008', { checked_at: now })],
  ['counting an attempt', (db) => countAttempt(db as never, 'claim_00000008', 10)],
  ['the claims of an account', (db) => deleteClaimsOf(db as never, 'emp_00000008')],
  ['the employer of a domain', (db) => isDomainTaken(db, 'host8.example', 'emp_00000007')],
  ['an unclaimed company', (db) => lockUnclaimedEmployer(db as never, 'emp_00000007')],
  ['the claimant of a company', (db) => findClaimant(db, 'emp_00000001')],
  ['the companies of a claimant', (db) => listClaimed(db, 'emp_00000002')],
  ['imported companies by name', (db) => findImportedEmployers(db, ['name 1', 'name 7', 'name 9'])],
  ['imported companies to lock', (db) => lockImportedEmployers(db as never, ['name 1', 'name 7', 'name 9'])],
  [
    'the jobs of a claimed company',
    (db) => lockJobsOf(db as never, 'emp_00000002', isClaimedFrom('emp_00000001'), { afterId: '', limit: 500 }),
  ],
]

describe.each(planners)('on $name', ({ url }) => {
  const used = useFilledDatabase(url, [FILL])

  test.each(questions)('a statement for %s scans no table', async (_name, ask) => {
    const plans = await plansOf(used.database, ask, [{ total: 0, key_0: null }])
    expect(plans.length).toBeGreaterThan(0)
    const scans = plans.flatMap(nodesOf).filter((node) => node['Node Type'] === 'Seq Scan')
    expect(scans.map((node) => node['Relation Name'])).toEqual([])
  })
})

/** Connections keep a plan until the statistics change, so a feed's first run uses plans for empty tables. */
describe.each(planners)('on $name, with a plan from an empty board', ({ url }) => {
  const used = useFilledDatabase(url, ['select 1'])
  const scansOf = async (ask: (db: Db) => Promise<unknown>, table: string) => {
    const plans = await plansOf(used.database, ask, [])
    const scans = plans.flatMap(nodesOf).filter((node) => node['Relation Name'] === table)
    expect(scans.length).toBeGreaterThan(0)
    return scans
  }

  test('imported companies are found by name, and not compared with each other', async () => {
    for (const scan of await scansOf((db) => lockImportedEmployers(db as never, ['name 1']), 'employer'))
      expect(scan['Index Cond']).toMatch(/\b(name_sort|id) = /)
  })

  test('blocks and suspects are found by job, and the jobs of a block are found by the block', async () => {
    for (const scan of await scansOf((db) => clearSuspects(db as never, jobs), 'suspected_copy'))
      if (scan['Node Type'] !== 'ModifyTable') expect(scan['Index Name']).toBe('suspected_copy_pkey')
    for (const scan of await scansOf((db) => findBlocks(db, jobs), 'job_block'))
      expect(scan['Index Name']).toBe('job_block_pkey')
    for (const scan of await scansOf((db) => listMembers(db, blocks), 'job_block'))
      expect(scan['Index Cond']).toMatch(/^\(block = /)
  })
})
