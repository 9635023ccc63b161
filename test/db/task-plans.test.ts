/**
 * Runs the background tasks on filled tables, and checks the plans of all statements that they send. Apart from the
 * exceptions below, no task may read a whole table or index. Runs the retention tasks, but omits all other tasks that
 * need a setting. Other tests check those.
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Task } from '../../src/background/loop.ts'
import { secretContext } from '../../src/features/webhooks/webhooks.contract.ts'
import { SecretBox } from '../../src/lib/secret-box.ts'
import { Board, ENCRYPTION_KEY } from '../support/board.ts'
import { explain, planners, useFilledDatabase, wholeScans } from '../support/plans.ts'

const ROWS = 5_000
const series = (last = ROWS) => `from generate_series(1, ${last}) as n`
const ago = (unit: string) => `now() - n * interval '1 ${unit}'`

/**
 * The SQL that inserts the rows, except rows that only foreign keys require. Some payments are pending: reading all of
 * an empty index is as cheap as searching it, so the planner could choose either.
 */
const FILL = `
  set session_replication_role = replica;
  insert into account (id, kind, name, email, email_key, created_at)
  select 'cand_' || n, 'candidate', 'Candidate ' || n, n || '@mail.example', n || '@mail.example', now() ${series()};
  insert into account (id, kind, name, email, email_key, created_at)
  select 'emp_' || n, 'employer', 'Employer ' || n, n || '@firm.example', n || '@firm.example', now() ${series()};
  insert into candidate (id, first_name, last_name, created_at, updated_at)
  select 'cand_' || n, 'First', 'Last ' || n, now(), now() ${series()};
  insert into employer (id, account_id, name, name_sort, location_words, created_at, updated_at)
  select 'emp_' || n, 'emp_' || n, 'Employer ' || n, 'employer ' || n, '{}', now(), now() ${series()};
  insert into api_key (id, account_id, name, name_sort, hash, prefix, last4, scopes, created_at)
  select 'key_' || n, 'emp_' || n, 'Key', 'key', 'hash' || n, 'jm_', 'last', '{}', now() ${series()};
  insert into session (id, token_hash, account_id, created_at, last_seen_at, expires_at)
  select 'ses_' || n, 'token' || n, 'cand_' || n, now(), now(), now() + n * interval '1 minute' ${series()};
  insert into sign_in_link (token_hash, account_id, expires_at)
  select 'token' || n, 'cand_' || n, now() + n * interval '1 minute' ${series()};
  insert into sign_in_request (address_hash, requested_at) select 'address' || n, ${ago('minute')} ${series()};
  insert into passkey_challenge (hash, expires_at) select 'hash' || n, now() + n * interval '1 minute' ${series()};
  insert into job (id, employer_id, title, title_sort, company, company_sort, location, location_sort, location_words,
    description, category, type, custom_questions, search, areas, language, created_at, updated_at, posted_at, state,
    expires_at, expiry_announced_at)
  select 'job_' || n, 'emp_' || 1 + n % 200, 'Fitter', 'fitter', 'Firm', 'firm', 'Lyon', 'lyon', '{}', 'Text', 'x', 'x',
    '[]', case when n > 20 then '' end::tsvector, case when n > 40 then '{}'::text[] end, case when n > 60 then 'en' end,
    ${ago('minute')}, ${ago('minute')}, ${ago('minute')}, (array['inactive', 'active', 'closed'])[1 + n % 3],
    now() + (n - 300) * interval '1 hour', case when n < 200 then now() end ${series()};
  insert into job_to_compare (job_id) select 'job_' || n ${series(50)};
  insert into job_block (job_id, block) select 'job_' || n, n / 2 ${series()};
  insert into newly_visible_job (job_id, visible_at) select 'job_' || n, now() ${series(50)};
  insert into job_view_day_default (job_id, day, views) select 'job_' || n, '2099-01-31', 1 ${series()};
  insert into saved_job (candidate_id, job_id, saved_at) select 'cand_' || n, 'job_' || n, now() ${series()};
  insert into resume (id, candidate_id, filename, content_type, size_bytes, sha256, store, created_at, extraction, deleted_at)
  select 'res_' || n, 'cand_' || n, 'cv.pdf', 'application/pdf', 1000, '', 'database', now(),
    case when n < 50 then 'pending' else 'done' end, case when n % 20 = 0 then now() end ${series()};
  insert into application (id, job_id, employer_id, candidate_id, cover_letter, answers, resume_id, applied_at, updated_at)
  select 'app_' || n, 'job_' || n, 'emp_' || 1 + n % 200, 'cand_' || n, '', '{}', 'res_' || n, ${ago('hour')},
    ${ago('hour')} ${series()};
  insert into application_draft (candidate_id, job_id, cover_letter, answers, created_at, expires_at)
  select 'cand_' || n, 'job_' || n, '', '{}', now(), now() + (n - 100) * interval '1 minute' ${series()};
  insert into payment (id, job_id, employer_id, products, amounts, amount, currency, status, provider, checkout_token, created_at)
  select 'pay_' || n, 'job_' || n, 'emp_' || 1 + n % 200, '{job-post}', '{100}', 100, 'EUR',
    case when n % 50 = 0 then 'pending' else 'paid' end, 'free', 'token' || n, now() ${series()};
  insert into job_report (id, job_id, employer_id, reason, status, created_at, decided_at)
  select 'rep_' || n, 'job_' || n, 'emp_' || 1 + n % 200, 'spam', (array['open', 'upheld', 'dismissed'])[1 + n % 3],
    ${ago('hour')}, ${ago('hour')} ${series()};
  insert into operator_action (id, at, account_id, key_name, action, subject)
  select 'act_' || n, ${ago('day')}, 'adm', 'Key', 'job.remove', 'job_' || n ${series()};
  insert into job_alert (id, candidate_id, name, name_sort, criteria, anchors, frequency, watches_from, next_run_at,
    created_at, updated_at, anchors_version)
  select 'alert_' || n, 'cand_' || n, 'Vans', 'vans', '{}', array['word ' || n], (array['instant', 'daily'])[1 + n % 2], now(),
    case when n % 2 = 1 then now() + (n - 10) * interval '1 minute' end, now(), now(), case when n < 20 then 0 else 99 end
  ${series()};
  insert into mail (id, kind, account_id, subject_id, details, state, due_at, created_at, settled_at)
  select 'mail_' || n, 'job-alert', 'cand_' || n, 'alert_' || n, '{}', case when n < 20 then 'pending' else 'sent' end,
    now(), ${ago('hour')}, case when n >= 20 then ${ago('hour')} end ${series()};
  insert into unconfirmed_email (address_hash, sent_at) select 'address' || n, ${ago('hour')} ${series()};
  insert into idempotent_answer (id, account_id, fingerprint, answer_sealed, created_at)
  select 'id_' || n, 'cand_' || n, '', '', ${ago('minute')} ${series()};
  insert into stored_object_to_delete (key, due_at) select 'res_' || n, now() + n * interval '1 minute' ${series()};
  insert into webhook (id, owner_id, audience, url, events, secret_sealed, status, watched_from, created_at, updated_at)
  select 'wh_' || n, 'emp_' || n, '*', 'https://hook.example/', '{job.created}', '',
    case when n % 50 = 0 then 'paused' else 'active' end, now(), now(), now() ${series()};
  insert into event (id, type, subject_id, body, created_at)
  select typeid('evt', ${ago('hour')}), 'job.updated', 'job_' || n % 500, '{}', ${ago('hour')} ${series()};
  insert into event_position (event_id, created_at) select id, created_at from event order by created_at;
  insert into webhook_delivery (id, event_id, webhook_id, event_type, state, due_at, scheduled_at, created_at)
  select typeid('whd', created_at), id, 'wh_' || row_number() over (order by id), 'job.created', 'pending', created_at,
    created_at, created_at
  from event where created_at > now() - interval '4 days';
  insert into webhook_delivery_settled (id, event_id, webhook_id, event_type, state, attempts, scheduled_attempts,
    created_at, settled_at)
  select typeid('whd', created_at), id, 'wh_' || row_number() over (order by id), 'job.created', 'delivered', 1, 1,
    created_at, created_at
  from event where created_at <= now() - interval '4 days';
  insert into webhook_attempt (delivery_id, number, trigger, started_at, duration_ms)
  select id, 1, 'scheduled', now(), 1 from webhook_delivery
  union all select id, 1, 'scheduled', now(), 1 from webhook_delivery_settled;
  insert into webhook_recovery (id, webhook_id, since, until, state, reached_at, created_at, finished_at)
  select 'whr_' || n, 'wh_' || n, now(), now(), case when n < 10 then 'running' else 'done' end, now(), ${ago('hour')},
    case when n >= 10 then ${ago('hour')} end ${series()};
  insert into job_alert_match (alert_id, job_id, mail_id, matched_at)
  select 'alert_' || n, 'job_' || n, 'mail_' || n, now() ${series()};
  insert into member (id, account_id, email, email_key, role)
  select 'mem_' || n, 'emp_' || n, n || '@firm.example', n || '@firm.example', 'owner' ${series()};
  insert into feed (id, employer_id, name, format, host, every_minutes, close_after_hours, is_active, is_prepaid, created_at,
    updated_at, next_run_at)
  select 'feed_' || n, 'emp_' || n, 'Feed ' || n, 'ndjson', 'host' || n, 60, 48, true, false, now(), now(),
    now() + (n - 5) * interval '1 minute' ${series()};
  insert into feed_run (id, feed_id, state, dry_run, created_at, finished_at, counts, problems)
  select 'run_' || lpad(n::text, 26, '0'), 'feed_' || n, 'succeeded', false, ${ago('hour')}, now(), '{}', '[]' ${series()};
  insert into stripe_event (id, received_at) select 'evt_' || n, ${ago('hour')} ${series()};
  insert into stripe_checkout (payment_id, begun_at, check_at)
  select 'pay_' || n, now(), now() + n * interval '1 minute' ${series()};
  insert into rate_limit (window_end, policy, subject, used) select now() + n * interval '1 second', 'p', 's' || n, 1 ${series()};
  set session_replication_role = default;`

