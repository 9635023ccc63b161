/**
 * The contributions of a feature to the service, and the parts that it receives. Each feature exports its manifest from
 * `<name>.feature.ts`; `main/features.ts` lists them.
 */
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { TSchema } from 'typebox'
import type { Task } from '../background/loop.ts'
import type { Database, Reads, Tx } from '../db/database.ts'
import type { SearchReads } from '../db/search-reads.ts'
import type { Files, ObjectStore } from '../files/store.ts'
import type { App } from '../http/app.ts'
import type { Address, RequestOrigin } from '../http/client-address.ts'
import type { WebhookDescription } from '../http/openapi.ts'
import type { RateLimiter } from '../http/rate-limit.ts'
import type { Budgets } from '../lib/budgets.ts'
import type { Clock } from '../lib/time.ts'
import type { MailComposer, MailKind, Unsubscription } from '../mail/queue.ts'
import type { NavigationEntry } from '../pages/page.ts'
import type { Board } from '../search/memory/board.ts'
import type { KeyRing } from './accounts/index.ts'
import type { BoardLists, OfferBeside } from './board/index.ts'
import type { PersonalData } from './candidates/index.ts'
import type { LiveCatalogue } from './catalogue/index.ts'
import type { JobSettings, NoteView } from './jobs/index.ts'
import type { PaymentHouse, PaymentProvider } from './payments/index.ts'
import type { Registration } from './registration/index.ts'
import type { Authorities } from './sessions/index.ts'
import type { StripeApi } from './stripe/index.ts'
import type { WebhookParts } from './webhooks/index.ts'

/** The parts of the service that features use; created once per process. */
export interface Kit {
  database: Database
  /** Reads that may run on the replica. */
  reads: Reads
  searches: SearchReads
  clock: Clock
  log: Logger
  metrics: Registry
  budgets: Budgets
  settings: JobSettings
  cursorSecret: Uint8Array
  /** Returns the secret of this installation with this name. It is created on first use. */
  secretOf(name: string): Promise<Uint8Array>
  board: Board
  lists: BoardLists
  catalogue: LiveCatalogue
  registration: Registration
  keyRing: KeyRing
  authorities: Authorities
  files: Files
  /** The store of objects, if `files` uses one. */
  objects: ObjectStore | undefined
  webhooks: WebhookParts
  /** The provider that `PAYMENTS` selects. */
  provider: PaymentProvider
  /** The API of Stripe, if configured. */
  stripe: StripeApi | undefined
  /** Folder of files that outlive the process. */
  dataDir: string
  /** Configured retention in days. Undefined: forever. */
  retention: Readonly<Record<'applications' | 'closedJobs' | 'views' | 'reports' | 'activity', number | undefined>>
  /** Returns the client's address, if it is known. */
  addressOf(request: RequestOrigin): Address | undefined
  /** Returns the network that a request came from. */
  networkOf(request: IncomingMessage): string
  hasWebsite: boolean
  /** Returns the URL of a page or, without the website, of the API resource. `:id` in both stands for the id. */
  linkTo(page: string, resource: string): (id: string) => string
  /** Returns the contributions of all features to a slot, in the order of the list. Complete once all are open. */
  collect<S extends keyof Contributions>(slot: S): NonNullable<Contributions[S]>[]
  /** Returns every background task. Complete once all features are open. */
  tasks(): readonly Task[]
}

/** The emails of one kind. */
export interface FeatureMails {
  compose: MailComposer
  /** The effect of the unsubscribe link; absent if the emails have none. */
  unsubscription?: Unsubscription
}

/** Deletes rows past their retention. */
export interface Retention {
  name: string
  /** Undefined: the rows are kept forever, and `purge` never runs. */
  days: number | undefined
  /** Tables with rows of this age, for the admin area. */
  tables: readonly string[]
  purge?(before: Date, now: Date): Promise<'more' | 'done'>
}

/** Everything that an open feature adds to the service. */
export interface Contributions {
  /** Registers operations under `/v1`. */
  api?(v1: App): void | Promise<void>
  /** Registers pages of the website. */
  pages?(pages: App, limiter: RateLimiter | undefined): void | Promise<void>
  /** Registers routes that belong to neither, such as callbacks of other services. */
  root?(root: App): void | Promise<void>
  tasks?: readonly Task[]
  mails?: Readonly<Partial<Record<MailKind, FeatureMails>>>
  personalData?: PersonalData
  retention?: readonly Retention[]
  /** Corrects stored times after the clock was set back. */
  afterClockStep?(tx: Tx, now: Date): Promise<void>
  /** Adopts changes that an admin made on any process. Runs before the service starts, and every second. */
  refresh?(): Promise<void>
  /** Returns whether an operator blocked the sender of a request. */
  isBlocked?(request: IncomingMessage): boolean
  /** Counts a view of a job. */
  noteView?: NoteView
  /** Content beside each job of a list. */
  besideListed?: OfferBeside
  /** Content on the page of one job. */
  besideOne?: OfferBeside
  /** The payment service behind `provider`. */
  paymentHouse?: PaymentHouse
  /** Returns the number of open reports for the overview of the admin area. */
  countOpenReports?(): Promise<number>
  /** Releases connections. Runs after the tasks have stopped. */
  close?(): Promise<void>
}

export interface Feature {
  name: string
  /** True if the board works without it, when its line in the list is removed. */
  isOptional?: true
  /** Component schemas of the OpenAPI document. */
  schemas?: readonly TSchema[]
  /** Webhook events of the OpenAPI document. */
  events?: readonly WebhookDescription[]
  /** Links in the menus. Those to pages that are missing or refused are left out. */
  navigation?: readonly NavigationEntry[]
  /** Opens the feature. Routes are registered once all features are open. */
  open(kit: Kit): Contributions | Promise<Contributions>
}

/** Returns the manifest; a place for its type. */
export const defineFeature = (feature: Feature): Feature => feature
