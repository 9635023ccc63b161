/** Runs the service until it is told to stop. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { startLoop } from '../background/loop.ts'
import type { Database } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { isTestKey } from '../features/stripe/index.ts'
import { openGazetteer } from '../geo/gazetteer.ts'
import type { App } from '../http/app.ts'
import type { LineSink } from '../http/request-log.ts'
import { composeService, openConfiguredDatabase, openConfiguredReplica, originOf } from './compose.ts'
import type { Config } from './config.ts'
import { createLogger, openLog } from './log.ts'
import { type Supervisor, watchedBySystemd } from './supervisor.ts'

const parentAtStart = process.ppid

/** Requests and background work in progress get this long to finish; then they are broken off. */
const FINISH_MS = 15_000
/** The process ends at the latest after this time, counted from the end of STOP_DELAY_S. */
const STOP_MS = 20_000

/** A terminal or a supervisor may signal a whole process group, and the launcher forwards the signal once more. */
const SAME_SIGNAL_MS = 500

/** A request that waits longer for a lock, such as somebody's `lock table`, is better refused. */
const LOCK_WAIT_MAX_MS = 5_000

export interface ServeOptions {
  /** Only the HTTP server, or only the background work; both when absent. */
  only?: 'http' | 'work' | undefined
  /** Called once requests are answered, before the background work begins: on a port that is taken nothing was done. */
  onListening?: (database: Database) => Promise<void>
}

/** Starts everything; resolves with the exit code after a signal stopped it. */
export async function serve(config: Config, options: ServeOptions = {}): Promise<number> {
  const supervisor = watchedBySystemd(process.env)
  const logLines = openLog()
  const logger = createLogger(config.logLevel, logLines)
  const database = await openConfiguredDatabase(config, {
    lockWaitMaxMs: LOCK_WAIT_MAX_MS,
    onPresence: (isAway, cause) => {
      if (isAway) logger.error({ err: cause }, 'the database is away: reads are answered from memory, writes refused')
      else logger.info('the database is back')
    },
  })
  const replica = await openConfiguredReplica(config)
  try {
    const [applied] = await Promise.all([
      migrate(database, { onBlocked: (text) => logger.warn(text), onProgress: (text) => logger.info(text) }),
      openGazetteer(),
    ])
    if (applied.length > 0) logger.info({ applied }, 'migrated')
    return await serveUntilSignal(config, options, { database, replica, logger, logLines, supervisor })
  } finally {
    await Promise.all([database.close(), replica?.close()])
    logger.info('stopped')
  }
}

async function serveUntilSignal(
  config: Config,
  { only, onListening }: ServeOptions,
  parts: {
    database: Database
    replica: Database | undefined
    logger: Logger
    logLines: LineSink
    supervisor: Supervisor
  },
): Promise<number> {
  const { logger, supervisor } = parts
  const stopSignal = Promise.race([nextSignal(), endOfNpm()])
  const { app, stopping, tasks, keyRing, closeWebhooks } = await composeService(config, parts)
  parts.database.presence?.begin()
  if (config.payments === 'test') {
    logger.warn('PAYMENTS=test: jobs are activated without any money. Never use this on a real board.')
  }
  if (config.stripe && isTestKey(config.stripe.secretKey)) {
    logger.warn('STRIPE_SECRET_KEY is of the test mode: jobs are activated without any money.')
  }
  if (only !== 'work') {
    await app.listen({ host: config.host, port: config.port })
    logger.info({ origin: originOf(config) }, 'listening')
    try {
      await onListening?.(parts.database)
    } catch (error) {
      await app.close()
      throw error
    }
  }
  const watched = only === 'work' && config.metricsPort !== undefined
  const monitor = watched ? await listenForMonitoring(app, config.host, config.metricsPort!) : undefined
  const ending = new AbortController()
  const mine = tasks.filter(({ runsIn = 'work' }) => only === undefined || runsIn === 'all' || runsIn === only)
  const loops = mine.map((task) => startLoop(task, logger, ending.signal))
  logger.info({ tasks: mine.map(({ name }) => name) }, 'working')
  supervisor.ready()
  const signal = await stopSignal
  logger.info({ signal }, 'stopping')
  supervisor.stopping()
  // The second signal ends the process at once.
  void nextSignal(SAME_SIGNAL_MS).then(() => process.exit(1))
  stopping.announce()
  // Balancers see that this process is not ready, and end their connections to it, before it stops listening.
  if (only !== 'work') await pause(config.stopDelayS * 1_000)
  setTimeout(() => {
    ending.abort()
    app.server.closeAllConnections()
  }, FINISH_MS).unref()
  setTimeout(() => {
    logger.error('stopped late: something was still in progress')
    process.exit(1)
  }, STOP_MS).unref()
  monitor?.close()
  monitor?.closeAllConnections()
  await Promise.all([app.close(), ...loops.map((loop) => loop.stop())])
  await closeWebhooks()
  await keyRing.flushUses()
  return 0
}

/** A worker serves nobody, but tells how it is. */
async function listenForMonitoring(app: App, host: string, port: number): Promise<Server> {
  const paths = new Set(['/metrics', '/healthz', '/readyz'])
  const server = createServer((request, response) =>
    paths.has(request.url!) ? app.routing(request, response) : response.writeHead(404).end(),
  ).listen(port, host)
  await once(server, 'listening')
  return server
}

/** Resolves with the next signal to stop, but ignores those of the first milliseconds. */
function nextSignal(ignoredMs = 0): Promise<string> {
  const since = performance.now()
  return new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) {
      process.on(name, () => {
        if (performance.now() - since >= ignoredMs) resolve(name)
      })
    }
  })
}

/** npm's shell ends at a signal without passing it on: then this process must stop too. */
function endOfNpm(): Promise<string> {
  return new Promise((resolve) => {
    if (process.env.npm_lifecycle_event === undefined) return
    setInterval(() => {
      if (process.ppid !== parentAtStart) resolve('end of npm')
    }, 250).unref()
  })
}
