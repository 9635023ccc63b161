/** Generates the OpenAPI 3.1 document from the schemas and the documentation that routes declare. */
import { STATUS_CODES } from 'node:http'
import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { type ErrorCode, errorCatalogue, FAULTS_MAX } from '../lib/errors.ts'
import { Ref } from '../lib/schema.ts'
import { type Access, callersOf, type Needs, rolesOf } from './authenticate.ts'
import { completeDocument, type OpenApiDocument } from './openapi-document.ts'
import type { Examples } from './openapi-examples.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Marks routes whose response differs every time and therefore has no ETag. */
    isAlwaysNew?: true
  }
  interface FastifySchema {
    operationId?: string
    summary?: string
    description?: string
    tags?: readonly string[]
    hide?: boolean
    security?: ReadonlyArray<Record<string, readonly string[]>>
    /** The account kinds that may call the operation, each with the scope that its keys need, or null for any key. */
    'x-callers'?: ReturnType<typeof callersOf>
    /** Marks a dangerous action, which requires a key with every scope of the account and no expiry date. */
    'x-needs'?: Needs
    /** The lowest role that may call the operation, for each account kind that has members and may call it. */
    'x-roles'?: ReturnType<typeof rolesOf>
    /** Whether publishable keys may call the operation. Absent for operations that need no key. */
    'x-publishable'?: true
  }
}

export const ProblemSchema = Type.Object(
  {
    type: Type.String({ format: 'uri-reference' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String(),
    code: Type.Unsafe<ErrorCode>({ type: 'string', enum: Object.keys(errorCatalogue) }),
    request_id: Type.String(),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.Optional(
            Type.String({ description: 'JSON pointer to the faulty field, such as #/salary/max.' }),
          ),
          parameter: Type.Optional(Type.String({ description: 'Name of the faulty query parameter.' })),
          code: Type.String(),
          detail: Type.String(),
        }),
        { maxItems: FAULTS_MAX, description: `The first ${FAULTS_MAX} faults of the request.` },
      ),
    ),
  },
  { $id: 'Problem', description: 'A problem document (RFC 9457). Some codes have additional fields.' },
)

/** Returns the schema of problem responses with this status. */
function problemResponse(status: number): TSchema {
  const codes = Object.entries(errorCatalogue).filter(([, entry]) => entry.status === status)
  const description = codes.map(([code, { title }]) => `\`${code}\`: ${title}`).join('; ')
  return Type.Unsafe<never>({
    description,
    content: { 'application/problem+json': { schema: Ref(ProblemSchema) } },
  })
}

/** Returns response schemas for error statuses that a route's access, path and body do not imply. */
export function problems<const S extends number>(...statuses: S[]): Record<S, TSchema> {
  return Object.fromEntries(statuses.map((status) => [status, problemResponse(status)])) as Record<S, TSchema>
}

/** Returns the error statuses implied by a route's declaration. */
function impliedStatuses(route: RouteOptions, access: Access): number[] {
  // Any route can respond 403, for a blocked network or a suspended account.
  const statuses = [400, 403]
  if (access !== 'public') statuses.push(401)
  if (route.schema?.params) statuses.push(404)
  if (route.schema?.body) statuses.push(413, 415, 422)
  // The server reads the body of a DELETE, although no such route expects one.
  else if (route.method === 'DELETE') statuses.push(413, 415)
  if (route.method === 'POST') statuses.push(409, 422)
  if (route.method === 'PUT' || route.method === 'DELETE') statuses.push(412)
  if (route.config?.produces === undefined) statuses.push(406)
  return [...statuses, ...COMMON_STATUSES]
}

/** Error statuses that all operations share. */
const COMMON_STATUSES = [414, 429, 431, 503]

const text = (description: string, example: string) => ({ type: 'string', description, example })
const TAG_EXAMPLE = '"pIPx5eHPm1Z0qVCN4Ulq_w"'
const ETAG = text('Entity tag of the resource, as returned by GET.', TAG_EXAMPLE)

/** Pattern of the keys that `parseIdempotencyKey` accepts: a bare key or a structured-field string. */
const IDEMPOTENCY_KEY = '^(?:[!#-~]{1,255}|"(?:[ !#-\\[\\]-~]|\\\\["\\\\]){1,255}")$'

/** Returns the request headers of a route, except those that all routes share. */
function requestHeaders(route: RouteOptions) {
  switch (route.method) {
    case 'POST':
      return {
        'Idempotency-Key': {
          ...text(
            'A unique key for the request. A repeat with the same key within a day has no further effect and returns ' +
              'the same response. 1 to 255 printable ASCII characters, preferably a random UUID, optionally quoted.',
            '0b8f7c1e-6d0a-4f43-9a53-9e0a1c5e9d27',
          ),
          pattern: IDEMPOTENCY_KEY,
        },
      }
    case 'PUT':
    case 'DELETE':
      return {
        'If-Match': text('Changes the resource only if it has one of these tags; otherwise, returns 412.', TAG_EXAMPLE),
      }
    default:
      if (route.config?.isAlwaysNew) return undefined
      return { 'If-None-Match': text('Returns 304 if the resource has one of these tags.', TAG_EXAMPLE) }
  }
}

