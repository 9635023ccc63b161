/**
 * With at least 10,000 alerts, emails, resumes and saved jobs, lists and task rounds must not read a whole table or
 * index, except the index of pending resumes.
 */

import { describe, expect, test } from 'vitest'
import type { Database, Tx } from '../../src/db/database.ts'
import { forgetAnswers, IdempotentAnswers } from '../../src/db/idempotent-answers.ts'
import { eraseCandidateFromEvents, listEventsOf } from '../../src/events/personal-data.ts'
import { markCandidatesActive } from '../../src/features/candidates/index.ts'
import { listEmails, listRepeats, repeatSent } from '../../src/features/emails/emails.queries.ts'
import { emailList } from '../../src/features/emails/emails.schemas.ts'
import {
  claimDueAlert,
  hasInstantAlerts,
  listAlerts,
  lockInstantAlerts,
  lockOutdatedAlerts,
} from '../../src/features/job-alerts/job-alerts.queries.ts'
import { jobAlertList } from '../../src/features/job-alerts/job-alerts.schemas.ts'
import { forgetNewJobs, takeNewJobs } from '../../src/features/jobs/index.ts'
import {
  claimExtraction,
  countResumes,
  findDefaultResume,
  findReadableResume,
  isCarriedByApplication,
  listResumes,
} from '../../src/features/resumes/resumes.queries.ts'
import { resumeList } from '../../src/features/resumes/resumes.schemas.ts'
import { listSavedJobs } from '../../src/features/saved-jobs/saved-jobs.queries.ts'
import { savedJobList } from '../../src/features/saved-jobs/saved-jobs.schemas.ts'
import { type ObjectStore, removeDiscarded } from '../../src/files/store.ts'
import { SecretBox } from '../../src/lib/secret-box.ts'
import { type ListDeclaration, parseListQuery } from '../../src/lists/query.ts'
import { lockPendingMails } from '../../src/mail/queue.ts'
import { mailSender, type SenderDeps } from '../../src/mail/sender.ts'
import { MONTH_OF_EVENTS, planners, plansOf, useFilledDatabase, wholeScans } from '../support/plans.ts'

const ROWS = 10_000
const secret = new Uint8Array(32)
const now = new Date()
const clock = { now: () => now }
const extractionWindow = { policy: 'extraction-time', windowEnd: new Date('2100-01-01T00:00:00Z'), quota: 120_000 }

/**
 * 500 candidates with 40 emails and 20 rows of most other kinds each, generated in SQL without the rows that only
 * foreign keys require.
 */
