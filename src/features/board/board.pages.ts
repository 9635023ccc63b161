/** The public job pages: the list of jobs, its feeds, the suggestions of the search bar, and each job. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import type { RateLimiter } from '../../http/rate-limit.ts'
import { sendReady, tellAge } from '../../http/representation.ts'
import { entityTag, matchesNone } from '../../lib/entity-tags.ts'
import { badQuery } from '../../lib/errors.ts'
import { MARKDOWN_TYPE } from '../../lib/markdown-text.ts'
import { Places } from '../../lib/places.ts'
import { utcDay } from '../../lib/time.ts'
import { isParameterOf, type ListQuery, parseListQuery, type RawQuery } from '../../lists/query.ts'
import { ListQuerystring, setLink } from '../../lists/routes.ts'
import { currentLocale } from '../../locale/locale.ts'
import { withQuery } from '../../pages/components.ts'
import { Form } from '../../pages/forms.ts'
import { type Reader, readerOf, showPage } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { type FeedMembers, findFeedMembers, type NoteView, plainJobList } from '../jobs/index.ts'
import { besideListed } from './beside.pages.ts'
import {
  boardQueryOf,
  isPlaceKnown,
  knownAddress,
  manyValued,
  pageList,
  placesLike,
  placesNamed,
  tidied,
} from './board.address.ts'
import {
  atomFeed,
  type FeedJob,
  type FeedOf,
  jsonFeed,
  jsonLines,
  rssFeed,
  STREAMS,
  TOO_MANY_TERMS,
} from './board.feeds.ts'
import { DerivedValues, type MarkedJob, orNothing } from './board.lists.ts'
import { markdownFeed } from './board.markdown.ts'
import { type DistanceUnit, distanceUnitOf } from './board.units.ts'
import { type JobCard, jobCard, type Relaxed, renderJobList, renderSuggestions } from './board.views.ts'
import { registerJobPage } from './job-page.pages.ts'
import { indeedFeed, linkedInFeed } from './partner.feeds.ts'
import { titleOfSearch } from './search.views.ts'

const SUGGESTIONS = 8
const FEED_JOBS = 100
/** Maximum number of characters of a source. Applications have the same limit. */
const SOURCE_MAX = 50
/** Maximum number of pages in a streamed feed. Clients that need more jobs can mirror the board through the API. */
const STREAMED_PAGES = 500
const HTML = 'text/html; charset=utf-8'

export function registerBoardPages(pages: App, kit: Kit, noteView: NoteView, limiter: RateLimiter | undefined): void {
  registerList(pages, kit)
  registerSuggestions(pages, kit)
  registerJobPage(pages, kit, noteView)
  registerFeeds(pages, kit, limiter)
}

/** Reads a page of jobs without caching derived values. */
export const readPage = (
  { lists }: Pick<Kit, 'lists'>,
  query: ListQuery,
  reading: { account: string; hasBegun?: boolean },
) => lists.page('/jobs', query, new DerivedValues((job) => job), reading)

/** Returns the unit in which the reader's country measures distances. */
export const unitOf = ({ headers, page }: Pick<FastifyRequest, 'headers' | 'page'>): DistanceUnit =>
  distanceUnitOf(headers['accept-language'], page.language)

/** Returns the key of a cached page: the URL, and everything about the reader that a page for visitors depends on. */
export const pageKey = ({ url, headers, language }: Reader): string =>
  `${language} ${distanceUnitOf(headers['accept-language'], language)} ${url}`

/** Maximum number of featured jobs before the jobs of the first page. */
const FEATURED_FIRST = 3

/**
 * Returns whether featured jobs precede a page. Featured jobs precede only the first page, only with the most relevant
 * or the newest jobs first, and only without a filter on `is_featured`.
 */
function isLed({ page, sort, filters }: ListQuery): boolean {
  const [first] = sort
  const isUsual = sort.length === 1 && (first!.field === 'relevance' || first!.field === 'posted_at')
  return page === 1 && isUsual && first!.direction === 'desc' && !filters.some(({ filter }) => filter === 'is_featured')
}

