/** From a configuration to the parts: the only place where they meet. */
import { join } from 'node:path'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import packageJson from '../../package.json' with { type: 'json' }
import { clockWatch } from '../background/clock-steps.ts'
import { watchTasks } from '../background/health.ts'
import type { Task } from '../background/loop.ts'
import { meterTasks } from '../background/metrics.ts'
import { Board } from '../board/board.ts'
import { DatabaseClock } from '../db/clock.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { IdempotentAnswers } from '../db/idempotent-answers.ts'
import { installationSecret } from '../db/installation-secret.ts'
import { isMigrated } from '../db/migrate.ts'
import { forgetPastWindows, shareQuotas } from '../db/rate-limits.ts'
import { Replica } from '../db/replica.ts'
import {
  AccountDetailSchema,
  AccountSchema,
  ApiKeyCreatedSchema,
  ApiKeySchema,
  KeyRing,
  MeSchema,
  registerAccountPages,
  registerAccounts,
  registerDeskAccountPages,
} from '../features/accounts/index.ts'
import {
  ApplicationListSchema,
  ApplicationReceiptSchema,
  ApplicationSchema,
  applicationReceivedMails,
  applicationStatusMails,
  applicationsPersonalData,
  applyLinks,
  EmployerApplicationSchema,
  registerApplications,
  registerOwnApplicationPages,
  registerReceivedApplicationPages,
} from '../features/applications/index.ts'
import {
  CandidateExportSchema,
  CandidateRegisteredSchema,
  CandidateSchema,
  candidatePlacer,
  FoundCandidateDetailSchema,
  FoundCandidateSchema,
  markCandidatesActive,
  refreshCandidateSearch,
  registerCandidatePages,
  registerCandidates,
} from '../features/candidates/index.ts'
import { LiveCatalogue, registerCataloguePages } from '../features/catalogue/index.ts'
import { registerDeskPages } from '../features/desk/index.ts'
import {
  EmployerProfileSchema,
  EmployerRegisteredSchema,
  EmployerSchema,
  registerEmployerPages,
  registerEmployerProfilePages,
  registerEmployers,
} from '../features/employers/index.ts'
import { eventComponents, eventWebhooks, registerEventPages, registerEvents } from '../features/events/index.ts'
import {
  alertMatcher,
  alertRunner,
  alertsPersonalData,
  bringAlertsBack,
  JobAlertSchema,
  jobAlertMails,
  registerJobAlertPages,
  registerJobAlerts,
} from '../features/job-alerts/index.ts'
import {
  countReports,
  JobReportDetailSchema,
  JobReportSchema,
  jobRemovedMail,
  registerJobReportPages,
  registerJobReports,
  reportLinks,
  reportsPersonalData,
} from '../features/job-reports/index.ts'
import {
  JobStatisticsSchema,
  registerJobStatistics,
  registerJobStatisticsPages,
  ViewCounter,
  viewFlusher,
} from '../features/job-statistics/index.ts'
import {
  BoardLists,
  DeletedJobSchema,
  expirySweeper,
  JobCreateSchema,
  JobDetailSchema,
  JobListSchema,
  type JobSettings,
  jobPlacer,
  jobWords,
  NamedCountSchema,
  OwnJobSchema,
  registerJobPages,
  registerJobs,
  registerOwnJobPages,
} from '../features/jobs/index.ts'
import {
  listPaidProducts,
  type PaymentProvider,
  PaymentSchema,
  ProductSchema,
  paidRunConsumer,
  providers,
  registerCheckout,
  registerDeskPaymentPages,
  registerOwnPaymentPages,
  registerPayments,
} from '../features/payments/index.ts'
import { Registration, registerSettingsPages } from '../features/registration/index.ts'
import {
  bringExtractionBack,
  discardedFileRemover,
  ResumeSchema,
  registerReceivedResumePages,
  registerResumePages,
  registerResumes,
  resumeExtractor,
  resumeKeeper,
  resumesPersonalData,
} from '../features/resumes/index.ts'
import {
  registerSavedJobPages,
  registerSavedJobs,
  SavedJobSchema,
  saveButtons,
  savedJobsPersonalData,
} from '../features/saved-jobs/index.ts'
import {
  addressChangedMail,
  createSignIn,
  registerSessions,
  Sessions,
  sessionSweeper,
  sessionsPersonalData,
  signInMail,
} from '../features/sessions/index.ts'
import { registerSite } from '../features/site/index.ts'
import {
  bringStripeBack,
  createStripeMetrics,
  openStripe,
  registerStripeEvents,
  type StripeApi,
  StripeHouse,
  stripeTasks,
} from '../features/stripe/index.ts'
import { registerUnsubscribe } from '../features/unsubscribe/index.ts'
import {
  createDispatcher,
  createDispatcherMetrics,
  type Dispatcher,
  opensSecrets,
  registerWebhookGauges,
  registerWebhookPages,
  registerWebhooks,
  webhookComponents,
  webhooksPersonalData,
  webhookTasks,
} from '../features/webhooks/index.ts'
import { createS3 } from '../files/s3.ts'
import { bringRemovalsBack, createFiles } from '../files/store.ts'
import { type App, createHttpApp } from '../http/app.ts'
import { clientNetworkFinder } from '../http/client-address.ts'
import { type Pressure, watchEventLoop } from '../http/pressure.ts'
import { createQuotas, type Quotas } from '../http/rate-limit.ts'
import type { LineSink } from '../http/request-log.ts'
import type { Clock } from '../lib/time.ts'
import { createMailMetrics } from '../mail/metrics.ts'
import { mailsPersonalData } from '../mail/personal-data.ts'
import type { MailFeature, MailKind } from '../mail/queue.ts'
import { bringMailsBack, mailPurge, mailSender } from '../mail/sender.ts'
import { createMailTransport } from '../mail/transport.ts'
import { Site } from '../pages/site.ts'
import { type Config, ConfigError } from './config.ts'
import { registerProcessMetrics } from './process-metrics.ts'
import { createWebhookParts, type WebhookParts } from './webhook-parts.ts'

