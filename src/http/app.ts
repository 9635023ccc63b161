/** The HTTP server: parsing, errors, request ids, logs and the `/v1` scope. It knows no feature. */
import { randomUUID } from 'node:crypto'
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
import { findUnstorableText, isStorableText, JSON_DEPTH_MAX } from '../lib/bad-text.ts'
import { AppError, validationFailed } from '../lib/errors.ts'
import { type FindActor, refuseOtherMethods, requireAccess } from './authenticate.ts'
import { registerMetrics } from './metrics.ts'
import { describeApi, ProblemSchema, renderReference, type WebhookDescription } from './openapi.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import { PROBLEM_MEDIA_TYPE, problemDocument, sendProblem, toAppError } from './problem.ts'
import { createValidatorCompiler } from './validation.ts'

/** What routes are registered on: Fastify with types from TypeBox schemas. */
export type App = FastifyInstance<
  import('node:http').Server,
  import('node:http').IncomingMessage,
  import('node:http').ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export interface HttpOptions {
  logger: FastifyBaseLogger
  cursorSecret: Uint8Array
  /** Public origin without a trailing slash. */
  origin: string
  version: string
  isRegistrationOpen: boolean
  findActor: FindActor
  /** Whether the service can do its work now. */
  isReady: () => Promise<boolean>
  /** Component schemas, each with an `$id`. */
  schemas: readonly TSchema[]
  /** What is sent to webhooks, for the document. */
  webhooks: readonly WebhookDescription[]
  metrics: Registry
  /** Registers the routes under `/v1`. */
  registerApi: (app: App) => void | Promise<void>
  /** Registers what lies outside `/v1`. */
  registerPages: (app: App) => void
}

const BODY_BYTES_MAX = 1_048_576
const URL_LENGTH_MAX = 8_192
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** Builds the application; it listens nowhere yet. */
export async function createHttpApp(options: HttpOptions): Promise<App> {
  const app = Fastify({
    loggerInstance: options.logger,
    // One for each request would be made for the few that fail: what is logged of those names the request itself.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    bodyLimit: BODY_BYTES_MAX,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: 30_000,
    // No route has a pattern that a long parameter could slow down: each validates its own.
    routerOptions: { maxParamLength: URL_LENGTH_MAX, ignoreTrailingSlash: false },
    requestIdHeader: false,
    genReqId: (request) => {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
    },
    // A path that cannot be decoded never reaches a route.
    frameworkErrors: (error, request, reply) => {
      const problem = toAppError(error)
      const body = problemDocument(problem, request.raw.url?.split('?', 1)[0] ?? '/', request.id)
      const answer = reply as FastifyReply
      answer.code(problem.status).header('x-request-id', request.id).type(PROBLEM_MEDIA_TYPE).send(JSON.stringify(body))
    },
    clientErrorHandler: answerUnparsable,
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as App

  app.setValidatorCompiler(createValidatorCompiler(options.cursorSecret, options.schemas))
  // The presenters make exactly the documented shape (the tests hold every answer against the document), so that
  // serialising is JSON.stringify and nothing more.
  app.setSerializerCompiler(() => (value: unknown) => JSON.stringify(value))
  for (const schema of [ProblemSchema, ...options.schemas]) app.addSchema(schema)
  parseJsonStrictly(app)

  // Hooks of every request take a callback: a promise each would be a tenth of what a ready answer costs.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    reply.header('cache-control', 'private, no-cache')
    done((request.raw.url ?? '').length > URL_LENGTH_MAX ? new AppError('uri_too_long') : undefined)
  })
  app.addHook('preValidation', async (request) => {
    if (!request.is404) refuseBadQuery(request.raw.url ?? '/')
    // No body is validated as an empty object; a JSON null stays one.
    if (request.body === undefined) request.body = {}
  })
  // Its members are chosen here and hold no secret: looking for some would double what a line costs.
  const accessLog = options.logger.child({}, { redact: [] })
  app.addHook('onResponse', (request, reply, done) => {
    accessLog.info(
      {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        account_id: request.actor?.accountId,
      },
      'request',
    )
    done()
  })
  app.setErrorHandler(async (thrown, request, reply) => {
    const error = await firstReason(toAppError(thrown), request)
    if (error.status >= 500) request.log.error({ request_id: request.id, err: error.cause ?? error }, error.code)
    return sendProblem(reply, error)
  })
  app.setNotFoundHandler((_request, reply) => sendProblem(reply, new AppError('not_found')))

  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async () => {
    const unready = (cause?: unknown) => new AppError('unavailable', { cause, headers: { 'retry-after': '2' } })
    // Whatever keeps the database from telling, the service is not ready.
    const isReady = await options.isReady().catch((error) => {
      throw unready(error)
    })
    if (!isReady) throw unready()
    return { status: 'ok' }
  })
  registerMetrics(app, options.findActor, options.metrics)
  options.registerPages(app)

  await app.register(
    async (v1) => {
      await describeApi(v1, options)
      const methods = new Map<string, Set<string>>()
      requireAccess(v1, options.findActor, options.isRegistrationOpen)
      v1.addHook('onRoute', (route) => {
        // No query parameter is ignored, also where none is known.
        if (route.schema) route.schema.querystring ??= { type: 'object', properties: {}, additionalProperties: false }
        const path = route.routePath
        if (!methods.has(path)) methods.set(path, new Set())
        for (const method of [route.method].flat()) methods.get(path)!.add(method)
      })
      v1.setNotFoundHandler((_request, reply) => sendProblem(reply, new AppError('not_found')))
      registerMeta(v1 as unknown as App, options)
      await options.registerApi(v1 as unknown as App)
      refuseOtherMethods(v1, new Map(methods))
    },
    { prefix: '/v1' },
  )
  await app.ready()
  return app
}

