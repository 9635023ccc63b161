/** Creates, compares and describes the indexes of the search engine. */
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import type { Database } from '../db/database.ts'
import { counted } from '../lib/counted.ts'
import type { Clock } from '../lib/time.ts'
import { Engine, EngineUnavailable } from '../search/engine/engine.ts'
import { FilledElsewhere, Follower } from '../search/engine/follower.ts'
import {
  countIndexLag,
  countRefusals,
  findHistory,
  findLastNumber,
  type IndexRow,
  listIndexes,
  listRefusals,
} from '../search/engine/queries.ts'
import { compareSample, compareVersions, type Difference, findDoubtful } from '../search/engine/verify.ts'
import { countDocuments } from '../search/engine/writes.ts'
import { EXIT_TRY_AGAIN, UsageError, withDatabase } from './run.ts'

export interface SearchParts {
  database: Database
  clock: Clock
  engine: Engine
  follower: Follower
}

const PROGRESS_MS = 5_000
/** Maximum time that a comparison waits for the index to catch up, in milliseconds. */
const SETTLE_MS = 60_000
const SHOWN_MAX = 20
const LAG_MAX = 100_000

function withEngine(work: (parts: SearchParts) => Promise<boolean>): Promise<void> {
  return withDatabase(async (database, config, clock) => {
    if (!config.engine) throw new UsageError('SEARCH_URL is not set: lists come from memory.')
    const engine = new Engine(config.engine)
    const log = pino({ level: 'warn' }, pino.destination(2))
    try {
      const isFine = await work({ database, clock, engine, follower: new Follower({ database, clock, engine, log }) })
      if (!isFine) process.exitCode = 1
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error
      console.error(describe(error))
      process.exitCode = EXIT_TRY_AGAIN
    } finally {
      await engine.close()
    }
  })
}

const describe = ({ cause }: EngineUnavailable) => `The search engine is unavailable: ${(cause as Error).message}`

interface ReindexOptions {
  /** Maximum number of jobs per second. Default: no limit. */
  pace?: number
  onProgress?: (row: IndexRow) => void
  /** Receives the error before each pause. */
  onUnavailable?: (error: EngineUnavailable) => void
  patience?: typeof patience
}

/**
 * Limits of retries while the engine is unavailable: an overloaded engine refuses writes until it has freed memory.
 * `tries` is the maximum number of attempts without progress.
 */
const patience = { tries: 12, pauseMs: 5_000 }

/**
 * Fills a new index, or resumes filling an unfinished one. Then switches lists to this index, and returns its name.
 * Retries while the engine is unavailable (see `patience`).
 */
export async function reindex(
  { database, follower }: SearchParts,
  {
    pace = Number.POSITIVE_INFINITY,
    onProgress,
    onUnavailable,
    patience: { tries, pauseMs } = patience,
  }: ReindexOptions = {},
): Promise<string> {
  await follower.begin()
  for (let left = tries; ; ) {
    const row = (await database.read(listIndexes)).find(({ filled_to }) => filled_to !== null)
    if (!row) throw new UsageError('Another process has filled the index.')
    const startedAt = performance.now()
    let filled = 0
    try {
      // Creates the index, or follows it again after a restart of the database. Forgets the index if it cannot be
      // followed.
      await follower.follow(row)
      const isForgotten = !(await database.read(listIndexes)).some(({ name }) => name === row.name)
      if (isForgotten) {
        await follower.begin()
        continue
      }
      const isFilled = await follower.fill(row.name, async (now, jobs) => {
        left = tries
        filled += jobs
        onProgress?.(now)
        const ahead = (filled / pace) * 1_000 - (performance.now() - startedAt)
        if (ahead > 0) await pause(ahead)
        return false
      })
      if (isFilled) return row.name
    } catch (error) {
      if (error instanceof EngineUnavailable && --left > 0) {
        onUnavailable?.(error)
        await pause(pauseMs)
        continue
      }
      const epoch = (await database.read(listIndexes)).find(({ name }) => name === row.name)?.epoch
      // If the database was restarted, the next round resumes the fill.
      if (!(error instanceof FilledElsewhere) || epoch === row.epoch) throw error
    }
  }
}

export async function runReindex({ pace }: { pace?: string }): Promise<void> {
  if (pace !== undefined && !/^[1-9]\d{0,6}$/.test(pace))
    throw new UsageError('--pace must be a whole number of jobs per second from 1 to 9999999.')
  await withEngine(async (parts) => {
    const last = await parts.database.read(findLastNumber)
    const startedAt = performance.now()
    let [shownAt, begun] = [startedAt, -1]
    const name = await reindex(parts, {
      ...(pace !== undefined && { pace: Number(pace) }),
      onUnavailable: (error) => console.error(`${describe(error)}. Trying again.`),
      onProgress({ filled_to }) {
        if (begun < 0) begun = filled_to!
        if (performance.now() - shownAt < PROGRESS_MS) return
        shownAt = performance.now()
        const perSecond = Math.round((filled_to! - begun) / ((shownAt - startedAt) / 1_000))
        console.error(
          `Job ${filled_to} of ${last} (${Math.floor((filled_to! / last) * 100)}%), ${perSecond} per second`,
        )
      },
    }).catch((error) => {
      if (!(error instanceof FilledElsewhere)) throw error
      throw new UsageError('Another process is filling the index. search status shows its progress.')
    })
    console.log(`Lists use ${name}. Any previous index is deleted within two minutes.`)
    return true
  })
}

