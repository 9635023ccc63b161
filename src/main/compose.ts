/** Wires the service together from its configuration. */
import { join } from 'node:path'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import packageJson from '../../package.json' with { type: 'json' }
import { clockWatch } from '../background/clock-steps.ts'
import { watchTasks } from '../background/health.ts'
import type { Task } from '../background/loop.ts'
import { meterTasks } from '../background/metrics.ts'
import { inBatches, retention } from '../background/retention.ts'
import { isRunnable, withRuns } from '../background/runs.ts'
import { Board } from '../board/board.ts'
import { DatabaseClock } from '../db/clock.ts'
import { type Database, openDatabase, type Tx } from '../db/database.ts'
import { IdempotentAnswers } from '../db/idempotent-answers.ts'
import { installationSecret } from '../db/installation-secret.ts'
import { isMigrated } from '../db/migrate.ts'
import { purgeOperatorActions } from '../db/operator-actions.ts'
import { forgetPastWindows, shareQuotas } from '../db/rate-limits.ts'
import { Replica } from '../db/replica.ts'
import { SearchReads } from '../db/search-reads.ts'
import {
  AccountDetailSchema,
  AccountSchema,
  ApiKeyCreatedSchema,
  ApiKeySchema,
  KeyRing,
  MeSchema,
  registerAccountPages,
  registerAccounts,
  registerAdminAccounts,
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
  purgeApplications,
  registerApplications,
  registerOwnApplicationPages,
  registerReceivedApplicationPages,
} from '../features/applications/index.ts'
import { BlockSchema, NetworkBlocks, registerBlockPages, registerBlocks } from '../features/blocks/index.ts'
import {
  CandidateExportSchema,
  CandidateRegisteredSchema,
  CandidateSchema,
  candidatePlacer,
  eraseCandidate,
  FoundCandidateDetailSchema,
  FoundCandidateSchema,
  markCandidatesActive,
  refreshCandidateSearch,
  registerCandidatePages,
  registerCandidates,
} from '../features/candidates/index.ts'
import { LiveCatalogue, registerCataloguePages } from '../features/catalogue/index.ts'
import { registerDeskPages } from '../features/desk/index.ts'
import { EmailSchema, registerEmailPages, registerEmails } from '../features/emails/index.ts'
import {
  closeEmployer,
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
  purgeReports,
  registerJobReportPages,
  registerJobReports,
  reportLinks,
  reportsPersonalData,
} from '../features/job-reports/index.ts'
import {
  dayOf,
  JobStatisticsSchema,
  purgeViews,
  registerJobStatistics,
  registerJobStatisticsPages,
  ViewCounter,
  viewFlusher,
} from '../features/job-statistics/index.ts'
import {
  archiveJobs,
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
  Authorities,
  addressChangedMail,
  authorityWatch,
  createSignIn,
  registerAdminSessionPages,
  registerAdminSessions,
  registerSessions,
  renderSessionsOf,
  SessionSchema,
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
import { registerTaskPages, registerTasks, TaskSchema } from '../features/tasks/index.ts'
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
import { keyIn } from '../http/authenticate.ts'
import { clientAddressFinder, clientNetworkFinder, formatAddress } from '../http/client-address.ts'
import { type Pressure, watchEventLoop } from '../http/pressure.ts'
import { createQuotas, type Quotas } from '../http/rate-limit.ts'
import type { LineSink } from '../http/request-log.ts'
import { Stopping } from '../http/stopping.ts'
import { watchUnnamedProxies } from '../http/unnamed-proxies.ts'
import { UPLOAD_LIMITS, type UploadLimits } from '../http/upload-memory.ts'
import { Budgets } from '../lib/budgets.ts'
import { unconditionally } from '../lib/entity-tags.ts'
import type { Quota } from '../lib/quota.ts'
import type { Clock } from '../lib/time.ts'
import { mailFileRemover } from '../mail/files.ts'
import { createMailMetrics } from '../mail/metrics.ts'
import { mailsPersonalData } from '../mail/personal-data.ts'
import type { MailFeature, MailKind } from '../mail/queue.ts'
import { bringMailsBack, mailPurge, mailSender } from '../mail/sender.ts'
import { createMailTransport } from '../mail/transport.ts'
import { Site } from '../pages/site.ts'
import { registerBoardMetrics } from './board-metrics.ts'
import { type Config, ConfigError } from './config.ts'
import { keyPlaceOf } from './encryption-key.ts'
import { registerBackupMetrics, registerBudgetMetrics, registerProcessMetrics } from './process-metrics.ts'
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
  BlockSchema,
  CandidateExportSchema,
  CandidateRegisteredSchema,
  CandidateSchema,
  DeletedJobSchema,
  EmailSchema,
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
  SessionSchema,
  TaskSchema,
  ResumeSchema,
  ...webhookComponents,
]