const settings = {
  RETENTION_APPLICATIONS_DAYS: '30',
  RETENTION_CLOSED_JOBS_DAYS: '30',
  RETENTION_VIEWS_DAYS: '30',
  RETENTION_REPORTS_DAYS: '30',
  RETENTION_ACTIVITY_DAYS: '30',
}

/** Tasks that may read whole tables, with the reason. */
const exempt: Record<string, string> = {
  'clock-steps': 'It corrects times only after the clock has been set back.',
}
/** Tables with a bounded number of rows, and recoveries, each of which a person requests. */
const small = ['brand', 'catalogue_entry', 'currency_rate_table', 'webhook_recovery']
/** Indexes that a task may read completely, because they contain few rows, or only rows that wait for the task. */
const backlogs: Record<string, string> = {
  account_suspended_idx: 'suspended accounts',
  feed_run_open_idx: 'runs of feeds that have not ended',
  newly_visible_job_visible_idx: 'jobs that wait for alerts',
}

/** Matches statements without a plan. */
const PLANLESS = /^\s*(?:begin|commit|rollback|savepoint|release|set|lock|create|alter|drop)\b/i

/** Runs work, which may fail, and returns the distinct statements with a plan that the work sent. */
async function recordStatements(work: () => Promise<unknown>) {
  const sent = new Map<string, readonly unknown[]>()
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [config] = args
    const { text, values = [] } = typeof config === 'string' ? { text: config } : (config as pg.QueryConfig)
    if (!PLANLESS.test(text)) sent.set(text, values)
    return query.apply(this, args)
  } as never)
  await work()
    .catch(() => {})
    .finally(() => spy.mockRestore())
  return [...sent].map(([sql, parameters]) => ({ sql, parameters }))
}