/** Component schemas of the OpenAPI document. */
export const componentSchemas = [
  AccountDetailSchema,
  AccountSchema,
  ApiKeyCreatedSchema,
  ApiKeySchema,
  ApplicationListSchema,
  ApplicationReceiptSchema,
  ApplicationSchema,
  EmployerApplicationSchema,
  CandidateExportSchema,
  CandidateRegisteredSchema,
  CandidateSchema,
  DeletedJobSchema,
  EmployerProfileSchema,
  EmployerRegisteredSchema,
  EmployerSchema,
  ...eventComponents,
  FoundCandidateDetailSchema,
  FoundCandidateSchema,
  JobAlertSchema,
  JobCreateSchema,
  JobDetailSchema,
  JobListSchema,
  JobReportDetailSchema,
  JobReportSchema,
  JobStatisticsSchema,
  MeSchema,
  NamedCountSchema,
  OwnJobSchema,
  PaymentSchema,
  ProductSchema,
  SavedJobSchema,
  ResumeSchema,
  ...webhookComponents,
]

/** Opens the database that the configuration names; see `DatabaseOptions`. */
export function openConfiguredDatabase(
  { databaseUrl, databasePoolSize, databasePoolMode, dataDir }: Config,
  options: { lockWaitMaxMs?: number } = {},
): Promise<Database> {
  return openDatabase(
    databaseUrl === undefined
      ? { dataDir: join(dataDir, 'db'), onGivenUp: endWithoutDatabase }
      : { url: databaseUrl, poolSize: databasePoolSize, poolMode: databasePoolMode, ...options },
  )
}

/** A statement that takes a replica longer is asked of the primary: it may have gone without a word. */
const REPLICA_ANSWER_MAX_MS = 10_000

/** Opens the replica that the configuration names, if it does; whether it is there shows when it is first read. */
export async function openConfiguredReplica(config: Config): Promise<Database | undefined> {
  const { databaseReplicaUrl: url, databasePoolSize: poolSize, databasePoolMode: poolMode } = config
  return url === undefined ? undefined : openDatabase({ url, poolSize, poolMode, answerMaxMs: REPLICA_ANSWER_MAX_MS })
}

function endWithoutDatabase(): never {
  console.error('The embedded database has given up: its disk is full, most likely. What was acknowledged is kept.')
  process.exit(1)
}

/** The origin under which clients reach the service. */
export function originOf(config: Config, port = config.port): string {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  return config.publicOrigin ?? `http://${host}:${port}`
}

export interface Service {
  app: App
  tasks: readonly Task[]
  keyRing: KeyRing
  dispatcher: Dispatcher
  quotas: Quotas | undefined
  /** `METHOD /path` of every page; none without pages. */
  pages: ReadonlySet<string>
  /** Ends the connections to receivers, after the tasks; what is left under way ends with them. */
  closeWebhooks(): Promise<void>
}

