/**
 * The fast path: answers GET requests from the cache before Fastify handles them, in half the processor time (decision
 * 0082). All other requests take the usual path, which returns the same responses.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import type { BudgetName, Budgets } from '../../lib/budgets.ts'
import type { AppError } from '../../lib/errors.ts'
import { type Access, keyIn, refusalOf } from '../authenticate.ts'
import { takesJson } from '../negotiation.ts'
import type { RateLimiter } from '../rate-limit.ts'
import { representationFor } from '../representation.ts'
import type { LoggedRoute, NoteAnswered } from '../request-log.ts'
import { KnownKeys, type RecallActor } from './known-keys.ts'
import { ResponseBatch } from './response-batch.ts'

interface FastRoute {
  ready: NonNullable<FastifyContextConfig['ready']>
  access: Exclude<Access, 'public' | 'registration'>
  charges: readonly BudgetName[] | undefined
  noteAnswered: NoteAnswered
}

export interface FastPathOptions {
  recallActor: RecallActor
  limiter: RateLimiter | undefined
  budgets: Budgets
  requestLog: (route: LoggedRoute) => NoteAnswered
  requestIdOf: (request: IncomingMessage) => string
  /** Returns the error if a request must be refused before all other checks, otherwise undefined. */
  refusalOf: (request: IncomingMessage) => AppError | undefined
  /** Headers of every response, as alternating names and values. */
  headers: readonly string[]
}

/** Returns whether the fast path can handle all of the request's headers. */
const isPlain = (headers: IncomingHttpHeaders): boolean =>
  headers['if-none-match'] === undefined &&
  headers.origin === undefined &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined

export class FastPath {
  readonly #options: FastPathOptions
  /** Routes by path. The key of a path that ends in a parameter is the part before the parameter. */
  readonly #routes = new Map<string, FastRoute>()
  readonly #keys: KnownKeys
  readonly #batch = new ResponseBatch()
  #isClosed = false

  constructor(options: FastPathOptions) {
    this.#options = options
    this.#keys = new KnownKeys(options.recallActor)
  }

  /** Adds a scope's routes that have cached responses, as they are registered. */
  serve(scope: FastifyInstance): void {
    // A closing server must also close connections, which only the usual path does.
    scope.addHook('preClose', async () => {
      this.#isClosed = true
      this.#batch.write()
    })
    scope.addHook('onRoute', ({ method, url, config = {}, schema }) => {
      const { ready, access, charges, deprecated } = config
      if (method !== 'GET' || ready === undefined || deprecated) return
      if (typeof access !== 'object') throw new Error(`${url}: only routes that require a key may cache responses`)
      const noteAnswered = this.#options.requestLog({ url, operation: schema?.operationId, config })
      this.#routes.set(url.split(':')[0]!, { ready, access, charges, noteAnswered })
    })
  }

  #routeOf(url: string): FastRoute | undefined {
    const end = url.indexOf('?')
    const path = end === -1 ? url : url.slice(0, end)
    return this.#routes.get(path) ?? this.#routes.get(path.slice(0, path.lastIndexOf('/') + 1))
  }

  /** If the response is cached, sends it and returns true. Otherwise, returns false and has no effect. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const begin = performance.now()
    const { method, url = '', headers } = request
    const { authorization } = headers
    if (this.#isClosed || method !== 'GET' || authorization === undefined || !isPlain(headers)) return false
    const options = this.#options
    const route = this.#routeOf(url)
    if (!route || !takesJson(headers.accept) || options.refusalOf(request)) return false
    const key = keyIn(authorization)
    const actor = key === undefined ? undefined : this.#keys.recall(key)
    // The usual path checks the origin, the address and the employer of publishable keys.
    if (!actor || actor.key.publishable || refusalOf(route, actor, () => false)) return false
    const ready = route.ready(url, actor)
    const representation = ready && representationFor(headers, ready)
    if (!representation) return false
    const standing = options.limiter ? options.limiter.takeKey(actor, route.charges) : []
    if (!standing) return false

    ready.note?.({ actor, method, headers })
    const requestId = options.requestIdOf(request)
    const { accountId } = actor
    response.on('finish', () => {
      route.noteAnswered(request, { requestId, method, status: 200, ms: performance.now() - begin, accountId })
    })
    response.writeHead(200, ['x-request-id', requestId, ...options.headers, ...standing, ...representation.head])
    this.#batch.add(response, representation.bytes)
    options.budgets.charge('responses', accountId, representation.bytes.length / 1_024)
    return true
  }
}
