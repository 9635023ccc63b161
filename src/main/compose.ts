/** Wires the service together from its configuration and its features. */
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { watchTasks } from '../background/health.ts'
import type { Task } from '../background/loop.ts'
import { meterTasks } from '../background/metrics.ts'
import { withRuns } from '../background/runs.ts'
import { traceTasks } from '../background/spans.ts'
import { IdempotentAnswers } from '../db/idempotent-answers.ts'
import { isMigrated } from '../db/migrate.ts'
import { type KeyRing, noteLanguage } from '../features/accounts/index.ts'
import { markCandidatesActive } from '../features/candidates/index.ts'
import type { Contributions, Feature, Kit } from '../features/feature.ts'
import { sessionFinder } from '../features/sessions/index.ts'
import { type App, createHttpApp } from '../http/app.ts'
import { formatAddress } from '../http/client-address.ts'
import { tagOperations } from '../http/openapi.ts'
import { watchEventLoop } from '../http/pressure.ts'
import { createQuotas, type Quotas } from '../http/rate-limit.ts'
import { Stopping } from '../http/stopping.ts'
import { UPLOAD_LIMITS } from '../http/upload-memory.ts'
import type { Brand } from '../lib/brand.ts'
import type { Budgets } from '../lib/budgets.ts'
import type { MailKind } from '../mail/queue.ts'
import { createMailMetrics, mailSender } from '../mail/sender.ts'
import { createMailTransport, type Sender } from '../mail/transport.ts'
import { Site } from '../pages/site.ts'
import type { Config } from './config.ts'
import { features as everyFeature } from './features.ts'
import { createKit, type ServiceParts } from './kit.ts'
import { searchTasks, upkeepTasks } from './upkeep.ts'

export interface Service {
  app: App
  tasks: readonly Task[]
  stopping: Stopping
  keyRing: KeyRing
  quotas: Quotas | undefined
  budgets: Budgets
  /** `METHOD /path` of every page. Empty without a website. */
  pages: ReadonlySet<string>
  /** Closes connections to other services. Call this method after the tasks have stopped. */
  close(): Promise<void>
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
  const site = config.hasPages ? await createSite(kit, { config, features, answers }) : undefined
  const stopping = new Stopping()
  const quotas = config.isRateLimited
    ? createQuotas(Object.assign({}, ...features.map(({ limits }) => limits)))
    : undefined
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
    info: kit.brand.now,
    isRegistrationOpen: registration.isOpen,
    findActor: keyRing.findActor,
    recallActor: keyRing.recallActor,
    hasFastPath: config.hasFastPath,
    isTraced: config.isTraced,
    // A process with a stale board counts as ready, because it can serve requests from memory (decision 0070). Proxies
    // send requests only to ready processes.
    isReady: async () => Boolean(await board.current()) && (board.stale !== undefined || (await isMigrated(database))),
    schemas: features.flatMap(({ schemas = [] }) => schemas),
    examples: Object.assign({}, ...features.map(({ examples }) => examples)),
    webhooks: Object.assign({}, ...features.map(({ webhooks }) => webhooks)),
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
      for (const [index, { api }] of open.entries()) {
        await v1.register(async (scope) => {
          tagOperations(scope, features[index]!.tag)
          await api?.(scope as unknown as App)
        })
      }
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
    ...(await searchTasks(kit)),
    ...collect('tasks').flat(),
  ]
  watched.push(...watchTasks(database, clock, tasks))
  return {
    app,
    stopping,
    keyRing,
    tasks: traceTasks(meterTasks(metrics, withRuns(database, clock, watched), clock)),
    quotas,
    budgets,
    pages: site?.pages ?? new Set(),
    async close() {
      board.close()
      for (const close of collect('close')) await close()
      await kit.engine?.close()
    },
  }
}

async function createSite(
  { database, clock, brand, board, budgets, keyRing, registration, settings, secretOf, collect }: Kit,
  { config, features, answers }: { config: Config; features: readonly Feature[]; answers: IdempotentAnswers },
): Promise<Site> {
  return new Site({
    origin: settings.origin,
    brand: brand.now,
    timeZone: config.timeZone,
    clock,
    secret: await secretOf('pages'),
    isRegistrationOpen: registration.isOpen,
    isStale: () => board.stale !== undefined,
    answers,
    budgets,
    navigation: features.flatMap(({ navigation = [] }) => navigation),
    findSession: sessionFinder(database, clock, keyRing, markCandidatesActive),
    noteLanguage: (accountId, language) => database.inStatement((tx) => noteLanguage(tx, accountId, language)),
    async registerPages(pages, limiter) {
      for (const register of collect('pages')) await register(pages, limiter)
    },
  })
}

/** Returns the sender of emails, with the board's name once the board is set up, and the configured name until then. */
function senderOf({ mailFrom }: Config, { name, isSetUp }: Brand): Sender {
  const at = mailFrom.indexOf('<')
  return isSetUp ? { name, address: at === -1 ? mailFrom : mailFrom.slice(at + 1, -1) } : mailFrom
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
      from: () => senderOf(config, kit.brand.now()),
      host: new URL(settings.origin).hostname,
    }),
    composers: Object.fromEntries(kinds.map((kind) => [kind, mails[kind]!.compose])),
    origin: settings.origin,
    timeZone: config.timeZone,
    // Only the website serves the legal pages.
    brand: () => (kit.hasWebsite ? kit.brand.now() : { ...kit.brand.now(), pages: [] }),
    unsubscribeSecret: await kit.secretOf('unsubscribe'),
  })
}
