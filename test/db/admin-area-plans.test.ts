/** With 2,000 companies and 10,000 rows in each other table, lists of the admin area must not read a whole table. */
import { describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import { listAccounts, listExactAccounts } from '../../src/features/accounts/accounts.queries.ts'
import { accountList } from '../../src/features/accounts/accounts.schemas.ts'
import {
  findOldestAction,
  listActivity,
  listPeople,
  listPerformers,
} from '../../src/features/desk/staff-activity.queries.ts'
import { activityList } from '../../src/features/desk/staff-activity.schemas.ts'
import { listAllEmployers } from '../../src/features/employers/employers.queries.ts'
import { deskCompanyList } from '../../src/features/employers/employers.schemas.ts'
import { deskJobList, listDeskJobs } from '../../src/features/jobs/index.ts'
import { listExactPayments, listPayments } from '../../src/features/payments/payments.queries.ts'
import { paymentList } from '../../src/features/payments/payments.schemas.ts'
import { type ListDeclaration, type ListQuery, parseListQuery } from '../../src/lists/query.ts'
import { nodesOf, planners, plansOf, useFilledDatabase } from '../support/plans.ts'

const ROWS = 10_000
const COMPANIES = 2_000
const secret = new Uint8Array(32)
const now = new Date()

const FILL = `
  insert into account (id, kind, name, name_sort, email, email_key, created_at)
  select 'emp_' || lpad(n::text, 8, '0'), case when n % 2 = 0 then 'employer' else 'candidate' end, 'Name',
    chr(97 + n % 26) || 'name' || n % 503 || ' works ' || n, 'mail', 'mail' || n || '@host' || n % 997 || '.example',
    now() - n * interval '1 minute'
  from generate_series(1, ${ROWS}) as n;
  insert into employer (id, account_id, name, name_sort, location_words, created_at, updated_at)
  select id, id, name, name_sort, '{}', created_at, created_at from account
  where id like 'emp\\_%' and id <= 'emp_' || lpad('${COMPANIES}', 8, '0');
  insert into job (id, employer_id, title, title_sort, company, company_sort, location, location_sort, location_words,
    description, category, type, custom_questions, search, state, expires_at, created_at, updated_at, posted_at)
  select 'job_' || lpad(n::text, 8, '0'), 'emp_' || lpad((1 + n % ${COMPANIES})::text, 8, '0'), '', 'title' || n % 503 || ' fitter', '',
    'firm' || n % 401, '', '', '{}', '', 'x', 'x', '[]', '', case when n % 3 = 0 then 'inactive' else 'active' end,
    now() + interval '20 days', now() - n * interval '1 minute', now(), now()
  from generate_series(1, ${ROWS}) as n;
  insert into payment (id, employer_id, job_id, products, amounts, amount, currency, status, provider, checkout_token,
    invoice_number, created_at)
  select 'pay_0000000000000000' || lpad(n::text, 10, '0'), 'emp_' || lpad((1 + n % ${COMPANIES})::text, 8, '0'), 'job_' || lpad(n::text, 8, '0'),
    '{job-post}', '{100}', 100, 'USD', 'paid', 'manual', 'token' || n, 'INV-' || lpad(n::text, 6, '0'),
    now() - n * interval '1 minute'
  from generate_series(1, ${ROWS}) as n;
  insert into operator_action (id, at, account_id, key_name, action, subject, member_id, member_name)
  select 'act_' || lpad(n::text, 8, '0'), now() - n * interval '1 minute', 'adm_' || n % 20, 'Key ' || n % 40,
    'action' || n % 30 || '.do', 'subject ' || n,
    case when n % 2 = 0 then 'mem_' || n % 50 end, case when n % 2 = 0 then 'Person ' || n % 50 end
  from generate_series(1, ${ROWS}) as n;`

function parse<F extends string, S extends string>(list: ListDeclaration<F, S>, raw: Record<string, string>) {
  const { query, faults } = parseListQuery(list, { limit: '5', ...raw }, secret)
  expect(faults).toEqual([])
  return query
}

type Ask = (db: Db) => Promise<unknown>
const accounts = (search: string) => (db: Db) => listAccounts(db, parse(accountList, { search }))
const companies = (search: string) => (db: Db) => listAllEmployers(db, parse(deskCompanyList, { search }), now)
const jobs = (raw: Record<string, string>) => (db: Db) => listDeskJobs(db, parse(deskJobList, raw), now)
const payments = (search: string) => (db: Db) => listPayments(db, null, parse(paymentList, { search }))
const activity = (raw: Record<string, string>) => (db: Db) =>
  listActivity(db, parse(activityList, raw) as ListQuery<keyof typeof activityList.filters, 'at'>)

const questions: readonly [string, Ask][] = [
  ['accounts by words', accounts('aname7 wor')],
  ['accounts by email address', accounts('mail77@host77.example')],
  ['an exact account', (db) => listExactAccounts(db, 'mail77@host77.example')],
  ['companies', companies('aname7')],
  ['jobs by words', jobs({ search: 'title77 firm' })],
  ['jobs by words and state', jobs({ search: 'title77', state: 'active' })],
  ['all jobs', jobs({})],
  ['jobs by state', jobs({ state: 'removed' })],
  ['payments by company', payments('aname77')],
  ['payments by invoice number', payments('INV-000077')],
  ['an exact payment', (db) => listExactPayments(db, '0000000077')],
  ['the activity of an account', activity({ who: 'adm_7' })],
  ['the activity of a key', activity({ who: 'adm_7/Key 7', action: 'action7.do' })],
  ['the activity of a person', activity({ who: 'mem_8' })],
  ['the activity by action', activity({ action: 'action7.do', since: '2026-01-01', until: '2026-12-31' })],
  ['the accounts and keys that performed actions', (db) => listPerformers(db, 200)],
  ['the people who performed actions', (db) => listPeople(db, 200)],
  ['the oldest action', findOldestAction],
]

describe.each(planners)('on $name', ({ url }) => {
  const used = useFilledDatabase(url, [FILL])

  test.each(questions)('a query for %s scans no table', async (_name, ask) => {
    const plans = await plansOf(used.database, ask, [{ total: 0, key_0: null }])
    const scans = plans.flatMap(nodesOf).filter((node) => node['Node Type'] === 'Seq Scan')
    expect(scans.map((node) => node['Relation Name'])).toEqual([])
  })

  test('a page of the spreadsheet export is read from an index, without a count', async () => {
    const query = { ...parse(activityList, { cursor: '' }), isUncounted: true } as ListQuery<
      keyof typeof activityList.filters,
      'at'
    >
    const [plan] = await plansOf(used.database, (db: Db) => listActivity(db, query), [{ total: 0, key_0: null }])
    const types = nodesOf(plan!).map((node) => node['Node Type'])
    expect(types).not.toContain('Aggregate')
    expect(types.filter((type) => /Scan/.test(type))).toEqual(['Index Scan'])
  })
})
