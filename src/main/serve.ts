/** Runs the service until it is told to stop. */
import { startLoop } from '../background/loop.ts'
import type { Database } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { composeService, createLogger, openConfiguredDatabase, originOf } from './compose.ts'
import type { Config } from './config.ts'

/** Requests and background work in progress get this long to finish. */
const STOP_MS = 20_000

export interface ServeOptions {
  /** Only the HTTP server, or only the background work; both when absent. */
  only?: 'http' | 'work' | undefined
  /** Called on the migrated database, before anything is served. */
  prepare?: (database: Database) => Promise<void>
  /** Called when requests are answered. */
  onListening?: (origin: string) => void
}

/** Starts everything; resolves with the exit code after a signal stopped it. */
export async function serve(config: Config, options: ServeOptions = {}): Promise<number> {
  const logger = createLogger(config)
  const database = await openConfiguredDatabase(config)
  const applied = await migrate(database)
  if (applied.length > 0) logger.info({ applied }, 'migrated')
  await options.prepare?.(database)
  const { app, tasks, keyRing } = await composeService(config, { database, logger })
  if (config.payments === 'test') {
    logger.warn('PAYMENTS=test: jobs are activated without any money. Never use this on a real board.')
  }
  const loops = options.only === 'http' ? [] : tasks.map((task) => startLoop(task, logger))
  if (options.only !== 'work') {
    await app.listen({ host: config.host, port: config.port })
    logger.info({ origin: originOf(config) }, 'listening')
    options.onListening?.(originOf(config))
  }

  const signal = await nextSignal()
  logger.info({ signal }, 'stopping')
  // The second signal ends the process at once.
  void nextSignal().then(() => process.exit(1))
  const late = setTimeout(() => {
    logger.error('stopped late: something was still in progress')
    process.exit(1)
  }, STOP_MS)
  await app.close()
  await Promise.all(loops.map((loop) => loop.stop()))
  await keyRing.flushUses()
  await database.close()
  clearTimeout(late)
  logger.info('stopped')
  return 0
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve)
  })
}
