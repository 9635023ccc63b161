/** A board loaded from a snapshot equals a board read from the database. Unusable snapshots are ignored. */
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Exchange } from '../../src/lib/exchange.ts'
import { slotsOf } from '../../src/search/memory/bits.ts'
import { Board, type BoardOptions } from '../../src/search/memory/board.ts'
import type { BoardIndex } from '../../src/search/memory/board-index.ts'
import { Dictionary } from '../../src/search/memory/columns.ts'
import { Snapshots } from '../../src/search/memory/snapshot.ts'
import { useBoard } from '../support/board.ts'
import { insertJobs, type JobSeed, removeJobs } from '../support/jobs.ts'
import { jobSeed, rateTable } from '../support/list-queries.ts'

const board = useBoard()
let folder: string
let path: string
let logged: string[] = []
/** The boards of the current case. Boards of earlier cases would read each commit again. */
const boards: Board[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'board-snapshot-'))
  path = join(folder, 'new', 'board.snapshot')
})
afterAll(() => rm(folder, { recursive: true }))

const log = {
  info: (_: object, message: string) => void logged.push(message),
  warn: ({ reason }: { reason: string }) => void logged.push(reason),
}
const snapshotsOf = (options = {}) => new Snapshots(path, log as never, { jobsMin: 0, everyMs: 0, ...options })

/** Starts following the board. Without options, reads it from the database. */
async function start(options: BoardOptions = {}, exchange = new Exchange(rateTable, 'USD')): Promise<Board> {
  logged = []
  const started = new Board(board.database, board.clock, options)
  boards.push(started)
  started.use(exchange)
  await started.current()
  return started
}

/** Removes all jobs, and closes the boards of the previous case. */
async function clear(): Promise<void> {
  for (const each of boards.splice(0)) each.close()
  await removeJobs(board)
}

const idsOn = ({ columns, live }: BoardIndex) => Array.from(slotsOf(live), (slot) => columns.ids.get(slot))

const LOADED = 'board loaded from its snapshot'

/** Returns the content of a board, independent of slots and codes. */
async function contentOf(followed: Board): Promise<object> {
  const index = await followed.current()
  const { columns } = index
  const { numbers, values } = index.save()
  const idsOf = (slots: ArrayLike<number>) => Array.from(slots, (slot) => columns.ids.get(slot))
  const orders = Object.entries(numbers).filter(([name]) => name.startsWith('by '))
  const used = Object.entries(columns)
    .filter((entry): entry is [string, Dictionary<unknown>] => entry[1] instanceof Dictionary)
    .map(([name, dictionary]) => [
      name,
      dictionary
        .save()
        .filter(([, uses]) => uses > 0)
        .sort(),
    ])
  return {
    orders: orders.map(([name, slots]) => [name, idsOf(slots)]),
    jobs: Object.fromEntries(
      Array.from(numbers['by posted_at']!, (slot) => [columns.ids.get(slot), jobIn(index, slot)]),
    ),
    used,
    vocabulary: (values.vocabulary as [string, number][]).toSorted(),
    size: index.size,
    nextExpiry: index.nextExpiry,
  }
}

function jobIn({ columns, live }: BoardIndex, slot: number): object {
  const { categories, types, levels, languages, currencies, companies, employers, locations, skillNames } = columns
  const dictionaries: Record<string, Dictionary<unknown>> = {
    ...{ category: categories, type: types, level: levels, language: languages, currency: currencies },
    ...{ company: companies, employer: employers, location: locations },
  }
  const own = Object.entries(columns)
    .filter((entry): entry is [string, Uint32Array] => ArrayBuffer.isView(entry[1]))
    .map(([name, column]) => [name, dictionaries[name] ? dictionaries[name].values[column[slot]!] : column[slot]])
  return {
    ...Object.fromEntries(own),
    title: columns.title[slot],
    skills: Array.from(columns.skills.get(slot), (code) => skillNames.values[code]!.sort),
    isListed: live.has(slot),
    isFound: columns.slotOf(columns.number[slot]!) === slot,
  }
}

const step = fc.oneof(
  fc.array(jobSeed, { minLength: 1, maxLength: 5 }),
  fc.record({
    kind: fc.constantFrom('close', 'remove', 'expire', 'touch', 'rename', 'fold', 'employer', 'later'),
    at: fc.nat(1_000),
  }),
)
const steps = fc.array(step, { maxLength: 6 })

