/** The HTTP server: parsing, errors, request ids, logs and the `/v1` scope. It knows no feature. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, METHODS } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Registry } from 'prom-client'
import type { TSchema } from 'typebox'
import type { IdempotentAnswers } from '../db/idempotent-answers.ts'
import { findUnstorableText, isStorableText, JSON_DEPTH_MAX } from '../lib/bad-text.ts'
import type { Budgets } from '../lib/budgets.ts'
import { AppError, validationFailed } from '../lib/errors.ts'
import { LOCATION_BYTES_MAX } from '../lib/head-limits.ts'
import { exceededBound, mostValues } from '../lib/json-bounds.ts'
import { type FindActor, type RecallActor, refuseOtherMethods, requireAccess } from './authenticate.ts'
import { type AllowedOrigins, allowOrigins } from './cors.ts'
import { tagChanges } from './etag.ts'
import { acceptIdempotencyKeys } from './idempotency.ts'
import { registerMetrics } from './metrics.ts'
import { refuseOtherTypes, takesHtml } from './negotiation.ts'
import { answerForNode, answerUnparsable } from './node-answers.ts'
import { describeApi, ProblemSchema, renderReference, type WebhookDescription } from './openapi.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import { oneAtATime } from './pipelining.ts'
import type { Pressure } from './pressure.ts'
import { sendProblem, toAppError } from './problem.ts'
import { RateLimiter, type RateLimitOptions } from './rate-limit.ts'
import { describeRepresentations, type Ready, sendReady, varyOf } from './representation.ts'
import { createRequestLog, describeOrigin, type FormatClient, type LineSink, type NoteAnswered } from './request-log.ts'
import { ShortWay } from './short-way.ts'
import type { Stopping } from './stopping.ts'
import { chargeStorage } from './storage-budget.ts'
import { limitUploads, type UploadLimits } from './upload-memory.ts'
import { createValidatorCompiler } from './validation.ts'

/** Whoever asks whether we are ready has little patience, and a database that answers later is as good as none. */
const READY_MS_MAX = 2_000

/** What routes are registered on: Fastify with types from TypeBox schemas. */
export type App = FastifyInstance<
  import('node:http').Server,
  import('node:http').IncomingMessage,
  import('node:http').ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export interface HttpOptions {
  logger: FastifyBaseLogger & { isLevelEnabled(level: string): boolean }
  /** Takes whole lines into the same log. */
  logLines: LineSink
  /** Writes the client's address for the log; undefined: the log holds none. */
  formatClient: FormatClient | undefined
  cursorSecret: Uint8Array
  /** Public origin without a trailing slash. */
  origin: string
  version: string
  isRegistrationOpen: () => boolean
  findActor: FindActor
  recallActor: RecallActor
  /** Whether the service can do its work now. */
  isReady: () => Promise<boolean>
  /** Component schemas, each with an `$id`. */
  schemas: readonly TSchema[]
  /** What is sent to webhooks, for the document. */
  webhooks: readonly WebhookDescription[]
  metrics: Registry
  /** What was answered to requests with an idempotency key. */
  answers: IdempotentAnswers
  /** Undefined: no limits. */
  rateLimits: Omit<RateLimitOptions, 'budgets' | 'metrics' | 'networkOf'> | undefined
  /** What accounts may use of the service besides requests. */
  budgets: Budgets
  /** The network that a request came from. */
  networkOf: RateLimitOptions['networkOf']
  /** Whether an operator has blocked the network that a request came from. */
  isBlocked: (request: IncomingMessage) => boolean
  corsOrigins: AllowedOrigins
  uploadLimits: UploadLimits
  /** Whether requests had better be refused. */
  pressure: Pressure
  stopping: Stopping
  /** Registers the routes under `/v1`. */
  registerApi: (app: App) => void | Promise<void>
  /** Registers what lies outside `/v1`. */
  registerPages: (app: App) => void
  /** The pages for people; undefined: the interface alone. */
  site: Site | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose budgets pay for the request: the account, or the network of a visitor. */
    readonly chargedTo: string
  }
}

/** What the server needs to know of pages. */
export interface Site {
  register(app: App, limiter: RateLimiter | undefined): void
  showProblem(request: FastifyRequest, reply: FastifyReply, error: AppError): Promise<FastifyReply>
}