/** Builds the service on an open, migrated database. */
export async function composeService(
  config: Config,
  {
    database,
    replica: replicaDatabase,
    logger,
    logLines,
    clock: givenClock,
    webhooks: given,
    pressure = watchEventLoop(),
    stripe: stripeApi,
  }: {
    database: Database
    replica?: Database | undefined
    logger: Logger
    /** Takes whole lines into the same log. */
    logLines: LineSink
    clock?: Clock
    webhooks?: Partial<WebhookParts>
    pressure?: Pressure
    stripe?: StripeApi | undefined
  },
): Promise<Service> {
  const clock = givenClock ?? (await DatabaseClock.open(database))
  const webhooks = { ...(await createWebhookParts(config, clock)), ...given }
  // With another key every delivery would fail and use up its attempts.
  if (!(await database.read((db) => opensSecrets(db, webhooks.secrets)))) {
    throw new ConfigError('ENCRYPTION_KEY is not the key that the secrets of webhooks in the database are sealed with')
  }
  const settings: JobSettings = { origin: originOf(config), defaultCurrency: config.defaultCurrency }
  const metrics = new Registry()
  const replica = replicaDatabase && new Replica(database, replicaDatabase, logger)
  registerProcessMetrics(metrics, database, replica)
  registerWebhookGauges(metrics, database, clock)
  const cursorSecret = await installationSecret(database, 'cursor')
  const keyRing = new KeyRing(database, clock, config.adminApiKey, markCandidatesActive)
  // The SDK is loaded only where it is needed.
  const api = config.stripe && (stripeApi ?? (await openStripe(config.stripe)))
  const stripe = api && {
    api,
    house: new StripeHouse({ database, clock, settings, api, log: logger, metrics: createStripeMetrics(metrics) }),
  }
  const provider: PaymentProvider = { ...providers[config.payments], ...(stripe && { house: stripe.house }) }
  const objects = config.files && createS3(config.files)
  const files = createFiles(database, objects)
  const board = new Board(database, clock)
  const lists = new BoardLists({ database, board, cursorSecret, origin: settings.origin })
  const catalogue = new LiveCatalogue(database, lists.forgetPages)
  const registration = new Registration(database, config.isRegistrationOpen, lists.forgetPages)
  /** What the operator changes at the desk, on whatever process. */
  const followDesk = async () => {
    await catalogue.refresh()
    await registration.refresh()
  }
  await followDesk()
  const shared = { database, reads: replica ?? database, clock, cursorSecret, settings, catalogue }
  /** Where mails lead: to the page for people, where there is none to the resource. */
  const linkTo = (page: string, resource: string) => (id: string) =>
    settings.origin + (site?.pages.has(`GET ${page}`) ? page : resource).replace(':id', id)
  const [toJob, toAlert, toApplication, toReceived, toOwnJob] = [
    linkTo('/jobs/:id', '/v1/jobs/:id'),
    linkTo('/me/alerts/:id', '/v1/candidates/job-alerts/:id/matches'),
    linkTo('/me/applications/:id', '/v1/candidates/applications/:id'),
    linkTo('/employer/applications/:id', '/v1/employers/applications/:id'),
    linkTo('/employer/jobs/:id', '/v1/jobs/:id'),
  ]
  const mails: Record<Exclude<MailKind, 'sign-in' | 'address-changed' | 'job-removed'>, MailFeature> = {
    'job-alert': jobAlertMails({
      // Without pages the employer's own page is the only one for people.
      job: ({ id, application_url }) => (site ? undefined : application_url) ?? toJob(id),
      matches: toAlert,
    }),
    'application-status': applicationStatusMails(toApplication),
    'application-received': applicationReceivedMails(toReceived),
  }
  const composers = {
    ...eachOf(mails, 'compose'),
    'sign-in': signInMail(settings.origin),
    'job-removed': jobRemovedMail(toOwnJob),
    'address-changed': addressChangedMail(settings.origin),
  }
  const answers = new IdempotentAnswers(database, clock, webhooks.secrets)
  const unsubscribeSecret = await installationSecret(database, 'unsubscribe')
  const quotas = config.isRateLimited ? createQuotas() : undefined
  const signIn = createSignIn(database, settings.origin)
  const views = new ViewCounter(database, clock)
  const noteView = views.note
  const networkOf = clientNetworkFinder(config.trustedProxies)
  const reportSecret = await installationSecret(database, 'reports')
  const ofCandidates = {
    personalData: [
      applicationsPersonalData,
      resumesPersonalData,
      savedJobsPersonalData,
      alertsPersonalData,
      mailsPersonalData,
      sessionsPersonalData,
      webhooksPersonalData,
      reportsPersonalData,
    ],
    forgetAccount: keyRing.forgetAccount,
  }
  const site = config.hasPages
    ? new Site({
        origin: settings.origin,
        secret: await installationSecret(database, 'pages'),
        isRegistrationOpen: registration.isOpen,
        answers,
        findSession: new Sessions(database, clock, keyRing, markCandidatesActive).findActor,
        registerPages: (pages, limiter) => {
          registerSite(pages, { ...shared, lists })
          registerSessions(pages, { ...shared, keyRing, limiter })
          registerCandidatePages(pages, { ...shared, signIn, ...ofCandidates })
          registerEmployerPages(pages, { ...shared, signIn })
          registerJobPages(pages, {
            ...shared,
            lists,
            noteView,
            networkOf,
            limiter,
            besideListed: saveButtons(database, { forVisitors: false }),
            besideOne: [applyLinks(database), saveButtons(database, { forVisitors: true }), reportLinks],
          })
          registerSavedJobPages(pages, shared)
          registerResumePages(pages, { ...shared, files, refreshSearch: refreshCandidateSearch })
          registerOwnApplicationPages(pages, {
            ...shared,
            keepResume: resumeKeeper({ database, clock, files, refreshSearch: refreshCandidateSearch }),
          })
          registerJobAlertPages(pages, { ...shared, lists })
          const consumePaidRun = paidRunConsumer(provider)
          registerOwnJobPages(pages, { ...shared, consumePaidRun, listPaidProducts, isFree: provider.isFree })
          registerOwnPaymentPages(pages, { ...shared, provider })
          registerJobStatisticsPages(pages, shared)
          registerReceivedApplicationPages(pages, shared)
          registerReceivedResumePages(pages, { ...shared, files })
          registerEmployerProfilePages(pages, shared)
          registerJobReportPages(pages, { ...shared, networkOf, secret: reportSecret })
          registerAccountPages(pages, { ...shared, keyRing })
          registerEventPages(pages, { ...shared, networkOf })
          registerWebhookPages(pages, { ...shared, ...webhooks })
          registerDeskPages(pages, {
            ...shared,
            tasks: () => tasks,
            withStripe: stripe !== undefined,
            isRegistrationOpen: registration.isOpen,
            countOpenReports: () => database.read(async (db) => (await countReports(db)).get('open') ?? 0),
          })
          registerDeskAccountPages(pages, { ...shared, keyRing })
          registerDeskPaymentPages(pages, { ...shared, provider })
          registerCataloguePages(pages, { ...shared, countBy: (facet) => lists.countBy(facet) })
          registerSettingsPages(pages, { ...shared, registration })
        },
      })
    : undefined
  const app = await createHttpApp({
    logger,
    logLines,
    cursorSecret,
    origin: settings.origin,
    version: packageJson.version,
    isRegistrationOpen: registration.isOpen,
    findActor: keyRing.findActor,
    recallActor: keyRing.recallActor,
    isReady: async () => (await isMigrated(database)) && Boolean(await board.current()),
    schemas: componentSchemas,
    webhooks: eventWebhooks,
    metrics,
    answers,
    rateLimits: quotas && { quotas, clock },
    networkOf,
    corsOrigins: config.corsOrigins,
    pressure,
    registerApi: async (v1) => {
      registerAccounts(v1, { ...shared, keyRing })
      registerCandidates(v1, { ...shared, ...ofCandidates })
      registerEmployers(v1, shared)
      registerJobs(v1, { ...shared, consumePaidRun: paidRunConsumer(provider), lists, noteView })
      registerJobStatistics(v1, shared)
      registerJobReports(v1, shared)
      registerApplications(v1, shared)
      registerSavedJobs(v1, shared)
      registerJobAlerts(v1, { ...shared, lists })
      registerPayments(v1, { ...shared, provider })
      registerEvents(v1, shared)
      registerWebhooks(v1, { ...shared, ...webhooks })
      await registerResumes(v1, { ...shared, files, refreshSearch: refreshCandidateSearch })
    },
    site,
    registerPages: (root) => {
      if (stripe) registerStripeEvents(root, { ...stripe, clock })
      registerCheckout(root, { ...shared, provider, backTo: site && '/employer/payments' })
      registerUnsubscribe(root, { ...shared, unsubscriptions: eachOf(mails, 'unsubscription'), unsubscribeSecret })
    },
  })
  const sender = mailSender({
    database,
    clock,
    log: logger,
    metrics: createMailMetrics(metrics, Object.keys(composers) as MailKind[]),
    transport: createMailTransport({
      url: config.mailUrl,
      folder: join(config.dataDir, 'mail'),
      from: config.mailFrom,
      host: new URL(settings.origin).hostname,
    }),
    composers,
    origin: settings.origin,
    unsubscribeSecret,
  })
  const dispatcher = createDispatcher({
    ...{ database, clock, log: logger, metrics: createDispatcherMetrics(metrics) },
    ...webhooks,
  })
  const keyUses: Task = {
    name: 'key-uses',
    everyMs: 30_000,
    runsIn: 'all',
    async once() {
      await keyRing.flushUses()
      return 'done'
    },
  }
  /** Loads the board at the start, and follows it while nobody asks. */
  const boardFollower: Task = {
    name: 'board',
    everyMs: 1_000,
    runsIn: 'http',
    async once() {
      await board.refresh()
      return 'done'
    },
  }
  const deskFollower: Task = {
    name: 'desk',
    everyMs: 1_000,
    runsIn: 'http',
    async once() {
      await followDesk()
      return 'done'
    },
  }
  const frequentWords: Task = {
    name: 'frequent-words',
    everyMs: 10_000,
    runsIn: 'http',
    async once(ending) {
      await lists.learnFrequentWords(ending)
      return 'done'
    },
  }
  const clockComparer: Task = {
    name: 'clock',
    everyMs: 5_000,
    runsIn: 'all',
    async once() {
      if (clock instanceof DatabaseClock) await clock.compare()
      return 'done'
    },
  }
  const answerSweeper: Task = {
    name: 'idempotent-answers',
    everyMs: 600_000,
    once: async () => ((await answers.sweep()) ? 'more' : 'done'),
  }
  const tasks = watchTasks(database, clock, [
    clockComparer,
    clockWatch(database, clock, [
      bringMailsBack,
      bringAlertsBack,
      bringExtractionBack,
      bringRemovalsBack,
      bringStripeBack,
      (tx, now) => dispatcher.bringBack(tx, now),
    ]),
    expirySweeper(database, clock, settings),
    jobPlacer(database),
    jobWords(database),
    candidatePlacer(database),
    keyUses,
    viewFlusher(views),
    boardFollower,
    deskFollower,
    frequentWords,
    // One process on an embedded database has nobody to share with.
    ...(quotas && !database.isEmbedded ? [quotaSharer(database, clock, quotas)] : []),
    resumeExtractor(database, clock, files, refreshCandidateSearch),
    ...(objects ? [discardedFileRemover(database, clock, objects)] : []),
    alertRunner(database, clock),
    alertMatcher(database, clock),
    sender,
    mailPurge(database, clock),
    sessionSweeper(database, clock),
    ...(stripe ? stripeTasks({ database, clock, log: logger, ...stripe }) : []),
    answerSweeper,
    ...webhookTasks(database, clock, dispatcher),
  ])
  return {
    app,
    keyRing,
    tasks: meterTasks(metrics, tasks, clock),
    dispatcher,
    quotas,
    pages: site?.pages ?? new Set(),
    closeWebhooks: () => webhooks.client.close(),
  }
}

/** Tells other processes what was used of quotas, and hears of theirs. */
function quotaSharer(database: Database, clock: Clock, quotas: Quotas): Task {
  const shared = Object.values(quotas)
  let forgottenAt = Number.NEGATIVE_INFINITY
  return {
    name: 'quotas',
    everyMs: 500,
    soonMs: 250,
    runsIn: 'http',
    async once() {
      const now = clock.now()
      if (performance.now() - forgottenAt >= 60_000) {
        await forgetPastWindows(database, now)
        forgottenAt = performance.now()
      }
      return (await shareQuotas(database, shared, now)) > 0 ? 'some' : 'done'
    },
  }
}

/** The same member of each feature's mails. */
function eachOf<K extends MailKind, M extends keyof MailFeature>(mails: Record<K, MailFeature>, member: M) {
  const entries = Object.entries<MailFeature>(mails).map(([kind, feature]) => [kind, feature[member]])
  return Object.fromEntries(entries) as Record<K, MailFeature[M]>
}