const FILL = `
  ${MONTH_OF_EVENTS}
  set session_replication_role = replica;
  insert into account (id, kind, name, email, email_key, created_at)
  select 'cand_' || n, 'candidate', 'Candidate ' || n, n || '@mail.example', n || '@mail.example', now() from generate_series(0, 499) as n;
  insert into candidate (id, first_name, last_name, created_at, updated_at)
  select 'cand_' || n, 'First', 'Last ' || n, now(), now() from generate_series(0, 499) as n;
  insert into job (id, employer_id, title, title_sort, company, company_sort, location, location_sort, location_words,
    description, category, type, custom_questions, search, created_at, updated_at, posted_at)
  select 'job_' || n, 'emp_' || n % 20, '', '', '', '', '', '', '{}', '', 'x', 'x', '[]', '', now(), now(), now()
  from generate_series(0, 199) as n;
  insert into saved_job (candidate_id, job_id, saved_at)
  select 'cand_' || n / 20, 'job_' || n % 200, now() - n * interval '370 seconds' from generate_series(0, ${ROWS - 1}) as n;
  insert into resume (id, candidate_id, filename, content_type, size_bytes, sha256, store, created_at, extraction,
    deleted_at)
  select 'res_' || n, 'cand_' || n / 20, 'cv.pdf', 'application/pdf', 1000, '', 'database', now(),
    case when n % 10 = 0 then 'pending' else 'done' end, case when n % 20 = 0 then now() end
  from generate_series(0, ${ROWS - 1}) as n;
  insert into application (id, job_id, employer_id, candidate_id, cover_letter, answers, resume_id, applied_at, updated_at)
  select 'app_' || n, 'job_' || n % 200, 'emp_' || n % 20, 'cand_' || n / 20, '', '{}', 'res_' || n, now(), now()
  from generate_series(0, ${ROWS - 1}) as n;
  insert into rate_limit (window_end, policy, subject, used)
  select '2100-01-01T00:00:00Z', 'extraction-time', 'cand_' || n, n % 100 * 1300 from generate_series(0, 499, 2) as n;
  insert into idempotent_answer (id, account_id, fingerprint, answer_sealed, created_at)
  select 'id_' || n, 'cand_' || n / 20, '', '', now() - n * interval '2 seconds' from generate_series(0, ${ROWS - 1}) as n;
  insert into stored_object_to_delete (key, due_at)
  select 'res_' || n, now() + n * interval '1 minute' from generate_series(0, ${ROWS - 1}) as n;
  insert into job_alert (id, candidate_id, name, name_sort, criteria, anchors, frequency, watches_from, next_run_at,
    created_at, updated_at)
  select 'alert_' || n, 'cand_' || n / 20, 'Vans', 'vans', '{}', array['word ' || n % 5003],
    (array['instant', 'daily', 'weekly'])[1 + n % 3], now(), case when n % 3 > 0 then now() + n * interval '1 second' end,
    now(), now()
  from generate_series(0, ${ROWS - 1}) as n;
  insert into newly_visible_job (job_id, visible_at)
  select 'new_' || n, now() from generate_series(0, ${ROWS - 1}) as n;
  insert into mail (id, kind, account_id, subject_id, details, state, due_at, created_at, settled_at, recipient_key)
  select 'mail_' || n, 'job-alert', 'cand_' || n / 40, 'alert_' || n % ${ROWS}, '{}',
    case when n < ${ROWS} then 'pending' else 'sent' end, now(), now() - n * interval '1 second', case when n >= ${ROWS} then now() end,
    case when n >= ${ROWS} then n / 40 || '@mail.example' end
  from generate_series(0, ${2 * ROWS - 1}) as n;
  insert into event (id, type, body, created_at, subject_id, candidate_id)
  select typeid('evt', now() - n * interval '250 seconds'), 'candidate.registered', '{}', now() - n * interval '250 seconds',
    'cand_' || n / 20, 'cand_' || n / 20
  from generate_series(0, ${ROWS - 1}) as n;
  set session_replication_role = default;`

function parse<F extends string, S extends string>(list: ListDeclaration<F, S>, sort: string) {
  return parseListQuery(list, { sort }, secret).query
}