const BODY_BYTES_MAX = 1_048_576
const URL_LENGTH_MAX = 8_192
/** The head of a request must be there in this time, all of it in that; a client that stops reading is given up after that. */
const HEAD_MS = 20_000
const REQUEST_MS = 60_000
const SILENCE_MS = 60_000
/** Node looks for those who are late this often. */
const LATE_CHECK_MS = 5_000
const HEAD_BYTES_MAX = 16_384
/** A connection without a request is kept open for so long: longer than proxies keep theirs, so that it is they who end it. */
const KEEP_ALIVE_MS = 72_000
/** Each costs 10 to 20 KB, more while it sends a body. */
const CONNECTIONS_MAX = 10_000
/** A host of RFC 3986 in its characters, with or without a port; may be empty (RFC 9112, section 3.2). */
const HOST = /^(?:\[[\w.:~!$&'()*+,;=-]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** Builds the application; it listens nowhere yet. */
export async function createHttpApp(options: HttpOptions): Promise<App> {
  const { metrics, networkOf, stopping, budgets, formatClient } = options
  const limiter = options.rateLimits && new RateLimiter({ ...options.rateLimits, budgets, metrics, networkOf })
  const sink = options.logger.isLevelEnabled('info') ? options.logLines : undefined
  const requestLog = createRequestLog(metrics, sink, formatClient)
  const commonHeaders = {
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-cache',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    ...(options.origin.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
  }
  /** Why a request is refused before anything else is looked at. */
  const refusalOf = (request: IncomingMessage): AppError | undefined => {
    const { url = '/' } = request
    if (options.pressure.isHigh && url !== '/healthz') return unavailable()
    if (options.isBlocked(request) && url !== '/healthz') return new AppError('network_blocked')
    if (url.length > URL_LENGTH_MAX) return new AppError('uri_too_long')
    return hostFault(request)
  }
  const shortWay = new ShortWay({
    ...{ recallActor: options.recallActor, limiter, budgets, requestLog, requestIdOf, refusalOf },
    headers: Object.entries({ ...commonHeaders, vary: varyOf(options.corsOrigins) }).flat(),
  })
  const app = Fastify({
    loggerInstance: options.logger,
    // One for each request would be made for the few that fail: what is logged of those names the request itself.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    bodyLimit: BODY_BYTES_MAX,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    serverFactory: (answerUsually) => {
      const limits = {
        headersTimeout: HEAD_MS,
        requestTimeout: REQUEST_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        connectionsCheckingInterval: LATE_CHECK_MS,
        maxHeaderSize: HEAD_BYTES_MAX,
        // It is looked at above: Node's own answer would be no problem document.
        requireHostHeader: false,
      }
      const answer = oneAtATime((request, response) => {
        if (stopping.isAnnounced) response.shouldKeepAlive = false
        if (!shortWay.answer(request, response)) answerUsually(request, response)
      })
      const server = createServer(limits, answer)
      server.setTimeout(SILENCE_MS)
      server.maxConnections = CONNECTIONS_MAX
      answerForNode(server)
      return server
    },
    // The form that proxies are asked in is taken, too; whom it names is read as little as Host is.
    rewriteUrl: ({ url = '/' }) => (url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*\/?/i, '/')),
    // No route has a pattern that a long parameter could slow down: each validates its own.
    routerOptions: { maxParamLength: URL_LENGTH_MAX, ignoreTrailingSlash: false },
    requestIdHeader: false,
    genReqId: requestIdOf,
    // A path that cannot be decoded never reaches a route, nor a hook.
    frameworkErrors: (error, request, reply) => {
      const answer = reply as FastifyReply
      setHeaders(answer)
      const refusal = refusalOf(request.raw) ?? limiter?.countAddress(answer.request, answer)
      sendProblem(answer, refusal ?? toAppError(error))
    },
    clientErrorHandler: answerUnparsable,
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as App

  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true })
  }

  app.setValidatorCompiler(createValidatorCompiler(options.cursorSecret, options.schemas))
  // The presenters make exactly the documented shape (the tests hold every answer against the document), so that
  // serialising is JSON.stringify and nothing more.
  app.setSerializerCompiler(() => (value: unknown) => JSON.stringify(value))
  for (const schema of [ProblemSchema, ...options.schemas]) app.addSchema(schema)
  parseJsonStrictly(app)

  // Hooks of every request take a callback: a promise each would be a tenth of what a ready answer costs.
  app.addHook('onClose', async () => options.pressure.stop())
  app.addHook('preClose', async () => {
    if (app.server.listening) await stopping.stopListening(app.server)
  })
  const setHeaders = (reply: FastifyReply) => reply.header('x-request-id', reply.request.id).headers(commonHeaders)
  app.addHook('onRequest', (request, reply, done) => {
    setHeaders(reply)
    done(refusalOf(request.raw))
  })
  app.addHook('preValidation', async (request) => {
    if (!request.is404) refuseBadQuery(request.raw.url ?? '/')
    // No body is validated as an empty object; a JSON null stays one.
    if (request.body === undefined) request.body = {}
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (String(reply.getHeader('location') ?? '').length <= LOCATION_BYTES_MAX) return done(null, payload)
    reply.removeHeader('location')
    done(new AppError('uri_too_long', { detail: 'This leads to an address that is too long.' }))
  })
  app.decorateRequest('chargedTo', {
    getter(this: FastifyRequest) {
      return this.actor?.accountId ?? networkOf(this.raw)
    },
  })
  chargeResponses(app, budgets)
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
          err: error.cause ?? error,
        },
        error.code,
      )
    }
    // Of what is not there, people are told by a page.
    const { site } = options
    const isForPeople =
      site && request.is404 && !/^\/v1(?:[/?]|$)/.test(request.raw.url!) && takesHtml(request.headers.accept)
    return isForPeople ? site.showProblem(request, reply, error) : sendProblem(reply, error)
  })
  // Before a body is read: what it holds does not matter where there is nothing.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!request.is404) return done(null, payload)
    // Under /v1 it is counted already.
    const refusal = reply.hasHeader('ratelimit') ? undefined : limiter?.countAddress(request, reply)
    done(refusal ?? new AppError('not_found'))
  })
  app.addHook('preParsing', (request, _reply, payload, done) => done(codingFault(request), payload))
  limitUploads(app, metrics, BODY_BYTES_MAX, options.uploadLimits)
  app.setNotFoundHandler((_request, reply) => sendProblem(reply, new AppError('not_found')))

  const others = methodsOfRoutes(app, (url) => !url.startsWith('/v1'))
  app.get('/healthz', async () => ({ status: 'ok' }))
  let asking: Promise<boolean> | undefined
  app.get('/readyz', async () => {
    if (stopping.isAnnounced) throw unavailable()
    // Who asks meanwhile takes no connection of their own.
    asking ??= options.isReady().finally(() => {
      asking = undefined
    })
    const ending = new AbortController()
    try {
      if (!(await Promise.race([asking, pause(READY_MS_MAX, false, { signal: ending.signal })]))) throw unavailable()
    } catch (error) {
      // Whatever keeps the database from telling, the service is not ready.
      throw unavailable(error)
    } finally {
      ending.abort()
    }
    return { status: 'ok' }
  })
  registerMetrics(app, options.findActor, options.metrics, limiter)
  app.register(async (pages) => {
    if (limiter) pages.addHook('onRequest', (request, reply, done) => done(limiter.countAddress(request, reply)))
    options.registerPages(pages as unknown as App)
  })
  options.site?.register(app, limiter)

  await app.register(
    async (v1) => {
      await describeApi(v1, options)
      const methods = methodsOfRoutes(v1)
      shortWay.serve(v1)
      describeRepresentations(v1, options.corsOrigins)
      allowOrigins(v1, options.corsOrigins)
      requireAccess(v1, options.findActor, options.isRegistrationOpen, limiter)
      chargeStorage(v1, options.budgets)
      refuseOtherTypes(v1)
      acceptIdempotencyKeys(v1, options.answers, options.networkOf)
      tagChanges(v1)
      v1.addHook('onRoute', (route) => {
        // No query parameter is ignored, also where none is known.
        if (route.schema) route.schema.querystring ??= { type: 'object', properties: {}, additionalProperties: false }
      })
      v1.setNotFoundHandler((_request, reply) => sendProblem(reply, new AppError('not_found')))
      registerMeta(v1 as unknown as App, options)
      await options.registerApi(v1 as unknown as App)
      refuseOtherMethods(v1, new Map(methods))
    },
    { prefix: '/v1' },
  )
  app.register(async (rest) => refuseOtherMethods(rest, new Map(others)))
  await app.ready()
  return app
}

