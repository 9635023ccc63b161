/**
 * Builds the HTTP server: parsing, errors, request IDs, logs and the `/v1` scope. This module does not depend on any
 * feature.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import type { Registry } from 'prom-client'
import type { TSchema } from 'typebox'
import type { IdempotentAnswers } from '../db/idempotent-answers.ts'
import { isStorableText } from '../lib/bad-text.ts'
import type { Budgets } from '../lib/budgets.ts'
import { AppError, unavailable } from '../lib/errors.ts'
import { LOCATION_BYTES_MAX } from '../lib/head-limits.ts'
import { URL_LENGTH_MAX } from '../lib/url.ts'
import { splitLanguage } from '../locale/languages.ts'
import { type FindActor, type ResourceRequest, refuseOtherMethods, requireAccess } from './authenticate.ts'
import { type AllowedOrigins, allowOrigins } from './cors.ts'
import { announceRemovals } from './deprecation.ts'
import { tagChanges } from './etag.ts'
import { FastPath } from './fast-path/fast-path.ts'
import type { RecallActor } from './fast-path/known-keys.ts'
import { formatLater } from './fast-path/request-line.ts'
import { registerHealthChecks } from './health-checks.ts'
import { acceptIdempotencyKeys } from './idempotency.ts'
import { isInnerCall } from './inner-calls.ts'
import { parseJsonStrictly } from './json-body.ts'
import { restoreMethod, substituteMethod } from './methods.ts'
import { registerMetrics } from './metrics.ts'
import { refuseOtherTypes, takesHtml } from './negotiation.ts'
import { answerForNode, answerUnparsable } from './node-answers.ts'
import { type ApiDescription, describeApi, ProblemSchema } from './openapi.ts'
import { type ApiInfo, type OpenApiDocument, withInfo } from './openapi-document.ts'
import { oneAtATime } from './pipelining.ts'
import type { Pressure } from './pressure.ts'
import { sendProblem, toAppError } from './problem.ts'
import { RateLimiter, type RateLimitOptions } from './rate-limit.ts'
import { type ReferencePages, registerReference } from './reference.ts'
import { describeRepresentations, type Ready, sendReady, varyOf } from './representation.ts'
import {
  createRequestLog,
  describeOrigin,
  type FormatClient,
  formatAtOnce,
  type LineSink,
  type NoteAnswered,
} from './request-log.ts'
import { endSpans, startSpans, traceIdOf } from './request-spans.ts'
import type { Stopping } from './stopping.ts'
import { chargeStorage } from './storage-budget.ts'
import { useDeclaredStatus } from './success-status.ts'
import { discardRefusedBodies } from './unread-bodies.ts'
import { limitUploads, type UploadLimits } from './upload-memory.ts'
import { bodyFaultsOf, createValidatorCompiler } from './validation.ts'

/** A Fastify instance that derives route types from TypeBox schemas. */
export type App = FastifyInstance<Server, IncomingMessage, ServerResponse, FastifyBaseLogger, TypeBoxTypeProvider>

export interface HttpOptions extends ApiDescription {
  logger: FastifyBaseLogger & { isLevelEnabled(level: string): boolean }
  /** Appends complete lines to the log. */
  logLines: LineSink
  /** Formats client addresses for the log. Undefined: the log contains no addresses. */
  formatClient: FormatClient | undefined
  cursorSecret: Uint8Array
  isRegistrationOpen: () => boolean
  findActor: FindActor
  recallActor: RecallActor
  /** Whether to use the fast path for requests and log lines (decision 0082). */
  hasFastPath: boolean
  /** Whether the process exports traces. */
  isTraced: boolean
  /** Whether the service can serve requests at the moment. */
  isReady: () => Promise<boolean>
  /** Component schemas, each with an `$id`. */
  schemas: readonly TSchema[]
  metrics: Registry
  /** Stored responses to requests with an idempotency key. */
  answers: IdempotentAnswers
  /** Undefined: no rate limits. */
  rateLimits: Omit<RateLimitOptions, 'budgets' | 'metrics' | 'networkOf'> | undefined
  /** Limits on accounts' use of resources other than requests. */
  budgets: Budgets
  networkOf: RateLimitOptions['networkOf']
  /** Returns whether an operator has blocked the network that a request came from. */
  isBlocked: (request: IncomingMessage) => boolean
  corsOrigins: AllowedOrigins
  uploadLimits: UploadLimits
  /** Detects overload, during which the server refuses requests. */
  pressure: Pressure
  stopping: Stopping
  /** Registers the routes under `/v1`. */
  registerApi: (app: App) => void | Promise<void>
  /** Registers the routes outside `/v1`. */
  registerPages: (app: App) => void | Promise<void>
  /** Returns the API's name and description. Each change creates a new object. */
  info: () => ApiInfo
  /** The website. Undefined: the service offers only the API. */
  site: Site | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The account to charge for the request. Without an account, or with a publishable key: the visitor's network. */
    readonly chargedTo: string
  }
}

