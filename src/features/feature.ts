/**
 * Types for feature manifests. A manifest declares what a feature adds to the service. Each feature exports its
 * manifest from `<name>.feature.ts`, and `main/features.ts` lists the manifests.
 */
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { TSchema } from 'typebox'
import type { Task } from '../background/loop.ts'
import type { Database, Db, Reader, Reads, Tx } from '../db/database.ts'
import type { SearchReads } from '../db/search-reads.ts'
import type { Files, ObjectStore } from '../files/store.ts'
import type { App } from '../http/app.ts'
import type { Address, RequestOrigin } from '../http/client-address.ts'
import type { OpenApiDocument } from '../http/openapi-document.ts'
import type { Examples } from '../http/openapi-examples.ts'
import type { RateLimiter, RequestLimit } from '../http/rate-limit.ts'
import type { Budgets } from '../lib/budgets.ts'
import type { Actor } from '../lib/scopes.ts'
import type { Clock } from '../lib/time.ts'
import type { MessageKey } from '../locale/messages.ts'
import type { MailComposer, MailKind, MailSample, Unsubscription } from '../mail/queue.ts'
import type { Html } from '../pages/html.ts'
import type { NavigationEntry, PageContext } from '../pages/page.ts'
import type { Engine } from '../search/engine/engine.ts'
import type { Board } from '../search/memory/board.ts'
import type { Holdings, KeyRing } from './accounts/index.ts'
import type { BoardLists, OfferBeside } from './board/index.ts'
import type { LiveBrand } from './brand/index.ts'
import type { LiveCatalogue } from './catalogue/index.ts'
import type { LiveRates } from './currency-rates/index.ts'
import type { JobSettings, NoteView } from './jobs/index.ts'
import type { OidcSettings } from './oidc/index.ts'
import type { PaymentHouse, PaymentProvider } from './payments/index.ts'
import type { Registration } from './registration/index.ts'
import type { Authorities } from './sessions/index.ts'
import type { StripeApi } from './stripe/index.ts'
import type { WebhookParts } from './webhooks/index.ts'

/** The service's objects that features use. Each process creates them once. */
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
  /** Returns the installation's secret with this name. Creates the secret on first use. */
  secretOf(name: string): Promise<Uint8Array>
  board: Board
  lists: BoardLists
  brand: LiveBrand
  catalogue: LiveCatalogue
  rates: LiveRates
  registration: Registration
  keyRing: KeyRing
  authorities: Authorities
  files: Files
  /** The object store that `files` uses. Undefined if files are stored in the database. */
  objects: ObjectStore | undefined
  webhooks: WebhookParts
  /** The payment provider that `PAYMENTS` selects. */
  provider: PaymentProvider
  /** The operator's OpenID provider, if configured. */
  oidc: OidcSettings | undefined
  /** The Stripe API client, if configured. */
  stripe: StripeApi | undefined
  /** The IndexNow key and endpoint for announcing changed jobs. Undefined if announcements are off. */
  indexNow: { key: string; url: string } | undefined
  /** The URLs of the message broker that receives all events. Undefined if no broker is configured. */
  eventSinkUrls: readonly URL[] | undefined
  /** The search engine that lists use instead of the in-memory board. Undefined if none is configured. */
  engine: Engine | undefined
  /** Directory for files that must outlive the process. */
  dataDir: string
  /** Configured retention periods, in days. Undefined means no limit. */
  retention: Readonly<Record<'applications' | 'closedJobs' | 'views' | 'reports' | 'activity', number | undefined>>
  /** Returns the client's IP address, or undefined if it is unknown. */
  addressOf(request: RequestOrigin): Address | undefined
  /** Returns the client's network, or `unknown`. */
  networkOf(request: IncomingMessage): string
  hasWebsite: boolean
  /**
   * Returns a function that converts an ID to the URL of a page or, without the website, of an API resource. `page` and
   * `resource` are URL templates, in which `:id` is a placeholder for the ID.
   */
  linkTo(page: string, resource: string): (id: string) => string
  /**
   * Returns the contributions of all features to a slot, in the order of the feature list. Complete only after all
   * features are open.
   */
  collect<S extends keyof Contributions>(slot: S): NonNullable<Contributions[S]>[]
  /** Returns all background tasks. Complete only after all features are open. */
  tasks(): readonly Task[]
}

/** Functions for one kind of email: composing, previewing and unsubscribing. */
export interface FeatureMails {
  compose: MailComposer
  /** Returns samples in the current language, for previews. */
  samples(): readonly MailSample[]
  /** Handles the unsubscribe link. Absent if recipients cannot unsubscribe. */
  unsubscription?: Unsubscription
}

/** The personal data of one feature, declared in `<name>.personal-data.ts`. */
export interface PersonalData {
  /** Name of the member that contains the feature's data in the export. */
  name: string
  /** Returns the account's data for the export, as JSON. */
  export(reader: Reader, accountId: string): Promise<unknown>
  /**
   * Erases the feature's data in the transaction that erases the account, before the account's rows are deleted. For
   * candidates, the caller has already locked the candidate and the account.
   */
  erase(tx: Tx, accountId: string, now: Date): Promise<void>
}

/** The personal data in one table, for `docs/personal-data.md`. Omits IDs and hashed secrets. */
export interface PersonalColumns {
  columns: readonly string[]
  /** Why the service stores the data. */
  purpose: string
  /** When the service deletes the data. */
  until: string
}

/** A retention rule: how long the service keeps rows, and how it purges them. */
interface Retention {
  name: string
  /** Undefined means that the service never deletes the rows and never calls `purge`. */
  days: number | undefined
  /** The tables of this rule, for display in the admin area. */
  tables: readonly string[]
  purge?(before: Date, now: Date): Promise<'more' | 'done'>
}

