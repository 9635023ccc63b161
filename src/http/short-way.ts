/**
 * The short way: a GET whose answer is ready is answered before Fastify sees it, which takes two thirds of the time
 * (decision 0058). What is out of the ordinary goes the usual way, and is answered there alike.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import type { BudgetName, Budgets } from '../lib/budgets.ts'
import type { AppError } from '../lib/errors.ts'
import { type Access, keyIn, type RecallActor, refusalOf } from './authenticate.ts'
import { takesJson } from './negotiation.ts'
import type { RateLimiter } from './rate-limit.ts'
import { representationFor } from './representation.ts'
import type { LoggedRoute, NoteAnswered } from './request-log.ts'

interface ShortRoute {
  ready: NonNullable<FastifyContextConfig['ready']>
  access: Exclude<Access, 'public' | 'registration'>
  charges: readonly BudgetName[] | undefined
  noteAnswered: NoteAnswered
}

export interface ShortWayOptions {
  recallActor: RecallActor
  limiter: RateLimiter | undefined
  budgets: Budgets
  requestLog: (route: LoggedRoute) => NoteAnswered
  requestIdOf: (request: IncomingMessage) => string
  /** Why a request is refused before anything else is looked at. */
  refusalOf: (request: IncomingMessage) => AppError | undefined
  /** Headers of every answer, names and values in turn. */
  headers: readonly string[]
}

/** What these ask for is looked at on the usual way only. */
const isPlain = (headers: IncomingHttpHeaders): boolean =>
  headers['if-none-match'] === undefined &&
  headers.origin === undefined &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined

export class ShortWay {
  readonly #options: ShortWayOptions
  /** By path; a path with a parameter at its end by what is before that. */
  readonly #routes = new Map<string, ShortRoute>()
  readonly #unwritten: { response: ServerResponse; bytes: Buffer }[] = []
  #isClosed = false

  constructor(options: ShortWayOptions) {
    this.#options = options
  }

  /** Takes in the routes of a scope that have ready answers, as they are registered. */
  serve(scope: FastifyInstance): void {
    // From then on connections are to end, which the usual way sees to.
    scope.addHook('preClose', async () => {
      this.#isClosed = true
      this.#writeAll()
    })
    scope.addHook('onRoute', ({ method, url, config = {}, schema }) => {
      const { ready, access, charges } = config
      if (method !== 'GET' || ready === undefined) return
      if (typeof access !== 'object') throw new Error(`${url} has ready answers for keys only`)
      const noteAnswered = this.#options.requestLog({ url, operation: schema?.operationId, config })
      this.#routes.set(url.split(':')[0]!, { ready, access, charges, noteAnswered })
    })
  }

  #routeOf(url: string): ShortRoute | undefined {
    const end = url.indexOf('?')
    const path = end === -1 ? url : url.slice(0, end)
    return this.#routes.get(path) ?? this.#routes.get(path.slice(0, path.lastIndexOf('/') + 1))
  }

  /** Whether it has answered the request. If not it has done nothing. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const begin = performance.now()
    const { method, url = '', headers } = request
    const { authorization } = headers
    if (this.#isClosed || method !== 'GET' || authorization === undefined || !isPlain(headers)) return false
    const options = this.#options
    const route = this.#routeOf(url)
    if (!route || !takesJson(headers.accept) || options.refusalOf(request)) return false
    const key = keyIn(authorization)
    const actor = key === undefined ? undefined : options.recallActor(key)
    if (!actor || refusalOf(route.access, actor, () => false)) return false
    const ready = route.ready(url)
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
    this.#write(response, representation.bytes)
    options.budgets.charge('responses', accountId, representation.bytes.length / 1_024)
    return true
  }

  /**
   * What is answered in one turn of the event loop is written at its end, in one go: an answer of 45 KB that the kernel
   * copies leaves nothing of ours in the processor's cache, so that the next request took a fifth longer (decision 0058).
   */
  #write(response: ServerResponse, bytes: Buffer): void {
    if (this.#unwritten.push({ response, bytes }) === 1) setImmediate(() => this.#writeAll())
  }

  #writeAll(): void {
    for (const { response, bytes } of this.#unwritten.splice(0)) response.end(bytes)
  }
}
