/** With 10,000 rows of each kind, retention must not read a whole table or index, apart from the small ones below. */
import { describe, expect, test } from 'vitest'
import type { Tx } from '../../src/db/database.ts'
import { purgeOperatorActions } from '../../src/db/operator-actions.ts'
import { deleteStaleApplications, listStaleApplications } from '../../src/features/applications/applications.queries.ts'
import { purgeReports } from '../../src/features/job-reports/job-reports.queries.ts'
import { purgeStrayViews } from '../../src/features/job-statistics/job-statistics.queries.ts'
import { deleteArchivedJobs, listEndedJobs } from '../../src/features/jobs/jobs.archive.ts'
import type { EndedJobRow } from '../../src/features/jobs/jobs.queries.ts'
import { lockUncarriedResumes } from '../../src/features/resumes/resumes.queries.ts'
import { nodesOf, planners, plansOf, useFilledDatabase } from '../support/plans.ts'

const ROWS = 10_000
const now = new Date()
const before = new Date(now.getTime() - 86_400_000)

/** The SQL that inserts the rows, except rows that only foreign keys require. */
const FILL = `
  set session_replication_role = replica;
  insert into job (id, employer_id, title, title_sort, company, company_sort, location, location_sort, location_words,
    description, category, type, custom_questions, search, created_at, updated_at, posted_at, state, expires_at,
    expiry_announced_at)
  select 'job_' || n, 'emp_' || n % 20, '', '', '', '', '', '', '{}', '', 'x', 'x', '[]', '', now(), now(), now(),
    (array['inactive', 'active', 'closed'])[1 + n % 3], now() + (n - 200) * interval '1 minute',
    case when n < 200 then now() end
  from generate_series(0, ${ROWS - 1}) as n;
  insert into application (id, job_id, employer_id, candidate_id, cover_letter, answers, resume_id, applied_at, updated_at)
  select 'app_' || n, 'job_' || n, 'emp_' || n % 20, 'cand_' || n / 20, '', '{}', 'res_' || n, now(),
    now() - n * interval '1 minute'
  from generate_series(0, ${ROWS - 1}) as n;
  insert into resume (id, candidate_id, filename, content_type, size_bytes, sha256, store, created_at)
  select 'res_' || n, 'cand_' || n / 20, 'cv.pdf', 'application/pdf', 1000, '', 'database', now()
  from generate_series(0, ${ROWS - 1}) as n;
  insert into payment (id, job_id, employer_id, products, amounts, amount, currency, status, provider, checkout_token,
    created_at)
  select 'pay_' || n, 'job_' || n, 'emp_' || n % 20, '{job-post}', '{100}', 100, 'EUR', 'paid', 'free', 'token ' || n,
    now()
  from generate_series(0, ${ROWS - 1}) as n;
  insert into job_report (id, job_id, employer_id, reason, status, created_at, decided_at)
  select 'rep_' || n, 'job_' || n, 'emp_' || n % 20, 'spam', (array['open', 'upheld', 'dismissed'])[1 + n % 3],
    now() - n * interval '1 minute', now() - n * interval '1 minute'
  from generate_series(0, ${ROWS - 1}) as n;
  insert into job_view_day_default (job_id, day, views)
  select 'job_' || n, to_char(now() + (100 + n % 500) * interval '1 day', 'YYYY-MM-DD'), 1 from generate_series(0, ${ROWS - 1}) as n;
  insert into operator_action (id, at, account_id, key_name, action, subject)
  select 'act_' || n, now() - n * interval '1 minute', 'adm_1', 'Key', 'job.remove', 'job_' || n
  from generate_series(0, ${ROWS - 1}) as n;
  set session_replication_role = default;`

const ended = [{ id: 'job_3', updated_at: now }] as EndedJobRow[]

describe.each(planners)('on $name', ({ url }) => {
  const used = useFilledDatabase(url, [FILL])

  test.each<[string, (tx: Tx) => Promise<unknown>]>([
    ['applications to delete', (tx) => listStaleApplications(tx, before, 200)],
    ['deleting applications', (tx) => deleteStaleApplications(tx, [{ id: 'app_7' }], before)],
    ['resumes of deleted applications', (tx) => lockUncarriedResumes(tx, ['res_7'])],
    ['jobs to archive', (tx) => listEndedJobs(tx, before, 200)],
    ['deleting jobs', (tx) => deleteArchivedJobs(tx, ended, before)],
    ['views to delete', (tx) => purgeStrayViews(tx, '2026-01-01', 1_000)],
    ['reports to delete', (tx) => purgeReports(tx, before, 1_000)],
    ['actions to delete', (tx) => purgeOperatorActions(tx, before, 1_000)],
  ])('does not read a whole table for %s', async (_what, ask) => {
    const plans = await plansOf(used.database, ask)
    expect(plans.length).toBeGreaterThan(0)
    // The table search_index has one row per index of the search engine.
    const small = [undefined, 'search_index']
    const nodes = plans.flatMap(nodesOf).filter((node) => !small.includes(node['Relation Name']))
    expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([])
    // Retention also avoids reading whole indexes, except the small index of pending payments.
    const whole = nodes.filter((node) => /Index/.test(node['Node Type']) && node['Index Cond'] === undefined)
    expect(whole.filter((node) => node['Index Name'] !== 'payment_pending_idx')).toEqual([])
  })
})
