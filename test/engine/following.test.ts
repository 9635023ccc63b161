/** The indexes of the search engine match the database again after any failure. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { judgeEngine } from '../../src/commands/doctor.ts'
import { describeIndexes, reindex, type SearchParts, verify } from '../../src/commands/search.ts'
import { Engine, type EngineRequest, EngineUnavailable } from '../../src/search/engine/engine.ts'
import { Follower } from '../../src/search/engine/follower.ts'
import { findCurrentIndex, type IndexRow, listIndexes, listRefusals } from '../../src/search/engine/queries.ts'
import { hasIndex, writeDocuments } from '../../src/search/engine/writes.ts'
import { ADMIN_KEY, Board, expectStatus } from '../support/board.ts'
import { insertJobs, removeJobs } from '../support/jobs.ts'
import { awaitEarlierTransactions } from '../support/search-index.ts'
import { runTask } from '../support/tasks.ts'

const searchUrl = inject('searchUrl')
const INDEX = `following-${process.pid}`

/** An engine whose writes to matching paths fail, either before or after they take effect. */
class FailingEngine extends Engine {
  fails: { path: RegExp; isDone: boolean } | undefined
  override async write<T>(request: EngineRequest): Promise<T> {
    if (!this.fails?.path.test(request.path)) return super.write(request)
    const { isDone } = this.fails
    if (isDone) await super.write(request)
    throw new EngineUnavailable(new Error(`${request.path} failed`))
  }
}