/** An account that has just signed in, and the path to return to. */
export interface Arrival {
  actor: Pick<Actor, 'accountId' | 'kind' | 'scopes'>
  path: string
  now: Date
}

/** An object that the admin area's search found. */
export interface DeskFinding {
  href: string
  title: string
  /** Further facts that distinguish the object, such as the email address. */
  details: readonly (string | null)[]
}

/** The part of the admin area's search that covers one kind of object. */
export interface DeskFinder {
  /** Name of the kind, in the plural. */
  title: MessageKey
  /** The URL path of the full list, which takes the text as its `search` parameter. */
  list: string
  /**
   * Returns the objects whose ID, email address or number equals the text. Also returns the newest matches, at most
   * `limit` of them, and the total number of matches in the list.
   */
  find(db: Db, text: string, limit: number): Promise<DeskFindings>
}

export interface DeskFindings {
  exact: readonly DeskFinding[]
  newest: readonly DeskFinding[]
  total: number
}

/** Names the objects of one kind in the admin area's activity log. */
export interface DeskSubjects {
  /** Prefix of the names of actions on this kind, such as `account` in `account.suspend`. */
  kind: string
  /** The URL path of an object's page, as its route declares it. The ID replaces the last parameter. */
  page: string
  /** Returns the names of the objects that still exist, by ID. */
  name(reader: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/** Views of an employer's jobs. Jobs and days without views are absent. */
export interface ViewFigures {
  total: number
  before: number
  byJob: ReadonlyMap<string, number>
  byDay: ReadonlyMap<string, number>
}

/** Everything that an open feature adds to the service. */
export interface Contributions {
  /** Registers operations under `/v1`. */
  api?(v1: App): void | Promise<void>
  /** Registers website pages. */
  pages?(pages: App, limiter: RateLimiter | undefined): void | Promise<void>
  /** Registers routes outside the API and the website, such as callbacks from other services. */
  root?(root: App): void | Promise<void>
  tasks?: readonly Task[]
  mails?: Readonly<Partial<Record<MailKind, FeatureMails>>>
  personalData?: PersonalData
  /** Counts an account's resources in this feature, for admins. */
  countHoldings?(reader: Reader, accountId: string, now: Date): Promise<Partial<Holdings>>
  retention?: readonly Retention[]
  /** Corrects stored times after the clock has been set back. */
  afterClockStep?(tx: Tx, now: Date): Promise<void>
  /** Applies changes to settings that were made in any process. Runs before the service starts, and then every second. */
  refresh?(): Promise<void>
  /** Returns whether an operator has blocked the request's client. */
  isBlocked?(request: IncomingMessage): boolean
  /** Receives the requests for open jobs. Counts the requests that are views. */
  noteView?: NoteView
  /** Returns the views of an employer's jobs since `since`, and the total from `before` to `since` for comparison. */
  viewsOf?(reader: Reader, employerId: string, period: { before: Date; since: Date }): Promise<ViewFigures>
  /** Content shown with each job in a list. */
  besideListed?: OfferBeside
  /** Content shown on a job's own page. */
  besideOne?: OfferBeside
  /** Links shown below the text on a job's own page. */
  belowOne?: OfferBeside
  /**
   * If `path` identifies an action that the visitor chose before signing in, such as saving a job, performs the action.
   * Returns the path of the next page, optionally with a notice. Otherwise, returns undefined.
   */
  afterSignIn?: (tx: Tx, arrival: Arrival) => Promise<{ path: string; notice?: string } | undefined>
  /** The external payment service for `provider`. */
  paymentHouse?: PaymentHouse
  deskFinder?: DeskFinder
  deskSubjects?: readonly DeskSubjects[]
  /** Returns the number of open reports, for the admin overview. */
  countOpenReports?(): Promise<number>
  /**
   * Returns a warning for the employer if a job that is not on the board looks like one of the employer's jobs on the
   * board.
   */
  copyWarning?(reader: Reader, jobId: string, page: PageContext): Promise<Html | undefined>
  /** Returns the number of suspected copies that lists show, for the admin overview. */
  countSuspects?(): Promise<number>
  /** Releases connections. Runs after the tasks have stopped. */
  close?(): Promise<void>
}

export interface Feature {
  name: string
  /**
   * Tag of the feature's operations in the OpenAPI document. Operations under `/admin` have the tag `Operator`. An
   * operation can declare another tag.
   */
  tag?: string
  /** True if the board works without this feature. */
  isOptional?: true
  /** Component schemas for the OpenAPI document. */
  schemas?: readonly TSchema[]
  /**
   * Example values for the OpenAPI document, by member name, or by `parent.member` if the member name is ambiguous. The
   * parent is a member or a component.
   */
  examples?: Examples
  /** Request quotas, by the name in a route's `limit`. Names consist of lowercase letters and hyphens. */
  limits?: Readonly<Record<string, RequestLimit>>
  /** Webhooks for the OpenAPI document, by event type. */
  webhooks?: OpenApiDocument['webhooks']
  /** Personal data in the feature's tables. */
  personalColumns?: Readonly<Record<string, PersonalColumns>>
  /** Menu links. Menus omit links to pages that do not exist or that the visitor may not open. */
  navigation?: readonly NavigationEntry[]
  /** Opens the feature. Its routes are registered once all features are open. */
  open(kit: Kit): Contributions | Promise<Contributions>
}

/** Returns the manifest unchanged. Lets the compiler check the type of the manifest. */
export const defineFeature = (feature: Feature): Feature => feature