/** Charges the bytes of every response body; the short way does so itself. */
function chargeResponses(app: App, budgets: Budgets): void {
  /** What was written to the connection before a body of unknown length. */
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
    if (request.method !== 'HEAD') budgets.charge('responses', request.chargedTo, bytes / 1_024)
    done()
  })
}

/** The one that was sent, if it can be one, so that several services' logs tell of a request by one name. */
function requestIdOf({ headers: { 'x-request-id': given } }: IncomingMessage): string {
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}

/** A body comes as it is: what is compressed would have to be bounded twice. */
function codingFault({ method, headers }: FastifyRequest): AppError | undefined {
  const { 'content-encoding': coding = '' } = headers
  if (coding === '' || coding.toLowerCase() === 'identity') return undefined
  const isRead = method !== 'GET' && method !== 'HEAD'
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (!isRead || !hasBody) return undefined
  return new AppError('unsupported_media_type', {
    detail: 'Bodies are taken without a Content-Encoding only.',
    headers: { 'accept-encoding': 'identity' },
  })
}

/** No Host, two, or one that is none: another program on the way may take such a request for one to somebody else. */
function hostFault({ headers, rawHeaders, httpVersionMinor }: IncomingMessage): AppError | undefined {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  const isNeeded = httpVersionMinor === 1
  if (count === 0 && isNeeded) return new AppError('bad_request', { detail: 'The header Host is missing.' })
  if (count > 1) return new AppError('bad_request', { detail: 'There is more than one header Host.' })
  if (count === 1 && !HOST.test(headers.host!)) return new AppError('bad_request', { detail: 'Host is no host.' })
  return undefined
}

