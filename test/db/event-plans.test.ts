/** With 10,000 events, no list, stream page or lookup may scan the whole table. */
import { describe, expect, test } from 'vitest'
import type { Db, Tx } from '../../src/db/database.ts'
import { eventTypes } from '../../src/events/catalogue.ts'
import {
  findEvent,
  findEventIdAt,
  listEvents,
  listEventsAfter,
  listPlaces,
  purgePlaces,
  type Viewer,
} from '../../src/features/events/events.queries.ts'
import { eventList } from '../../src/features/events/events.schemas.ts'
import { firstId, newId } from '../../src/lib/ids.ts'
import { parseListQuery } from '../../src/lists/query.ts'
import { MONTH_OF_EVENTS, nodesOf, planners, planOf, useFilledDatabase } from '../support/plans.ts'

const EVENTS = 10_000
const secret = new Uint8Array(32)
const now = new Date()

/** 20 employers and 500 candidates. Every fifth event belongs to an employer and a candidate. */
const FILL = `
  insert into event (id, type, subject_id, employer_id, candidate_id, body, created_at)
  select typeid('evt', now() - n * interval '230 seconds'),
    (array[${eventTypes.map((type) => `'${type}'`)}])[1 + n % ${eventTypes.length}],
    'job_' || n % 2000,
    case when n % 5 < 4 then 'emp_' || n / 7 % 20 end,
    case when n % 5 > 2 then 'cand_' || n / 3 % 500 end,
    repeat('{"data":{"job":"Battery engineer"}}', 40),
    now() - n * interval '230 seconds'
  from generate_series(0, ${EVENTS - 1}) as n;`

function parse(raw: Record<string, string>) {
  const { query, faults } = parseListQuery(eventList, raw, secret)
  expect(faults).toEqual([])
  return query
}

const middle = new Date(now.getTime() - EVENTS * 115_000).toISOString()
const samples = { type: 'job.deleted', subject_id: 'job_77', created_at: middle }

/** One query for each variant of each filter. */
const singleFilters = Object.entries(eventList.filters).flatMap(([name, { suffixes }]) =>
  ['', ...suffixes.map((suffix) => `_${suffix}`)].map((suffix) => ({
    [name + suffix]: samples[name as keyof typeof samples],
  })),
)

/** Returns queries for each position in the list: its start, a later page, and both directions from a cursor. */
function waysInto(sort: string) {
  const query = parse({ sort, cursor: '' })
  const cursors = (['next', 'prev'] as const).map((direction) =>
    query.cursors.encode({ direction, key: [middle, firstId('event', now.getTime() - EVENTS * 115_000)] }),
  )
  return [{ sort }, { sort, page: '3' }, ...cursors.map((cursor) => ({ sort, cursor }))].map(parse)
}

const sorts = ['created_at:asc', 'created_at:desc']
const viewers: Viewer[] = [
  { kind: 'employer', accountId: 'emp_7' },
  { kind: 'candidate', accountId: 'cand_77' },
  { kind: 'admin', accountId: 'adm_1' },
  { kind: 'integrator', accountId: 'int_1' },
]

describe.each(planners)('on $name', ({ url }) => {
  const used = useFilledDatabase(url, [MONTH_OF_EVENTS, FILL])
  const nodesFor = async (ask: (db: Db) => Promise<unknown>) => nodesOf(await planOf(used.database, ask))
  const isTableScan = (node: { 'Node Type': string }) => node['Node Type'] === 'Seq Scan'

  describe.each(viewers)('the event list for accounts of kind $kind', (viewer) => {
    const list = (raw: ReturnType<typeof parse>) => (db: Db) => listEvents(db, viewer, raw)

    test.each(sorts)('walks an index when sorted by %s', async (sort) => {
      for (const query of waysInto(sort)) {
        const nodes = await nodesFor(list(query))
        expect(nodes.filter(isTableScan)).toEqual([])
        const page = nodesOf(nodes.find((node) => node['Node Type'] === 'Limit')!)
        const scans = page.filter((node) => node['Relation Name'] === 'event')
        expect(new Set(scans.map((node) => node['Node Type']))).toEqual(new Set(['Index Scan']))
        expect(page.map((node) => node['Node Type'])).not.toContain('Sort')
      }
    })

    test.each([{}, ...singleFilters])('does not scan the whole table for %o', async (raw) => {
      for (const sort of sorts) {
        const nodes = await nodesFor(list(parse({ ...raw, sort })))
        expect(nodes.filter(isTableScan)).toEqual([])
      }
    })

    test('skips events of other types within the index', async () => {
      for (const raw of [{ type: 'job.deleted' }, { type: 'job.deleted', created_at_gt: middle }]) {
        const nodes = await nodesFor(list(parse(raw)))
        const scans = nodes.filter((node) => node['Relation Name'] === 'event')
        for (const scan of scans) expect(scan['Index Cond']).toContain('type')
        // The count reads only the index.
        expect(scans.map((node) => node['Node Type'])).toContain('Index Only Scan')
      }
    })
  })

  test.each(viewers)(
    'reads a page of the stream for accounts of kind $kind from the middle of an index',
    async (viewer) => {
      const slice = { after: EVENTS / 2, upTo: EVENTS, limit: 100, bytesMax: 1_000_000 }
      const nodes = await nodesFor((db) => listEventsAfter(db, viewer, slice))
      expect(nodes.filter(isTableScan)).toEqual([])
      const [positions] = nodes.filter((node) => node['Relation Name'] === 'event_position')
      expect(positions).toMatchObject({ 'Node Type': 'Index Scan', 'Index Cond': expect.stringContaining('position') })
      if ('employer candidate'.includes(viewer.kind)) expect(positions!['Index Name']).toContain(viewer.kind)
      expect(nodes.map((node) => node['Node Type'])).not.toContain('Sort')
      // The primary key finds each event in the partition that its ID names.
      for (const node of nodes.filter((one) => one['Relation Name'] === 'event')) {
        expect(node).toMatchObject({ 'Node Type': 'Index Scan', 'Index Cond': expect.stringContaining('event_id') })
      }
    },
  )

  test('finds new and old positions by index', async () => {
    for (const ask of [
      (db: Db) => listPlaces(db, { after: EVENTS - 10, upTo: EVENTS, limit: 1_000 }),
      (db: Db) => findEventIdAt(db, EVENTS / 2),
      (db: Db) => purgePlaces(db as unknown as Tx, now, { from: 0, limit: 1_000 }),
    ]) {
      const nodes = await nodesFor(ask)
      const scans = nodes.filter(
        (node) => node['Relation Name'] === 'event_position' && node['Node Type'] !== 'ModifyTable',
      )
      for (const scan of scans) expect(scan['Node Type']).toMatch(/^Index (Only )?Scan|^Bitmap/)
      expect(nodes.filter(isTableScan)).toEqual([])
    }
  })

  test.each(viewers)('finds one event by key for accounts of kind $kind', async (viewer) => {
    const nodes = await nodesFor((db) => findEvent(db, viewer, newId('event')))
    // The plan reads only one of 33 partitions.
    expect(nodes.map((node) => [node['Node Type'], node['Index Cond']])).toEqual([
      ['Append', undefined],
      ['Index Scan', expect.stringContaining('id')],
    ])
  })
})
