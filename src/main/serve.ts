/** Runs the service until it receives a signal. */
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
import { composeService } from './compose.ts'
import { type Config, originOf } from './config.ts'
import { openConfiguredDatabase, openConfiguredReplica } from './databases.ts'
import { createLogger, openLog } from './log.ts'
import { type Supervisor, watchedBySystemd } from './supervisor.ts'
import { startTracing } from './tracing.ts'

const parentAtStart = process.ppid

/**
 * Time that requests and background work in progress have to finish, in milliseconds. After that, the process aborts
 * them.
 */
const FINISH_MS = 15_000
/** Maximum time from the end of STOP_DELAY_S until the process ends, in milliseconds. */
const STOP_MS = 20_000

/**
 * How long a repeated signal is ignored, in milliseconds. Terminals and supervisors can signal the whole process group,
 * and the launcher also forwards the signal.
 */
const SAME_SIGNAL_MS = 500

/**
 * Maximum time that a query waits for a database lock, in milliseconds. An operator may hold one with `lock table`.
 */
const LOCK_WAIT_MAX_MS = 5_000

export interface ServeOptions {
  /** Runs only the HTTP server, or only background work. Default: both. */
  only?: 'http' | 'work' | undefined
  /**
   * Called once the server is listening, before background work starts. Not called with `only: 'work'`,
   * or if the port is in use.
   */
  onListening?: (database: Database) => Promise<void>
}

/** Starts the service. Resolves with the exit code once a signal has stopped the service. */
export async function serve(config: Config, options: ServeOptions = {}): Promise<number> {
  const supervisor = watchedBySystemd(process.env)
  const logLines = openLog(config.hasFastPath)
  const logger = createLogger(config.logLevel, logLines)
  const stopTracing = await startTracing(config, logger)
  const database = await openConfiguredDatabase(config, {
    lockWaitMaxMs: LOCK_WAIT_MAX_MS,
    onPresence: (isAway, cause) => {
      if (isAway) logger.error({ err: cause }, 'database unavailable: reads are served from memory, writes are refused')
      else logger.info('database available again')
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
    await stopTracing()
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
  const { app, stopping, tasks, keyRing, close } = await composeService(config, parts)
  parts.database.presence?.begin()
  if (config.payments === 'test') {
    logger.warn('PAYMENTS=test: jobs are activated without payment. Never use this on a real board.')
  }
  if (config.stripe && isTestKey(config.stripe.secretKey)) {
    logger.warn('STRIPE_SECRET_KEY is a test-mode key: jobs are activated without payment.')
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
  const loops = mine.map((task) => ({ name: task.name, ...startLoop(task, logger, ending.signal) }))
  logger.info({ tasks: mine.map(({ name }) => name) }, 'working')
  supervisor.ready()
  const signal = await stopSignal
  logger.info({ signal }, 'stopping')
  supervisor.stopping()
  // A second signal ends the process immediately.
  void nextSignal(SAME_SIGNAL_MS).then(() => process.exit(1))
  stopping.announce()
  // Gives load balancers time to notice that this process is not ready, and to close their connections before it stops
  // listening.
  if (only !== 'work') await pause(config.stopDelayS * 1_000)
  setTimeout(() => {
    ending.abort()
    app.server.closeAllConnections()
  }, FINISH_MS).unref()
  const unfinished = new Set<string>()
  const finish = async (name: string, end: () => PromiseLike<void>) => {
    unfinished.add(name)
    await end()
    unfinished.delete(name)
  }
  setTimeout(() => {
    logger.error({ unfinished: [...unfinished] }, 'stopped late: work was still in progress')
    process.exit(1)
  }, STOP_MS).unref()
  monitor?.close()
  monitor?.closeAllConnections()
  await Promise.all([finish('requests', () => app.close()), ...loops.map(({ name, stop }) => finish(name, stop))])
  await finish('other connections', close)
  await finish('uses of keys', () => keyRing.flushUses())
  return 0
}

/** Serves only the health checks and metrics, for a worker process. */
async function listenForMonitoring(app: App, host: string, port: number): Promise<Server> {
  const paths = new Set(['/metrics', '/healthz', '/readyz'])
  const server = createServer((request, response) =>
    paths.has(request.url!) ? app.routing(request, response) : response.writeHead(404).end(),
  ).listen(port, host)
  await once(server, 'listening')
  return server
}

/** Resolves with the next stop signal. Ignores signals during the first `ignoredMs` milliseconds. */
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

/** Resolves when npm's shell exits. The shell does not forward signals, so this process must stop too. */
function endOfNpm(): Promise<string> {
  return new Promise((resolve) => {
    if (process.env.npm_lifecycle_event === undefined) return
    setInterval(() => {
      if (process.ppid !== parentAtStart) resolve('end of npm')
    }, 250).unref()
  })
}
