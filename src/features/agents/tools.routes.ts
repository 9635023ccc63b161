/** The operations that agents may call as tools. Schemas and permissions come from the OpenAPI document. */
import type { FastifyRequest } from 'fastify'
import { callOperation, type InnerAnswer, type InnerCall } from '../../http/inner-calls.ts'
import {
  type JsonSchema,
  type NamedOperation,
  type OpenApiDocument,
  operationsOf,
} from '../../http/openapi-document.ts'
import type { ErrorCode } from '../../lib/errors.ts'
import { type Actor, includesRole } from '../../lib/scopes.ts'
import { URL_LENGTH_MAX } from '../../lib/url.ts'

/** The operation of each tool, and advice for agents in addition to the operation's summary. */
const offered: Readonly<Record<string, readonly [operationId: string, hint?: string]>> = {
  search_jobs: [
    'listJobs',
    'Most filters also accept _not and _in; most on numbers and times also _gt, _gte, _lt and _lte.',
  ],
  get_job: ['getJob'],
  list_categories: ['listJobCategories'],
  get_employer: ['getEmployer'],
  get_profile: ['getCandidateProfile'],
  update_profile: ['updateCandidateProfile', 'An array, such as skills, replaces the whole stored array.'],
  save_job: ['saveJob'],
  list_applications: ['listApplications'],
  draft_application: [
    'draftApplication',
    'Nothing is sent. Give the person the url, where they check, complete and send the draft.',
  ],
  create_job_alert: ['createJobAlert'],
  list_my_jobs: ['listOwnJobs'],
  create_job: ['createJob', 'A person pays for the job and activates it on the website.'],
  update_job: ['updateJob', 'An array, such as requirements, replaces the whole stored array.'],
  list_applicants: ['listEmployerApplications'],
  set_application_status: [
    'updateApplicationStatus',
    'The candidate may get an email about the status unless notify is false.',
  ],
}

/**
 * Tools that are listed without an output schema. The schema would take up too much of an agent's context: an alert's
 * criteria repeat the parameters of `search_jobs`.
 */
const WITHOUT_OUTPUT: ReadonlySet<string> = new Set(['create_job_alert'])

/** A tool as `tools/list` describes it. */
interface Described {
  name: string
  title: string
  description: string
  inputSchema: JsonSchema & { type: 'object' }
  outputSchema?: JsonSchema & { type: 'object' }
  annotations: Record<string, boolean>
}

interface Tool {
  operation: NamedOperation
  described: Described
}

/** The argument that becomes the header Idempotency-Key. */
const IDEMPOTENCY = 'idempotency_key'

/** Suffixes of the variants of a filter. A search has about 80 parameters with the variants, and about 30 without. */
const VARIANTS = ['_not', '_in', '_gt', '_gte', '_lt', '_lte']

const isVariant = (name: string, properties: object) =>
  VARIANTS.some((suffix) => name.endsWith(suffix) && name.slice(0, -suffix.length) in properties)

const REFERENCE = '#/components/schemas/'

/** Copies schemas of the OpenAPI document into a standalone schema, with the components that they refer to. */
class SchemaCopy {
  readonly #components: OpenApiDocument['components']['schemas']
  readonly #isInput: boolean
  readonly #definitions: Record<string, unknown> = {}

  constructor({ components }: OpenApiDocument, isInput: boolean) {
    this.#components = components.schemas
    this.#isInput = isInput
  }