describe.each(planners)('on $name', ({ url }) => {
  const used = useFilledDatabase(url, [FILL])
  const board = new Board()
  let tasks: readonly Task[]

  beforeAll(async () => {
    board.database = used.database
    // The service starts only if it can open the secret of the latest webhook.
    const sealed = new SecretBox(Buffer.from(ENCRYPTION_KEY, 'hex')).seal('whsec_', secretContext('wh_999'))
    await used.database.withClient((client) =>
      client.query({ text: `update webhook set secret_sealed = $1 where id = 'wh_999'`, values: [sealed] }),
    )
    board.clock.time = Date.now()
    await board.start(settings)
    tasks = board.service.tasks
  })
  afterAll(() => board.service.app.close())

  test('no task reads a whole table or index, apart from the listed exceptions', async () => {
    const silent: string[] = []
    const scans: string[] = []
    const queues = new Set<string>()
    for (const task of tasks) {
      if (task.name in exempt) continue
      const statements = await recordStatements(async () => {
        await task.once()
        await task.backlog?.()
      })
      if (statements.length === 0) silent.push(task.name)
      for (const scan of (await explain(used.database, statements)).flatMap((plan) => wholeScans(plan))) {
        const { 'Relation Name': table = '', 'Index Name': index = '' } = scan
        if (index in backlogs) queues.add(index)
        else if (!small.includes(table)) scans.push(`${task.name} reads all of ${table} ${index}`)
      }
    }
    expect(scans).toEqual([])
    expect(silent).toEqual(['clock', 'key-uses', 'board-snapshot', 'mail-files', 'authorities', 'job-views'])
    // `backlogs` contains no unnecessary indexes, and `exempt` contains no unknown tasks.
    expect([...queues].toSorted()).toEqual(Object.keys(backlogs).toSorted())
    const names = tasks.map(({ name }) => name)
    expect(Object.keys(exempt).filter((name) => !names.includes(name))).toEqual([])
  })
})
