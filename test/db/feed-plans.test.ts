/** With a feed of 10,000 postings, and 10,000 runs, no statement about feeds may read a whole table. */
import { describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import {
  claimRun,
  countFeedsOf,
  deleteOldRuns,
  findFeed,
  findPostings,
  hasOpenRun,
  listBack,
  listDueFeeds,
  listFeeds,
  listOverdue,
  listPostingsAfter,
  listRenewals,
  listRuns,
  markPresent,
  markReported,
} from '../../src/features/feeds/feeds.queries.ts'
import { feedList, runList } from '../../src/features/feeds/feeds.schemas.ts'
import { type ListDeclaration, parseListQuery } from '../../src/lists/query.ts'
import { nodesOf, planners, plansOf, useFilledDatabase } from '../support/plans.ts'

const ROWS = 10_000
const FEEDS = 200
const secret = new Uint8Array(32)
const now = new Date()
const feedId = 'feed_00000001'

const FILL = `
  insert into account (id, kind, name, created_at)
  select 'emp_' || lpad(n::text, 8, '0'), 'employer', 'Name', now() from generate_series(1, ${ROWS}) as n;
  insert into employer (id, account_id, name, name_sort, location_words, created_at, updated_at)
  select id, id, name, '', '{}', created_at, created_at from account;
  insert into feed (id, employer_id, name, format, host, every_minutes, close_after_hours, is_active, is_prepaid, created_at, updated_at,
    next_run_at, failing_since)
  select 'feed_' || lpad(n::text, 8, '0'), 'emp_' || lpad(n::text, 8, '0'), 'Feed ' || n, 'ndjson', 'host' || n, 60, 48, true, false, now(), now(),
    now() + n * interval '1 minute', case when n % 100 = 0 then now() - n * interval '1 hour' end
  from generate_series(1, ${FEEDS}) as n;
  insert into feed_run (id, feed_id, state, dry_run, created_at, finished_at, counts, problems)
  select 'run_' || lpad(n::text, 26, '0'), 'feed_' || lpad((1 + n % ${FEEDS})::text, 8, '0'),
    case when n % 10 = 0 then 'failed' else 'succeeded' end, false, now() - n * interval '1 minute', now(), '{}', '[]'
  from generate_series(1, ${ROWS}) as n;
  insert into feed_posting (feed_id, external_id, job_id, hash, missing_since, closed_at, renew_at)
  select '${feedId}', 'posting ' || n, 'job_' || lpad(n::text, 8, '0'), md5(n::text),
    case when n % 500 = 0 then now() - interval '3 days' end, case when n % 1000 = 0 then now() end,
    now() + n * interval '1 minute'
  from generate_series(1, ${ROWS}) as n;`

function parse<F extends string, S extends string>(list: ListDeclaration<F, S>, raw: Record<string, string>) {
  const { query, faults } = parseListQuery(list, { limit: '5', ...raw }, secret)
  expect(faults).toEqual([])
  return query
}

const ids = Array.from({ length: 250 }, (_, n) => `posting ${n}`)
type Ask = (db: Db) => Promise<unknown>
const claim = { now, until: now, lease: 'lease' }

const questions: readonly [string, Ask][] = [
  ['the postings of a batch', (db) => findPostings(db, feedId, ids)],
  ['missing postings', (db) => listOverdue(db, feedId, now, 250)],
  ['postings to reopen', (db) => listBack(db, feedId, 250)],
  ['postings to extend', (db) => listRenewals(db, feedId, now, 250)],
  ['the postings of a deleted feed', (db) => listPostingsAfter(db, feedId, '', 500)],
  ['postings that are present again', (db) => markPresent(db as never, feedId, ids)],
  ['a feed', (db) => findFeed(db, null, feedId)],
  ['feeds', (db) => listFeeds(db, null, parse(feedList, {}))],
  ['the number of feeds', (db) => countFeedsOf(db, 'emp_1')],
  ['runs', (db) => listRuns(db, feedId, parse(runList, {}))],
  ['failed runs', (db) => listRuns(db, feedId, parse(runList, { state: 'failed' }))],
  ['an open run', (db) => hasOpenRun(db, feedId)],
  ['due feeds', (db) => listDueFeeds(db as never, now, 100)],
  ['the next run', (db) => claimRun(db as never, claim)],
  ['feeds to report', (db) => markReported(db as never, now, now, 100)],
  ['old runs', (db) => deleteOldRuns(db as never, now, 1_000)],
]

describe.each(planners)('on $name', ({ url }) => {
  const used = useFilledDatabase(url, [FILL])

  test.each(questions)('a query for %s scans no table', async (_name, ask) => {
    const plans = await plansOf(used.database, ask, [{ total: 0, key_0: null }])
    const scans = plans.flatMap(nodesOf).filter((node) => node['Node Type'] === 'Seq Scan')
    expect(scans.map((node) => node['Relation Name'])).toEqual([])
  })
})
