/**
 * Types of a feature's manifest: its contributions to the service, and the parts that it uses. Each feature exports its
 * manifest from `<name>.feature.ts`, and `main/features.ts` lists all of them.
 */
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { TSchema } from 'typebox'
import type { Task } from '../background/loop.ts'
import type { Database, Reader, Reads, Tx } from '../db/database.ts'
import type { SearchReads } from '../db/search-reads.ts'
import type { Files, ObjectStore } from '../files/store.ts'
import type { App } from '../http/app.ts'
import type { Address, RequestOrigin } from '../http/client-address.ts'
import type { OpenApiDocument } from '../http/openapi-document.ts'
import type { Examples } from '../http/openapi-examples.ts'
import type { RateLimiter, RequestLimit } from '../http/rate-limit.ts'
import type { Budgets } from '../lib/budgets.ts'
import type { Clock } from '../lib/time.ts'
import type { MailComposer, MailKind, Unsubscription } from '../mail/queue.ts'
import type { NavigationEntry } from '../pages/page.ts'
import type { Board } from '../search/memory/board.ts'
import type { Holdings, KeyRing } from './accounts/index.ts'
import type { BoardLists, OfferBeside } from './board/index.ts'
import type { LiveCatalogue } from './catalogue/index.ts'
import type { LiveRates } from './currency-rates/index.ts'
import type { JobSettings, NoteView } from './jobs/index.ts'
import type { PaymentHouse, PaymentProvider } from './payments/index.ts'
import type { Registration } from './registration/index.ts'
import type { Authorities } from './sessions/index.ts'
import type { StripeApi } from './stripe/index.ts'
import type { WebhookParts } from './webhooks/index.ts'

/** The parts of the service that features use. Each part is created once per process. */
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
  /** Returns the installation's secret with this name, which is created on first use. */
  secretOf(name: string): Promise<Uint8Array>
  board: Board
  lists: BoardLists
  catalogue: LiveCatalogue
  rates: LiveRates
  registration: Registration
  keyRing: KeyRing
  authorities: Authorities
  files: Files
  /** The object store. Undefined if `files` does not use one. */
  objects: ObjectStore | undefined
  webhooks: WebhookParts
  /** The provider that `PAYMENTS` selects. */
  provider: PaymentProvider
  /** The client for Stripe's API, if configured. */
  stripe: StripeApi | undefined
  /** Directory for files that outlive the process. */
  dataDir: string
  /** Configured retention in days. Undefined means forever. */
  retention: Readonly<Record<'applications' | 'closedJobs' | 'views' | 'reports' | 'activity', number | undefined>>
  /** Returns the client's address, if it is known. */
  addressOf(request: RequestOrigin): Address | undefined
  /** Returns the network that a request came from. */
  networkOf(request: IncomingMessage): string
  hasWebsite: boolean
  /**
   * Returns a function from an id to the URL of a page or, without the website, of the API resource. `:id` marks the id
   * in both templates.
   */
  linkTo(page: string, resource: string): (id: string) => string
  /**
   * Returns the contributions of all features to a slot, in the order of the feature list. The result is complete once
   * all features are open.
   */
  collect<S extends keyof Contributions>(slot: S): NonNullable<Contributions[S]>[]
  /** Returns every background task. The result is complete once all features are open. */
  tasks(): readonly Task[]
}

/** The emails of one kind. */
export interface FeatureMails {
  compose: MailComposer
  /** Handles the unsubscribe link. Absent if the emails have no unsubscribe link. */
  unsubscription?: Unsubscription
}

/** The personal data of one feature. Each feature declares its data in `<name>.personal-data.ts`. */
export interface PersonalData {
  /** Name of the member in the export. */
  name: string
  /** Returns the data that the account's owner receives, as JSON. */
  export(reader: Reader, accountId: string): Promise<unknown>
  /**
   * Erases the feature's data, within the transaction of the whole erasure. At this point, the candidate and the
   * account still exist, and both are locked.
   */
  erase(tx: Tx, accountId: string, now: Date): Promise<void>
}

/** Retention rule: how long rows are kept, and how they are purged. */
export interface Retention {
  name: string
  /** Undefined means that the rows are kept forever and `purge` never runs. */
  days: number | undefined
  /** Tables that this rule applies to, for the admin area. */
  tables: readonly string[]
  purge?(before: Date, now: Date): Promise<'more' | 'done'>
}

/** Everything that an open feature adds to the service. */
export interface Contributions {
  /** Registers operations under `/v1`. */
  api?(v1: App): void | Promise<void>
  /** Registers pages of the website. */
  pages?(pages: App, limiter: RateLimiter | undefined): void | Promise<void>
  /** Registers routes outside the API and the website, such as callbacks of other services. */
  root?(root: App): void | Promise<void>
  tasks?: readonly Task[]
  mails?: Readonly<Partial<Record<MailKind, FeatureMails>>>
  personalData?: PersonalData
  /** Counts the feature's resources of an account, for admins. */
  countHoldings?(reader: Reader, accountId: string, now: Date): Promise<Partial<Holdings>>
  retention?: readonly Retention[]
  /** Corrects stored times after the clock was set back. */
  afterClockStep?(tx: Tx, now: Date): Promise<void>
  /** Applies changes that an admin made in any process. Runs before the service starts, and every second. */
  refresh?(): Promise<void>
  /** Returns whether an operator blocked the sender of a request. */
  isBlocked?(request: IncomingMessage): boolean
  /** Counts a view of a job. */
  noteView?: NoteView
  /** Content beside each job in a list. */
  besideListed?: OfferBeside
  /** Content on the page of one job. */
  besideOne?: OfferBeside
  /** The external payment service for `provider`. */
  paymentHouse?: PaymentHouse
  /** Returns the number of open reports for the overview of the admin area. */
  countOpenReports?(): Promise<number>
  /** Releases connections. Runs after the tasks have stopped. */
  close?(): Promise<void>
}

export interface Feature {
  name: string
  /** True if the board still works after this feature's line is removed from the feature list. */
  isOptional?: true
  /** Component schemas of the OpenAPI document. */
  schemas?: readonly TSchema[]
  /**
   * Example values of members in the OpenAPI document, by member name, or by `parent.member` if the name is ambiguous.
   * The parent is a member or a component.
   */
  examples?: Examples
  /** Quotas that routes refer to as `limit`, by name: lowercase letters and hyphens. */
  limits?: Readonly<Record<string, RequestLimit>>
  /** Webhooks of the OpenAPI document, by event type. */
  webhooks?: OpenApiDocument['webhooks']
  /** Links in the menus. Links to pages that do not exist or that the visitor may not open are omitted. */
  navigation?: readonly NavigationEntry[]
  /** Opens the feature. Routes are registered once all features are open. */
  open(kit: Kit): Contributions | Promise<Contributions>
}

/** Returns the manifest unchanged. Declares its type. */
export const defineFeature = (feature: Feature): Feature => feature