function registerList(pages: App, kit: Kit): void {
  const { lists, catalogue, clock, rates, settings } = kit
  const cardsIn = cardsOf(kit)
  const offerBeside = besideListed(kit)
  /** The filters show the counts of these facets, regardless of the facets that the URL requests. */
  const facets = [...manyValued]
  const shownOf = (request: FastifyRequest) => ({
    path: knownAddress(request.raw.url!),
    unit: unitOf(request),
    exchange: rates.now,
  })

  pages.get('/jobs', {
    config: {
      access: 'public',
      readyPage: (reader) => lists.cachedPage(pageKey(reader)),
      again: (request, form) => renderJobList(request.page, catalogue, { form, ...shownOf(request) }),
    },
    onRequest: (request, reply, done) => {
      const tidy = tidied(request.raw.url!, unitOf(request), settings.defaultCurrency)
      if (tidy !== undefined) reply.redirect(tidy, 303)
      else done()
    },
    schema: { querystring: ListQuerystring(pageList) },
    handler: async (request, reply) => {
      const { path, unit, exchange } = shownOf(request)
      const asked = request.query as ListQuery
      const isNumbered = asked.page !== undefined && asked.page < asked.pageMax
      const query = boardQueryOf({ ...asked, facets, isNumbered }, clock.now())
      const featuredMax = isLed(query) ? FEATURED_FIRST : 0
      const cards = cardsIn(unit)
      const counted = postedChoices(asked, clock.now())
      const found = await lists.page(path, query, cards, { account: request.chargedTo, featuredMax, counted })
      const posted = found.counts?.map((count, n) => ({ value: POSTED[n]!, count }))
      const isFew = found.meta.pagination.total < FEW
      const relaxed = isFew ? await findRelaxed(kit, request, found.meta.pagination.total).catch(orNothing) : undefined
      const near = isFew ? await findNearby(kit, request, cards).catch(orNothing) : undefined
      const nearby = near?.filter(({ id }) => !found.items.some((item) => item.id === id)).slice(0, FEW)
      const shown = [...found.items, ...(nearby ?? [])]
      const beside = await offerBeside(request.page, shown)
      const { location } = query.applied
      const isPlaceUnknown = typeof location === 'string' && !isPlaceKnown(location)
      const namesakes = typeof location === 'string' ? placesNamed(location) : []
      const shownPlace = { isPlaceUnknown, namesakes }
      const view = {
        form: formOf(request),
        path,
        unit,
        exchange,
        found,
        posted,
        ...shownPlace,
        relaxed,
        nearby,
        beside,
      }
      const rendered = renderJobList(request.page, catalogue, view)
      const { link, staleSinceMs } = found
      if (!request.page.isShared || reply.isPersonal) {
        tellAge(reply, staleSinceMs)
        return showPage(setLink(reply, link), rendered)
      }
      const response = { body: Buffer.from(rendered.toString()), type: HTML, link, staleSinceMs }
      lists.keepPage(pageKey(readerOf(request)), found.revision, response)
      return sendReady(request, reply, response)
    },
  })
}

/** Number of jobs below which the page suggests how to widen the search. */
const FEW = 5

/** The choices for the posting date. The empty choice includes all jobs. */
const POSTED = ['', ...pageList.filters.posted.choices!]

/** Returns the filters for counting the jobs of each posting date choice. Ignores the current choice. */
function postedChoices(query: ListQuery, now: Date) {
  const others = query.filters.filter(({ filter }) => filter !== 'posted')
  const each = POSTED.map((value) => {
    const filters = value === '' ? [] : [{ filter: 'posted', operator: 'is' as const, value }]
    return boardQueryOf({ ...query, filters }, now).filters
  })
  return { others, each }
}

