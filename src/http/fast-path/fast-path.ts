/**
 * The fast path answers requests before Fastify handles them, in half the processor time (decision 0082). It answers
 * GET requests from the cache, and requests that call operations. All other requests take the usual path, which returns
 * the same responses.
 */
import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import { findUnstorableText } from '../../lib/bad-text.ts'
import type { BudgetName, Budgets } from '../../lib/budgets.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Actor } from '../../lib/scopes.ts'
import { type Access, keyIn, refusalOf } from '../authenticate.ts'
import { type Caller, callOperation, type InnerAnswer, type InnerCallResponse } from '../inner-calls.ts'
import { takesJson } from '../negotiation.ts'
import type { RateLimiter } from '../rate-limit.ts'
import { type Ready, type Representation, representationFor } from '../representation.ts'
import type { LoggedRoute, NoteAnswered } from '../request-log.ts'
import { KnownKeys, type RecallActor } from './known-keys.ts'
import { ResponseBatch } from './response-batch.ts'

interface FastRoute {
  ready: NonNullable<FastifyContextConfig['ready']>
  access: Exclude<Access, 'public' | 'registration'>
  charges: readonly BudgetName[] | undefined
  noteAnswered: NoteAnswered
}

/** A route whose requests call operations. */
interface CallingRoute {
  scope: FastifyInstance
  innerCall: NonNullable<FastifyContextConfig['innerCall']>
  access: FastRoute['access']
  noteAnswered: NoteAnswered
}

/** Maximum size of a body that the fast path reads, in bytes. Tool calls take a few hundred bytes. */
const BODY_BYTES_MAX = 16_384

interface FastPage {
  /** Returns the cached page, if it may be sent in response to this request. */
  cachedFor: (request: IncomingMessage) => Ready | undefined
  charges: readonly BudgetName[] | undefined
  headers: readonly string[]
  noteAnswered: NoteAnswered
}

interface Answer {
  representation: Representation
  headers: readonly string[]
  /** The rate-limit headers. */
  standing: readonly string[]
  noteAnswered: NoteAnswered
  accountId: string | undefined
  /** The account or network that is charged for the response. */
  chargedTo: string
}

export interface FastPathOptions {
  recallActor: RecallActor
  limiter: RateLimiter | undefined
  budgets: Budgets
  networkOf: (request: IncomingMessage) => string
  requestLog: (route: LoggedRoute) => NoteAnswered
  requestIdOf: (request: IncomingMessage) => string
  /** Returns the error if a request must be refused before all other checks, otherwise undefined. */
  refusalOf: (request: IncomingMessage) => AppError | undefined
  /** Headers of every response. */
  headers: Readonly<Record<string, string>>
}

/** Returns whether the fast path can handle all of the request's headers. */
const isPlain = (headers: IncomingHttpHeaders): boolean =>
  headers['if-none-match'] === undefined &&
  headers.origin === undefined &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined

const isPlainCall = (headers: IncomingHttpHeaders): boolean =>
  headers.authorization !== undefined &&
  headers['content-type'] === 'application/json' &&
  headers.origin === undefined &&
  headers['content-encoding'] === undefined &&
  headers['transfer-encoding'] === undefined

function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

/**
 * Returns whether an actor may call a route on the fast path. The usual path handles publishable keys, whose origin,
 * network and employer need checks.
 */
const mayCall = (actor: Actor, route: Pick<FastRoute, 'access'>): boolean =>
  !actor.key.publishable && !refusalOf(route, actor, () => false)

/** Parses a body that the usual path would accept. Returns undefined for all other bodies. */
function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) return undefined
  try {
    const value: unknown = JSON.parse(body.toString())
    // `findUnstorableText` returns undefined for a value that is nested too deeply. Operations check the texts.
    return findUnstorableText(value) && value
  } catch {
    return undefined
  }
}

/** Returns the call in a message. If reading it fails, the usual path reports the error. */
function readCall(innerCall: CallingRoute['innerCall'], message: unknown, headers: IncomingHttpHeaders) {
  try {
    return innerCall(message, headers)
  } catch {
    return undefined
  }
}

export class FastPath {
  readonly #options: FastPathOptions
  /** Routes by path. The key of a path that ends in a parameter is the part before the parameter. */
  readonly #routes = new Map<string, FastRoute>()
  readonly #callingRoutes = new Map<string, CallingRoute>()
  readonly #pages = new Map<string, FastPage>()
  readonly #headers: readonly string[]
  readonly #keys: KnownKeys
  readonly #batch = new ResponseBatch()
  #isClosed = false

