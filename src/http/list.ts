/** How a collection looks over HTTP: its query parameters, its envelope and its Link header. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { describePage, type PageOf } from '../lib/list-meta.ts'
import {
  type FacetCount,
  LIMIT_DEFAULT,
  LIMIT_MAX,
  type ListDeclaration,
  type ListQuery,
  type Parameter,
} from '../lib/list-query.ts'
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
  const termsOf = (sort: ListDeclaration<F, S>['defaultSort']) =>
    sort.map(({ field, direction }) => `${field}:${direction}`).join(',')
  const within = list.defaultSortWithin
  const otherDefault = within ? ` With ${within.filter} the default is ${termsOf(within.sort)}.` : ''
  Object.assign(properties, {
    sort: {
      type: 'string',
      default: termsOf(list.defaultSort),
      description: `Comma-separated field:direction; fields: ${fields}.${otherDefault}`,
    },
    order: { type: 'string', enum: ['asc', 'desc'], description: 'Direction of sort fields that name none.' },
    page: { type: 'integer', minimum: 1, default: 1, description: 'Page style; not together with cursor.' },
    limit: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT },
    cursor: { type: 'string', description: 'Cursor style: next_cursor or prev_cursor of an answer; empty: the start.' },
    ...(list.facets && {
      facets: {
        type: 'string',
        description: `Comma-separated; how many jobs each value has, in meta.facets: ${list.facets.names.join(', ')}.`,
      },
    }),
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

/** `meta.facets`: only those that were asked for. */
export const FacetsSchema = Type.Unsafe<Record<string, FacetCount[]>>({
  type: 'object',
  description:
    'For each facet asked for its values with how many items of the list have it, were its own filter not given; most ' +
    'first. Items without a value are not counted.',
  additionalProperties: {
    type: 'array',
    items: {
      type: 'object',
      properties: { value: { type: ['string', 'boolean'] }, count: { type: 'integer', minimum: 1 } },
      required: ['value', 'count'],
      additionalProperties: false,
    },
  },
})

/** `meta.search`: what a search by relevance found (decision 0029). */
export const SearchMetaSchema = Strict({
  matched_all: Type.Integer({ minimum: 0, description: 'How many of the total match every term; they come first.' }),
  matched_some: Type.Integer({ minimum: 0, description: 'How many match some of the terms only.' }),
  corrected: Type.Union([Type.String(), Type.Null()], {
    description: 'The text that was searched for instead of the one that was sent.',
  }),
})

/** `{ data: [...], meta: {...} }`, with further members of `meta` that a list has. */
export function ListEnvelope<T extends TSchema>(item: T, meta: Record<string, TSchema> = {}) {
  return Strict({
    data: Type.Array(item),
    meta: Strict({
      pagination: Pagination,
      sort: Strict({
        fields: Type.Array(Type.String()),
        directions: Type.Array(Type.Unsafe<'asc' | 'desc'>({ type: 'string', enum: ['asc', 'desc'] })),
      }),
      filters_applied: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
      ...meta,
    }),
  })
}

/** The envelope of a page, with further members of its `meta`; also sets the Link header. */
export function presentList<Row, Resource>(
  request: FastifyRequest,
  reply: FastifyReply,
  page: PageOf & { rows: Row[] },
  present: (row: Row) => Resource,
  more: Record<string, unknown> = {},
) {
  const { link, meta } = describePage(request.raw.url!, request.query as ListQuery, page)
  reply.header('link', link)
  return { data: page.rows.map(present), meta: { ...meta, ...more } }
}
