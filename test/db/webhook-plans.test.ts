/** With 10,000 pending and 10,000 settled deliveries, no statement about webhooks may read a whole table. */
import { describe, expect, test } from 'vitest'
import type { Tx } from '../../src/db/database.ts'
import {
  cancelInactive,
  cancelPending,
  claimDeliveries,
  disableKeyless,
  finishAttempts,
  listLost,
  lockRecovery,
  markFailing,
  purgeEvents,
  purgeSuperseded,
  recoverStep,
} from '../../src/features/webhooks/webhooks.dispatch-queries.ts'
import { webhooksPersonalData } from '../../src/features/webhooks/webhooks.personal-data.ts'
import {
  countExhausted,
  type DeliveryRow,
  deleteWebhookRows,
  findDelivery,
  findLatestWebhook,
  listDeliveries,
  listLastFailures,
} from '../../src/features/webhooks/webhooks.queries.ts'
import { deliveryList } from '../../src/features/webhooks/webhooks.schemas.ts'
import {
  moveSettled,
  purgeLeftAttempts,
  purgeSettled,
  requestAttempt,
} from '../../src/features/webhooks/webhooks.settled-queries.ts'
import { firstId } from '../../src/lib/ids.ts'
import { parseListQuery } from '../../src/lists/query.ts'
import {
  MONTH_OF_EVENTS,
  nodesOf,
  type PlanNode,
  planners,
  planOf,
  plansOf,
  useFilledDatabase,
  wholeScans,
} from '../support/plans.ts'
import { successAt } from '../support/webhooks.ts'

const EACH = 10_000
const WEBHOOKS = 200
const now = new Date()

const FILL = `
  set session_replication_role = replica;
  insert into webhook (id, owner_id, audience, url, events, secret_sealed, status, watched_from, created_at, updated_at)
  select 'wh_' || lpad(n::text, 6, '0'), 'emp_' || n % 20, 'emp_' || n % 20, 'https://hook.example/', '{job.created}', '',
    case when n % 50 = 0 then 'paused' else 'active' end, now(), now(), now()
  from generate_series(0, ${WEBHOOKS - 1}) as n;
  insert into event (id, type, subject_id, employer_id, body, created_at)
  select typeid('evt', now() - n * interval '130 seconds'), 'job.created', 'job_' || n, 'emp_' || n % 20, '{}',
    now() - n * interval '130 seconds'
  from generate_series(0, ${2 * EACH - 1}) as n;
  insert into webhook_delivery (id, event_id, webhook_id, event_type, attempts, due_at, scheduled_at, created_at)
  select typeid('whd', created_at), id, 'wh_' || lpad((n % ${WEBHOOKS})::text, 6, '0'), 'job.created', 1,
    now() + interval '1 hour', now() + interval '1 hour', created_at
  from (select id, created_at, substr(subject_id, 5)::integer as n from event) as event where n < ${EACH};
  insert into webhook_delivery_settled (id, event_id, webhook_id, event_type, state, attempts, scheduled_attempts,
    settled_at, created_at)
  select typeid('whd', created_at), id, 'wh_' || lpad((n % ${WEBHOOKS})::text, 6, '0'), 'job.created', 'delivered', 1, 1,
    now(), created_at
  from (select id, created_at, substr(subject_id, 5)::integer as n from event) as event where n >= ${EACH};
  insert into webhook_attempt (delivery_id, number, trigger, started_at, duration_ms)
  select id, 1, 'scheduled', now(), 1 from webhook_delivery
  union all select id, 1, 'scheduled', now(), 1 from webhook_delivery_settled;
  set session_replication_role = default;`

const ending = successAt(now, { id: 'whd_1', webhook_id: 'wh_000001', number: 1 })
const claim = {
  now,
  leaseUntil: now,
  after: '',
  limit: 512,
  eachMax: 8,
  unprovenMax: 2,
  lanes: { wh_000001: { underWay: 1, max: 8 } },
}