/** A wider search multiplies the distance by `WIDER`, and covers at least `WIDER_MILES`. */
const WIDER = 4
const WIDER_MILES = 100

/** Returns the nearest jobs of a wider search around the same location, including the jobs of the original search. */
async function findNearby(
  { lists, clock, cursorSecret }: Kit,
  request: FastifyRequest,
  cards: DerivedValues<JobCard>,
): Promise<readonly JobCard[]> {
  const { applied } = request.query as ListQuery
  if (applied.distance === undefined) return []
  const distance = Math.max(Number(applied.distance) * WIDER, WIDER_MILES)
  const changes = { distance: String(distance), sort: 'distance:asc', order: null, limit: String(2 * FEW) }
  const wider = withQuery(knownAddress(request.raw.url!), { ...changes, page: null, cursor: null, facets: null })
  const raw = Object.fromEntries(new URLSearchParams(wider.split('?')[1]))
  const { query, faults } = parseListQuery(pageList, raw, cursorSecret)
  if (faults.length > 0) return []
  const reading = { account: request.chargedTo }
  return (await lists.page('/jobs', boardQueryOf(query, clock.now()), cards, reading)).items
}

/** Maximum number of parameters whose removal the page tries when a search finds few jobs. */
const RELAXED_MAX = 5

/**
 * Tries removing each of the first `RELAXED_MAX` parameters, except `distance` and `salary_in`. Returns the parameter
 * whose removal finds the most jobs. Returns undefined if the search has fewer than two such parameters, or if no
 * removal finds more jobs than the search.
 */
async function findRelaxed(kit: Kit, request: FastifyRequest, present: number): Promise<Relaxed | undefined> {
  const { applied } = request.query as ListQuery
  const names = Object.keys(applied).filter((name) => name !== 'distance' && name !== 'salary_in')
  // Removing the only parameter would find all jobs on the board.
  if (names.length < 2) return undefined
  const found: Relaxed[] = []
  for (const name of names.slice(0, RELAXED_MAX)) {
    const rest = withQuery(knownAddress(request.raw.url!), {
      [name]: null,
      ...(name === 'location' && { distance: null }),
      ...(name === 'search' || name === 'location' ? { sort: null } : {}),
      page: null,
      cursor: null,
    })
    const raw = Object.fromEntries(new URLSearchParams(rest.split('?')[1] ?? ''))
    const { query, faults } = parseListQuery(pageList, raw, kit.cursorSecret)
    if (faults.length > 0) continue
    found.push({ name, total: await kit.lists.total(boardQueryOf(query, kit.clock.now()), request.chargedTo) })
  }
  const [best] = found.sort((a, b) => b.total - a.total)
  return best !== undefined && best.total > present ? best : undefined
}

/** Registers the routes that suggest titles, companies and places in the search bar. */
function registerSuggestions(pages: App, kit: Kit): void {
  pages.get('/jobs/suggestions', {
    config: { access: 'public' },
    schema: { querystring: Type.Object({ search: Type.Optional(Type.String()) }) },
    handler: async (request) => {
      const raw = searchFor(request.query.search ?? '', {})
      const { query, faults } = parseListQuery(plainJobList, raw, kit.cursorSecret)
      const isAsked = faults.length === 0 && query.filters.length > 0
      const { items } = isAsked ? await readPage(kit, query, { account: request.chargedTo }) : { items: [] }
      const texts = new Set(items.flatMap(({ title, company }) => [title, company]))
      return renderSuggestions([...texts].slice(0, SUGGESTIONS))
    },
  })

  pages.get('/jobs/places', {
    config: { access: 'public' },
    schema: { querystring: Type.Object({ text: Type.Optional(Type.String()) }) },
    handler: (request) => renderSuggestions(placesLike(request.query.text ?? '', SUGGESTIONS)),
  })
}

/**
 * Yields the jobs that match a search, a hundred at a time, up to `STREAMED_PAGES` pages. Ends early if a board reload
 * invalidates the cursor.
 */