describe.skipIf(!searchUrl)('the follower', () => {
  const board = new Board()
  const log = { info() {}, warn() {} }
  let engine: FailingEngine
  let parts: SearchParts

  const newFollower = () => new Follower({ database: board.database, clock: board.clock, engine, log })
  /** Advances the clock, and runs the follower until it has caught up. */
  const follow = async (follower = newFollower()) => {
    // Lets the lease of another follower end.
    board.clock.advance(20_000)
    await awaitEarlierTransactions(board.database)
    while ((await follower.once()) === 'more');
  }
  const differences = async () => (await verify(parts, { sample: 10_000 }))!.differences
  const current = async () => (await board.database.read(findCurrentIndex))!
  const indexed = async (name?: string) => {
    const query = { bool: { must_not: [{ exists: { field: 'gone_at' } }] } }
    const path = `/${name ?? (await current()).name}/_search`
    interface Answer {
      hits: { hits: { fields: { id: string[] } }[] }
    }
    const body = { query, size: 10_000, docvalue_fields: ['id'], stored_fields: '_none_' }
    const { hits } = await engine.read<Answer>({ method: 'POST', path, body })
    return hits.hits.map(({ fields }) => fields.id[0]!).sort()
  }

  beforeAll(async () => {
    await board.start()
    engine = new FailingEngine({ urls: [new URL(searchUrl!)], index: INDEX })
    parts = { database: board.database, clock: board.clock, engine, follower: newFollower() }
  })
  afterAll(async () => {
    await engine.write({ method: 'DELETE', path: `/${INDEX}-*` })
    await engine.close()
    await board.stop()
  })

  test('creates and fills an index, and follows insertions, changes, removals, closures and suspensions', async () => {
    const ids = await insertJobs(board, [{ title: 'A' }, { title: 'B', location: 'Turin, Italy' }, { title: 'C' }])
    await follow()
    expect(await indexed()).toEqual([...ids].sort())
    const employer = await board.employer()
    const job = await board.activeJob(employer)
    const before = await current()
    await removeJobs(board, [ids[0]!])
    await board.database.inTx((tx) => sql`update job set title_sort = 'bb' where id = ${ids[1]!}`.execute(tx))
    await board.database.inTx((tx) => sql`update job set state = 'closed' where id = ${ids[2]!}`.execute(tx))
    await follow()
    expect(await indexed()).toEqual([ids[1]!, job.id].sort())
    const after = await current()
    expect(Number(after.edition)).toBeGreaterThan(before.edition)
    expect(Number(after.horizon)).toBeGreaterThan(Number(before.horizon))
    expectStatus(await board.post(`/v1/admin/accounts/${employer.id}/suspend`, ADMIN_KEY, { reason: 'Check' }), 200)
    await follow()
    expect(await indexed()).toEqual([ids[1]])
    expectStatus(await board.post(`/v1/admin/accounts/${employer.id}/resume`, ADMIN_KEY, {}), 200)
    await follow()
    expect(await indexed()).toEqual([ids[1]!, job.id].sort())
    expect(await differences()).toEqual([])
  })

  test('does not raise the edition if no document changes', async () => {
    await follow()
    const before = await current()
    await board.database.inTx((tx) => sql`select pg_current_xact_id()`.execute(tx))
    await follow()
    const after = await current()
    expect(after.edition).toBe(before.edition)
    expect(Number(after.horizon)).toBeGreaterThan(Number(before.horizon))
  })

  test.each([
    ['before writing the documents', /_bulk$/, false],
    ['after writing the documents', /_bulk$/, true],
    ['before the refresh', /_refresh$/, false],
    ['after the refresh', /_refresh$/, true],
  ] as const)('repeats a round that failed %s', async (_when, path, isDone) => {
    const [id] = await insertJobs(board, [{ title: 'Interrupted' }])
    const before = await current()
    engine.fails = { path, isDone }
    await expect(follow()).rejects.toMatchObject({ code: 'unavailable' })
    engine.fails = undefined
    expect((await current()).horizon).toBe(before.horizon)
    await follow()
    expect(await indexed()).toContain(id)
    expect(await differences()).toEqual([])
  })

  test('keeps the index correct beside a second follower', async () => {
    const ids = await insertJobs(
      board,
      Array.from({ length: 30 }, (_, n) => ({ title: `Job ${n}` })),
    )
    const [one, two] = [newFollower(), newFollower()]
    const change = async (id: string) => {
      await board.database.inTx((tx) => sql`update job set is_featured = not is_featured where id = ${id}`.execute(tx))
      board.clock.advance(20_000)
      await Promise.all([one.once(), two.once()])
    }
    for (const id of ids) await change(id)
    await removeJobs(board, ids.slice(0, 10))
    await Promise.all([follow(one), follow(two)])
    expect(await differences()).toEqual([])
  })

  test('a late write of an older version has no effect, even on a removed job', async () => {
    const [kept, removed] = await insertJobs(board, [{ title: 'Kept' }, { title: 'Removed' }])
    await follow()
    const { name } = await current()
    const row = (await board.database.read(listIndexes)).find((index) => index.name === name)!
    const held: EngineRequest[] = []
    const send = engine.write.bind(engine)
    engine.write = async <T>(request: EngineRequest): Promise<T> => {
      if (/_bulk$/.test(request.path)) held.push(request)
      return send<T>(request)
    }
    await board.database.inTx((tx) =>
      sql`update job set title_sort = 'x' where id in (${kept}, ${removed})`.execute(tx),
    )
    await follow()
    engine.write = send
    await board.database.inTx((tx) => sql`update job set title_sort = 'y' where id = ${kept}`.execute(tx))
    await removeJobs(board, [removed!])
    await follow()
    // One request contains the documents, and the other the marker.
    expect(held.length).toBe(2)
    for (const request of held) await send(request)
    await send({ method: 'POST', path: `/${row.name}/_refresh` })
    expect(await differences()).toEqual([])
  })

  test('a refused document affects no other document, and is retried after its job has changed', async () => {
    const [good, bad] = await insertJobs(board, [{ title: 'Good' }, { title: 'Bad' }])
    await follow()
    expect(await indexed()).toContain(bad)
    const setPlaces = (places: string) =>
      board.database.inTx((tx) =>
        sql`update job set places = ${places}::double precision[] where id = ${bad}`.execute(tx),
      )
    await board.database.inTx((tx) => sql`update job set is_featured = true where id = ${good}`.execute(tx))
    await setPlaces('{900,900}')
    await follow()
    const { name } = await current()
    expect(await board.database.read((db) => listRefusals(db, name, 10))).toMatchObject([{ id: bad }])
    expect((await describeIndexes(parts)).join('\n')).toContain(`refused: job ${bad}: `)
    expect(await indexed()).not.toContain(bad)
    expect((await differences()).map(({ text }) => text)).toEqual(['no document'])
    await setPlaces('{45,7}')
    await follow()
    expect(await board.database.read((db) => listRefusals(db, name, 10))).toEqual([])
    expect(await differences()).toEqual([])
  })

  test('refuses to write documents with fields that the index of an earlier release lacks', async () => {
    const [row] = await board.database.read(listIndexes)
    const writes = [{ number: 1, xid: 1, document: { number: 1, field_of_tomorrow: 1 } }]
    await expect(writeDocuments(engine, row!, writes, board.clock.now())).rejects.toThrow('Run search reindex')
  })

  test('fills a new index in batches, misses no concurrent write, and switches to the new index', async () => {
    const before = await current()
    const ids = await insertJobs(
      board,
      Array.from({ length: 1_300 }, (_, n) => ({ title: `Filled ${n}` })),
    )
    await follow()
    let batches = 0
    const interrupted = reindex(parts, {
      onProgress() {
        if (++batches === 1) throw new Error('killed')
      },
    })
    await expect(interrupted).rejects.toThrow('killed')
    const [filling] = (await board.database.read(listIndexes)).filter(({ filled_to }) => filled_to !== null)
    expect(filling!.filled_to).toBeGreaterThan(0)
    expect((await describeIndexes(parts)).join('\n')).toMatch(/filled \d+%/)
    const writes: Promise<unknown>[] = []
    const at: (number | null)[] = []
    const name = await reindex(parts, {
      onProgress({ filled_to }: IndexRow) {
        at.push(filled_to)
        const [changed, removed] = [ids[at.length * 7]!, ids[1_299 - at.length]!]
        writes.push(
          board.database.inTx((tx) => sql`update job set title_sort = 'changed' where id = ${changed}`.execute(tx)),
          removeJobs(board, [removed]),
          insertJobs(board, [{ title: 'New meanwhile' }]),
        )
      },
    })
    await Promise.all(writes)
    expect(name).toBe(filling!.name)
    expect(at[0]).toBeGreaterThan(filling!.filled_to!)
    await follow()
    expect(await current()).toMatchObject({ name })
    expect(name).not.toBe(before.name)
    expect(await differences()).toEqual([])
    board.clock.advance(120_000)
    await follow()
    expect(await hasIndex(engine, before.name)).toBe(false)
    expect(await board.database.read(listIndexes)).toHaveLength(1)
    // Keeps the next tests fast, because they compare all jobs.
    await removeJobs(board)
  })

  test('fills another index if the engine has lost the one that was being filled', async () => {
    await insertJobs(board, [{ title: 'Filled twice' }])
    const interrupted = reindex(parts, {
      onProgress() {
        throw new Error('killed')
      },
    })
    await expect(interrupted).rejects.toThrow('killed')
    const [filling] = (await board.database.read(listIndexes)).filter(({ filled_to }) => filled_to !== null)
    await engine.write({ method: 'DELETE', path: `/${filling!.name}` })
    board.clock.advance(1_000)
    const name = await reindex({ ...parts, follower: newFollower() })
    expect(name).not.toBe(filling!.name)
    expect(await hasIndex(engine, name)).toBe(true)
    await follow()
    expect(await current()).toMatchObject({ name })
    expect(await differences()).toEqual([])
  })

  test('retries a limited number of times while the engine refuses writes', async () => {
    // A fill reads 500 jobs at a time, so the engine refuses the second of two writes.
    await insertJobs(
      board,
      Array.from({ length: 501 }, (_, n) => ({ title: `Refused ${n}` })),
    )
    const before = (await current()).name
    const patience = { tries: 3, pauseMs: 1 }
    let pauses = 0
    const refuse = () => {
      engine.fails = { path: /_bulk$/, isDone: false }
    }
    const forever = reindex(parts, { patience, onProgress: refuse, onUnavailable: () => pauses++ })
    await expect(forever).rejects.toBeInstanceOf(EngineUnavailable)
    expect([pauses, (await current()).name]).toEqual([2, before])
    const name = await reindex(parts, {
      patience,
      onUnavailable() {
        engine.fails = undefined
      },
    })
    await follow()
    expect(await current()).toMatchObject({ name })
    expect(name).not.toBe(before)
    expect(await differences()).toEqual([])
  })

  test('verify finds and repairs missing, superfluous and outdated documents, and documents with wrong values', async () => {
    // Keeps this test fast, because each comparison searches for every job twice.
    await removeJobs(board)
    const [a, b, c, d] = await insertJobs(board, [{ title: 'A' }, { title: 'B' }, { title: 'C' }, { title: 'D' }])
    await follow()
    const { name } = await current()
    const rows = await board.database.read((db) =>
      db.selectFrom('job').select(['id', 'number']).where('id', 'in', [a!, b!, c!, d!]).execute(),
    )
    const numberOf = (id: string | undefined) => rows.find((row) => row.id === id)!.number
    // The trigger does not see these changes, so the follower does not either.
    await board.database.inTx(async (tx) => {
      await sql`alter table job disable trigger user`.execute(tx)
      await sql`update job set state = 'closed' where id = ${b}`.execute(tx)
      await sql`update job set changed_xid = '3' where id = ${c}`.execute(tx)
      await sql`update job set category = 'design' where id = ${d}`.execute(tx)
      await sql`alter table job enable trigger user`.execute(tx)
    })
    await engine.write({ method: 'DELETE', path: `/${name}/_doc/${numberOf(a)}`, querystring: { refresh: true } })
    const found = new Map((await differences()).map(({ number, text }) => [number, text]))
    expect(found).toEqual(
      new Map([
        [numberOf(a), 'no document'],
        [numberOf(b), 'not on the board'],
        [numberOf(c), 'another version'],
        [numberOf(d), 'different values for category'],
      ]),
    )
    await verify(parts, { sample: 10_000, isRepaired: true })
    expect(await differences()).toEqual([])
  })

  test('continues after a restart or failover that lost transactions and reuses their IDs', async () => {
    // Other databases on the server can use transaction IDs at any time.
    const { horizon } = await current()
    const [lost, kept] = await insertJobs(board, [{ title: 'Lost' }, { title: 'Kept' }])
    await follow()
    const before = await current()
    await board.database.inTx((tx) => sql`update job set title_sort = 'lost' where id = ${kept}`.execute(tx))
    await follow()
    const row = (await board.database.read(listIndexes))[0]!
    // The new server has neither the last transaction nor the position after it.
    await board.database.inTx(async (tx) => {
      await sql`alter table job disable trigger user`.execute(tx)
      await sql`update job set title_sort = 'kept', changed_xid = '3' where id = ${kept}`.execute(tx)
      await sql`delete from job where id = ${lost}`.execute(tx)
      await sql`alter table job enable trigger user`.execute(tx)
      await sql`update search_index set server = server || ' before', horizon = ${horizon}::xid8`.execute(tx)
    })
    expect(await board.database.read(findCurrentIndex)).toBeUndefined()
    await follow()
    expect(await current()).toMatchObject({ name: before.name })
    expect((await board.database.read(listIndexes))[0]!.epoch).toBe(row.epoch + 1)
    expect(await differences()).toEqual([])
  })

  test('builds a new index for another database, or if somebody deleted the index', async () => {
    const { name } = await current()
    await board.database.inTx((tx) => sql`update search_index set server = '1 2 3'`.execute(tx))
    await follow()
    const second = await current()
    expect(second.name).not.toBe(name)
    expect(await hasIndex(engine, name)).toBe(true)
    await engine.write({ method: 'DELETE', path: `/${second.name}` })
    await insertJobs(board, [{ title: 'After the deletion' }])
    await follow()
    expect((await current()).name).not.toBe(second.name)
    expect(await hasIndex(engine, second.name)).toBe(false)
    expect(await differences()).toEqual([])
  })
})

