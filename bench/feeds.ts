/**
 * `node bench/feeds.ts --url postgres://… [--postings 100000] [--file FILE.ndjson[.gz]]`: passes one NDJSON document twice
 * through the same feed of an empty database, and prints the rates of both passes, the report, and how far the resident
 * memory rises above that of the idle process. Postings are short, because a document has at most 64 MiB.
 */
import { createReadStream } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { pipeline, Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createGunzip } from 'node:zlib'
import { openDatabase } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { commandLineActor } from '../src/features/accounts/index.ts'
import {
  createDocumentRun,
  ensureImportFeed,
  Pace,
  type RunnerDeps,
  runNext,
  storeDocument,
} from '../src/features/feeds/index.ts'
import { Connections, createGuard } from '../src/features/webhooks/index.ts'
import { newId } from '../src/lib/ids.ts'
import { makeJob } from './make-jobs.ts'

const { values: options } = parseArgs({
  options: {
    url: { type: 'string' },
    postings: { type: 'string', default: '100000' },
    /** Real postings instead of generated ones. */
    file: { type: 'string' },
  },
})
if (options.url === undefined) {
  console.error('Usage: node bench/feeds.ts --url postgres://… [--postings 100000] [--file FILE.ndjson[.gz]]')
  process.exit(2)
}
const MIB = 1_048_576
const TEXT_LENGTH = 150

function lineOf(index: number): string {
  const {
    requirements: _,
    benefits: _b,
    company_logo_url: _l,
    company_website: _w,
    description = '',
    ...job
  } = makeJob(index)
  return `${JSON.stringify({ ...job, description: description!.slice(0, TEXT_LENGTH) })}\n`
}

function* generated(count: number): Generator<Buffer> {
  for (let from = 0; from < count; from += 100) {
    yield Buffer.from(Array.from({ length: Math.min(100, count - from) }, (_, n) => lineOf(from + n)).join(''))
  }
}

function documentOf(): AsyncIterable<Buffer> {
  if (options.file === undefined) return Readable.from(generated(Number(options.postings)))
  const bytes = createReadStream(options.file)
  return options.file.endsWith('.gz') ? (pipeline(bytes, createGunzip(), () => {}) as AsyncIterable<Buffer>) : bytes
}

const database = await openDatabase({ url: options.url })
await migrate(database)
const guard = createGuard({ allowCidrs: [], allowPorts: [] })
const deps: RunnerDeps = {
  database,
  clock: { now: () => new Date() },
  settings: { origin: 'https://board.example', defaultCurrency: 'EUR' },
  fetching: { guard, connections: new Connections({ guard, ca: undefined, connectMs: 1_000 }), pace: new Pace() },
  isFree: true,
}

/** Passes the document through the feed. */
async function pass(name: string): Promise<void> {
  await setTimeout(2_000)
  globalThis.gc?.()
  const idle = process.memoryUsage.rss()
  let highest = idle
  const sampling = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss())
  }, 250)
  const runId = newId('feedRun')
  const storing = performance.now()
  await storeDocument(database, runId, documentOf())
  const now = new Date()
  const run = await database.inTx(async (tx) => {
    const feed = { name: 'bench', format: 'ndjson' as const, company: null, closeAfterHours: 48, now }
    const id = await ensureImportFeed(tx, feed)
    return createDocumentRun(tx, { actor: { ...commandLineActor, kind: 'admin' }, id, runId, dryRun: false, now })
  })
  const running = performance.now()
  const ended = (await runNext(deps, { onlyId: run.id }))!
  const seconds = (performance.now() - running) / 1_000
  clearInterval(sampling)
  const { counts, problems, state } = ended
  console.log(
    `${name}: ${state}, ${Math.round(counts.read / seconds)} rows/s, ${seconds.toFixed(1)} s after storing the document in ` +
      `${((running - storing) / 1_000).toFixed(1)} s; memory ${Math.round((highest - idle) / MIB)} MiB above ` +
      `${Math.round(idle / MIB)} MiB; load ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} cores`,
  )
  console.log(`  ${JSON.stringify(counts)}`)
  const byCode = Map.groupBy(problems, ({ code }) => code)
  for (const [code, of] of byCode)
    console.log(`  ${code}, ${of.length} of the first ${problems.length}: ${of[0]!.detail}`)
}

await pass('first pass')
await pass('unchanged pass')
await database.close()