async function* pagesOf(kit: Kit, raw: RawQuery, account: string) {
  let cursor: string | null = ''
  for (let n = 0; n < STREAMED_PAGES && cursor !== null; n++) {
    const page: RawQuery = { ...raw, limit: String(FEED_JOBS), cursor }
    const { query, faults } = parseListQuery(plainJobList, page, kit.cursorSecret)
    if (faults.length > 0) return
    const { items, meta, revision }: Awaited<ReturnType<typeof readPage>> = await readPage(kit, query, {
      account,
      hasBegun: n > 0,
    })
    yield { items: await forFeed(kit, items), total: meta.pagination.total, revision }
    cursor = meta.pagination.next_cursor
  }
}

/** Adds the members that list items do not have. If the database is unavailable, uses default values. */
async function forFeed({ database }: Kit, jobs: readonly MarkedJob[]): Promise<FeedJob[]> {
  const ids = jobs.map(({ id }) => id)
  const found = await database.read((db) => findFeedMembers(db, ids)).catch(() => new Map<string, FeedMembers>())
  return jobs.map((job) => {
    const { requirements = [], benefits = [], updated_at } = found.get(job.id) ?? {}
    return { ...job, requirements, benefits, updated_at: updated_at?.toISOString() ?? job.posted_at }
  })
}

function registerFeeds(pages: App, kit: Kit, limiter: RateLimiter | undefined): void {
  const { clock, catalogue, cursorSecret, settings, networkOf } = kit
  const streams = new Places(STREAMS)

  /**
   * Starts a stream of the jobs that match a search. Reading the first page reveals the number of pages, and the
   * request is then charged for all of them. The stream occupies a slot until it ends. Returns undefined if the client
   * already has the feed. The ETag is weak, because it identifies the state of the board instead of the bytes.
   */
  const beginStream = async (request: FastifyRequest, reply: FastifyReply, raw: RawQuery) => {
    const network = networkOf(request.raw)
    const leave = streams.take(network, network)
    try {
      const found = pagesOf(kit, raw, request.chargedTo)
      const first = await found.next()
      const tag = `W/${entityTag(`${first.value?.revision} ${request.page.language} ${request.raw.url}`)}`
      reply.header('etag', tag)
      if (!matchesNone(request.headers['if-none-match'], tag)) {
        leave()
        return undefined
      }
      const count = first.done ? 0 : Math.min(Math.ceil(first.value.total / FEED_JOBS), STREAMED_PAGES)
      const refusal = limiter?.countMore(request, reply, count - 1)
      if (refusal) throw refusal
      const all = async function* () {
        if (first.done) return
        yield first.value.items
        for await (const { items } of found) yield items
      }
      return { jobs: all(), total: first.value?.total ?? 0, leave }
    } catch (error) {
      leave()
      throw error
    }
  }

  /** Registers a feed. Streamed feeds do not support HEAD, because Fastify's HEAD route would read the whole stream. */
  const feed = (
    path: string,
    isStream: boolean,
    send: (reply: FastifyReply, feed: FeedOf, raw: RawQuery, request: FastifyRequest) => unknown,
  ) => {
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const { page: _page, limit: _limit, cursor: _cursor, ...sent } = request.query as RawQuery
      const source = typeof sent.source === 'string' ? sent.source.slice(0, SOURCE_MAX) : null
      const known = Object.entries(sent).filter(([name]) => isParameterOf(plainJobList, name))
      const raw: RawQuery = Object.fromEntries(known)
      const { query, faults } = parseListQuery(plainJobList, raw, cursorSecret)
      // A feed cannot report which terms it ignored.
      if (query.ignoredTerms.length > 0) {
        faults.push({ parameter: 'search', code: 'invalid_parameter', detail: TOO_MANY_TERMS })
      }
      if (faults.length > 0) throw badQuery(faults)
      const list = `/jobs${request.raw.url!.slice(path.length)}`
      const title = `${titleOfSearch(Form.of(query.applied))} · ${request.page.brand.name}`
      reply.header('cache-control', 'public, max-age=300')
      const { origin } = settings
      const { brand } = request.page
      const self = request.raw.url!
      const named = { origin, self, list, title, brand, catalogue, source, total: 0, now: clock.now() }
      return send(reply, named, raw, request)
    }
    pages.get(path, { config: { access: 'public' }, exposeHeadRoute: !isStream }, handler as RouteHandlerMethod)
  }

  for (const [path, type, render] of [
    ['/jobs.atom', 'application/atom+xml; charset=utf-8', atomFeed],
    ['/jobs.rss', 'application/rss+xml; charset=utf-8', rssFeed],
    ['/jobs.md', MARKDOWN_TYPE, markdownFeed],
    ['/jobs.json', 'application/feed+json; charset=utf-8', jsonFeed],
  ] as const) {
    feed(path, false, async (reply, feedOf, raw, request) => {
      const { value } = await pagesOf(kit, raw, request.chargedTo).next()
      return reply.type(type).send(render(value?.items ?? [], feedOf))
    })
  }
  for (const [path, type, render] of [
    ['/jobs.jsonl', 'application/x-ndjson; charset=utf-8', jsonLines],
    ['/jobs.xml', 'application/xml; charset=utf-8', indeedFeed],
    ['/jobs.linkedin.xml', 'application/xml; charset=utf-8', linkedInFeed],
  ] as const) {
    feed(path, true, async (reply, feedOf, raw, request) => {
      const begun = await beginStream(request, reply, raw)
      if (!begun) return reply.code(304).send()
      const { jobs, total, leave } = begun
      const body = Readable.from(render(jobs, { ...feedOf, total }))
      body.once('close', leave)
      reply.raw.once('close', leave)
      return reply.type(type).send(body)
    })
  }
}

