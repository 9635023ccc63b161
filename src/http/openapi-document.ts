/**
 * Completes the OpenAPI document after all routes are registered. Adds headers, problems and examples to every
 * operation, and replaces parts of the schemas that are documented differently from how they are validated.
 */
import type { AccountKind } from '../lib/api-keys.ts'
import { errorCatalogue } from '../lib/errors.ts'
import type { Scope } from '../lib/scopes.ts'
import { exampleOf } from './openapi-examples.ts'

export interface JsonSchema {
  [keyword: string]: unknown
}

export interface MediaType {
  schema: JsonSchema
  example?: unknown
  examples?: Record<string, { summary?: string; value: unknown }>
}

export interface Response {
  description: string
  headers?: Record<string, { description?: string; required?: boolean; schema: JsonSchema }>
  content?: Record<string, MediaType>
}

export interface Operation {
  operationId: string
  'x-callers'?: Partial<Record<AccountKind, Scope | null>>
  'x-needs'?: 'whole-key'
  summary?: string
  description?: string
  tags?: string[]
  parameters?: {
    name: string
    in: string
    description?: string
    schema: JsonSchema
    example?: unknown
  }[]
  requestBody?: { required?: boolean; content: Record<string, MediaType> }
  responses: Record<string, Response | { $ref: string }>
}

export interface OpenApiDocument {
  info: { title: string; version: string; description?: string }
  paths: Record<string, Record<string, Operation>>
  webhooks?: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, JsonSchema>; responses?: Record<string, Response>; [kind: string]: unknown }
}

/** Returns the response itself, resolving a reference to a component. */
export function responseIn({ components }: OpenApiDocument, response: Response | { $ref: string }): Response {
  return '$ref' in response ? components.responses![response.$ref.split('/').at(-1)!]! : response
}

const text = (description: string, more: JsonSchema = {}) => ({ description, schema: { type: 'string', ...more } })
const always = (description: string, more: JsonSchema = {}) => ({ ...text(description, more), required: true })

const everyHeader: NonNullable<Response['headers']> = {
  'RateLimit-Policy': text('The quotas that the request is counted under, unless the limits are off.', {
    examples: ['"key";q=6000;w=60'],
  }),
  RateLimit: text('What is left of them, and for how many seconds.', { examples: ['"key";r=5999;t=43'] }),
  'X-Request-Id': always('Of the request that this answers: its own, or one made here. It is in the log as well.', {
    minLength: 1,
    maxLength: 128,
    examples: ['0f9d5b0e-6a0f-4c2f-8c57-3f0e8a9d1b52'],
  }),
}

const problemHeaders: Record<number, NonNullable<Response['headers']>> = {
  401: { 'WWW-Authenticate': always('`Bearer`, with `error="invalid_token"` where a key was sent.') },
  409: { 'Retry-After': text('In how many seconds to try again, where that is known.', { pattern: '^[0-9]+$' }) },
  415: { 'Accept-Encoding': text('`identity`, where the coding is what is not taken.', { const: 'identity' }) },
  416: { 'Content-Range': always('How long the file is: `bytes */1234`.') },
  429: { 'Retry-After': text('In how many seconds to try again.', { pattern: '^[0-9]+$' }) },
  503: { 'Retry-After': text('In how many seconds to try again.', { pattern: '^[0-9]+$' }) },
}

const location = { Location: always('Where the new thing is, or the list it is in.') }
const link = { Link: text('The neighbouring pages (RFC 8288), if there are any and this has at most 1,024 bytes.') }

/** Completes the document in place. */
export function completeDocument(document: OpenApiDocument): OpenApiDocument {
  const { schemas } = document.components
  const problems: Record<string, Response> = {}
  for (const schema of Object.values(schemas)) refine(schema)
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item))) {
    completeRequest(operation, schemas)
    completeResponses(operation, schemas, problems)
  }
  document.components.responses = problems
  return document
}

function completeRequest({ parameters = [], requestBody }: Operation, schemas: Record<string, JsonSchema>): void {
  for (const parameter of parameters) refine(parameter.schema)
  if (!requestBody) return
  const media = Object.values(requestBody.content)
  for (const { schema } of media) refine(schema)
  // A missing body counts as an empty object.
  const isNeeded = !media.some(({ schema }) => schema.type === 'object' && !(schema.required as string[])?.length)
  requestBody.required = isNeeded
  for (const one of media) if (one.schema.type === 'object') one.example ??= exampleOf(one.schema, schemas, 'request')
}

function completeResponses(
  operation: Operation,
  schemas: Record<string, JsonSchema>,
  problems: Record<string, Response>,
): void {
  for (const [status, response] of Object.entries(operation.responses) as [string, Response][]) {
    if (status >= '400') {
      const name = `Problem${status}`
      problems[name] ??= describeProblem(Number(status), response)
      operation.responses[status] = { $ref: `#/components/responses/${name}` }
      continue
    }
    const json = response.content?.['application/json']
    const isList = json !== undefined && 'meta' in ((json.schema.properties as object) ?? {})
    response.headers = { ...everyHeader, ...(status === '201' && location), ...(isList && link), ...response.headers }
    if (!json) continue
    // The description would only repeat the status.
    delete json.schema.description
    refine(json.schema)
    json.example ??= exampleOf(json.schema, schemas, 'response')
  }
}

/** Returns the response that all operations share for this error status. */
function describeProblem(status: number, response: Response): Response {
  const codes = Object.entries(errorCatalogue).filter(([, entry]) => entry.status === status)
  const examples = codes.map(([code, { title }]) => {
    const type = `urn:job-marketplace:problem:${code}`
    const request_id = '0f9d5b0e-6a0f-4c2f-8c57-3f0e8a9d1b52'
    const value = { type, title, status, detail: `${title}.`, instance: '/v1/jobs', code, request_id }
    return [code, { summary: title, value }]
  })
  const [[mediaType, media]] = Object.entries(response.content!) as [[string, MediaType]]
  return {
    ...response,
    headers: { ...everyHeader, ...problemHeaders[status], ...response.headers },
    content: { [mediaType]: { ...media, examples: Object.fromEntries(examples) } },
  }
}

/** Adds the documentation-only parts of a schema and removes the validation-only ones. */
function refine(schema: unknown): void {
  if (Array.isArray(schema)) for (const part of schema) refine(part)
  if (typeof schema !== 'object' || schema === null) return
  const node = schema as JsonSchema
  const { 'x-document': more, style: _style, explode: _explode, 'x-list': _list, ...rest } = node
  for (const keyword of Object.keys(node)) if (!(keyword in rest)) delete node[keyword]
  Object.assign(node, more)
  for (const [keyword, value] of Object.entries(node)) {
    if (value === undefined) delete node[keyword]
    else if (keyword === 'properties') for (const property of Object.values(value as object)) refine(property)
    else if (!DATA.has(keyword)) refine(value)
  }
}

/** Keywords whose values are not schemas. */
const DATA: ReadonlySet<string> = new Set(['example', 'examples', 'enum', 'const', 'default', 'required'])
