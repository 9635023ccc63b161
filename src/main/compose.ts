/** Wires the service together from its configuration and its features. */
import { join } from 'node:path'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import packageJson from '../../package.json' with { type: 'json' }
import { watchTasks } from '../background/health.ts'
import type { Task } from '../background/loop.ts'
import { meterTasks } from '../background/metrics.ts'
import { withRuns } from '../background/runs.ts'
import { DatabaseClock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import { IdempotentAnswers } from '../db/idempotent-answers.ts'
import { installationSecret } from '../db/installation-secret.ts'
import { isMigrated } from '../db/migrate.ts'
import { Replica } from '../db/replica.ts'
import { SearchReads } from '../db/search-reads.ts'
import { KeyRing } from '../features/accounts/index.ts'
import { BoardLists } from '../features/board/index.ts'
import { markCandidatesActive } from '../features/candidates/index.ts'
import { LiveCatalogue } from '../features/catalogue/index.ts'
import type { Contributions, Feature, Kit } from '../features/feature.ts'
import { providers } from '../features/payments/index.ts'
import { Registration } from '../features/registration/index.ts'
import { Authorities, Sessions } from '../features/sessions/index.ts'
import { openStripe, type StripeApi } from '../features/stripe/index.ts'
import { opensSecrets, type WebhookParts } from '../features/webhooks/index.ts'
import { createS3 } from '../files/s3.ts'
import { createFiles } from '../files/store.ts'
import { type App, createHttpApp } from '../http/app.ts'
import { clientAddressFinder, clientNetworkFinder, formatAddress } from '../http/client-address.ts'
import { type Pressure, watchEventLoop } from '../http/pressure.ts'
import { createQuotas, type Quotas } from '../http/rate-limit.ts'
import type { LineSink } from '../http/request-log.ts'
import { Stopping } from '../http/stopping.ts'
import { watchUnnamedProxies } from '../http/unnamed-proxies.ts'
import { UPLOAD_LIMITS, type UploadLimits } from '../http/upload-memory.ts'
import { Budgets } from '../lib/budgets.ts'
import type { Clock } from '../lib/time.ts'
import { createMailMetrics } from '../mail/metrics.ts'
import type { MailKind } from '../mail/queue.ts'
import { mailSender } from '../mail/sender.ts'
import { createMailTransport } from '../mail/transport.ts'
import { Site } from '../pages/site.ts'
import { Board } from '../search/memory/board.ts'
import { registerBoardMetrics } from './board-metrics.ts'
import { type Config, ConfigError, originOf } from './config.ts'
import { keyPlaceOf } from './encryption-key.ts'
import { features as everyFeature } from './features.ts'
import { registerBackupMetrics, registerBudgetMetrics, registerProcessMetrics } from './process-metrics.ts'
import { upkeepTasks } from './upkeep.ts'
import { createWebhookParts } from './webhook-parts.ts'

export interface Service {
  app: App
  tasks: readonly Task[]
  stopping: Stopping
  keyRing: KeyRing
  quotas: Quotas | undefined
  budgets: Budgets
  /** `METHOD /path` of every page; empty without the website. */
  pages: ReadonlySet<string>
  /** Closes connections to other services. Call it after the tasks have stopped. */
  close(): Promise<void>
}

export interface ServiceParts {
  database: Database
  replica?: Database | undefined
  logger: Logger
  /** Appends complete lines to the same log. */
  logLines: LineSink
  clock?: Clock
  webhooks?: Partial<WebhookParts>
  pressure?: Pressure
  stripe?: StripeApi | undefined
  uploadLimits?: UploadLimits | undefined
  features?: readonly Feature[]
}

/** Builds the service on an open, migrated database. */
export async function composeService(config: Config, parts: ServiceParts): Promise<Service> {
  const { database, logger, logLines, pressure = watchEventLoop(), features = everyFeature } = parts
  const open: Contributions[] = []
  const collect: Kit['collect'] = (slot) => open.map((one) => one[slot]).filter((part) => part !== undefined)
  const watched: Task[] = []
  const kit: Kit = { ...(await createKit(config, parts)), collect, tasks: () => watched }
  const { clock, metrics, budgets, keyRing, registration, board, settings } = kit
  for (const feature of features) open.push(await feature.open(kit))
  const refresh = async () => {
    for (const adopt of collect('refresh')) await adopt()
  }
  await refresh()

  const answers = new IdempotentAnswers(database, clock, kit.webhooks.secrets)
  const site = config.hasPages
    ? new Site({
        origin: settings.origin,
        clock,
        secret: await kit.secretOf('pages'),
        isRegistrationOpen: registration.isOpen,
        isStale: () => board.stale !== undefined,
        answers,
        budgets,
        navigation: features.flatMap(({ navigation = [] }) => navigation),
        findSession: new Sessions(database, clock, keyRing, markCandidatesActive).findActor,
        async registerPages(pages, limiter) {
          for (const register of collect('pages')) await register(pages, limiter)
        },
      })
    : undefined
  const stopping = new Stopping()
  const quotas = config.isRateLimited ? createQuotas() : undefined
  const blocks = collect('isBlocked')
  const { logClientAddress: form } = config
  const app = await createHttpApp({
    logger,
    logLines,
    formatClient:
      form === 'none'
        ? undefined
        : (request) => {
            const address = kit.addressOf(request)
            return address && formatAddress(address, form)
          },
    cursorSecret: kit.cursorSecret,
    origin: settings.origin,
    version: packageJson.version,
    isRegistrationOpen: registration.isOpen,
    findActor: keyRing.findActor,
    recallActor: keyRing.recallActor,
    hasFastPath: config.hasFastPath,
    // A board with stale data is ready too; otherwise a proxy would route no request to it to be answered from memory
    // (decision 0070).
    isReady: async () => Boolean(await board.current()) && (board.stale !== undefined || (await isMigrated(database))),
    schemas: features.flatMap(({ schemas = [] }) => schemas),
    webhooks: features.flatMap(({ events = [] }) => events),
    metrics,
    answers,
    rateLimits: quotas && { quotas, clock },
    budgets,
    networkOf: kit.networkOf,
    isBlocked: (request) => blocks.some((isBlocked) => isBlocked(request)),
    corsOrigins: config.corsOrigins,
    uploadLimits: parts.uploadLimits ?? UPLOAD_LIMITS,
    pressure,
    stopping,
    async registerApi(v1) {
      for (const register of collect('api')) await register(v1)
    },
    site,
    async registerPages(root) {
      for (const register of collect('root')) await register(root)
    },
  })

  const shared = quotas ? [...Object.values(quotas), ...budgets.quotas] : []
  const tasks = [
    ...upkeepTasks({ kit, answers, quotas: shared, refresh }),
    await createMailSender(config, kit),
    ...collect('tasks').flat(),
  ]
  watched.push(...watchTasks(database, clock, tasks))
  return {
    app,
    stopping,
    keyRing,
    tasks: meterTasks(metrics, withRuns(database, clock, watched), clock),
    quotas,
    budgets,
    pages: site?.pages ?? new Set(),
    async close() {
      for (const close of collect('close')) await close()
    },
  }
}

/** Creates what features receive, except what depends on the open features. */
async function createKit(config: Config, parts: ServiceParts): Promise<Omit<Kit, 'collect' | 'tasks'>> {
  const { database, logger } = parts
  const clock = parts.clock ?? (await DatabaseClock.open(database))
  const webhooks = { ...(await createWebhookParts(config, clock)), ...parts.webhooks }
  // With a different key, every delivery would fail and use up its attempts.
  if (!(await database.read((db) => opensSecrets(db, webhooks.secrets)))) {
    throw new ConfigError(`${keyPlaceOf(config)} lacks a key that encrypts webhook secrets in the database`)
  }
  const origin = originOf(config)
  const metrics = new Registry()
  const replica = parts.replica && new Replica(database, parts.replica, logger)
  const budgets = new Budgets(clock, { isLimited: config.isRateLimited })
  const board = new Board(database, clock, { staleMaxMs: config.staleMaxMs })
  registerProcessMetrics(metrics, database, replica)
  registerBudgetMetrics(metrics, budgets)
  registerBackupMetrics(metrics, database)
  registerBoardMetrics(metrics, database, board)
  const secretOf = (name: string) => installationSecret(database, name)
  const cursorSecret = await secretOf('cursor')
  const searches = new SearchReads(database, replica, budgets)
  const lists = new BoardLists({ database, searches, board, cursorSecret, origin })
  const objects = config.files && createS3(config.files)
  return {
    database,
    reads: replica ?? database,
    searches,
    clock,
    log: logger,
    metrics,
    budgets,
    settings: { origin, defaultCurrency: config.defaultCurrency },
    cursorSecret,
    secretOf,
    board,
    lists,
    catalogue: new LiveCatalogue(database, lists.forgetPages),
    registration: new Registration(database, config.isRegistrationOpen, lists.forgetPages),
    keyRing: new KeyRing(database, clock, config.adminApiKeys, markCandidatesActive),
    authorities: new Authorities(database, clock),
    files: createFiles(database, objects),
    objects,
    webhooks,
    provider: providers[config.payments],
    // The SDK is loaded only if it is needed.
    stripe: config.stripe && (parts.stripe ?? (await openStripe(config.stripe))),
    dataDir: config.dataDir,
    retention: config.retention,
    addressOf: clientAddressFinder(config.trustedProxies),
    networkOf: clientNetworkFinder(config.trustedProxies, watchUnnamedProxies(metrics, logger)),
    hasWebsite: config.hasPages,
    linkTo: (page, resource) => (id) => origin + (config.hasPages ? page : resource).replace(':id', id),
  }
}

async function createMailSender(config: Config, kit: Kit): Promise<Task> {
  const { database, clock, log, metrics, settings } = kit
  const mails: NonNullable<Contributions['mails']> = Object.assign({}, ...kit.collect('mails'))
  const kinds = Object.keys(mails) as MailKind[]
  return mailSender({
    database,
    clock,
    log,
    metrics: createMailMetrics(metrics, kinds),
    transport: createMailTransport({
      url: config.mailUrl,
      folder: join(config.dataDir, 'mail'),
      from: config.mailFrom,
      host: new URL(settings.origin).hostname,
    }),
    composers: Object.fromEntries(kinds.map((kind) => [kind, mails[kind]!.compose])),
    origin: settings.origin,
    unsubscribeSecret: await kit.secretOf('unsubscribe'),
  })
}