/** Returns the headers of a successful response, except those that all responses share. */
function responseHeaders(route: RouteOptions, status: string) {
  if (status >= '300' && status !== '304') return {}
  if (route.method === 'POST') {
    return {
      'Idempotency-Replayed': text(
        '`true` if this is the stored response to an earlier request with the same key.',
        'true',
      ),
    }
  }
  const hasTag = route.method === 'PUT' || (route.method === 'GET' && !route.config?.isAlwaysNew)
  return hasTag ? { ETag: ETAG } : {}
}

export interface ApiDescription {
  /** Public origin without a trailing slash. */
  origin: string
  version: string
  /** The `webhooks` section, which describes the requests that the service sends to receivers. */
  webhooks: OpenApiDocument['webhooks']
  examples: Examples
}

/** Returns an operation's description with its permitted callers. Viewers of the document do not show `x-callers`. */
function withCallers(schema: FastifySchema) {
  const { description, 'x-callers': callers = {}, 'x-needs': needs, 'x-publishable': isPublishable } = schema
  const kinds = Object.entries(callers).map(([kind, scope]) => (scope ? `${kind} (\`${scope}\`)` : kind))
  if (kinds.length === 0) return {}
  if (isPublishable) kinds.push('publishable')
  const keys = `Keys: ${kinds.join(', ')}${needs ? '. The key must have every scope of the account and no expiry date' : ''}.`
  return { description: description === undefined ? keys : `${description}\n\n${keys}` }
}

/** Registers the OpenAPI document, which includes all routes registered later in this scope. */
export async function describeApi(
  app: FastifyInstance,
  { origin, version, webhooks, examples }: ApiDescription,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'API',
        version,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: `${origin}/v1` }],
      webhooks: webhooks as never,
      components: {
        securitySchemes: { api_key: { type: 'http', scheme: 'bearer', description: 'An API key' } },
      },
    },
    stripBasePath: true,
    // Documents the request headers without validating them.
    transform: ({ schema, url, route }) => {
      if (!schema) return { schema, url }
      const properties = requestHeaders(route)
      const headers = properties && { headers: { type: 'object', properties } }
      return { schema: { ...schema, ...headers, ...withCallers(schema) }, url }
    },
    transformObject: (made) =>
      completeDocument(('openapiObject' in made ? made.openapiObject : {}) as OpenApiDocument, examples) as never,
    refResolver: {
      buildLocalReference: (json, _base, _fragment, i) => (typeof json.$id === 'string' ? json.$id : `schema-${i}`),
    },
  })
  app.addHook('onRoute', (route) => {
    const access = route.config?.access
    if (access === undefined || route.schema?.hide || !route.schema?.operationId) return
    const response = { ...(route.schema.response as Record<string, unknown>) }
    if (route.method === 'GET' && !route.config?.isAlwaysNew) response[304] ??= Type.Unsafe<null>({ type: 'null' })
    for (const [status, schema] of Object.entries(response) as [string, { headers?: object }][]) {
      const headers = { ...responseHeaders(route, status), ...schema.headers }
      response[status] = { description: STATUS_CODES[status], ...schema, headers }
    }
    for (const status of impliedStatuses(route, access)) response[status] ??= problemResponse(status)
    route.schema.response = response
    if (access === 'public') {
      route.schema.security = route.config?.takesPublishable ? [{}, { api_key: [] }] : []
      return
    }
    const callers = callersOf(access)
    const keys = [...new Set(Object.values(callers))].map((scope) => ({ api_key: scope ? [scope] : [] }))
    route.schema.security = access === 'registration' ? [{}, ...keys] : keys
    route.schema['x-callers'] = callers
    route.schema['x-roles'] = rolesOf(access)
    if (route.config?.needs) route.schema['x-needs'] = route.config.needs
    if (route.config?.takesPublishable) route.schema['x-publishable'] = true
  })
}

/** Tags the operations of this scope that declare no tag. Operations under `/admin` get the tag `Operator`. */
export function tagOperations(scope: FastifyInstance, tag: string | undefined): void {
  scope.addHook('onRoute', ({ routePath, schema }) => {
    if (!schema?.operationId) return
    const inferred = routePath.startsWith('/admin/') ? 'Operator' : tag
    if (inferred !== undefined) schema.tags ??= [inferred]
  })
}