/**
 * Compares the current index with the database, after the index has caught up or `SETTLE_MS` has passed. Returns the
 * differences, or undefined if no index is complete. With `isRepaired`, writes the differing documents again.
 */
export async function verify(
  parts: SearchParts,
  { sample = 0, isRepaired = false } = {},
): Promise<{ name: string; compared: number; documents: number; differences: Difference[] } | undefined> {
  const { database } = parts
  const row = await settled(parts)
  if (!row) return undefined
  const doubtful: number[] = []
  let [compared, documents] = [0, 0]
  for await (const range of findDoubtful(parts, row.name)) {
    compared += range.compared
    documents += range.documents
    doubtful.push(...range.numbers)
  }
  const after = doubtful.length > 0 ? await settled(parts) : row
  if (after?.name !== row.name) throw new UsageError('Lists use another index now. Try again.')
  const differences = await compareVersions(parts, after, doubtful)
  differences.push(...(await compareSample(parts, row.name, sample)))
  if (isRepaired && differences.length > 0) {
    const numbers = differences.map(({ number }) => number).sort((a, b) => a - b)
    const { server } = await database.read(findHistory)
    await parts.follower.rewrite(after, server, async (from) =>
      numbers
        .filter((number) => number > from)
        .slice(0, 500)
        .map((number) => ({ number })),
    )
  }
  return { name: row.name, compared, documents, differences }
}

/** Waits until the current index contains all transactions that have already ended, for at most `SETTLE_MS`. */
async function settled({ database, follower }: SearchParts): Promise<IndexRow | undefined> {
  const { end } = await database.read(findHistory)
  for (const until = performance.now() + SETTLE_MS; ; await pause(100)) {
    const row = (await database.read(listIndexes)).find(({ is_current }) => is_current)
    if (!row || BigInt(row.horizon) >= BigInt(end) || performance.now() > until) return row
    await follower.follow(row)
  }
}

export async function runVerify({ sample, repair }: { sample: string; repair?: boolean }): Promise<void> {
  if (!/^\d{1,6}$/.test(sample)) throw new UsageError('--sample must be a whole number of jobs from 0 to 999999.')
  await withEngine(async (parts) => {
    const found = await verify(parts, { sample: Number(sample), isRepaired: repair === true })
    if (!found) {
      console.log('No index is complete yet.')
      return false
    }
    const { name, compared, documents, differences } = found
    console.log(
      `${name}: ${counted(documents, 'document')}, ${counted(compared, 'job')} on the board, ${counted(differences.length, 'difference')}`,
    )
    for (const { number, text } of differences.slice(0, SHOWN_MAX)) console.log(`Job number ${number}: ${text}`)
    if (differences.length > SHOWN_MAX) console.log('…')
    if (repair && differences.length > 0)
      console.log('The differing documents were written again. Run search verify again.')
    return differences.length === 0
  })
}

/**
 * Returns a heading, then a line for each index and its first refused documents. Returns a hint if no index exists.
 */
export async function describeIndexes({ database, clock, engine }: SearchParts): Promise<string[]> {
  const rows = await database.read(listIndexes)
  const { server } = await database.read(findHistory)
  const last = await database.read(findLastNumber)
  const line = (...cells: (string | number)[]) =>
    cells
      .map((cell, n) => String(cell).padEnd(n === 0 ? 40 : 12))
      .join(' ')
      .trimEnd()
  const lines = [line('INDEX', 'STATE', 'DOCUMENTS', 'BEHIND (S)', 'CHANGES', 'REFUSED')]
  for (const row of rows) {
    const { name, filled_to, is_current, followed_at, horizon } = row
    const state = is_current ? 'current' : filled_to === null ? 'unused' : `filled ${percentOf(filled_to, last)}%`
    const documents = await countDocuments(engine, name)
    const behind = Math.max(0, (clock.now().getTime() - followed_at.getTime()) / 1_000).toFixed(1)
    const changes = await database.read((db) => countIndexLag(db, horizon, LAG_MAX))
    const refused = await database.read((db) => countRefusals(db, name))
    lines.push(line(name, row.server === server ? state : 'outdated', documents ?? 'missing', behind, changes, refused))
    for (const { number, id, reason } of await database.read((db) => listRefusals(db, name, SHOWN_MAX))) {
      lines.push(`  refused: job ${id ?? `number ${number}`}: ${reason}`)
    }
  }
  return rows.length > 0 ? lines : ['No index exists yet. Start a worker process, or run search reindex.']
}

const percentOf = (part: number, whole: number) => (whole === 0 ? 100 : Math.floor((part / whole) * 100))

export const runSearchStatus = (): Promise<void> =>
  withEngine(async (parts) => {
    for (const line of await describeIndexes(parts)) console.log(line)
    return true
  })