  of(schema: JsonSchema): JsonSchema & { type: 'object' } {
    const copy = this.#copy(schema) as JsonSchema
    const isEmpty = Object.keys(this.#definitions).length === 0
    return { ...copy, type: 'object', ...(!isEmpty && { $defs: this.#definitions }) }
  }

  #copy(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#copy(item))
    if (typeof value !== 'object' || value === null) return value
    const copy: JsonSchema = {}
    for (const [keyword, part] of Object.entries(value)) {
      if (keyword === 'properties') copy[keyword] = this.#properties(part)
      else if (keyword === '$ref') copy[keyword] = this.#define(String(part))
      else if (!keyword.startsWith('x-') && !keyword.startsWith('example')) copy[keyword] = this.#copy(part)
    }
    return copy
  }

  #properties(properties: Record<string, unknown>): Record<string, unknown> {
    const kept = Object.entries(properties).filter(([name]) => !this.#isInput || !isVariant(name, properties))
    return Object.fromEntries(kept.map(([name, schema]) => [name, this.#copy(schema)]))
  }

  #define(reference: string): string {
    const name = reference.slice(REFERENCE.length)
    if (!(name in this.#definitions)) {
      // Reserves the name first, because a component may refer to itself.
      this.#definitions[name] = {}
      this.#definitions[name] = this.#copy(this.#components[name])
    }
    return `#/$defs/${name}`
  }
}

const jsonOf = ({ content = {} }: { content?: Record<string, { schema: JsonSchema }> } = {}) =>
  content['application/json']?.schema

/**
 * Returns the schema of an object whose members are the parameters and the members of the body. Omits headers, except
 * the `Idempotency-Key` of POST operations.
 */
function inputOf({ parameters = [], requestBody, method }: NamedOperation): JsonSchema {
  const properties: Record<string, unknown> = {}
  const required: string[] = []
  const body = jsonOf(requestBody)
  Object.assign(properties, body?.properties)
  required.push(...((body?.required as string[] | undefined) ?? []))
  for (const { name, in: place, description, schema } of parameters) {
    if (place === 'header') {
      if (method === 'POST') properties[IDEMPOTENCY] = { ...schema, description }
      continue
    }
    properties[name] = description === undefined ? schema : { ...schema, description }
    if (place === 'path') required.push(name)
  }
  return { properties, required }
}

/** Returns the tools whose operations the document contains, by name. */
export function toolsOf(document: OpenApiDocument): ReadonlyMap<string, Tool> {
  const operations = new Map(operationsOf(document).map((operation) => [operation.operationId, operation]))
  const tools = new Map<string, Tool>()
  for (const [name, [operationId, hint]] of Object.entries(offered)) {
    const operation = operations.get(operationId)
    if (!operation) continue
    const { method, summary = name, responses } = operation
    const output = WITHOUT_OUTPUT.has(name) ? undefined : jsonOf((responses[200] ?? responses[201]) as object)
    tools.set(name, {
      operation,
      described: {
        name,
        title: summary,
        description: [summary, hint].filter((text) => text !== undefined).join('. '),
        inputSchema: new SchemaCopy(document, true).of(inputOf(operation)),
        ...(output && { outputSchema: new SchemaCopy(document, false).of(output) }),
        annotations: {
          readOnlyHint: method === 'GET',
          // PUT overwrites stored data.
          destructiveHint: method === 'PUT',
          idempotentHint: method !== 'POST',
          openWorldHint: false,
        },
      },
    })
  }
  return tools
}

export function mayCall({ operation }: Tool, { kind, scopes, key, member }: Actor): boolean {
  if (key.publishable) return operation['x-publishable'] === true
  if (member && !includesRole(member.role, operation['x-roles']![kind]!)) return false
  const scope = operation['x-callers']?.[kind]
  return scope !== undefined && (scope === null || scopes.includes(scope))
}

/** Returns the text of an argument. Objects are invalid here, and `String` may throw for them. */
const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

/** Returns the text of a query parameter. Joins the elements of an array with commas. */
const queryValue = (value: unknown) => (Array.isArray(value) ? value.map(textOf).join(',') : textOf(value))

function queryOf(given: Record<string, unknown>): string {
  const query = Object.entries(given).filter(([, value]) => value !== null && value !== undefined)
  if (query.length === 0) return ''
  return `?${new URLSearchParams(query.map(([name, value]) => [name, queryValue(value)]))}`
}

/**
 * Returns the request for a tool's operation, or the name of a missing path parameter. The request includes arguments
 * that the schema does not contain, so that the API reports them.
 */
export function requestOf({ operation }: Tool, given: Record<string, unknown>): InnerCall | string {
  const { method, parameters = [] } = operation
  const { [IDEMPOTENCY]: idempotencyKey, ...rest } = given
  let path = `/v1${operation.path}`
  for (const { name } of parameters.filter((parameter) => parameter.in === 'path')) {
    const value = rest[name]
    if (value === undefined || value === '') return name
    path = path.replace(`{${name}}`, encodeURIComponent(textOf(value).toWellFormed()))
    delete rest[name]
  }
  if (method === 'GET') return { method, path: path + queryOf(rest) }
  return { method, path, body: rest, idempotencyKey: idempotencyKey === undefined ? undefined : textOf(idempotencyKey) }
}

/** Calls a tool's operation with the key of the request. */
export async function callTool(request: FastifyRequest, tool: Tool, given: Record<string, unknown>) {
  const call = requestOf(tool, given)
  if (typeof call === 'string') return problem(422, 'validation_failed', `${call} is required.`)
  if (call.path.length > URL_LENGTH_MAX) return problem(414, 'uri_too_long', 'The arguments are too long.')
  return await callOperation(request, call)
}

const problem = (status: number, code: ErrorCode, detail: string): InnerAnswer => ({
  status,
  body: Buffer.from(JSON.stringify({ code, detail })),
})
