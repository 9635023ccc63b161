/** From a configuration to the parts: the only place where they meet. */
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import packageJson from '../../package.json' with { type: 'json' }
import type { Task } from '../background/loop.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { installationSecret } from '../db/installation-secret.ts'
import { KnownTotals } from '../db/known-totals.ts'
import { isMigrated } from '../db/migrate.ts'
import { eventDataSchemas } from '../events/catalogue.ts'
import { ApiKeyCreatedSchema, ApiKeySchema, KeyRing, MeSchema, registerAccounts } from '../features/accounts/index.ts'
import { CandidateRegisteredSchema, CandidateSchema, registerCandidates } from '../features/candidates/index.ts'
import { EmployerRegisteredSchema, EmployerSchema, registerEmployers } from '../features/employers/index.ts'
import {
  alertMatcher,
  alertRunner,
  JobAlertSchema,
  jobAlertMails,
  registerJobAlerts,
} from '../features/job-alerts/index.ts'
import {
  expirySweeper,
  JobCreateSchema,
  JobDetailSchema,
  JobListSchema,
  type JobSettings,
  NamedCountSchema,
  OwnJobSchema,
  registerJobs,
} from '../features/jobs/index.ts'
import {
  PaymentSchema,
  ProductSchema,
  paidRunConsumer,
  providers,
  registerCheckout,
  registerPayments,
} from '../features/payments/index.ts'
import { registerUnsubscribe } from '../features/unsubscribe/index.ts'
import { type App, createHttpApp } from '../http/app.ts'
import { type Clock, systemClock } from '../lib/time.ts'
import type { MailFeature, MailKind } from '../mail/queue.ts'
import { mailPurge, mailSender } from '../mail/sender.ts'
import { createMailTransport } from '../mail/transport.ts'
import type { Config } from './config.ts'

/** Component schemas of the OpenAPI document. */
export const componentSchemas = [
  ApiKeyCreatedSchema,
  ApiKeySchema,
  CandidateRegisteredSchema,
  CandidateSchema,
  EmployerRegisteredSchema,
  EmployerSchema,
  JobAlertSchema,
  JobCreateSchema,
  JobDetailSchema,
  JobListSchema,
  MeSchema,
  NamedCountSchema,
  OwnJobSchema,
  PaymentSchema,
  ProductSchema,
]

export { eventDataSchemas }

/** Opens the database that the configuration names. */
export function openConfiguredDatabase(config: Config): Promise<Database> {
  return openDatabase(
    config.databaseUrl === undefined
      ? { dataDir: join(config.dataDir, 'db') }
      : { url: config.databaseUrl, poolSize: config.databasePoolSize },
  )
}

/** What is logged is written when there is this much of it, and at the latest after this time. */
const LOG_BYTES = 4_096
const LOG_MS = 100

/**
 * The log: one JSON object a line, without anything a client keeps secret. A write for each line would cost a third of
 * what reading one job costs; a process that is killed outright loses what it logged in its last 100 ms.
 */
export function createLogger(config: Config): Logger {
  const destination = pino.destination({ sync: true, minLength: LOG_BYTES, periodicFlush: LOG_MS })
  process.once('exit', () => destination.flushSync())
  return pino(
    {
      level: config.logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: pino.stdSerializers.err },
      redact: { paths: ['req.headers.authorization', '*.api_key', '*.key', '*.secret'], censor: '[redacted]' },
    },
    destination,
  )
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
}

/** Builds the service on an open, migrated database. */
export async function composeService(
  config: Config,
  { database, logger, clock = systemClock }: { database: Database; logger: Logger; clock?: Clock },
): Promise<Service> {
  const settings: JobSettings = { origin: originOf(config), defaultCurrency: config.defaultCurrency }
  const cursorSecret = await installationSecret(database, 'cursor')
  const keyRing = new KeyRing(database, clock, config.adminApiKey)
  const provider = providers[config.payments]
  const shared = { database, clock, cursorSecret, settings }
  const knownTotals = new KnownTotals()
  const mails: Partial<Record<MailKind, MailFeature>> = { 'job-alert': jobAlertMails(settings.origin) }
  const unsubscribeSecret = await installationSecret(database, 'unsubscribe')
  const app = await createHttpApp({
    logger,
    cursorSecret,
    origin: settings.origin,
    version: packageJson.version,
    isRegistrationOpen: config.isRegistrationOpen,
    findActor: keyRing.findActor,
    isReady: () => isMigrated(database),
    schemas: componentSchemas,
    registerApi: (v1) => {
      registerAccounts(v1, { ...shared, keyRing })
      registerCandidates(v1, shared)
      registerEmployers(v1, shared)
      registerJobAlerts(v1, { ...shared, knownTotals })
      registerJobs(v1, { ...shared, consumePaidRun: paidRunConsumer(provider), knownTotals })
      registerPayments(v1, { ...shared, provider })
    },
    registerPages: (root) => {
      registerCheckout(root, { ...shared, provider })
      registerUnsubscribe(root, { ...shared, unsubscriptions: eachOf(mails, 'unsubscription'), unsubscribeSecret })
    },
  })
  const sender = mailSender({
    database,
    clock,
    log: logger,
    transport: createMailTransport({
      url: config.mailUrl,
      folder: join(config.dataDir, 'mail'),
      from: config.mailFrom,
      host: new URL(settings.origin).hostname,
    }),
    composers: eachOf(mails, 'compose'),
    origin: settings.origin,
    unsubscribeSecret,
  })
  const keyUses: Task = {
    name: 'key-uses',
    everyMs: 30_000,
    async once() {
      await keyRing.flushUses()
      return 'done'
    },
  }
  const tasks = [
    expirySweeper(database, clock, settings),
    keyUses,
    alertRunner(database, clock),
    alertMatcher(database, clock),
    sender,
    mailPurge(database, clock),
  ]
  return { app, keyRing, tasks }
}

/** The same member of each feature's mails. */
function eachOf<M extends keyof MailFeature>(mails: Partial<Record<MailKind, MailFeature>>, member: M) {
  const entries = Object.entries(mails).map(([kind, feature]) => [kind, feature[member]])
  return Object.fromEntries(entries) as Partial<Record<MailKind, MailFeature[M]>>
}