/** The methods of each path of a scope, as its routes are registered. */
function methodsOfRoutes(scope: FastifyInstance, isMeant = (_url: string) => true): Map<string, Set<string>> {
  const methods = new Map<string, Set<string>>()
  scope.addHook('onRoute', ({ url, routePath, method }) => {
    if (!isMeant(url)) return
    if (!methods.has(routePath)) methods.set(routePath, new Set())
    for (const one of [method].flat()) methods.get(routePath)!.add(one)
  })
  return methods
}

function unavailable(cause?: unknown): AppError {
  return new AppError('unavailable', { cause, headers: { 'retry-after': '2' } })
}

function registerMeta(v1: App, { origin, version }: HttpOptions): void {
  v1.get('', { config: { access: 'public' }, schema: { hide: true } }, async () => ({
    data: { name: 'job-marketplace', version: '1.0', release: version, documentation: `${origin}/v1/docs` },
  }))
  let document: Ready | undefined
  v1.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
    document ??= { body: Buffer.from(JSON.stringify(v1.swagger())), isAskedAgain: true }
    return sendReady(request, reply, document)
  })
  let page: Ready | undefined
  const isPage = { access: 'public', produces: 'anything' } as const
  v1.get('/docs', { config: isPage, schema: { hide: true } }, async (request, reply) => {
    const render = () => renderReference(v1.swagger() as unknown as OpenApiDocument)
    page ??= { body: Buffer.from(render()), isAskedAgain: true }
    reply.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
    return sendReady(request, reply, page, 'text/html; charset=utf-8')
  })
}

/** Of an unreadable body to a thing that is not there, the latter is the answer. */
async function firstReason(error: AppError, request: FastifyRequest): Promise<AppError> {
  const { guard } = request.routeOptions.config
  const isAboutInput =
    error.status === 400 || error.status === 406 || error.status === 413 || error.status === 415 || error.status === 422
  if (!guard || !isAboutInput || !request.actor) return error
  // The parameters of the path may not have been validated yet: no database takes a NUL.
  if (!Object.values(request.params as object).every(isStorableText)) return new AppError('not_found')
  try {
    await guard(request)
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
    throw new AppError('invalid_parameter', { detail: 'The query is not percent-encoded UTF-8.' })
  }
}

/** No valid body holds more: a job with 50 questions of 100 options has 5,600. */
const BODY_VALUES_MAX = 10_000
/** Faults beyond what a valid body could hold that are still looked for one by one. */
const SURPLUS_VALUES_MAX = 1_000

const tooDeep = () =>
  new AppError('invalid_json', { detail: `The body is nested deeper than ${JSON_DEPTH_MAX} levels.` })

/** Refuses a body before it is parsed if it holds many more values than a valid one could. */
function excessOf(body: Buffer, schema: unknown): AppError | undefined {
  const valuesMax = valuesMaxOf(schema)
  const excess = exceededBound(body, { valuesMax, depthMax: JSON_DEPTH_MAX })
  if (excess === 'depth') return tooDeep()
  if (excess === undefined) return undefined
  const detail = `The body holds more than ${valuesMax} values.`
  return validationFailed([{ pointer: '#', code: 'too_many', detail }])
}

const valuesMaxBySchema = new WeakMap<object, number>()

function valuesMaxOf(schema: unknown): number {
  if (typeof schema !== 'object' || schema === null) return BODY_VALUES_MAX
  let valuesMax = valuesMaxBySchema.get(schema)
  if (valuesMax === undefined) {
    valuesMax = Math.min(BODY_VALUES_MAX, mostValues(schema) + SURPLUS_VALUES_MAX)
    valuesMaxBySchema.set(schema, valuesMax)
  }
  return valuesMax
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseJsonStrictly(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined)
    const excess = excessOf(body as Buffer, request.routeOptions.schema?.body)
    if (excess) return done(excess)
    let value: unknown
    try {
      value = JSON.parse(utf8.decode(body as Buffer))
    } catch {
      return done(new AppError('invalid_json', { detail: 'The body is not JSON in UTF-8.' }))
    }
    const unstorable = findUnstorableText(value)
    if (unstorable === undefined) {
      return done(tooDeep())
    }
    // Of a body that nobody asked for nothing is kept.
    if (unstorable.length > 0 && request.routeOptions.schema?.body) {
      const detail = 'NUL characters and unpaired surrogates are not allowed in text.'
      return done(validationFailed(unstorable.map((pointer) => ({ pointer, code: 'invalid_text', detail }))))
    }
    done(null, value)
  })
}
