/** Creates the shared objects that features receive. */
import { join } from 'node:path'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { DatabaseClock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import { installationSecret } from '../db/installation-secret.ts'
import { Replica } from '../db/replica.ts'
import { SearchReads } from '../db/search-reads.ts'
import { KeyRing } from '../features/accounts/index.ts'
import { BoardLists } from '../features/board/index.ts'
import { LiveBrand } from '../features/brand/index.ts'
import { markCandidatesActive } from '../features/candidates/index.ts'
import { LiveCatalogue } from '../features/catalogue/index.ts'
import { LiveRates } from '../features/currency-rates/index.ts'
import type { Feature, Kit } from '../features/feature.ts'
import { providers } from '../features/payments/index.ts'
import { Registration } from '../features/registration/index.ts'
import { Authorities } from '../features/sessions/index.ts'
import { openStripe, type StripeApi } from '../features/stripe/index.ts'
import { opensSecrets, type WebhookParts } from '../features/webhooks/index.ts'
import { createS3 } from '../files/s3.ts'
import { createFiles } from '../files/store.ts'
import { clientAddressFinder, clientNetworkFinder } from '../http/client-address.ts'
import type { Pressure } from '../http/pressure.ts'
import type { LineSink } from '../http/request-log.ts'
import { watchUnnamedProxies } from '../http/unnamed-proxies.ts'
import type { UploadLimits } from '../http/upload-memory.ts'
import { Budgets } from '../lib/budgets.ts'
import type { Clock } from '../lib/time.ts'
import { Snapshots } from '../search/memory/snapshot.ts'
import { openJobs } from '../search/open-jobs.ts'
import { registerBoardMetrics } from './board-metrics.ts'
import { type Config, ConfigError, originOf } from './config.ts'
import { keyPlaceOf } from './encryption-key.ts'
import { registerBackupMetrics, registerBudgetMetrics, registerProcessMetrics } from './process-metrics.ts'
import { createWebhookParts } from './webhook-parts.ts'

export interface ServiceParts {
  database: Database
  replica?: Database | undefined
  logger: Logger
  /** Appends complete lines to the log. */
  logLines: LineSink
  clock?: Clock
  webhooks?: Partial<WebhookParts>
  pressure?: Pressure
  stripe?: StripeApi | undefined
  uploadLimits?: UploadLimits | undefined
  /** Minimum time for which a point in time of the search engine stays open, in milliseconds. */
  keptMs?: number
  features?: readonly Feature[]
}

/** Creates the objects that features receive, except those that require the opened features. */
export async function createKit(config: Config, parts: ServiceParts): Promise<Omit<Kit, 'collect' | 'tasks'>> {
  const { database, logger } = parts
  const clock = parts.clock ?? (await DatabaseClock.open(database))
  const webhooks = { ...(await createWebhookParts(config, clock)), ...parts.webhooks }
  // With the wrong key, every webhook delivery would fail and use up its attempts.
  if (!(await database.read((db) => opensSecrets(db, webhooks.secrets)))) {
    throw new ConfigError(`${keyPlaceOf(config)} lacks a key that encrypted webhook secrets in the database`)
  }
  const origin = originOf(config)
  const metrics = new Registry()
  const replica = parts.replica && new Replica(database, parts.replica, logger)
  const budgets = new Budgets(clock, { isLimited: config.isRateLimited })
  const { staleMaxMs, defaultCurrency } = config
  registerProcessMetrics(metrics, database, replica)
  registerBudgetMetrics(metrics, budgets)
  registerBackupMetrics(metrics, database)
  const secretOf = (name: string) => installationSecret(database, name)
  const cursorSecret = await secretOf('cursor')
  const searches = new SearchReads(database, replica, budgets)
  const indexed = { database, clock, searches }
  // Only small boards use the embedded database, and small boards load within seconds.
  const snapshots = database.isEmbedded ? undefined : new Snapshots(join(config.dataDir, 'board.snapshot'), logger)
  const options = { staleMaxMs, defaultCurrency, snapshots, keptMs: parts.keptMs }
  const { board, jobs, engine } = await openJobs(config.engine, indexed, options)
  registerBoardMetrics(metrics, database, board)
  const lists = new BoardLists({ database, searches, board, jobs, clock, origin })
  const objects = config.files && createS3(config.files)
  return {
    database,
    reads: replica ?? database,
    searches,
    clock,
    log: logger,
    metrics,
    budgets,
    settings: { origin, defaultCurrency },
    cursorSecret,
    secretOf,
    board,
    lists,
    brand: new LiveBrand(database, lists.forgetPages),
    catalogue: new LiveCatalogue(database, lists.forgetPages),
    rates: new LiveRates(database, defaultCurrency, (exchange) => board.use(exchange)),
    registration: new Registration(database, config.isRegistrationOpen, lists.forgetPages),
    keyRing: new KeyRing(database, clock, config.adminApiKeys, markCandidatesActive),
    authorities: new Authorities(database, clock),
    files: createFiles(database, objects),
    objects,
    webhooks,
    provider: providers[config.payments],
    // Loads Stripe's SDK only if Stripe is configured.
    stripe: config.stripe && (parts.stripe ?? (await openStripe(config.stripe))),
    oidc: config.oidc,
    indexNow: config.indexNow,
    eventSinkUrls: config.eventSinkUrls,
    engine,
    dataDir: config.dataDir,
    retention: config.retention,
    addressOf: clientAddressFinder(config.trustedProxies),
    networkOf: clientNetworkFinder(config.trustedProxies, watchUnnamedProxies(metrics, logger)),
    hasWebsite: config.hasPages,
    linkTo: (page, resource) => (id) => origin + (config.hasPages ? page : resource).replace(':id', id),
  }
}
