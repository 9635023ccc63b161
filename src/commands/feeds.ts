/** `feeds` and `import <format>`: manage and run feeds on the database, without a running service. */
import { resolve } from 'node:path'
import type { Database } from '../db/database.ts'
import { commandLineActor } from '../features/accounts/index.ts'
import {
  approveRun,
  BadDocument,
  createDocumentRun,
  createFeed,
  createRun,
  ensureImportFeed,
  FetchFailure,
  type FormatName,
  fetchDocument,
  listAllFeeds,
  Pace,
  presentFeed,
  presentRun,
  type RunnerDeps,
  type RunRow,
  runNext,
  storeDocument,
  TooLarge,
} from '../features/feeds/index.ts'
import { providers } from '../features/payments/index.ts'
import { CONNECT_MS, Connections, createGuard, withUrlFaults } from '../features/webhooks/index.ts'
import { counted } from '../lib/counted.ts'
import { AppError } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import type { Clock } from '../lib/time.ts'
import type { Config } from '../main/config.ts'
import { readBytes } from './lines.ts'
import { settingsOf, showProgress, UsageError, withDatabase } from './run.ts'

/** Maximum length of a feed's name, in characters. */
const NAME_LENGTH_MAX = 200

const actor = { ...commandLineActor, kind: 'admin' as const }

type Work = (deps: RunnerDeps & { database: Database; clock: Clock }) => Promise<void>

const withFeeds = (work: Work) =>
  withDatabase((database, config, clock) => work({ ...depsOf(config), database, clock })).catch(explain)

function depsOf(config: Config): Omit<RunnerDeps, 'database' | 'clock'> {
  const guard = createGuard({ allowCidrs: config.webhookAllowCidrs, allowPorts: config.webhookAllowPorts })
  const connections = new Connections({ guard, ca: config.webhookCa, connectMs: CONNECT_MS })
  return {
    settings: settingsOf(config),
    fetching: { guard, connections, pace: new Pace() },
    isFree: providers[config.payments].isFree,
  }
}

/** Rethrows an error; refusals become usage errors. */
function explain(error: unknown): never {
  showProgress('')
  const isFetching = error instanceof TooLarge || error instanceof FetchFailure || error instanceof BadDocument
  if (isFetching) throw new UsageError(error.message)
  if (!(error instanceof AppError) || error.status >= 500) throw error
  throw new UsageError(error.code === 'not_found' ? 'No feed or run has this ID.' : error.message)
}

/** Prints every feed as one JSON object per line. */
export const runFeedList = () =>
  withFeeds(async ({ database }) => {
    for (const feed of await database.read(listAllFeeds)) console.log(JSON.stringify(presentFeed(feed)))
  })

interface FeedOptions {
  name: string
  url?: string
  board?: string
  employer?: string
  company?: string
  every?: string
  closeAfter?: string
  prepaid?: true
}

export const runFeedAdd = (format: FormatName, options: FeedOptions) =>
  withFeeds(async ({ database, clock, fetching }) => {
    const { name, url, board, employer, company, every, closeAfter, prepaid } = options
    const body = {
      ...{ name, format },
      ...(url !== undefined && { url }),
      ...(board !== undefined && { board }),
      ...(employer !== undefined && { employer_id: employer }),
      ...(company !== undefined && { company }),
      ...(every !== undefined && { every_minutes: wholeNumber('--every', every, 15, 10_080) }),
      ...(closeAfter !== undefined && { close_after_hours: wholeNumber('--close-after', closeAfter, 0, 720) }),
      ...(prepaid && { is_prepaid: true }),
    }
    const guard = { checkUrl: fetching.guard.checkUrl, checkHost: async () => undefined }
    const faults = await withUrlFaults(guard, body, [])
    const feed = await database.inTx((tx) => createFeed(tx, { actor, body, faults, now: clock.now() }))
    console.log(JSON.stringify(presentFeed(feed)))
  })

export const runFeedRun = (id: string, { dryRun = false }: { dryRun?: boolean }) =>
  withFeeds(async (deps) => {
    const run = await deps.database.inTx((tx) => createRun(tx, { actor, id, dryRun, now: deps.clock.now() }))
    await finish(deps, run)
  })

export const runFeedApprove = (id: string, runId: string) =>
  withFeeds(async (deps) => {
    const params = { id, run_id: runId }
    const run = await deps.database.inTx((tx) => approveRun(tx, { actor, params, now: deps.clock.now() }))
    await finish(deps, run)
  })

interface ImportOptions {
  dryRun?: boolean
  company?: string
  closeAfter?: string
}

/**
 * Imports a file, or the document at a URL, into a feed that does not run automatically. The feed is named after the
 * source, so importing the source again updates or closes the jobs of the earlier import.
 */
export const runImportFeed = (format: FormatName, source: string, options: ImportOptions) =>
  withFeeds(async (deps) => {
    const { database, clock, fetching } = deps
    const { dryRun = false, company = null, closeAfter = '48' } = options
    const closeAfterHours = wholeNumber('--close-after', closeAfter, 0, 720)
    const isUrl = source.startsWith('https://')
    const name = (isUrl ? source : resolve(source)).slice(-NAME_LENGTH_MAX)
    const runId = newId('feedRun')
    const store = (chunks: AsyncIterable<Uint8Array>) => storeDocument(database, runId, chunks)
    showProgress(`reading ${source}`)
    if (isUrl) await fetchDocument({ ...fetching, now: () => clock.now() }, { format, url: source }, store)
    else await store(readBytes(source))
    const run = await database.inTx(async (tx) => {
      const now = clock.now()
      const id = await ensureImportFeed(tx, { name, format, company, closeAfterHours, now })
      return createDocumentRun(tx, { actor, id, runId, dryRun, now })
    })
    await finish(deps, run)
  })

/** Executes a run and prints its report. Sets the exit code to 1 if the run failed or waits for approval. */
async function finish(deps: RunnerDeps, queued: RunRow): Promise<void> {
  showProgress('running')
  const started = performance.now()
  const run = await runNext(deps, { onlyId: queued.id })
  showProgress('')
  if (!run) {
    throw new UsageError(
      'This command cannot execute the run: another process is running this feed or a feed from the same host, or the employer is suspended or closed.',
    )
  }
  const { state, counts, problems, held_reason } = presentRun(run)
  for (const { external_id, code, detail } of problems)
    console.error(`${external_id ?? 'document'}: ${code}: ${detail}`)
  const seconds = (performance.now() - started) / 1_000
  console.log(`${counted(counts.read, 'posting')} read in ${seconds.toFixed(1)} s: ${summary(counts)}`)
  if (state === 'held') {
    console.log(`The run is held: ${held_reason}`)
    console.log(`To approve it: feeds approve ${run.feed_id} ${run.id}`)
  }
  if (state !== 'succeeded') process.exitCode = 1
}

const summary = ({ read: _, ...counts }: RunRow['counts']) =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')

function wholeNumber(option: string, text: string, min: number, max: number): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= min && number <= max) return number
  throw new UsageError(`${option} must be a whole number from ${min} to ${max}.`)
}
