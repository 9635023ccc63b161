/** Serves lists over HTTP: query parameters, envelope and Link header. */
import type { FastifyReply } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { listSchemaOf } from '../http/validation.ts'
import { Strict, Timestamp } from '../lib/schema.ts'
import { TERMS_MAX } from '../search/text/words.ts'
import { describePage, type PageOf } from './meta.ts'
import {
  type FacetCount,
  LIMIT_DEFAULT,
  LIMIT_MAX,
  type ListDeclaration,
  type ListQuery,
  PAGE_MAX,
  WAIT_SECONDS_MAX,
} from './query.ts'
import { filterSchemas, separated } from './schema.ts'

/** Returns the querystring schema of a list route. Its handler receives a parsed `ListQuery` as `request.query`. */
export function ListQuerystring<F extends string, S extends string>(list: ListDeclaration<F, S>) {
  const fields = [...Object.keys(list.sorts), ...Object.keys(list.sortAliases ?? {})].join(', ')
  const termsOf = (sort: ListDeclaration<F, S>['defaultSort']) =>
    sort.map(({ field, direction }) => `${field}:${direction}`).join(',')
  const within = list.defaultSortWithin
  const otherDefault = within ? ` With ${within.filter}, the default is ${termsOf(within.sort)}.` : ''
  const term = `(${fields.replaceAll(', ', '|')})(:(asc|desc))?`
  const properties = {
    ...filterSchemas(list as ListDeclaration),
    sort: {
      type: 'string',
      pattern: `^(${term}(,${term})*)?$`,
      default: termsOf(list.defaultSort),
      description: `Comma-separated field:direction; fields: ${fields}.${otherDefault}`,
    },
    order: {
      type: 'string',
      enum: ['asc', 'desc', ''],
      description:
        'Direction for sort fields that specify none. If sort is absent, it applies to all fields of the default sort.',
    },
    page: {
      type: 'integer',
      minimum: 1,
      maximum: PAGE_MAX,
      default: 1,
      description: 'Page number. Cannot be combined with cursor.',
    },
    limit: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT },
    cursor: {
      type: 'string',
      description: 'next_cursor or prev_cursor from a response. An empty value returns the start of the list.',
    },
    ...(list.isStream && {
      after: {
        type: 'string',
        description:
          'Selects the stream. An iterator from `meta.next`, `now`, or an empty value for the oldest item. Cannot be combined with filters, sort, page or cursor.',
      },
      wait_seconds: {
        type: 'integer',
        minimum: 0,
        maximum: WAIT_SECONDS_MAX,
        description: 'Selects the stream. Maximum wait for a new item, in seconds.',
      },
    }),
    ...(list.facets && {
      facets: {
        ...separated({ type: 'string', enum: list.facets.names }),
        uniqueItems: true,
        description: 'Fields whose values `meta.facets` counts.',
      },
    }),
  }
  return Type.Unsafe<ListQuery<F, S>>(listSchemaOf(list as ListDeclaration, properties))
}

const Pagination = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description: 'Responses to requests with `cursor` omit `pages` and `page`.',
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

/** Schema of `meta.facets`, which contains only the requested facets. */
export const FacetsSchema = Type.Unsafe<Record<string, FacetCount[]>>({
  type: 'object',
  description:
    'Values of each requested facet, each with its item count. The counts ignore the filter on the facet itself. The ' +
    'most frequent value comes first. Items without a value are not counted.',
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

/** Schema of `meta.search`, which is present if the search ranks items or ignores terms (decision 0029). */
export const SearchMetaSchema = Strict({
  matched_all: Type.Integer({ minimum: 0, description: 'Number of items that match every term. These come first.' }),
  matched_some: Type.Integer({ minimum: 0, description: 'Number of items that match only some terms.' }),
  corrected: Type.Union([Type.String(), Type.Null()], {
    description: 'The corrected search text, if the service used it instead of the text sent; otherwise null.',
  }),
  ignored_terms: Type.Array(Type.String(), {
    description: `Terms that the search ignored: those beyond the first ${TERMS_MAX}, in lowercase without accents.`,
  }),
})

/** Schema of `meta.stale`, which is present only while the database is unavailable (decision 0070). */
export const StaleMetaSchema = Strict(
  { since: Timestamp('When the list was last in sync with the database.') },
  {
    description:
      'Present only while the database is unavailable: the list comes from memory and may be out of date. The Age header contains the number of seconds since the list was last in sync with the database.',
  },
)

/** Returns the schema of a list response. The argument `meta` adds members to its `meta`. */
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

/** Returns the schema of a page of a stream. */
export function StreamEnvelope<T extends TSchema>(item: T) {
  return Strict({
    data: Type.Array(item),
    meta: Strict({
      next: Type.String({ description: 'The iterator to send as `after` in the next request.' }),
      has_more: Type.Boolean({ description: 'Whether the next request returns more items without waiting.' }),
    }),
  })
}

export function setLink<R extends FastifyReply>(reply: R, link: string | undefined): R {
  return link === undefined ? reply : (reply.header('link', link) as R)
}

export function presentList<Row, Resource>(
  reply: FastifyReply,
  page: PageOf & { rows: Row[] },
  present: (row: Row) => Resource,
) {
  const { request } = reply
  const { link, meta } = describePage(request.raw.url!, request.query as ListQuery, page)
  setLink(reply, link)
  return { data: page.rows.map(present), meta }
}