  constructor(options: FastPathOptions) {
    this.#options = options
    this.#headers = Object.entries(options.headers).flat()
    this.#keys = new KnownKeys(options.recallActor)
  }

  /** Adds a scope's routes that have cached responses or call operations, as they are registered. */
  serve(scope: FastifyInstance): void {
    // A closing server must also close connections, which only the usual path does.
    scope.addHook('preClose', async () => {
      this.#isClosed = true
      this.#batch.write()
    })
    scope.addHook('onRoute', ({ method, url, config = {}, schema }) => {
      const { ready, access, charges, deprecated, innerCall } = config
      if (innerCall && typeof access === 'object') {
        const noteAnswered = this.#options.requestLog({ url, operation: schema?.operationId, config })
        this.#callingRoutes.set(url, { scope, innerCall, access, noteAnswered })
      }
      if (method !== 'GET' || ready === undefined || deprecated) return
      if (typeof access !== 'object') throw new Error(`${url}: only routes that require a key may cache responses`)
      const noteAnswered = this.#options.requestLog({ url, operation: schema?.operationId, config })
      this.#routes.set(url.split(':')[0]!, { ready, access, charges, noteAnswered })
    })
  }

  /** Adds a public page. `headers` are the headers that all pages share. */
  servePage(
    path: string,
    config: FastifyContextConfig,
    { cachedFor, headers }: { cachedFor: FastPage['cachedFor']; headers: Readonly<Record<string, string>> },
  ): void {
    const { access, limit, charges } = config
    if (access !== 'public' || limit !== undefined)
      throw new Error(`${path}: only public pages without a limit may be cached`)
    const noteAnswered = this.#options.requestLog({ url: path, operation: undefined, config })
    const all = Object.entries({ ...this.#options.headers, ...headers }).flat()
    this.#pages.set(path, { cachedFor, charges, headers: all, noteAnswered })
  }

  #routeOf(path: string): FastRoute | undefined {
    return this.#routes.get(path) ?? this.#routes.get(path.slice(0, path.lastIndexOf('/') + 1))
  }

  /** Returns the actor of a recently validated key, if the actor may call the route. */
  #callerOf(authorization: string, route: Pick<FastRoute, 'access'>): Actor | undefined {
    const key = keyIn(authorization)
    const actor = key === undefined ? undefined : this.#keys.recall(key)
    return actor && mayCall(actor, route) ? actor : undefined
  }

  /**
   * Sends the cached response to a request and returns true. If the usual path must handle the request, returns false
   * and has no effect.
   */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const begin = performance.now()
    const { method, url = '', headers } = request
    if (this.#isClosed || method !== 'GET' || !isPlain(headers)) return false
    const path = pathOf(url)
    const page = this.#pages.get(path)
    const answer = page ? this.#pageFor(request, page) : this.#resourceFor(request, this.#routeOf(path))
    if (!answer) return false

    const { representation, standing, noteAnswered, accountId, chargedTo } = answer
    const { requestIdOf, budgets } = this.#options
    const requestId = requestIdOf(request)
    response.on('finish', () => {
      noteAnswered(request, { requestId, method, status: 200, ms: performance.now() - begin, accountId })
    })
    response.writeHead(200, ['x-request-id', requestId, ...answer.headers, ...standing, ...representation.head])
    this.#batch.add(response, representation.bytes)
    budgets.charge('responses', chargedTo, representation.bytes.length / 1_024)
    return true
  }