/** Returns a function that returns the cache of job cards for a unit of distance and the current language. */
export function cardsOf(kit: Pick<Kit, 'catalogue' | 'clock'>): (unit?: DistanceUnit) => DerivedValues<JobCard> {
  const caches = new Map<string, DerivedValues<JobCard>>()
  return (unit = 'mi') => {
    const key = `${currentLocale().language} ${unit}`
    let cards = caches.get(key)
    if (cards === undefined) {
      cards = cacheOfCards(kit, unit)
      caches.set(key, cards)
    }
    return cards
  }
}

/** Returns a cache of job cards. Cards depend on the catalog and on the date. */
function cacheOfCards(
  { catalogue, clock }: Pick<Kit, 'catalogue' | 'clock'>,
  unit: DistanceUnit,
): DerivedValues<JobCard> {
  let madeWith = { catalogue: catalogue.now, day: utcDay(clock.now()) }
  return new DerivedValues(
    (job) => jobCard(catalogue, job, clock.now(), unit),
    () => {
      const [current, day] = [catalogue.now, utcDay(clock.now())]
      if (current !== madeWith.catalogue || day !== madeWith.day) madeWith = { catalogue: current, day }
      return madeWith
    },
  )
}

/** Returns the search form, filled in with the filters and the sort parameters as sent. */
function formOf({ query, raw }: FastifyRequest): Form {
  const sent = new URLSearchParams(raw.url!.split(/\?(.*)/s, 2)[1] ?? '')
  return Form.of({ ...(query as ListQuery).applied, sort: sent.get('sort'), order: sent.get('order') })
}

/** Returns the query parameters that search for the first eight words of a text, ignoring `or`, most relevant first. */
function searchFor(text: string, more: RawQuery): RawQuery {
  const words = text.match(/[\p{L}\p{N}+#.]+/gu) ?? []
  const search = words
    .filter((word) => !/^or$/i.test(word))
    .slice(0, 8)
    .join(' ')
  return { ...more, search, ...(search !== '' && { sort: 'relevance' }) }
}
