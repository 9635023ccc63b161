/** The scope of all pages: sessions, access, protected forms and error pages. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { IdempotentAnswers } from '../db/idempotent-answers.ts'
import type { App } from '../http/app.ts'
import {
  type Access,
  isAuthenticationOld,
  isSuspension,
  type Needs,
  refusalOf,
  unauthorized,
} from '../http/authenticate.ts'
import type { FastPath } from '../http/fast-path/fast-path.ts'
import { toAppError } from '../http/problem.ts'
import type { RateLimiter } from '../http/rate-limit.ts'
import { REFERENCE_POLICY, type ReferencePages } from '../http/reference.ts'
import { describeRepresentations, sendReady } from '../http/representation.ts'
import { chargeStorage } from '../http/storage-budget.ts'
import { hasParameter } from '../http/validation.ts'
import { findUnstorableText, isStorableText } from '../lib/bad-text.ts'
import type { Brand } from '../lib/brand.ts'
import type { Budgets } from '../lib/budgets.ts'
import { staleSignInRefusal } from '../lib/dangerous-acts.ts'
import { AppError, validationFailed } from '../lib/errors.ts'
import { NOTICE_LENGTH_MAX } from '../lib/head-limits.ts'
import type { Actor } from '../lib/scopes.ts'
import { readToken, signToken } from '../lib/signed-token.ts'
import type { Clock } from '../lib/time.ts'
import { type Language, splitLanguage } from '../locale/languages.ts'
import { inLocale } from '../locale/locale.ts'
import { t } from '../locale/messages.ts'
import { Assets } from './assets.ts'
import { type Cookies, createCookies } from './cookies.ts'
import { renderProblem } from './errors.views.ts'
import { allInWords, problemInWords } from './fault-words.ts'
import { acceptForms, fieldsOf } from './form-bodies.ts'
import { Form, type FormFields, fieldFault, formBody } from './forms.ts'
import { Html } from './html.ts'
import { CutForm } from './large-forms.ts'
import { localPath } from './local-path.ts'
import { sentForm } from './once.ts'
import {
  type Menu,
  type NavigationEntry,
  type NoticeTone,
  type PageContext,
  pageHeaders,
  protectPage,
  readerOf,
  seeOther,
  showPage,
} from './page.ts'
import { createReaderLocale, type ReaderLocale } from './reader-locale.ts'
import { renderOperation, renderReference } from './reference.views.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Renders the page of a rejected form again, with the submitted values and their faults. */
    again?: (request: FastifyRequest, form: Form) => Html | Promise<Html>
    /**
     * The registration page that visitors without a session get instead of the sign-in page, because most of them have
     * no account.
     */
    registerAt?: '/register/candidate' | '/register/employer'
  }
}

interface SiteOptions {
  origin: string
  brand: () => Brand
  clock: Clock
  /** IANA name of the time zone to use if the reader's own is unknown. */
  timeZone: string
  /** The secret that signs form tokens and notices. */
  secret: Uint8Array
  isRegistrationOpen: () => boolean
  /** Returns whether the board is shown from memory because the database is unavailable. */
  isStale: () => boolean
  /** Stored results of forms. */
  answers: IdempotentAnswers
  budgets: Budgets
  navigation: readonly NavigationEntry[]
  /** Returns the actor of a session token. Throws `account_suspended` if the account is suspended. */
  findSession: (token: string) => Promise<Actor | undefined>
  /** Records the language that a signed-in reader chose. */
  noteLanguage: (accountId: string, language: Language) => Promise<void>
  registerPages: (pages: App, limiter: RateLimiter | undefined) => void | Promise<void>
}

/** Error statuses after which the page shows the form again with its faults. */
const ABOUT_FORM: ReadonlySet<number> = new Set([400, 402, 409, 412, 413, 415, 422])
const NOTICE_S = 60
/** A notice in its cookie. Earlier releases wrote no tone. */
const NOTICE = /^notice(?::(good|warn|bad))? (.+)$/s
const YEAR_S = 31_536_000

export class Site {
  readonly #options: SiteOptions
  readonly #cookies: Cookies
  readonly #locales: ReaderLocale
  readonly #assets = new Assets()
  /** `METHOD /path` of every page. */
  readonly pages: ReadonlySet<string> = new Set<string>()
  #limiter: RateLimiter | undefined
  readonly #menus: ReadonlyMap<Menu, readonly NavigationEntry[]>
  readonly #access: { method: string; path: RegExp; access: Access | undefined; needs: Needs | undefined }[] = []

