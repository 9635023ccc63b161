/** How a collection looks over HTTP: its query parameters, its envelope and its Link header. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { LIMIT_DEFAULT, LIMIT_MAX, type ListDeclaration, type ListQuery, type Parameter } from '../lib/list-query.ts'
import { Strict } from '../lib/schema.ts'
import { listSchemaOf } from './validation.ts'

/** The querystring schema of a list route; the handler's `request.query` is a parsed `ListQuery`. */
export function ListQuerystring<F extends string, S extends string>(list: ListDeclaration<F, S>) {
  const properties: Record<string, unknown> = {}
  const add = (name: string, declared: Parameter) => {
    properties[name] = parameterSchema(declared)
    for (const suffix of declared.suffixes) properties[`${name}_${suffix}`] = suffixSchema(declared, suffix)
  }
  for (const [name, declared] of Object.entries<Parameter>(list.filters)) add(name, declared)
  for (const [alias, name] of Object.entries<F>(list.filterAliases ?? {})) add(alias, list.filters[name])
  const fields = [...Object.keys(list.sorts), ...Object.keys(list.sortAliases ?? {})].join(', ')
  const fallback = list.defaultSort.map(({ field, direction }) => `${field}:${direction}`).join(',')
  Object.assign(properties, {
    sort: { type: 'string', default: fallback, description: `Comma-separated field:direction; fields: ${fields}.` },
    order: { type: 'string', enum: ['asc', 'desc'], description: 'Direction of sort fields that name none.' },
    page: { type: 'integer', minimum: 1, default: 1, description: 'Page style; not together with cursor.' },
    limit: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT },
    cursor: { type: 'string', description: 'Cursor style: next_cursor or prev_cursor of an answer; empty: the start.' },
  })
  return Type.Unsafe<ListQuery<F, S>>(listSchemaOf(list as ListDeclaration, properties))
}

function parameterSchema({ type, description, choices, minimum, maximum, maxLength }: Parameter) {
  switch (type) {
    case 'choice':
      return { type: 'string', enum: choices, description }
    case 'integer':
      return { type: 'integer', minimum, maximum, description }
    case 'number':
      return { type: 'number', exclusiveMinimum: minimum, maximum, description }
    case 'boolean':
      return { type: 'boolean', description }
    case 'time':
      return { type: 'string', description: `${description} An RFC 3339 time or a date.` }
    default:
      return { type: 'string', maxLength, description }
  }
}

const suffixWords = { gt: 'Above', lt: 'Below', gte: 'At least', lte: 'At most', not: 'Other than' } as const

function suffixSchema(declared: Parameter, suffix: Parameter['suffixes'][number]) {
  if (suffix === 'in') return { type: 'string', description: 'Any of a comma-separated list.' }
  return { ...parameterSchema(declared), description: `${suffixWords[suffix]} the value.` }
}

const Pagination = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description: 'Page style has pages and page as well; cursor style has not.',
  properties: {
    total: { type: 'integer', minimum: 0 },
    pages: { type: 'integer', minimum: 0 },
    page: { type: 'integer', minimum: 1 },
    limit: { type: 'integer', minimum: 1, maximum: LIMIT_MAX },
    has_more: { type: 'boolean' },
    next_cursor: { type: ['string', 'null'] },
    prev_cursor: { type: ['string', 'null'] },
  },
  required: ['total', 'limit', 'has_more', 'next_cursor', 'prev_cursor'],
  additionalProperties: false,
})

/** `{ data: [...], meta: {...} }`. */
export function ListEnvelope<T extends TSchema>(item: T) {
  return Strict({
    data: Type.Array(item),
    meta: Strict({
      pagination: Pagination,
      sort: Strict({
        fields: Type.Array(Type.String()),
        directions: Type.Array(Type.Unsafe<'asc' | 'desc'>({ type: 'string', enum: ['asc', 'desc'] })),
      }),
      filters_applied: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
    }),
  })
}

/** A page of rows, as queries return it. */
interface PageOf<Row> {
  rows: Row[]
  total: number
  hasMore: boolean
  nextCursor: string | null
  prevCursor: string | null
}

/** The envelope of a page; also sets the Link header (RFC 8288). */
export function presentList<Row, Resource>(
  request: FastifyRequest,
  reply: FastifyReply,
  page: PageOf<Row>,
  present: (row: Row) => Resource,
) {
  const query = request.query as ListQuery
  const { total, hasMore, nextCursor, prevCursor } = page
  const pages = Math.ceil(total / query.limit)
  reply.header('link', linkHeader(request, query, page, pages))
  const cursors = { limit: query.limit, has_more: hasMore, next_cursor: nextCursor, prev_cursor: prevCursor }
  return {
    data: page.rows.map(present),
    meta: {
      pagination: query.page === undefined ? { total, ...cursors } : { total, pages, page: query.page, ...cursors },
      sort: {
        fields: query.sort.map(({ field }) => field),
        directions: query.sort.map(({ direction }) => direction),
      },
      filters_applied: query.applied,
    },
  }
}

function linkHeader(request: FastifyRequest, query: ListQuery, page: PageOf<unknown>, pages: number): string {
  const [path, ...queries] = request.raw.url!.split('?') as [string, ...string[]]
  // Further question marks are part of the query.
  const kept = queries
    .join('?')
    .split('&')
    .filter((pair) => pair !== '' && !/^(?:page|cursor)$/.test(decodeURIComponent(pair.split('=', 1)[0]!)))
  const link = (rel: string, name: string, value: string | number) =>
    `<${path}?${[...kept, `${name}=${value}`].join('&').replace(/[^\x21-\x7e]|[<>"\\^`{|}]/g, encodeURIComponent)}>; rel="${rel}"`
  if (query.page === undefined) {
    const links = [link('first', 'cursor', '')]
    if (page.prevCursor) links.push(link('prev', 'cursor', page.prevCursor))
    if (page.nextCursor) links.push(link('next', 'cursor', page.nextCursor))
    return links.join(', ')
  }
  const links = [link('first', 'page', 1)]
  if (query.page > 1 && pages > 0) links.push(link('prev', 'page', Math.min(query.page - 1, pages)))
  if (query.page < pages) links.push(link('next', 'page', query.page + 1))
  links.push(link('last', 'page', Math.max(pages, 1)))
  return links.join(', ')
}