describe.each(planners)('on $name', ({ url }) => {
  const used = useFilledDatabase(url, [FILL])

  /** Asserts that no statement reads a whole table or index. */
  async function expectNoWholeScan(ask: (tx: Tx) => Promise<unknown>, answer?: readonly object[]): Promise<void> {
    const plans = await plansOf(used.database, ask, answer)
    expect(plans.length).toBeGreaterThan(0)
    expect(plans.flatMap((plan) => wholeScans(plan))).toEqual([])
  }

  const page = [{ total: 0, key_0: null }]
  const sorted = <F extends string, S extends string>(list: ListDeclaration<F, S>) =>
    Object.keys(list.sorts).map((sort) => parse(list, sort))

  test.each(sorted(resumeList))(
    "does not read a whole table or index for a candidate's resumes sorted by $sort.0.field",
    async (query) => {
      await expectNoWholeScan((db) => listResumes(db, 'cand_7', query), page)
    },
  )

  test.each(sorted(savedJobList))(
    "does not read a whole table or index for a candidate's saved jobs sorted by $sort.0.field",
    async (query) => {
      await expectNoWholeScan((db) => listSavedJobs(db, 'cand_7', query), page)
    },
  )

  test.each(sorted(jobAlertList))(
    "does not read a whole table or index for a candidate's alerts sorted by $sort.0.field",
    async (query) => {
      await expectNoWholeScan((db) => listAlerts(db, 'cand_7', query), page)
    },
  )

  const emailQuery = (raw: Record<string, string>) => parseListQuery(emailList, raw, secret).query

  test.each<[string, Record<string, string>]>([
    ['failed emails', { state: 'failed' }],
    ['emails of a rare kind', { kind: 'sign-in' }],
    ['emails to an address', { to: '17@mail' }],
  ])('does not read a whole table or index for %s', async (_what, raw) => {
    await expectNoWholeScan((db) => listEmails(db, emailQuery(raw)), page)
  })

  test.each<[string, (tx: Tx) => Promise<unknown>]>([
    ['the repeats of an email', (tx) => listRepeats(tx, 'mail_7')],
    ['sending an email again', (tx) => repeatSent(tx, 'mail_10007', { repeatId: 'mail_x', now })],
  ])('does not read a whole table or index for %s', async (_what, ask) => {
    await expectNoWholeScan(ask)
  })

  const tasksOn = (tx: Tx) => ({
    inTx: (work: (tx: Tx) => Promise<unknown>) => work(tx),
    inStatement: (work: (tx: Tx) => Promise<unknown>) => work(tx),
  })
  const answersOn = (tx: Tx) => {
    const database = { ...tasksOn(tx), read: (question: (tx: Tx) => Promise<unknown>) => question(tx) }
    return new IdempotentAnswers(database as unknown as Database, clock, new SecretBox(secret))
  }

  test.each<[string, (tx: Tx) => Promise<unknown>]>([
    ['the default resume', (tx) => findDefaultResume(tx, 'cand_7')],
    ['a resume for an employer', (tx) => findReadableResume(tx, 'res_7', { kind: 'employer', accountId: 'emp_7' })],
    ['applications that use a resume', (tx) => isCarriedByApplication(tx, 'res_7')],
    ['objects to delete', (tx) => removeDiscarded(tasksOn(tx) as Database, {} as ObjectStore, now)],
    ['claiming the next due alert', (tx) => claimDueAlert(tx, now)],
    ['new jobs while there are no instant alerts', (tx) => forgetNewJobs(tx, now, hasInstantAlerts)],
    ['new jobs', (tx) => takeNewJobs(tx, 20, now)],
    ['alerts with outdated anchors', (tx) => lockOutdatedAlerts(tx, 200)],
    ['matched alerts', (tx) => lockInstantAlerts(tx, ['alert_3', 'alert_6'])],
    ['pending alert emails', (tx) => lockPendingMails(tx, 'job-alert', ['alert_3', 'alert_6'])],
    [
      'emails to send',
      (tx) =>
        mailSender({
          database: tasksOn(tx),
          clock,
          composers: { 'job-alert': async () => undefined },
        } as unknown as SenderDeps).once(),
    ],
    ['active candidates', (tx) => markCandidatesActive(tx, [{ accountId: 'cand_7', at: now }])],
    ['the stored response for a key', (tx) => answersOn(tx).find('id_7')],
    ["an erased candidate's stored responses", (tx) => forgetAnswers(tx, 'cand_7')],
    ["a candidate's events", (tx) => listEventsOf(tx, 'cand_7')],
    ["an erased candidate's events", (tx) => eraseCandidateFromEvents(tx, 'cand_7')],
  ])('does not read a whole table or index for %s', async (_what, ask) => {
    await expectNoWholeScan(ask)
  })

  test('finds the next resume to extract by reading only pending resumes', async () => {
    const [plan] = await plansOf(used.database, (tx: Tx) => claimExtraction(tx, now, now, extractionWindow))
    const scans = wholeScans(plan!)
    // If every candidate has spent part of the budget, the plan compares all pending resumes.
    expect(scans.map((scan) => scan['Index Name'])).toEqual(['resume_extraction_idx'])
  })

  test("does not read a whole table or index to count a candidate's resumes", async () => {
    await expectNoWholeScan((tx) => countResumes(tx, 'cand_7'), [{ count: 0 }])
  })
})