/** Opens the configured database; see `DatabaseOptions`. */
export function openConfiguredDatabase(
  { databaseUrl, databasePoolSize, databasePoolMode, dataDir }: Config,
  options: { lockWaitMaxMs?: number; onPresence?: (isAway: boolean, cause: unknown) => void } = {},
): Promise<Database> {
  return openDatabase(
    databaseUrl === undefined
      ? { dataDir: join(dataDir, 'db'), onGivenUp: endWithoutDatabase }
      : { url: databaseUrl, poolSize: databasePoolSize, poolMode: databasePoolMode, ...options },
  )
}

/**
 * Maximum duration of a statement on the replica, in milliseconds; then the primary runs it. The replica may have died
 * silently.
 */
const REPLICA_ANSWER_MAX_MS = 10_000

/** Opens the configured replica, if any. Its first read shows whether it is available. */
export async function openConfiguredReplica(config: Config): Promise<Database | undefined> {
  const { databaseReplicaUrl: url, databasePoolSize: poolSize, databasePoolMode: poolMode } = config
  return url === undefined ? undefined : openDatabase({ url, poolSize, poolMode, answerMaxMs: REPLICA_ANSWER_MAX_MS })
}

function endWithoutDatabase(): never {
  console.error('The embedded database has given up: its disk is full, most likely. What was acknowledged is kept.')
  process.exit(1)
}

/** Returns the origin under which clients reach the service. */
export function originOf(config: Config, port = config.port): string {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  return config.publicOrigin ?? `http://${host}:${port}`
}