function registerMeta(v1: App, { origin, version }: HttpOptions): void {
  v1.get('', { config: { access: 'public' }, schema: { hide: true } }, async () => ({
    data: { name: 'job-marketplace', version: '1.0', release: version, documentation: `${origin}/v1/docs` },
  }))
  let document: string | undefined
  v1.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) => {
    document ??= JSON.stringify(v1.swagger())
    return reply
      .type('application/json; charset=utf-8')
      .serializer((text: unknown) => text as string)
      .send(document)
  })
  let page: string | undefined
  v1.get('/docs', { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) => {
    page ??= renderReference(v1.swagger() as unknown as OpenApiDocument)
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .send(page)
  })
}

/** Of an unreadable body to a thing that is not there, the latter is the answer. */
async function firstReason(error: AppError, request: FastifyRequest): Promise<AppError> {
  const { guard } = request.routeOptions.config
  const isAboutInput = error.status === 400 || error.status === 413 || error.status === 415 || error.status === 422
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

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseJsonStrictly(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    if (body.length === 0) return done(null, undefined)
    let value: unknown
    try {
      value = JSON.parse(utf8.decode(body as Buffer))
    } catch {
      return done(new AppError('invalid_json', { detail: 'The body is not JSON in UTF-8.' }))
    }
    const unstorable = findUnstorableText(value)
    if (unstorable === undefined) {
      return done(new AppError('invalid_json', { detail: `The body is nested deeper than ${JSON_DEPTH_MAX} levels.` }))
    }
    if (unstorable.length > 0) {
      const detail = 'NUL characters and unpaired surrogates are not allowed in text.'
      return done(validationFailed(unstorable.map((pointer) => ({ pointer, code: 'invalid_text', detail }))))
    }
    done(null, value)
  })
}

/** What is not even HTTP gets the shortest honest answer. */
function answerUnparsable(
  this: FastifyInstance,
  error: Error & { code?: string },
  socket: import('node:net').Socket,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const code =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'headers_too_large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'request_timeout'
        : 'bad_request'
  const problem = new AppError(code)
  const requestId = randomUUID()
  const body = JSON.stringify(problemDocument(problem, '/', requestId))
  socket.end(
    `HTTP/1.1 ${problem.status} Error\r\ncontent-type: ${PROBLEM_MEDIA_TYPE}\r\nx-request-id: ${requestId}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
