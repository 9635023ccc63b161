/**
 * Renders `packages/client/src/api.ts` from the OpenAPI document and the client's table of operations.
 * `test/client/operations.test.ts` compares the result with the file; `npm test -- test/client -u` updates the file.
 */
import { nameOfAll, operations } from '../packages/client/src/operations.ts'
import {
  type JsonSchema,
  type NamedOperation,
  type OpenApiDocument,
  operationsOf,
  type Response,
} from '../src/http/openapi-document.ts'

/** Types of requests accept a Date for a time, and omit read-only members and the empty string in enums. */
type Side = 'request' | 'response'

const HEADER = `/**
 * The API's types and methods. Generated from the service's OpenAPI document and \`operations.ts\`: do not edit, run
 * "npm test -- test/client -u".
 */
import type { RequestOptions } from './client.ts'
`

const pascal = (name: string) => name.replace(/(?:^|[_-])(\w)/g, (_, letter: string) => letter.toUpperCase())
const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const comment = (text: unknown) =>
  text ? `/** ${String(text).replaceAll('*/', '*\\/').replaceAll(/\n+/g, ' ')} */\n` : ''
const propertyName = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`)
const nullable = (type: string, schema: JsonSchema) =>
  Array.isArray(schema.type) && schema.type.includes('null') ? `${type} | null` : type

const declare = (name: string, type: string) =>
  `export ${type.startsWith('{') ? `interface ${name}` : `type ${name} =`} ${type}\n`

/** Parameters that select the stream of a list. */
const STREAM = ['after', 'wait_seconds']

/** Parameters that change what a list returns. */
const OTHER_RESPONSES = ['include_deleted', ...STREAM]

/** Members whose names are too general to name a type. */
const GENERIC = ['code', 'data', 'kind', 'reason', 'state', 'status', 'type', 'value']

export function renderClientTypes(document: OpenApiDocument): string {
  return new Renderer(document).render()
}

class Renderer {
  readonly #document: OpenApiDocument
  /** How often each nested object or enum occurs, by its text, with the name of the member that contains it. */
  readonly #counts = new Map<string, { name: string; count: number }>()
  /** Names of the types that occur more than once, by their text. */
  readonly #names = new Map<string, string>()

  constructor(document: OpenApiDocument) {
    this.#document = document
  }

  render(): string {
    // The first pass finds the types that need a name.
    this.#body()
    const taken = new Set(Object.keys(this.#document.components.schemas))
    const repeated = [...this.#counts].filter(([, { count }]) => count > 1).sort(([, a], [, b]) => b.count - a.count)
    for (const [text, { name }] of repeated) {
      if (taken.has(name)) continue
      taken.add(name)
      this.#names.set(text, name)
    }
    const body = this.#body()
    const named = [...this.#names].map(([text, name]) => declare(name, text)).sort()
    return indent([HEADER, ...named, body].join('\n'))
  }

  #body(): string {
    const { schemas } = this.#document.components
    const found = new Map(operationsOf(this.#document).map((one) => [`${one.method} ${one.path}`, one]))
    const types = Object.entries(schemas).map(([name, schema]) => {
      const type = this.#type(schema, 'response', undefined)
      return comment(schema.description) + declare(name, type)
    })
    const inputs = new Map<string, string>()
    const metas = new Map<string, string>()
    const resources = Object.entries(operations).map(([resource, methods]) => {
      const lines = Object.entries(methods).map(([method, spec]) => {
        const [verb, path, input] = spec.split(' ') as [string, string, string?]
        const operation = found.get(`${verb} ${path}`)
        return operation ? this.#method(method, operation, { input, inputs, metas }) : ''
      })
      return `export interface ${pascal(resource)}Methods {\n${lines.join('')}}\n`
    })
    const api = Object.keys(operations).map((resource) => `readonly ${resource}: ${pascal(resource)}Methods\n`)
    return [
      ...types,
      '/** An event of a stream. Pass `iterator` as `after` to continue after this event. */\nexport interface EventMessage {\niterator: string\nevent: Event\n}\n',
      '/** A page of a list. */\nexport interface Page<Item, Meta = ListMeta> {\ndata: Item[]\nmeta: Meta\n}\n',
      ...[...metas].map(([text, name]) => `export interface ${name} ${text}\n`),
      ...[...inputs].map(([name, text]) => `export interface ${name} ${text}\n`),
      ...resources,
      `/** The resources of the API. */\nexport interface Api {\n${api.join('')}}\n`,
    ].join('\n')
  }

  /** Returns the signature of a method and, for a list with pages, of the method that reads all pages. */
  #method(
    method: string,
    operation: NamedOperation,
    { input, inputs, metas }: { input: string | undefined; inputs: Map<string, string>; metas: Map<string, string> },
  ): string {
    const { operationId, path, summary, description } = operation
    const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `${camel(name!)}: string`)
    const signature = (name: string, parameters: string[], type: string) =>
      `${comment(`${[summary, description].filter(Boolean).join('. ')} \`${operation.method} /v1${path}\``)}${name}(${[...ids, ...parameters, 'options?: RequestOptions'].join(', ')}): ${type}\n`
    const add = (name: string, schema: JsonSchema) => {
      inputs.set(name, this.#object(schema, 'request'))
      return (schema.required as string[] | undefined)?.length ? `: ${name}` : `?: ${name}`
    }
    const response = this.#success(operation)
    if (input === 'stream') {
      const query = add(
        `${pascal(operationId)}Query`,
        propertiesOf(operation, () => true),
      )
      return signature(method, [`query${query}`], 'AsyncIterable<EventMessage>')
    }
    if (input === 'poll') {
      const parameters = propertiesOf(operation, (name) => name === 'limit' || STREAM.includes(name))
      const query = add(`${pascal(method)}${pascal(operationId).replace('List', '')}Query`, parameters)
      const { data, meta } = this.#success(operation, 1)!.properties as Record<'data' | 'meta', JsonSchema>
      metas.set(this.#object(meta, 'response'), 'StreamMeta')
      const item = this.#type(data.items as JsonSchema, 'response', undefined)
      return signature(method, [`query${query}`], `Promise<Page<${item}, StreamMeta>>`)
    }
    if (input === 'query') {
      const isMirror = method === 'listChanges'
      const parameters = propertiesOf(operation, (name) => isMirror || !OTHER_RESPONSES.includes(name))
      const name = `${pascal(isMirror ? 'listJobChanges' : operationId)}Query`
      const query = add(name, { ...parameters, required: isMirror ? ['updated_since'] : [] })
      const { data, meta } = response!.properties as Record<'data' | 'meta', JsonSchema>
      // Only `include_deleted` adds tombstones to the jobs.
      const items = data.items as JsonSchema
      const item = this.#type(isMirror ? items : ((items.anyOf as JsonSchema[])?.[0] ?? items), 'response', undefined)
      const metaText = this.#object(meta, 'response')
      const { search, facets } = meta.properties as Record<string, JsonSchema | undefined>
      metas.set(metaText, facets ? 'ListJobsMeta' : search ? 'SearchMeta' : 'ListMeta')
      const metaName = metas.get(metaText)!
      const page = metaName === 'ListMeta' ? `Page<${item}>` : `Page<${item}, ${metaName}>`
      const all = query.replace(/(\w+)$/, "Omit<$1, 'page' | 'cursor'>")
      return (
        signature(method, [`query${query}`], `Promise<${page}>`) +
        signature(nameOfAll(method), [`query${all}`], `AsyncIterable<${item}>`)
      )
    }
    const json = operation.requestBody?.content['application/json']?.schema
    const parameters =
      input === 'file' ? ['file: Blob'] : input === 'body' ? [`body${add(`${pascal(operationId)}Body`, json!)}`] : []
    const { data } = (response?.properties ?? {}) as { data?: JsonSchema }
    const type = data ? this.#type(data, 'response', operationId) : response ? 'Blob' : 'void'
    return signature(method, parameters, `Promise<${type}>`)
  }

  /**
   * Returns the schema of the first successful response, or undefined if that response has no body. A list that is also
   * a stream describes its pages first (`form` 0), and then the pages of the stream (1).
   */
  #success({ responses }: NamedOperation, form = 0): JsonSchema | undefined {
    const [response] = Object.entries(responses).filter(([status]) => status < '300') as [string, Response][]
    const content = response![1].content ?? {}
    const schema = content['application/json']?.schema ?? Object.values(content)[0]?.schema
    return (schema?.anyOf as JsonSchema[] | undefined)?.[form] ?? schema
  }

  /** Returns a type. `name` is the member or operation that contains it, or undefined for a type that has a name. */
  #type(schema: JsonSchema, side: Side, name: string | undefined): string {
    if (schema.$ref) return String(schema.$ref).split('/').at(-1)!
    const values = schema.const === undefined ? (schema.enum as unknown[] | undefined) : [schema.const]
    if (values) {
      const kept = values.filter((value) => value !== null && (side === 'response' || value !== ''))
      const text = kept.map((value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))).join(' | ')
      const base = name?.replace(/_(?:not|in)$/, '')
      const isNamed = kept.length > 2 && base !== undefined && !GENERIC.includes(base)
      return (isNamed ? this.#named(text, base) : text) + (values.includes(null) ? ' | null' : '')
    }
    const branches = (schema.oneOf ?? schema.anyOf) as JsonSchema[] | undefined
    if (branches && schema.type === undefined && !schema.properties) {
      return [...new Set(branches.map((branch) => this.#type(branch, side, name)))].join(' | ')
    }
    const kinds = [schema.type].flat().filter((kind) => kind !== undefined && kind !== 'null')
    if (schema.properties || kinds.includes('object')) return nullable(this.#nested(schema, side, name), schema)
    if (kinds.length === 0) return 'unknown'
    const types = kinds.map((kind) => {
      if (kind === 'array') {
        const item = this.#type(schema.items as JsonSchema, side, name?.replace(/s$/, ''))
        return item.includes(' ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
      }
      if (kind === 'string') return side === 'request' && isTime(schema) ? 'string | Date' : 'string'
      return kind === 'integer' ? 'number' : String(kind)
    })
    return nullable(types.join(' | '), schema)
  }

  /** Returns an object type, or its name if it has one. */
  #nested(schema: JsonSchema, side: Side, name: string | undefined): string {
    if (!schema.properties) {
      const { additionalProperties: values } = schema
      return `Record<string, ${typeof values === 'object' ? this.#type(values as JsonSchema, side, name) : 'unknown'}>`
    }
    const text = this.#object(schema, side)
    if (name === undefined || GENERIC.includes(name)) return text
    return this.#named(text, side === 'request' ? `${name}_input` : name)
  }

  /** Returns the name of a type that occurs more than once, or its text. */
  #named(text: string, name: string): string {
    const counted = this.#counts.get(text)
    if (counted) counted.count++
    else this.#counts.set(text, { name: pascal(name), count: 1 })
    return this.#names.get(text) ?? text
  }

  #object({ properties, required = [] }: JsonSchema, side: Side): string {
    const members = Object.entries((properties ?? {}) as Record<string, JsonSchema>)
      .filter(([, schema]) => side === 'response' || !schema.readOnly)
      .map(([name, schema]) => {
        const mark = (required as string[]).includes(name) ? '' : '?'
        return `${comment(schema.description)}${propertyName(name)}${mark}: ${this.#type(schema, side, name)}\n`
      })
    return `{\n${members.join('')}}`
  }
}

/** Returns the query parameters of an operation as an object. */
function propertiesOf({ parameters = [] }: NamedOperation, isWanted: (name: string) => boolean): JsonSchema {
  const wanted = parameters.filter(({ in: where, name }) => where === 'query' && isWanted(name))
  return {
    properties: Object.fromEntries(wanted.map(({ name, schema, description }) => [name, { ...schema, description }])),
  }
}

function isTime({ format, anyOf = [] }: JsonSchema): boolean {
  return [format, ...(anyOf as JsonSchema[]).map((branch) => branch.format)].includes('date-time')
}

/** Indents lines. A brace at the end of a line opens a level, and a brace at the beginning of a line closes one. */
function indent(text: string): string {
  let depth = 0
  const lines = text.split('\n').map((line) => {
    if (line.startsWith('}')) depth--
    const indented = line && !line.startsWith(' *') ? '  '.repeat(depth) + line : line
    if (line.endsWith('{')) depth++
    return indented
  })
  return lines.join('\n')
}