async function apply(steps: readonly (JobSeed[] | { kind: string; at: number })[]): Promise<void> {
  for (const one of steps) {
    if (!('kind' in one)) await insertJobs(board, one)
    else if (one.kind === 'later') board.clock.advance(one.at * 3_600_000)
    else {
      await board.database.inTx(async (tx) => {
        const { rows } = await sql<{ id: string }>`select id from job where state = 'active' order by id`.execute(tx)
        const id = rows[one.at % rows.length]?.id
        if (id === undefined) return
        const changes = {
          close: sql`update job set state = 'closed' where id = ${id}`,
          remove: sql`delete from job where id = ${id}`,
          expire: sql`update job set expires_at = ${board.clock.now()} where id = ${id}`,
          touch: sql`update job set application_count = application_count + 1 where id = ${id}`,
          rename: sql`update job set title_sort = title_sort || ' x', company_sort = 'other', skills_folded = '{x}'
            where id = ${id}`,
          fold: sql`update job set duplicate_of = (select min(id) from job where id <> ${id}) where id = ${id}`,
          employer: sql`update employer set name = name || 'x'`,
        }
        await changes[one.kind as 'close'].execute(tx)
      })
    }
  }
}

test('a board from a snapshot equals a board from the database, whenever jobs change', async () => {
  let loaded = 0
  await fc.assert(
    fc.asyncProperty(fc.tuple(steps, steps, steps, steps), async ([first, before, meanwhile, later]) => {
      await clear()
      await apply(first)
      const writing = await start({ snapshots: snapshotsOf() })
      await apply(before)
      await writing.current()
      expect(await writing.save()).toBe(true)
      await apply(meanwhile)
      const from = await start({ snapshots: snapshotsOf() })
      expect(logged).toEqual([LOADED])
      loaded += from.known!.size
      expect(await contentOf(from)).toEqual(await contentOf(await start()))
      await apply(later)
      expect(await contentOf(from)).toEqual(await contentOf(await start()))
    }),
    { numRuns: 25 },
  )
  expect(loaded).toBeGreaterThan(0)
})

/** Writes a snapshot of 12 jobs. */
async function write(): Promise<void> {
  await clear()
  await insertJobs(board, fc.sample(jobSeed, { numRuns: 12, seed: 1 }))
  const writing = await start({ snapshots: snapshotsOf() })
  expect(await writing.save()).toBe(true)
}

/** Expects that a snapshot is ignored, and returns the reason. */
async function ignored(options = {}): Promise<string> {
  const from = await start({ snapshots: snapshotsOf(options) })
  const [reason, ...others] = logged
  expect(others).toEqual([])
  expect(await contentOf(from)).toEqual(await contentOf(await start()))
  return reason!
}

test('a board from a snapshot with different exchange rates sorts salaries by the current rates', async () => {
  await write()
  const other = new Exchange({ ...rateTable, rates: { USD: 0.001, JPY: 0.001, SEK: 1 } }, 'USD')
  const from = await start({ snapshots: snapshotsOf() }, other)
  expect(logged).toEqual([LOADED])
  expect(await contentOf(from)).toEqual(await contentOf(await start({}, other)))
  expect(await contentOf(from)).not.toEqual(await contentOf(await start()))
})

test('a snapshot that is truncated or damaged at any byte is ignored', async () => {
  await write()
  const whole = await readFile(path)
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      await writeFile(path, whole.subarray(0, at))
      expect(await ignored()).toBe('it is not complete')
      const damaged = Buffer.from(whole)
      damaged[at]! ^= change
      await writeFile(path, damaged)
      expect(await ignored()).toMatch(/^(it is not complete|a checksum differs)$/)
    }),
    {
      numRuns: 30,
      examples: [
        [whole.length - 1, 1],
        [whole.length - 17, 255],
        [whole.length - 20, 255],
        [0, 1],
      ],
    },
  )
})

/** Changes the head of a snapshot. */
async function rewrite(change: (head: Record<string, unknown>) => object): Promise<void> {
  const whole = await readFile(path)
  const endAt = whole.length - 'board snapshot\n'.length - 8
  const listAt = endAt - whole.readUInt32LE(endAt)
  const { head, blocks } = deserialize(whole.subarray(listAt, endAt))
  const list = serialize({ head: { ...head, ...change(head) }, blocks })
  const lengths = Buffer.alloc(8)
  lengths.writeUInt32LE(list.length, 0)
  lengths.writeUInt32LE(crc32(list), 4)
  await writeFile(path, Buffer.concat([whole.subarray(0, listAt), list, lengths, whole.subarray(endAt + 8)]))
}

const positionAt = (transactions: number) => (head: Record<string, unknown>) => {
  const position = head.position as { horizon: string }
  return { position: { ...position, horizon: String(BigInt(position.horizon) + BigInt(transactions)) } }
}