/** The website functions that the server calls. */
export interface Site extends ReferencePages {
  register(app: App, limiter: RateLimiter | undefined, fastPath: FastPath | undefined): void
  showProblem(request: FastifyRequest, reply: FastifyReply, error: AppError): Promise<FastifyReply>
}

const BODY_BYTES_MAX = 1_048_576
/** Time limits for receiving the request headers and the whole request, in milliseconds. */
const HEAD_MS = 20_000
const REQUEST_MS = 60_000
/** Delay before a 429 response, in milliseconds. Slows down clients that ignore refusals. */
const RATE_LIMITED_MS = 500
/** Maximum time without activity on a connection, in milliseconds. */
const SILENCE_MS = 60_000
/** Interval at which Node checks for slow clients, in milliseconds. */
const LATE_CHECK_MS = 5_000
const HEAD_BYTES_MAX = 16_384
/**
 * How long an idle connection stays open, in milliseconds. Longer than the timeouts of common proxies, because the
 * proxy must close first.
 */
const KEEP_ALIVE_MS = 72_000
/** Maximum number of connections. Each connection uses 10 to 20 KB of memory, and more while it receives a body. */
const CONNECTIONS_MAX = 10_000
/** Matches a host with an optional port, as in RFC 3986. The host may be empty (RFC 9112, section 3.2). */
const HOST = /^(?:\[[\w.:~!$&'()*+,;=-]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/
/** Matches the paths of the API. */
const OF_API = /^\/v1(?:[/?]|$)/
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

const FRAMEWORK_OPTIONS = {
  // All requests share one logger: it logs only failures, and these entries contain the request ID.
  childLoggerFactory: (logger) => logger,
  logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
  bodyLimit: BODY_BYTES_MAX,
  return503OnClosing: false,
  forceCloseConnections: 'idle',
  rewriteUrl: ({ url = '/' }) => withoutLanguage(url.startsWith('/') ? url : pathOfUrl(url)),
  // Allows long path parameters. Route patterns match them quickly, and each route validates its parameters.
  routerOptions: { maxParamLength: URL_LENGTH_MAX, ignoreTrailingSlash: false },
  requestIdHeader: false,
  genReqId: requestIdOf,
  clientErrorHandler: answerUnparsable,
} as const satisfies FastifyServerOptions<Server, HttpOptions['logger']>

/**
 * Returns the path and query of an absolute URL. Clients of proxies send absolute URLs. Neither the URL's host nor the
 * Host header affects routing.
 */
const pathOfUrl = (url: string) => url.replace(/^https?:\/\/[^/?#]*\/?/i, '/')

/** Removes the language from the path of a page. API paths contain no language. */
function withoutLanguage(path: string): string {
  const { rest } = splitLanguage(path)
  return OF_API.test(rest) ? path : rest
}

/** Builds the application without listening on a port. */
export async function createHttpApp(options: HttpOptions): Promise<App> {
  const { metrics, networkOf, stopping, budgets, formatClient, hasFastPath } = options
  const limiter = options.rateLimits && new RateLimiter({ ...options.rateLimits, budgets, metrics, networkOf })
  const sink = options.logger.isLevelEnabled('info') ? options.logLines : undefined
  const untraced = createRequestLog(metrics, sink, formatClient, hasFastPath ? formatLater : formatAtOnce)
  const requestLog = options.isTraced ? endSpans(untraced) : untraced
  const commonHeaders = {
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-cache',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    ...(options.origin.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
  }
  const refusalOf = (request: IncomingMessage) => refusalBefore(request, options)
  const fastPath = hasFastPath
    ? new FastPath({
        ...{ recallActor: options.recallActor, limiter, budgets, networkOf, requestLog, requestIdOf, refusalOf },
        headers: { ...commonHeaders, vary: varyOf(options.corsOrigins) },
      })
    : undefined
  const app = Fastify({
    loggerInstance: options.logger,
    ...FRAMEWORK_OPTIONS,
    serverFactory: (answerUsually) => serverWith(fastPath, answerUsually, options),
    // Handles paths that cannot be decoded. They never reach a route or a hook.
    frameworkErrors: (error, request, reply) => {
      const answer = reply as FastifyReply
      restoreMethod(request.raw)
      setHeaders(answer)
      const refusal = refusalOf(request.raw) ?? limiter?.countAddress(answer.request, answer)
      sendProblem(answer, refusal ?? toAppError(error))
    },
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as App

  app.setValidatorCompiler(createValidatorCompiler(options.cursorSecret, options.schemas))
  // Skips schema-based serialization: presenters return the documented structure, and tests check every response
  // against the OpenAPI document.
  app.setSerializerCompiler(() => (value: unknown) => JSON.stringify(value))
  for (const schema of [ProblemSchema, ...options.schemas]) app.addSchema(schema)
  parseJsonStrictly(app)

  // Most hooks that run on every request use callbacks, because each promise makes a cached response a tenth more
  // expensive.
  limiter?.checkRoutes(app)
  app.addHook('onClose', async () => options.pressure.stop())
  app.addHook('preClose', async () => {
    if (app.server.listening) await stopping.stopListening(app.server)
  })
  app.addHook('onRequest', (request, _reply, done) => {
    restoreMethod(request.raw)
    done()
  })
  if (options.isTraced) startSpans(app)
  const setHeaders = (reply: FastifyReply) => reply.header('x-request-id', reply.request.id).headers(commonHeaders)
  app.addHook('onRequest', (request, reply, done) => {
    setHeaders(reply)
    done(refusalOf(request.raw))
  })
  app.addHook('preValidation', async (request) => {
    if (!request.is404) refuseBadQuery(request.raw.url ?? '/')
    // Treats a missing body as an empty object. A JSON null stays null.
    if (request.body === undefined) request.body = {}
  })
  restrainResponses(app)
  app.decorateRequest('faults', {
    getter(this: FastifyRequest) {
      return bodyFaultsOf(this)
    },
  })
  app.decorateRequest('chargedTo', {
    getter(this: FastifyRequest) {
      // Visitors with a publishable key must not spend the account's budgets.
      return this.actor && !this.actor.key.publishable ? this.actor.accountId : networkOf(this.raw)
    },
  })
  chargeResponses(app, budgets)
  noteResponses(app, requestLog)
  reportErrors(app, options)
  // Runs before the body is read, because a 404 takes precedence over errors in the body.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!request.is404) return done(null, payload)
    // Requests under /v1 have already been counted.
    const refusal = reply.hasHeader('ratelimit') ? undefined : limiter?.countAddress(request, reply)
    done(refusal ?? new AppError('not_found'))
  })
  app.addHook('preParsing', (request, _reply, payload, done) => done(codingFault(request), payload))
  discardRefusedBodies(app, BODY_BYTES_MAX)
  limitUploads(app, metrics, BODY_BYTES_MAX, { limits: options.uploadLimits, budgets: options.budgets })
  app.setNotFoundHandler((_request, reply) => sendProblem(reply, new AppError('not_found')))

  const others = methodsOfRoutes(app, (url) => !url.startsWith('/v1'))
  registerHealthChecks(app, options)
  registerMetrics(app, options.findActor, options.metrics, limiter)
  app.register(async (pages) => {
    if (limiter) pages.addHook('onRequest', (request, reply, done) => done(limiter.countAddress(request, reply)))
    await options.registerPages(pages as unknown as App)
  })
  options.site?.register(app, limiter, fastPath)

  await app.register((v1) => registerV1(v1, options, limiter, fastPath), { prefix: '/v1' })
  app.register(async (rest) => refuseOtherMethods(rest, new Map(others)))
  await app.ready()
  return app
}

/** Creates the server. Requests that the fast path does not answer go to Fastify. */
function serverWith(fastPath: FastPath | undefined, answerUsually: RequestListener, options: HttpOptions): Server {
  const handle = oneAtATime((request, response) => {
    if (options.stopping.isAnnounced) response.shouldKeepAlive = false
    if (fastPath?.answer(request, response)) return
    // With tracing, calls take the usual path, so that their spans become children of the request's span.
    if (!options.isTraced && fastPath?.answerCall(request, response, answerUsually)) return
    substituteMethod(request)
    answerUsually(request, response)
  })
  return createLimitedServer(handle)
}

/** Returns the error if a request must be refused before all other checks, otherwise undefined. */
function refusalBefore(request: IncomingMessage, { pressure, isBlocked }: HttpOptions): AppError | undefined {
  const { url = '/' } = request
  if (pressure.isHigh && url !== '/healthz') return unavailable()
  if (isBlocked(request) && url !== '/healthz') return new AppError('network_blocked')
  if (url.length > URL_LENGTH_MAX) return new AppError('uri_too_long')
  return hostFault(request)
}

function createLimitedServer(handle: RequestListener): Server {
  const limits = {
    headersTimeout: HEAD_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: LATE_CHECK_MS,
    maxHeaderSize: HEAD_BYTES_MAX,
    // `hostFault` checks Host instead, because Node's own error response is not a problem document.
    requireHostHeader: false,
  }
  const server = createServer(limits, handle)
  server.setTimeout(SILENCE_MS)
  server.maxConnections = CONNECTIONS_MAX
  answerForNode(server)
  return server
}

/** Records every completed request, except those that the fast path answers. */
function noteResponses(app: App, requestLog: ReturnType<typeof createRequestLog>): void {
  const notes = new WeakMap<object, NoteAnswered>()
  app.addHook('onResponse', (request, reply, done) => {
    const { url, schema, config } = request.routeOptions
    let note = notes.get(config)
    if (note === undefined) {
      note = requestLog({ url, operation: schema?.operationId, config })
      notes.set(config, note)
    }
    const { id: requestId, method, actor } = request
    const { statusCode: status, elapsedTime: ms } = reply
    const location = status === 201 || status === 303 ? reply.getHeader('location') : undefined
    note(request.raw, { requestId, method, status, ms, accountId: actor?.accountId, location })
    done()
  })
}

function reportErrors(app: App, { formatClient, site }: HttpOptions): void {
  app.setErrorHandler(async (thrown, request, reply) => {
    const error = await firstReason(toAppError(thrown), request)
    if (error.status >= 500) {
      const { url, schema } = request.routeOptions
      const account_id = request.actor?.accountId
      request.log.error(
        {
          request_id: request.id,
          route: url,
          operation: schema?.operationId,
          account_id,
          ...describeOrigin(request.raw, url, formatClient),
          trace_id: traceIdOf(request.raw),
          err: error.cause ?? error,
        },
        error.code,
      )
    }
    const isForPeople = site && request.is404 && !OF_API.test(request.raw.url!) && takesHtml(request.headers.accept)
    return isForPeople ? site.showProblem(request, reply, error) : sendProblem(reply, error)
  })
}

/** Registers the API: its hooks, its documentation, and the features' operations. */
async function registerV1(
  v1: FastifyInstance,
  options: HttpOptions,
  limiter: RateLimiter | undefined,
  fastPath: FastPath | undefined,
): Promise<void> {
  await describeApi(v1, options)
  announceRemovals(v1)
  const methods = methodsOfRoutes(v1)
  fastPath?.serve(v1)
  v1.decorate('recallResponse', (request, url) => fastPath?.recall(request, url))
  describeRepresentations(v1, options.corsOrigins)
  allowOrigins(v1, options.corsOrigins)
  requireAccess(v1, options.findActor, options.isRegistrationOpen, limiter)
  chargeStorage(v1, options.budgets)
  refuseOtherTypes(v1)
  acceptIdempotencyKeys(v1, options.answers, options.networkOf)
  tagChanges(v1)
  useDeclaredStatus(v1)
  v1.addHook('onRoute', (route) => {
    // Routes that declare no query parameters reject any that are sent.
    if (route.schema) route.schema.querystring ??= { type: 'object', properties: {}, additionalProperties: false }
  })
  v1.setNotFoundHandler((_request, reply) => sendProblem(reply, new AppError('not_found')))
  registerMeta(v1 as unknown as App, options)
  await options.registerApi(v1 as unknown as App)
  refuseOtherMethods(v1, new Map(methods))
}

/** Delays rate-limit refusals. If a Location header is too long for proxies, sends an error instead of the response. */
function restrainResponses(app: App): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (reply.statusCode !== 429) done(null, payload)
    else setTimeout(() => done(null, payload), RATE_LIMITED_MS)
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (String(reply.getHeader('location') ?? '').length <= LOCATION_BYTES_MAX) return done(null, payload)
    reply.removeHeader('location')
    done(new AppError('uri_too_long', { detail: "The response's Location header would be too long." }))
  })
}

/**
 * Charges accounts, or the networks of visitors, for the bytes of every response body. The fast path charges its
 * responses itself.
 */
function chargeResponses(app: App, budgets: Budgets): void {
  /** The number of bytes written to the connection before a body of unknown length. */
  const writtenBefore = new WeakMap<FastifyRequest, number>()
  app.addHook('onSend', (request, _reply, payload, done) => {
    const isStream = payload !== null && typeof payload === 'object' && !Buffer.isBuffer(payload)
    if (isStream) writtenBefore.set(request, request.raw.socket.bytesWritten)
    done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const before = writtenBefore.get(request)
    const length = before === undefined ? Number(reply.getHeader('content-length') ?? 0) : undefined
    const bytes = length ?? request.raw.socket.bytesWritten - before!
    if (request.method !== 'HEAD' && !isInnerCall(request.raw))
      budgets.charge('responses', request.chargedTo, bytes / 1_024)
    done()
  })
}

/** Returns the client's request ID if it is valid, otherwise a new ID. Clients can therefore log the same ID. */
function requestIdOf({ headers: { 'x-request-id': given } }: IncomingMessage): string {
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}

/**
 * Returns the error for a compressed request body, otherwise undefined. Compressed bodies would need a second size
 * limit.
 */
function codingFault({ method, headers }: FastifyRequest): AppError | undefined {
  const { 'content-encoding': coding = '' } = headers
  if (coding === '' || coding.toLowerCase() === 'identity') return undefined
  const isRead = method !== 'GET' && method !== 'HEAD'
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (!isRead || !hasBody) return undefined
  return new AppError('unsupported_media_type', {
    detail: 'Send the body without a Content-Encoding.',
    headers: { 'accept-encoding': 'identity' },
  })
}

/**
 * Returns an error for a missing, repeated or invalid Host header, because an intermediary could route such a request
 * to a different host.
 */
function hostFault({ headers, rawHeaders, httpVersionMinor }: IncomingMessage): AppError | undefined {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  const isNeeded = httpVersionMinor === 1
  if (count === 0 && isNeeded) return new AppError('bad_request', { detail: 'The Host header is missing.' })
  if (count > 1) return new AppError('bad_request', { detail: 'The Host header is repeated.' })
  if (count === 1 && !HOST.test(headers.host!)) {
    return new AppError('bad_request', { detail: 'The Host header is invalid.' })
  }
  return undefined
}

/** Returns a map from each path in a scope to its methods. Registering a route adds to the map. */
function methodsOfRoutes(scope: FastifyInstance, isMeant = (_url: string) => true): Map<string, Set<string>> {
  const methods = new Map<string, Set<string>>()
  scope.addHook('onRoute', ({ url, routePath, method }) => {
    if (!isMeant(url)) return
    if (!methods.has(routePath)) methods.set(routePath, new Set())
    for (const one of [method].flat()) methods.get(routePath)!.add(one)
  })
  return methods
}

/** Returns a function that caches a value and creates it again only when the key changes. */
function rememberWhile<Key, Value>(keyOf: () => Key, make: () => Value): () => Value {
  let made: { key: Key; value: Value } | undefined
  return () => {
    const key = keyOf()
    if (made?.key !== key) made = { key, value: make() }
    return made.value
  }
}

function registerMeta(v1: App, { origin, version, info, site }: HttpOptions): void {
  v1.get('', { config: { access: 'public' }, schema: { hide: true } }, async () => ({
    data: { name: 'job-marketplace', version: '1.0', release: version, documentation: `${origin}/v1/docs` },
  }))
  const describe = rememberWhile(info, () => withInfo(v1.swagger() as unknown as OpenApiDocument, info()))
  const document = rememberWhile(info, (): Ready => {
    return { body: Buffer.from(JSON.stringify(describe())), isAskedAgain: true }
  })
  v1.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) =>
    sendReady(request, reply, document()),
  )
  registerReference(v1, describe, site)
}

/** Returns the error to report for invalid input. An error from the guard, such as 404, takes precedence. */
async function firstReason(error: AppError, request: FastifyRequest): Promise<AppError> {
  const { guard } = request.routeOptions.config
  if (!guard || !request.actor || ![400, 406, 413, 415, 422].includes(error.status)) return error
  // Path parameters have not been validated yet, and the database rejects NUL characters.
  if (!Object.values(request.params as object).every(isStorableText)) return new AppError('not_found')
  try {
    await guard(request as FastifyRequest & ResourceRequest<never>)
    return error
  } catch (thrown) {
    return toAppError(thrown)
  }
}

function refuseBadQuery(url: string): void {
  const query = url.indexOf('?')
  if (query === -1 || !url.includes('%', query)) return
  try {
    decodeURIComponent(url.slice(query))
  } catch {
    throw new AppError('invalid_parameter', { detail: 'The query string is not percent-encoded UTF-8.' })
  }
}