  constructor(options: SiteOptions) {
    this.#options = options
    this.#cookies = createCookies(options.origin)
    this.#locales = createReaderLocale(options)
    this.#menus = Map.groupBy(
      options.navigation.toSorted((a, b) => a.rank - b.rank),
      ({ menu }) => menu,
    )
  }

  /** Registers all pages in their own scope. */
  register(root: App, limiter: RateLimiter | undefined, fastPath: FastPath | undefined): void {
    // Registered outside the scope of pages, because files are public and need no session.
    root.register(async (assets) => this.#assets.register(assets))
    root.register(async (scope) => {
      let isComplete = false
      scope.addHook('onRoute', ({ method, url, config }) => {
        if (isComplete) return
        for (const one of [method].flat()) {
          if (one === 'HEAD') continue
          ;(this.pages as Set<string>).add(`${one} ${url}`)
          // A parameter such as `:id` matches any path segment.
          const path = new RegExp(`^${url.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+')}$`)
          const route = { method: one, path, access: config?.access, needs: config?.needs }
          // Literal paths take precedence over paths with parameters.
          if (url.includes(':')) this.#access.push(route)
          else this.#access.unshift(route)
        }
      })
      this.#protect(scope, limiter)
      this.#showReturned(scope)
      this.#sendCached(scope, fastPath)
      await this.#options.registerPages(scope as unknown as App, limiter)
      isComplete = true
      this.#leadToForms(scope)
    })
  }

  /** Sends HTML that a handler returns as a page with status 200. */
  #showReturned(scope: FastifyInstance): void {
    scope.addHook('onRoute', (route) => {
      const { handler } = route
      route.handler = async function (request, reply) {
        const result = await handler.call(this, request, reply)
        return result instanceof Html ? showPage(reply, result) : result
      }
    })
  }

  /** Sends cached pages to readers who are not signed in. */
  #sendCached(scope: FastifyInstance, fastPath: FastPath | undefined): void {
    const { session, notice } = this.#cookies
    scope.addHook('onRoute', (route) => {
      const { config } = route
      const { readyPage } = config ?? {}
      if (!config || !readyPage) return
      const sendIfReady: onRequestHookHandler = (request, reply, done) => {
        const ready = request.page.isShared && readyPage(readerOf(request))
        if (ready) sendReady(request, reply, ready)
        else done()
      }
      route.onRequest = [sendIfReady, ...[route.onRequest ?? []].flat()]
      if (route.method !== 'GET') return
      fastPath?.servePage(route.url, config, {
        headers: pageHeaders,
        cachedFor: (request) => {
          if (session.read(request) !== undefined || notice.read(request) !== undefined) return undefined
          const { url = '/', headers } = request
          return readyPage({ url, headers, language: this.#locales.languageOf(url, headers) })
        },
      })
    })
  }

  /**
   * Redirects a GET of a form's URL to the nearest page above it, which usually has the form. Such requests come from
   * the address bar or from links.
   */
  #leadToForms(scope: FastifyInstance): void {
    for (const page of this.pages) {
      const [method, url] = page.split(' ') as [string, string]
      if (method === 'GET' || this.pages.has(`GET ${url}`)) continue
      scope.get(url, { config: { access: 'public' } }, async (request, reply) => seeOther(reply, this.#above(request)))
    }
  }

  /** Returns the path of the nearest page above a request's path. */
  #above({ raw }: FastifyRequest): string {
    let path = raw.url!.split('?', 1)[0]!
    while (path !== '') {
      path = path.slice(0, path.lastIndexOf('/'))
      if (this.#access.some((known) => known.method === 'GET' && known.path.test(path))) return path
    }
    return '/'
  }

  /** Sends an error page, even if no route matched. */
  readonly showProblem = async (request: FastifyRequest, reply: FastifyReply, error: AppError): Promise<FastifyReply> =>
    inLocale(this.#locales.localeOf(request), () => this.#showProblem(request, reply, error))

  async #showProblem(request: FastifyRequest, reply: FastifyReply, error: AppError): Promise<FastifyReply> {
    // For unknown paths, no hook has set the page context yet.
    request.page ??= this.#contextOf(
      request,
      reply,
      error.status === 404 ? await this.#visitorOf(request, reply) : undefined,
    )
    const back = isSafe(request) ? undefined : localPath(pathOfReferrer(request))
    return showPage(reply.headers(error.options.headers ?? {}), renderProblem(request.page, error, back), error.status)
  }

  /** Sends the API reference, which belongs to the scope of the API. */
  readonly showReference: ReferencePages['showReference'] = (request, reply, document) =>
    inLocale(this.#locales.localeOf(request), async () => {
      request.page = this.#contextOf(request, reply, await this.#visitorOf(request, reply))
      return showPage(reply, renderReference(request.page, document), 200, REFERENCE_POLICY)
    })

  /** Sends the reference of one operation. */
  readonly showOperation: ReferencePages['showOperation'] = (request, reply, document, operation) =>
    inLocale(this.#locales.localeOf(request), async () => {
      request.page = this.#contextOf(request, reply, await this.#visitorOf(request, reply))
      return showPage(reply, renderOperation(request.page, document, operation))
    })

  /** Returns the signed-in actor, or undefined if nobody is signed in or the lookup fails. */
  async #visitorOf(request: FastifyRequest, reply: FastifyReply): Promise<Actor | undefined> {
    const token = this.#cookies.session.read(request)
    if (token === undefined) return undefined
    const actor = await this.#options.findSession(token).catch(() => undefined)
    if (!actor) this.#limiter?.countFailure(request, reply)
    return actor
  }

  #protect(scope: FastifyInstance, limiter: RateLimiter | undefined): void {
    this.#limiter = limiter
    scope.decorateRequest('actor', null as unknown as Actor)
    scope.decorateRequest('authenticatedAt', 0)
    scope.decorateRequest('page', null as unknown as PageContext)
    scope.decorateRequest('form', null as unknown as FormFields)
    scope.decorateRequest('once', null)
    scope.decorateReply('isPersonal', false)
    scope.decorateReply('hasFrame', false)
    acceptForms(scope)
    // Registered before the hooks below, whose cache headers must take precedence.
    describeRepresentations(scope, undefined)

    scope.addHook('onRoute', (route) => {
      if (route.config?.access === undefined) {
        throw new Error(`${[route.method].flat().join(',')} ${route.url} does not declare its access`)
      }
    })

    this.#authenticate(scope, limiter)
    this.#useLanguage(scope)
    chargeStorage(scope, this.#options.budgets)
    this.#readForms(scope)

    scope.setErrorHandler(async (thrown, request, reply) => {
      const error = toAppError(thrown)
      return inLocale(this.#locales.localeOf(request), async () => {
        try {
          return await this.#answerError(error, request, reply)
        } catch (again) {
          return this.#answerError(toAppError(again), request, reply, false)
        }
      })
    })
  }

  /** Finds the signed-in actor of each request, and rejects requests that the route's access does not allow. */
  #authenticate(scope: FastifyInstance, limiter: RateLimiter | undefined): void {
    const { isRegistrationOpen, isStale, findSession, clock } = this.#options
    scope.addHook('onRequest', async (request, reply) => {
      protectPage(reply)
      // Checks the parameters here, because `again` uses them before they are validated, and PostgreSQL rejects NUL
      // characters.
      if (!Object.values(request.params as object).every(isStorableText)) throw new AppError('not_found')
      const { config } = request.routeOptions
      const { access = {} } = config
      const token = this.#cookies.session.read(request)
      let suspension: AppError | undefined
      let isKnown = true
      const actor =
        token === undefined
          ? undefined
          : await findSession(token).catch((error: unknown) => {
              if (isSuspension(error)) suspension = error
              // If sessions are unavailable, shows public pages as if no one were signed in.
              else if (access === 'public' && isSafe(request) && isStale()) isKnown = false
              else throw error
              return undefined
            })
      const isFailure = token !== undefined && !actor && !suspension && isKnown
      if (isFailure) this.#cookies.session.clear(reply)
      if (actor) {
        request.actor = actor
        request.authenticatedAt = performance.now()
      }
      request.page = this.#contextOf(request, reply, actor)
      const failed = isFailure ? limiter?.countFailure(request, reply) : undefined
      if (failed) throw failed
      const limited = actor
        ? limiter?.countKey(request, reply, actor, config)
        : limiter?.countAddress(request, reply, config)
      if (limited) throw limited
      // A suspended account can only sign out and open public pages as a visitor.
      if (access === 'public' || (access === 'registration' && isRegistrationOpen())) return
      if (suspension) throw suspension
      const refusal = actor
        ? (refusalOf(config, actor, isRegistrationOpen) ?? (config.needs && staleSignInRefusal(actor, clock.now())))
        : unauthorized(false)
      if (refusal) throw refusal
    })
  }

  /** Runs the rest of each request in the reader's language. A path such as `/de/jobs` changes the language. */
  #useLanguage(scope: FastifyInstance): void {
    scope.addHook('onRequest', async (request, reply) => {
      const { language } = splitLanguage(request.originalUrl)
      const { languages, defaultLanguage } = this.#options.brand()
      if (language === undefined || !languages.includes(language) || !isSafe(request)) return
      const { language: cookie } = this.#cookies
      if (cookie.read(request) !== language) cookie.set(reply, language, YEAR_S)
      const { accountId, session, member } = request.actor ?? {}
      // Emails to the account are in the language of its owners.
      const isRecipient = accountId !== undefined && (!member || member.role === 'owner')
      if (isRecipient && session?.language !== language) {
        await this.#options.noteLanguage(accountId, language)
      }
      // The default language has no prefix, because each page must have only one URL per language.
      if (language === defaultLanguage) return seeOther(reply, request.raw.url!)
    })
    scope.addHook('onRequest', (request, _reply, done) => inLocale(this.#locales.localeOf(request), done))
    // Restores the locale, because the body parser runs in the context of the connection.
    scope.addHook('preValidation', (request, _reply, done) => inLocale(this.#locales.localeOf(request), done))
  }

  /** Rejects forms from other sites, and converts a form's fields to the body of its route. */
  #readForms(scope: FastifyInstance): void {
    const { findSession, isRegistrationOpen, origin } = this.#options
    scope.addHook('onRequest', async (request) => {
      if (isSafe(request)) return
      if (!isFromHere(request, origin)) throw new AppError('form_refused')
    })

    scope.addHook('preValidation', async (request) => {
      dropUnknownParameters(request)
      if (isSafe(request)) return
      if (isAuthenticationOld(request)) {
        const actor = await findSession(this.#cookies.session.read(request)!)
        const refusal = actor ? refusalOf(request.routeOptions.config, actor, isRegistrationOpen) : unauthorized(false)
        if (refusal) throw refusal
      }
      const fields: FormFields = request.body instanceof Map ? request.body : new Map()
      const sent = fields.get('_csrf')?.at(-1) ?? request.headers['x-csrf-token']
      const binding = this.#bindingOf(request)
      const isOurs = binding !== undefined && typeof sent === 'string' && isEqual(sent, this.#csrfTokenOf(binding))
      if (!isOurs) throw new AppError('form_refused')
      request.form = fields
      if (fields instanceof CutForm) {
        throw new AppError('payload_too_large', {
          errors: [fieldFault(fields.tooLarge, t('fault.file_too_large'), 'too_large')],
        })
      }
      request.once = sentForm(this.#options.answers, request, fields)
      const schema = request.routeOptions.schema?.body
      request.body = schema === undefined ? {} : formBody(schema, fields)
      const unstorable = findUnstorableText(request.body) ?? []
      if (unstorable.length > 0) {
        const words = t('fault.unsupported_character')
        throw validationFailed(unstorable.map((pointer) => ({ pointer, code: 'invalid_text', detail: words, words })))
      }
    })
  }

  async #answerError(error: AppError, request: FastifyRequest, reply: FastifyReply, mayAskAgain = true) {
    if (error.status >= 500) {
      const { url: route } = request.routeOptions
      const account_id = request.actor?.accountId
      request.log.error({ request_id: request.id, route, account_id, err: error.cause ?? error }, error.code)
    }
    if (error.code === 'unauthorized' || error.code === 'fresh_sign_in_required') {
      const path = isSafe(request) ? request.raw.url : pathOfReferrer(request)
      const back = localPath(path)
      const query = back === undefined || back === '/' ? '' : `?return_to=${encodeURIComponent(back)}`
      const notice = error.code === 'unauthorized' ? undefined : problemInWords(error)
      // Keeps the language prefix, because the refused request did not change the reader's language.
      const { language } = splitLanguage(request.originalUrl)
      const entrance = `${language ? `/${language}` : ''}${this.#entranceOf(request)}`
      return seeOther(protectPage(reply), `${entrance}${query}`, notice)
    }
    const { again } = request.routeOptions.config
    // A form above the size limit was not read, so the page cannot show its values again.
    const isUnread = error.status === 413 && !request.form
    if (!again || !mayAskAgain || !ABOUT_FORM.has(error.status) || !request.page || isUnread) {
      return this.showProblem(request, reply, error)
    }
    const { errors } = error.options
    const faults = errors ? allInWords(errors) : [{ pointer: '#', code: error.code, detail: problemInWords(error) }]
    const fields = isSafe(request) ? fieldsOfQuery(request) : (request.form ?? new Map())
    return showPage(reply, await again(request, Form.sent(fields, faults)), error.status)
  }

  /** Returns the path of the page that visitors get instead of a page that requires an account. */
  #entranceOf(request: FastifyRequest): string {
    const { registerAt } = request.routeOptions.config
    const mayRegister = registerAt && this.#options.isRegistrationOpen() && this.pages.has(`GET ${registerAt}`)
    return mayRegister && !this.#cookies.session.read(request) ? registerAt : '/sign-in'
  }

  #contextOf(request: FastifyRequest, reply: FastifyReply, actor: Actor | undefined): PageContext {
    const { origin, brand, isRegistrationOpen, isStale, secret } = this.#options
    const { notice, visitor } = this.#cookies
    const bindVisitor = () => {
      const token = signToken(secret, `visitor ${randomBytes(16).toString('base64url')}`)
      visitor.set(reply, token)
      return token
    }
    let csrfToken: string | undefined
    let onceKey: string | undefined
    const csrfTokenOf = () => this.#csrfTokenOf(this.#bindingOf(request) ?? bindVisitor())
    return {
      origin,
      get brand() {
        return brand()
      },
      language: this.#locales.languageOf(request.originalUrl, request.headers),
      path: request.raw.url ?? '/',
      actor,
      isShared: actor === undefined && notice.read(request) === undefined,
      get isRegistrationOpen() {
        return isRegistrationOpen()
      },
      get isStale() {
        return isStale()
      },
      get csrfToken() {
        reply.isPersonal = true
        csrfToken ??= csrfTokenOf()
        return csrfToken
      },
      get onceKey() {
        onceKey ??= randomBytes(16).toString('base64url')
        return onceKey
      },
      leaveNotice: (text, tone) =>
        notice.set(reply, signToken(secret, `notice:${tone} ${text.slice(0, NOTICE_LENGTH_MAX)}`), NOTICE_S),
      takeNotice: () => {
        const token = notice.read(request)
        if (token === undefined) return undefined
        reply.isPersonal = true
        notice.clear(reply)
        const [, tone = 'good', text] = NOTICE.exec(readToken(secret, token) ?? '') ?? []
        return text === undefined ? undefined : { text, tone: tone as NoticeTone }
      },
      has: (path) => this.pages.has(`GET ${path}`),
      may: (method, path) => actor === undefined || this.#may(actor, method, path),
      menu: (menu) => (this.#menus.get(menu) ?? []).filter(({ href }) => this.#isOffered(actor, href)),
      inLanguage: (language, path) =>
        language === brand().defaultLanguage ? path : `/${language}${path === '/' ? '' : path}`,
      frame: (path) => {
        reply.hasFrame = true
        return path
      },
      asset: this.#assets.path,
    }
  }

  #isOffered(actor: Actor | undefined, path: string): boolean {
    return this.pages.has(`GET ${path}`) && (!actor || this.#may(actor, 'GET', path))
  }

  #may(actor: Actor, method: string, path: string): boolean {
    const bare = path.split(/[?#]/, 1)[0]!
    const route = this.#access.find((known) => known.method === method && known.path.test(bare))
    if (!route) return false
    return route.access === 'public' || !refusalOf(route, actor, this.#options.isRegistrationOpen)
  }

  /** Returns the value that form tokens are bound to: the session token or, without a session, the visitor cookie. */
  #bindingOf(request: FastifyRequest): string | undefined {
    if (request.actor) return this.#cookies.session.read(request)
    const token = this.#cookies.visitor.read(request)
    const isOurs = token !== undefined && readToken(this.#options.secret, token)?.startsWith('visitor ')
    return isOurs ? token : undefined
  }

  #csrfTokenOf(binding: string): string {
    return createHmac('sha256', this.#options.secret).update(`form ${binding}`).digest('base64url')
  }
}

const isSafe = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'

function isEqual(sent: string, expected: string): boolean {
  // Texts of equal length can have different numbers of bytes.
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Returns whether a request comes from one of our pages, according to the browser's headers. */
function isFromHere({ headers }: FastifyRequest, ours: string): boolean {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  // The service may have several host names besides its public one. Other websites cannot forge the Host header.
  return origin === undefined || origin === ours || URL.parse(origin)?.host === host
}

function pathOfReferrer({ headers }: FastifyRequest): string | undefined {
  const url = URL.parse(headers.referer ?? '')
  return url && url.host === headers.host ? splitLanguage(`${url.pathname}${url.search}`).rest : undefined
}

/** Removes query parameters that the page does not declare, such as parameters that other websites add to links. */
function dropUnknownParameters({ query, routeOptions }: FastifyRequest): void {
  const schema = routeOptions.schema?.querystring
  if (schema === undefined) return
  const sent = query as Record<string, unknown>
  for (const name of Object.keys(sent)) if (!hasParameter(schema, name)) delete sent[name]
}

function fieldsOfQuery(request: FastifyRequest): FormFields {
  return fieldsOf(new URLSearchParams(request.raw.url?.split(/\?(.*)/s, 2)[1] ?? ''))
}