export interface Service {
  app: App
  tasks: readonly Task[]
  stopping: Stopping
  keyRing: KeyRing
  dispatcher: Dispatcher
  quotas: Quotas | undefined
  budgets: Budgets
  /** `METHOD /path` of every page; empty without the website. */
  pages: ReadonlySet<string>
  /** Closes the connections to receivers. Call it after the tasks have stopped; deliveries in progress are aborted. */
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
    uploadLimits = UPLOAD_LIMITS,
  }: {
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
  },
): Promise<Service> {
  const clock = givenClock ?? (await DatabaseClock.open(database))
  const webhooks = { ...(await createWebhookParts(config, clock)), ...given }
  // With a different key, every delivery would fail and use up its attempts.
  if (!(await database.read((db) => opensSecrets(db, webhooks.secrets)))) {
    throw new ConfigError(`${keyPlaceOf(config)} lacks a key that secrets of webhooks in the database are sealed with`)
  }
  const settings: JobSettings = { origin: originOf(config), defaultCurrency: config.defaultCurrency }
  const metrics = new Registry()
  const replica = replicaDatabase && new Replica(database, replicaDatabase, logger)
  registerProcessMetrics(metrics, database, replica)
  registerWebhookGauges(metrics, database, clock)
  const budgets = new Budgets(clock, { isLimited: config.isRateLimited })
  registerBudgetMetrics(metrics, budgets)
  registerBackupMetrics(metrics, database)
  const cursorSecret = await installationSecret(database, 'cursor')
  const keyRing = new KeyRing(database, clock, config.adminApiKeys, markCandidatesActive)
  // The SDK is loaded only if it is needed.
  const api = config.stripe && (stripeApi ?? (await openStripe(config.stripe)))
  const stripe = api && {
    api,
    house: new StripeHouse({ database, clock, settings, api, log: logger, metrics: createStripeMetrics(metrics) }),
  }
  const provider: PaymentProvider = { ...providers[config.payments], ...(stripe && { house: stripe.house }) }
  const objects = config.files && createS3(config.files)
  const files = createFiles(database, objects)
  const board = new Board(database, clock, { staleMaxMs: config.staleMaxMs })
  registerBoardMetrics(metrics, database, board)
  const searches = new SearchReads(database, replica, budgets)
  const lists = new BoardLists({ database, searches, board, cursorSecret, origin: settings.origin })
  const catalogue = new LiveCatalogue(database, lists.forgetPages)
  const registration = new Registration(database, config.isRegistrationOpen, lists.forgetPages)
  const addressOf = clientAddressFinder(config.trustedProxies)
  const networkBlocks = new NetworkBlocks(database, clock, addressOf, ({ headers }) => {
    return keyRing.isOperatorKey(keyIn(headers.authorization ?? ''))
  })
  /** Adopts changes that an admin made in the admin area of any process. */
  const followDesk = async () => {
    await catalogue.refresh()
    await registration.refresh()
    await networkBlocks.refresh()
  }
  await followDesk()
  const shared = { database, reads: replica ?? database, searches, budgets, clock, cursorSecret, settings, catalogue }
  /** Returns the link target of emails: the page on the website or, without the website, the API resource. */
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
      // Without the website, the employer's own page is the only one that a person can read.
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
  const authorities = new Authorities(database, clock)
  const signIn = createSignIn(database, settings.origin)
  const views = new ViewCounter(database, clock)
  const noteView = views.note
  const networkOf = clientNetworkFinder(config.trustedProxies, watchUnnamedProxies(metrics, logger))
  const { logClientAddress: form } = config
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
  const ofAccounts = {
    ...{ ...shared, keyRing },
    deleteOf: {
      candidate: (tx: Tx, id: string, now: Date) =>
        eraseCandidate(tx, settings.origin, ofCandidates.personalData, id, unconditionally, now),
      employer: (tx: Tx, id: string, now: Date) => closeEmployer(tx, settings, id, unconditionally, now),
    },
  }
  const ofBlocks = { ...shared, networkBlocks, addressOf }
  const runnableTasks = () => watched.filter(isRunnable)
  const site = config.hasPages
    ? new Site({
        origin: settings.origin,
        clock,
        secret: await installationSecret(database, 'pages'),
        isRegistrationOpen: registration.isOpen,
        isStale: () => board.stale !== undefined,
        answers,
        budgets,
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
          registerEmployerProfilePages(pages, { ...shared, forgetAccount: keyRing.forgetAccount })
          registerJobReportPages(pages, { ...shared, networkOf, secret: reportSecret })
          registerAccountPages(pages, { ...shared, keyRing })
          registerEventPages(pages, { ...shared, networkOf, watchAuthority: authorities.watch })
          registerWebhookPages(pages, { ...shared, ...webhooks })
          registerDeskPages(pages, {
            ...shared,
            tasks: () => tasks,
            withStripe: stripe !== undefined,
            isRegistrationOpen: registration.isOpen,
            keptDays: keptDaysOf(config),
            countOpenReports: () => database.read(async (db) => (await countReports(db)).get('open') ?? 0),
          })
          registerDeskAccountPages(pages, { ...ofAccounts, renderSessionsOf: renderSessionsOf(shared) })
          registerAdminSessionPages(pages, shared)
          registerBlockPages(pages, ofBlocks)
          registerEmailPages(pages, shared)
          registerTaskPages(pages, { ...shared, runnableTasks })
          registerDeskPaymentPages(pages, { ...shared, provider })
          registerCataloguePages(pages, { ...shared, countBy: (facet) => lists.countBy(facet) })
          registerSettingsPages(pages, { ...shared, registration })
        },
      })
    : undefined
  const stopping = new Stopping()
  const app = await createHttpApp({
    logger,
    logLines,
    formatClient:
      form === 'none'
        ? undefined
        : (request) => {
            const address = addressOf(request)
            return address && formatAddress(address, form)
          },
    cursorSecret,
    origin: settings.origin,
    version: packageJson.version,
    isRegistrationOpen: registration.isOpen,
    findActor: keyRing.findActor,
    recallActor: keyRing.recallActor,
    hasFastPath: config.hasFastPath,
    // A board with stale data is ready too; otherwise a proxy would route no request to it to be answered from memory
    // (decision 0070).
    isReady: async () => Boolean(await board.current()) && (board.stale !== undefined || (await isMigrated(database))),
    schemas: componentSchemas,
    webhooks: eventWebhooks,
    metrics,
    answers,
    rateLimits: quotas && { quotas, clock },
    budgets,
    networkOf,
    isBlocked: networkBlocks.refuses,
    corsOrigins: config.corsOrigins,
    uploadLimits,
    pressure,
    stopping,
    registerApi: async (v1) => {
      registerAccounts(v1, { ...shared, keyRing })
      registerAdminAccounts(v1, ofAccounts)
      registerAdminSessions(v1, shared)
      registerBlocks(v1, ofBlocks)
      registerEmails(v1, shared)
      registerTasks(v1, { ...shared, runnableTasks })
      registerCandidates(v1, { ...shared, ...ofCandidates })
      registerEmployers(v1, { ...shared, forgetAccount: keyRing.forgetAccount })
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
  const mailFolder = join(config.dataDir, 'mail')
  const sender = mailSender({
    database,
    clock,
    log: logger,
    metrics: createMailMetrics(metrics, Object.keys(composers) as MailKind[]),
    transport: createMailTransport({
      url: config.mailUrl,
      folder: mailFolder,
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
  /** Loads the board at startup, and keeps it current between requests. */
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
  const boardWords: Task = {
    name: 'frequent-words',
    everyMs: 10_000,
    runsIn: 'http',
    async once(ending) {
      await lists.learnWords(ending)
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
  const watched = watchTasks(database, clock, [
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
    boardWords,
    // A single process on an embedded database has no others to share quotas with.
    ...(quotas && !database.isEmbedded
      ? [quotaSharer(database, clock, [...Object.values(quotas), ...budgets.quotas])]
      : []),
    resumeExtractor({ database, clock, files, budgets, refreshSearch: refreshCandidateSearch }),
    ...(objects ? [discardedFileRemover(database, clock, objects)] : []),
    alertRunner(database, clock),
    alertMatcher(database, clock),
    sender,
    mailPurge(database, clock),
    mailFileRemover(database, mailFolder),
    sessionSweeper(database, clock),
    authorityWatch(authorities),
    ...(stripe ? stripeTasks({ database, clock, log: logger, ...stripe }) : []),
    answerSweeper,
    ...retentionTasks(database, clock, config),
    ...webhookTasks(database, clock, dispatcher),
  ])
  const tasks = withRuns(database, clock, watched)
  return {
    app,
    stopping,
    keyRing,
    tasks: meterTasks(metrics, tasks, clock),
    dispatcher,
    quotas,
    budgets,
    pages: site?.pages ?? new Set(),
    closeWebhooks: () => webhooks.client.close(),
  }
}

/** Returns the retention of the growing tables, in days. */
const keptDaysOf = ({ retention: days }: Config) => ({
  job: days.closedJobs,
  application: days.applications,
  application_status_change: days.applications,
  job_view_day: days.views,
  job_report: days.reports,
  operator_action: days.activity,
  event: 30,
  webhook_delivery: 30,
  webhook_attempt: 30,
  mail: 30,
  idempotent_answer: 1,
})

/** Returns the tasks that delete data past its configured retention. */
function retentionTasks(database: Database, clock: Clock, { retention: days, dataDir }: Config): Task[] {
  const batches = (purge: (tx: Tx, before: Date, limit: number) => Promise<number>) =>
    inBatches((before, limit) => database.inStatement((tx) => purge(tx, before, limit)))
  const folder = join(dataDir, 'archive')
  return [
    ...retention('applications', days.applications, clock, (before, now) => purgeApplications(database, before, now)),
    ...retention('closed-jobs', days.closedJobs, clock, (before) => archiveJobs(database, folder, before)),
    ...retention(
      'views',
      days.views,
      clock,
      batches((tx, before, limit) => purgeViews(tx, dayOf(before), limit)),
    ),
    ...retention('reports', days.reports, clock, batches(purgeReports)),
    ...retention('activity', days.activity, clock, batches(purgeOperatorActions)),
  ]
}

/** Returns the task that exchanges the use of quotas with other processes. */
function quotaSharer(database: Database, clock: Clock, shared: readonly Quota[]): Task {
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

/** Returns one member of each feature's emails. */
function eachOf<K extends MailKind, M extends keyof MailFeature>(mails: Record<K, MailFeature>, member: M) {
  const entries = Object.entries<MailFeature>(mails).map(([kind, feature]) => [kind, feature[member]])
  return Object.fromEntries(entries) as Record<K, MailFeature[M]>
}
