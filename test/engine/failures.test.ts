/** While nodes of the search engine fail, lists are complete or unavailable, and never partial. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { SearchReads } from '../../src/db/search-reads.ts'
import { BoardLists } from '../../src/features/board/index.ts'
import { jobList } from '../../src/features/jobs/index.ts'
import { AppError } from '../../src/lib/errors.ts'
import { parseListQuery } from '../../src/lists/query.ts'
import { type EngineBase, engineBase } from '../../src/search/engine/base.ts'
import type { indexDefinition } from '../../src/search/engine/documents.ts'
import { Engine, type EngineRequest } from '../../src/search/engine/engine.ts'
import { EngineJobs } from '../../src/search/engine/engine-jobs.ts'
import { Follower } from '../../src/search/engine/follower.ts'
import { Board } from '../../src/search/memory/board.ts'
import { useBoard } from '../support/board.ts'
import { insertJobs } from '../support/jobs.ts'
import { type OpenSearch, startOpenSearch } from '../support/open-search.ts'

/** An engine that creates indexes with three shards, so that a response can be partial. */
class ShardedEngine extends Engine {
  override write<T>(request: EngineRequest): Promise<T> {
    if (request.method === 'PUT') (request.body as ReturnType<typeof indexDefinition>).settings.number_of_shards = 3
    return super.write(request)
  }
}

const JOBS = 60
/** Timeout and interval in milliseconds. A cluster on a busy machine recovers from a failed node within this time. */
const patiently = { timeout: 60_000, interval: 200 }

// The tests stop nodes, so they need a cluster of their own.
describe.skipIf(!inject('searchUrl') || process.env.TEST_SEARCH_URL)('with three nodes', () => {
  const board = useBoard()
  const cursorSecret = new Uint8Array(32)
  let cluster: OpenSearch
  let engine: Engine
  let lists: BoardLists

  /** Returns the total of a list and the number of its jobs, or the error status and whether Retry-After is set. */
  async function list(search = ''): Promise<object> {
    const { query } = parseListQuery(jobList, { limit: '100', ...(search && { search }) }, cursorSecret)
    try {
      const { data, meta } = JSON.parse((await lists.answer('/v1/jobs', query, 'cand_a')).body.toString())
      return { total: meta.pagination.total, jobs: data.length }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { status: error.status, hasPause: Number(error.options.headers?.['retry-after']) > 0 }
    }
  }
  let complete = { total: JOBS, jobs: JOBS }
  const unavailable = { status: 503, hasPause: true }
  const expectNoPart = async () => expect([complete, unavailable]).toContainEqual(await list())

  beforeAll(async () => {
    const started = await startOpenSearch({ nodes: 3 })
    if ('missing' in started) throw new Error(started.missing)
    cluster = started
    engine = new ShardedEngine({ urls: cluster.urls.map((url) => new URL(url)), index: 'failures' })
    const { database, clock, service } = board
    const searches = new SearchReads(database, undefined, service.budgets)
    const overlay = new Board<EngineBase>(database, clock, { base: engineBase(engine, { keptMs: 0 }) })
    const jobs = new EngineJobs({ database, searches, board: overlay, engine, clock })
    lists = new BoardLists({
      ...{ database, searches, jobs, clock, origin: 'https://board.example' },
      board: overlay as Board,
    })
    await insertJobs(
      board,
      Array.from({ length: JOBS }, (_, n) => ({ title: `Welder ${n}` })),
    )
    const follower = new Follower({ database, clock, engine, log: { info() {}, warn() {} } })
    await follower.begin()
    while ((await follower.once()) === 'more');
    await fetch(`${cluster.urls[0]}/_cluster/health?wait_for_status=green&timeout=60s`)
  })
  afterAll(async () => {
    await engine?.close()
    await cluster?.stopAll()
  })

  test('after the loss of a node, lists are never partial, and are soon complete again', async () => {
    expect(await list()).toEqual(complete)
    expect(await list('welder')).toEqual(complete)
    await cluster.kill(2)
    for (let n = 0; n < 20; n++) await expectNoPart()
    await expect.poll(() => list(), patiently).toEqual(complete)
    expect(await list('welder')).toEqual(complete)
    await insertJobs(board, [{ title: 'Welder of the night' }])
    complete = { total: JOBS + 1, jobs: JOBS + 1 }
    expect(await list('welder')).toEqual(complete)
  })

  test('while a node does not respond, lists are complete or unavailable', async () => {
    process.kill(cluster.pids[1]!, 'SIGSTOP')
    try {
      await expectNoPart()
    } finally {
      process.kill(cluster.pids[1]!, 'SIGCONT')
    }
    await expect.poll(() => list(), patiently).toEqual(complete)
  })

  test('without two of three nodes, lists are complete or unavailable', async () => {
    await cluster.kill(1)
    await cluster.kill(2)
    for (let n = 0; n < 20; n++) await expectNoPart()
  })
})