const statements: Record<string, (tx: Tx) => Promise<unknown>> = {
  'a claim': (tx) => claimDeliveries(tx, claim),
  'finished attempts': (tx) => finishAttempts(tx, [ending], true),
  'lost leases': (tx) => listLost(tx, now, 200),
  'a pause': (tx) => cancelPending(tx, 'wh_000001', now),
  'deliveries of paused webhooks': (tx) => cancelInactive(tx, now, 1_000),
  'webhooks with an ended key': (tx) => disableKeyless(tx, now, 1_000),
  'failing webhooks': (tx) => markFailing(tx, now, 100),
  'a running recovery': lockRecovery,
  'a step of a recovery': (tx) => recoverStep(tx, { id: 'whr_1', limit: 500, bodyBytesMax: 262_144, now }),
  'the purge': (tx) => purgeEvents(tx, now, { from: new Date(0), limit: 1_000 }),
  'the purge of settled deliveries': (tx) => purgeSettled(tx, firstId('event', +now), { from: '', limit: 1_000 }),
  'the purge of attempts': (tx) => purgeLeftAttempts(tx, firstId('webhookDelivery', +now), { from: '', limit: 1_000 }),
  'deliveries to move': (tx) => moveSettled(tx, { from: '', limit: 1_000 }),
  'a requested attempt': (tx) =>
    requestAttempt(tx, { id: 'whd_1', event_id: firstId('event', +now) } as DeliveryRow, now),
  'a delivery': (tx) => findDelivery(tx, 'emp_1', { id: 'wh_000001', delivery_id: 'whd_1' }),
  'the deletion of a webhook': (tx) => deleteWebhookRows(tx, ['wh_000001']),
  'the purge of superseded updates': (tx) => purgeSuperseded(tx, new Date(now.getTime() - 3_600_000), now, 1_000),
  'the erasure of a candidate': (tx) => webhooksPersonalData.erase!(tx, 'cand_1', now),
  'the latest webhook': findLatestWebhook,
}

/** Statements whose limit is a parameter, so the planner cannot know that they read few rows. */
const bounded = ['the purge of settled deliveries', 'the purge of attempts', 'the erasure of a candidate']

const scans = (plan: PlanNode) => nodesOf(plan).filter((node) => node['Relation Name'] !== undefined)

describe.each(planners)('on $name', ({ url }) => {
  const used = useFilledDatabase(url, [MONTH_OF_EVENTS, FILL])

  test.each(Object.entries(statements))('scans no table for %s', async (_name, ask) => {
    for (const plan of await plansOf<Tx>(used.database, ask, [{ count: 0 }])) {
      expect(scans(plan).filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([])
    }
  })

  test.each(bounded)('bounds each scan of deliveries and attempts for %s', async (name) => {
    const plans = await plansOf<Tx>(used.database, statements[name]!)
    const unbounded = plans.flatMap((plan) => wholeScans(plan)).map((node) => node['Relation Name'])
    expect(unbounded.filter((table) => /^webhook_(delivery|attempt)/.test(table!))).toEqual([])
  })

  test('a claim walks the index of pending deliveries without sorting', async () => {
    const [plan] = await plansOf<Tx>(used.database, statements['a claim']!)
    const nodes = nodesOf(plan!)
    const walks = nodes.filter((node) => node['Index Name'] === 'webhook_delivery_due_idx')
    expect(walks.length).toBe(3)
    for (const { 'Index Cond': condition } of walks) expect(condition).toContain('webhook_id')
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Sort')
  })

  test('failed deliveries are counted with indexes', async () => {
    const [plan] = await plansOf(used.database, (db: Tx) => countExhausted(db, now), [{ count: 0 }])
    for (const { 'Index Name': name } of scans(plan!)) expect(name).toMatch(/_exhausted_idx$|_settled_at_idx$/)
  })

  test('the last failures of a page of webhooks are found without a table scan', async () => {
    const ids = Array.from({ length: 20 }, (_, n) => `wh_${String(n).padStart(6, '0')}`)
    const plan = await planOf(used.database, (db) => listLastFailures(db, ids))
    expect(scans(plan).map((node) => node['Node Type'])).not.toContain('Seq Scan')
  })

  test.each(['created_at:asc', 'created_at:desc'])(
    'the list of deliveries uses indexes when sorted by %s',
    async (sort) => {
      const { query, faults } = parseListQuery(deliveryList, { sort }, new Uint8Array(32))
      expect(faults).toEqual([])
      const plan = await planOf(used.database, (db) => listDeliveries(db, 'wh_000001', query))
      expect(scans(plan).map((node) => node['Node Type'])).not.toContain('Seq Scan')
    },
  )
})
