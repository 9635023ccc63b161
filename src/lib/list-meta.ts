/** What a list says of the page that it gives: `meta` and the Link header. */
import { LINK_BYTES_MAX } from './head-limits.ts'
import type { FacetCount, ListQuery } from './list-query.ts'

/** What a search found. */
export interface SearchMeta {
  /** How many of the total match every term; they come first. */
  matched_all: number
  /** How many match some of them only. */
  matched_some: number
  /** The text that was searched for instead of the one that was sent. */
  corrected: string | null
  /** Terms beyond those that a search may have. */
  ignored_terms: readonly string[]
}

/** What describes a page, beside its query. */
export interface PageOf {
  /** Of all pages. */
  total: number
  hasMore: boolean
  nextCursor: string | null
  prevCursor: string | null
  /** Those that were asked for. */
  facets?: Readonly<Record<string, readonly FacetCount[]>> | undefined
  /** Of a search by relevance. */
  search?: Omit<SearchMeta, 'ignored_terms'> | undefined
}

/** Returns the `meta` of a page, and its Link header (RFC 8288) unless that is too long to send. */
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
  if (query.page < Math.min(pages, query.pageMax)) links.push(link('next', 'page', query.page + 1))
  // Page numbers end before the list does: its next page has a cursor.
  else if (page.nextCursor) links.push(link('next', 'cursor', page.nextCursor))
  if (pages <= query.pageMax) links.push(link('last', 'page', Math.max(pages, 1)))
  return links.join(', ')
}
