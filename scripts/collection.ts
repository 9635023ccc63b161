/** Renders the API as a Postman collection (format 2.1.0), which Insomnia, Bruno and Hoppscotch can also import. */
import { type NamedOperation, type OpenApiDocument, operationsOf } from '../src/http/openapi-document.ts'

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

interface Variable {
  key: string
  value: string
  description?: string
}

export interface CollectionRequest {
  name: string
  request: {
    method: string
    description: string
    auth?: { type: 'noauth' }
    header: Variable[]
    url: { raw: string; host: string[]; path: string[]; query: (Variable & { disabled: true })[]; variable: Variable[] }
    body?: object
  }
}

export interface Collection {
  info: { name: string; description: string; version: string; schema: string }
  auth: object
  variable: Variable[]
  item: { name: string; item: CollectionRequest[] }[]
}

/** Returns a collection with one folder per tag. Requests take the board's URL and the key from two variables. */
export function collectionOf(document: OpenApiDocument): Collection {
  const folders = Map.groupBy(operationsOf(document), ({ tags = [] }) => tags[0] ?? 'Other')
  const { title, description = '', version } = document.info
  return {
    info: { name: title, description, version, schema: SCHEMA },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    variable: [
      { key: 'base_url', value: document.servers?.[0]?.url ?? '' },
      { key: 'api_key', value: '' },
    ],
    item: [...folders].map(([name, operations]) => ({ name, item: operations.map(requestOf) })),
  }
}

function requestOf({ method, path, ...operation }: NamedOperation): CollectionRequest {
  const { operationId, summary = operationId, description = '', parameters = [], security } = operation
  const valuesOf = (place: string): Variable[] =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, example = '', description = '' }) => ({ key: name, value: String(example), description }))
  const segments = path
    .replaceAll(/\{(\w+)\}/g, ':$1')
    .split('/')
    .slice(1)
  const body = bodyOf(operation)
  return {
    name: summary,
    request: {
      ...{ method, description },
      ...(security?.every((scheme) => Object.keys(scheme).length === 0) && { auth: { type: 'noauth' } }),
      header: body?.mode === 'raw' ? [{ key: 'Content-Type', value: 'application/json' }] : [],
      url: {
        raw: `{{base_url}}/${segments.join('/')}`,
        host: ['{{base_url}}'],
        path: segments,
        query: valuesOf('query').map((variable) => ({ ...variable, disabled: true })),
        variable: valuesOf('path'),
      },
      ...(body && { body }),
    },
  }
}

/**
 * Returns an example body: JSON, a form with a file, or a file. The user selects the file. Returns undefined if the
 * operation has no body.
 */
function bodyOf({ requestBody }: Pick<NamedOperation, 'requestBody'>) {
  const { 'application/json': json, 'multipart/form-data': form, ...others } = requestBody?.content ?? {}
  if (form) return { mode: 'formdata', formdata: [{ key: 'file', type: 'file', src: [] }] }
  if (!json) return Object.keys(others).length > 0 ? { mode: 'file', file: {} } : undefined
  const example = json.example ?? Object.values(json.examples ?? {})[0]?.value ?? {}
  return { mode: 'raw', raw: JSON.stringify(example, null, 2), options: { raw: { language: 'json' } } }
}
