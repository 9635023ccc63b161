/** Describes a page of a list: its `meta` and its Link header. */
import { LINK_BYTES_MAX } from '../lib/head-limits.ts'
import type { FacetCount, ListQuery } from './query.ts'

export interface SearchMeta {
  /** Number of results that match all terms; these results come first. */
  matched_all: number
  /** Number of results that match only some of the terms. */
  matched_some: number
  /** The corrected search text, if the service used it instead of the text sent; otherwise null. */
  corrected: string | null
  ignored_terms: readonly string[]
}

/** The properties of a page that its query does not determine. */
export interface PageOf {
  total: number
  hasMore: boolean
  nextCursor: string | null
  prevCursor: string | null
  facets?: Readonly<Record<string, readonly FacetCount[]>> | undefined
  /** Set for a search by relevance. */
  search?: Omit<SearchMeta, 'ignored_terms'> | undefined
}

/** Returns the `meta` of a page and its Link header (RFC 8288). Omits a header that is too long to send. */
export function describePage(url: string, query: ListQuery, page: PageOf) {
  const { total, hasMore, nextCursor, prevCursor } = page
  const pages = Math.ceil(total / query.limit)
  const cursors = { limit: query.limit, has_more: hasMore, next_cursor: nextCursor, prev_cursor: prevCursor }
  const link = linkHeader(url, query, page, pages)
  return {
    link: link.length > LINK_BYTES_MAX ? undefined : link,
    meta: {
      pagination: query.page === undefined ? { total, ...cursors } : { total, pages, page: query.page, ...cursors },
      sort: {
        fields: query.sort.map(({ field }) => field),
        directions: query.sort.map(({ direction }) => direction),
      },
      filters_applied: query.applied,
      ...(page.facets && { facets: page.facets }),
      ...describeSearch(query, page),
    },
  }
}

function describeSearch({ ignoredTerms }: ListQuery, { search, total }: PageOf): { search?: SearchMeta } {
  if (!search && ignoredTerms.length === 0) return {}
  const found = search ?? { matched_all: total, matched_some: 0, corrected: null }
  return { search: { ...found, ignored_terms: ignoredTerms } }
}

function linkHeader(url: string, query: ListQuery, page: PageOf, pages: number): string {
  const [path, ...queries] = url.split('?') as [string, ...string[]]
  // Question marks after the first one belong to the query.
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
  if (query.page < Math.min(pages, query.pageMax)) links.push(link('next', 'page', query.page + 1))
  // A list can have more pages than the maximum page number. Later pages require a cursor.
  else if (page.nextCursor) links.push(link('next', 'cursor', page.nextCursor))
  if (pages <= query.pageMax) links.push(link('last', 'page', Math.max(pages, 1)))
  return links.join(', ')
}