  /**
   * Answers a request that calls an operation, without running the hooks of the request's own route. Returns false if
   * the usual path must handle the request, whatever its body contains. Otherwise, returns true and waits for data.
   * Calls `answerUsually` if the body is incomplete, if its call cannot be handled here, or if the call fails.
   */
  answerCall(request: IncomingMessage, response: ServerResponse, answerUsually: RequestListener): boolean {
    const begin = performance.now()
    const { method, url = '', headers } = request
    const route = method === 'POST' ? this.#callingRoutes.get(url) : undefined
    const length = Number(headers['content-length'])
    if (this.#isClosed || !route || !isPlainCall(headers) || !(length > 0 && length <= BODY_BYTES_MAX)) return false
    if (this.#options.refusalOf(request)) return false
    request.once('readable', () => {
      // Null if the body has not arrived completely. The usual path then reads it.
      const body = request.read(length) as Buffer | null
      const giveUp = () => {
        if (body) request.unshift(body)
        // The stream flows again only after this tick.
        process.nextTick(answerUsually, request, response)
      }
      const call = body && this.#callIn(request, route, body)
      if (!call) return giveUp()
      const { inner, caller, standing } = call
      const send = (answer: InnerAnswer) => {
        this.#sendResult(response, inner.respond(answer), { route, caller, standing, begin })
        request.resume()
      }
      const ready = inner.method === 'GET' ? this.recall(caller, inner.path) : undefined
      if (ready) send({ status: 200, body: ready.body, isCached: true })
      else callOperation(caller, inner).then(send, giveUp)
    })
    return true
  }

  /** Returns the call in the body of a request, if the key's quota allows it. */
  #callIn(raw: IncomingMessage, route: CallingRoute, body: Buffer) {
    const { limiter, requestIdOf } = this.#options
    const { headers } = raw
    const actor = this.#callerOf(headers.authorization!, route)
    if (!actor) return undefined
    const message = parseJson(body)
    const inner = message === undefined ? undefined : readCall(route.innerCall, message, headers)
    const standing = inner && (limiter ? limiter.takeKey(actor) : [])
    const caller = { actor, headers, id: requestIdOf(raw), raw, server: route.scope }
    return standing && { inner, standing, caller }
  }

  #sendResult(
    response: ServerResponse,
    { type, parts }: InnerCallResponse,
    { route, caller, standing, begin }: { route: CallingRoute; caller: Caller; standing: string[]; begin: number },
  ): void {
    const { actor, id: requestId, raw } = caller
    const { accountId } = actor
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    response.on('finish', () => {
      const ms = performance.now() - begin
      route.noteAnswered(raw, { requestId, method: 'POST', status: 200, ms, accountId })
    })
    if (this.#isClosed) response.shouldKeepAlive = false
    const content = ['content-type', type, 'content-length', String(length)]
    response.writeHead(200, ['x-request-id', requestId, ...this.#headers, ...standing, ...content])
    this.#batch.add(response, ...parts)
    this.#options.budgets.charge('responses', accountId, length / 1_024)
  }

  /** Returns the response to an inner call, if it is cached and the caller may read it. */
  recall({ actor, id: requestId, raw }: Pick<Caller, 'actor' | 'id' | 'raw'>, url: string): Ready | undefined {
    const begin = performance.now()
    const route = this.#routeOf(pathOf(url))
    if (!route || !mayCall(actor, route)) return undefined
    const ready = route.ready(url, actor)
    if (!ready || ready.staleSinceMs !== undefined) return undefined
    const { headers, socket } = raw
    ready.note?.({ actor, method: 'GET', headers })
    const answered = { requestId, method: 'GET', status: 200, ms: performance.now() - begin }
    route.noteAnswered({ url, headers, socket } as IncomingMessage, { ...answered, accountId: actor.accountId })
    return ready
  }

  /** Returns the response to a request with an API key, if it is cached and the key's quota allows it. */
  #resourceFor(request: IncomingMessage, route: FastRoute | undefined): Answer | undefined {
    const { url = '', headers } = request
    const { authorization } = headers
    const options = this.#options
    if (!route || authorization === undefined || !takesJson(headers.accept) || options.refusalOf(request)) {
      return undefined
    }
    const actor = this.#callerOf(authorization, route)
    if (!actor) return undefined
    const ready = route.ready(url, actor)
    const representation = ready && representationFor(headers, ready)
    if (!representation) return undefined
    const standing = options.limiter ? options.limiter.takeKey(actor, route.charges) : []
    if (!standing) return undefined
    ready.note?.({ actor, method: 'GET', headers })
    const { accountId } = actor
    const { noteAnswered } = route
    return { representation, headers: this.#headers, standing, noteAnswered, accountId, chargedTo: accountId }
  }

  /** Returns the page to send to a visitor, if it is cached and the network's quota allows it. */
  #pageFor(request: IncomingMessage, { cachedFor, charges, headers, noteAnswered }: FastPage): Answer | undefined {
    const { refusalOf, networkOf, limiter } = this.#options
    if (refusalOf(request)) return undefined
    const ready = cachedFor(request)
    // The usual path sends the age of a stale page.
    if (!ready || ready.staleSinceMs !== undefined) return undefined
    const representation = representationFor(request.headers, ready)
    if (!representation) return undefined
    const chargedTo = networkOf(request)
    const standing = limiter ? limiter.takeNetwork(chargedTo, charges) : []
    return standing && { representation, headers, standing, noteAnswered, accountId: undefined, chargedTo }
  }
}