test.each([
  ['other code', () => ({ code: 'other' }), 'a different version of the code wrote it'],
  ['another database', () => ({ history: 'other' }), 'the database or its server was replaced or restarted'],
  ['a later transaction', positionAt(1_000_000), 'too many transactions have ended since'],
  [
    'a transaction so old that later removals are no longer recorded',
    positionAt(-500_001),
    'too many transactions have ended since',
  ],
  ['a later time', (head) => ({ at: (head.at as number) + 1 }), 'the clock was set back'],
] as [string, (head: Record<string, unknown>) => object, string][])(
  'a snapshot of %s is ignored',
  async (_, change, reason) => {
    await write()
    await rewrite(() => ({}))
    await start({ snapshots: snapshotsOf() })
    expect(logged).toEqual([LOADED])
    await rewrite(change)
    expect(await ignored()).toBe(reason)
  },
)

test('a snapshot is ignored if many jobs have changed since, or if tables were restored', async () => {
  await write()
  await apply([
    { kind: 'touch', at: 0 },
    { kind: 'touch', at: 1 },
  ])
  // While any older transaction runs on the server, all 12 jobs count as changed, not only 2.
  await start({ snapshots: snapshotsOf({ changesMax: 12 }) })
  expect(logged).toEqual([LOADED])
  expect(await ignored({ changesMax: 1 })).toBe('too many jobs have changed since')
  await board.database.inTx((tx) => sql`truncate removed_job`.execute(tx))
  expect(await ignored()).toBe('the database or its server was replaced or restarted')
})

test('only the service account may read a snapshot, which contains neither descriptions nor jobs that left the board', async () => {
  await write()
  const writing = await start({ snapshots: snapshotsOf() })
  const [hidden] = await insertJobs(board, [
    { title: 'Hidden title', description: 'Hidden text', company: 'Hidden company', skills: ['Hidden skill'] },
  ])
  await writing.current()
  await board.database.inTx((tx) => sql`update job set state = 'closed' where id = ${hidden}`.execute(tx))
  await writing.current()
  expect(await writing.save()).toBe(true)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const text = (await readFile(path)).toString('latin1')
  const { rows } = await board.database.read((db) =>
    sql<{ description: string; title_sort: string }>`select description, title_sort from job`.execute(db),
  )
  for (const { description } of rows) expect(text).not.toContain(description)
  expect(text).not.toMatch(/hidden/i)
  expect(text).not.toContain(hidden)
  expect(rows.some(({ title_sort }) => text.includes(title_sort))).toBe(true)
})

test('a process that dies while it writes leaves the previous snapshot, and blocks other writers for ten minutes', async () => {
  await write()
  await writeFile(`${path}.new`, 'board')
  const writing = await start({ snapshots: snapshotsOf() })
  expect(logged).toEqual([LOADED])
  expect(await writing.save()).toBe(false)
  const before = new Date(Date.now() - 11 * 60_000)
  await utimes(`${path}.new`, before, before)
  expect(await writing.save()).toBe(true)
  expect(await readdir(join(path, '..'))).toEqual(['board.snapshot'])
})

test('no snapshot is written if jobs expire meanwhile, if the last snapshot is recent, or if the board is small', async () => {
  await write()
  const before = await readFile(path)
  const [id] = await insertJobs(board, [{ expires_at: new Date(board.clock.time + 3_600_000).toISOString() }])
  const snapshots = snapshotsOf()
  const writing = await start({ snapshots })
  expect(idsOn(writing.known!)).toContain(id)
  const index = writing.known!
  const save = index.save.bind(index)
  index.save = () => {
    // A reader removes the expired job while the columns are being written.
    board.clock.advance(3_600_000)
    expect(writing.now).toBe(index)
    return save()
  }
  expect(await writing.save()).toBe(false)
  expect(await readFile(path)).toEqual(before)
  expect(await readdir(join(path, '..'))).toEqual(['board.snapshot'])
  index.save = save
  for (const options of [{ everyMs: 60_000 }, { jobsMin: 100 }]) {
    expect(await (await start({ snapshots: snapshotsOf(options) })).save()).toBe(false)
  }
  expect(await writing.save()).toBe(true)
})

test('changes during a save reach the board, and the next process reads them after loading the snapshot', async () => {
  await write()
  const writing = await start({ snapshots: snapshotsOf() })
  const index = writing.known!
  const save = index.save.bind(index)
  let inserting: Promise<string[]> | undefined
  index.save = () => {
    inserting = insertJobs(board, [{}])
    return save()
  }
  expect(await writing.save()).toBe(true)
  const [id] = await inserting!
  expect(idsOn(await writing.current())).toContain(id)
  const from = await start({ snapshots: snapshotsOf() })
  expect(logged).toEqual([LOADED])
  expect(idsOn(from.known!)).toContain(id)
})