describe.skipIf(!searchUrl)('a board with a search engine', () => {
  const board = new Board()
  const index = `${INDEX}-board`
  beforeAll(() => board.start({ SEARCH_URL: searchUrl!, SEARCH_INDEX: index }))
  afterAll(async () => {
    await fetch(`${searchUrl}/${index}-*`, { method: 'DELETE' })
    await board.service.close()
    await board.stop()
  })

  test('is ready once a worker has filled an index, and reports the state of the index to the metrics and to the doctor', async () => {
    const metrics = async () => (await board.get('/metrics', ADMIN_KEY)).text
    await insertJobs(board, [{ title: 'First' }])
    expectStatus(await board.get('/readyz'), 503)
    expect(await metrics()).toContain('search_index_age_seconds Nan')
    const levels = async () => (await judgeEngine(board.config.engine!, board.database)).map(({ level }) => level)
    expect(await levels()).toEqual(['ok', 'fail'])
    await awaitEarlierTransactions(board.database)
    await runTask(board, 'search-index')
    expectStatus(await board.get('/readyz'), 200)
    expect(await metrics()).toMatch(/^search_index_age_seconds 0$/m)
    expect(await metrics()).toMatch(/^search_documents_total\{outcome="written"\} 1$/m)
    board.clock.advance(30_000)
    expect(await metrics()).toMatch(/^search_index_age_seconds 30$/m)
    expect(await levels()).toEqual(['ok', 'warn'])
  })
})
