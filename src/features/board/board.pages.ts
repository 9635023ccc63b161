/** The public job pages: the list of jobs with the parameters of GET /v1/jobs, its feeds, and each job. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import type { RateLimiter } from '../../http/rate-limit.ts'
import { sendReady, tellAge } from '../../http/representation.ts'
import { badQuery } from '../../lib/errors.ts'
import { Places } from '../../lib/places.ts'
import { utcDay } from '../../lib/time.ts'
import { type ListQuery, parseListQuery, type RawQuery } from '../../lists/query.ts'
import { ListQuerystring, setLink } from '../../lists/routes.ts'
import { Form } from '../../pages/forms.ts'
import { type PageContext, showPage } from '../../pages/page.ts'
import { TERMS_MAX } from '../../search/text/words.ts'
import type { Kit } from '../feature.ts'
import { type JobDetail, jobList, type NoteView, plainJobList } from '../jobs/index.ts'
import { aggregatorFeed, atomFeed, type FeedOf, jsonLines, rssFeed } from './board.feeds.ts'
import { DerivedValues } from './board.lists.ts'
import { type BesideJob, type JobCard, jobCard, renderJobList, renderSuggestions, titleOfList } from './board.views.ts'
import { registerJobPage } from './job-page.pages.ts'

/** Returns the content that a feature adds next to each job for the current visitor. */
export type OfferBeside = (
  page: PageContext,
  jobs: readonly (Pick<JobDetail, 'id' | 'title' | 'application_url'> & { is_active?: boolean })[],
) => Promise<BesideJob>

const SUGGESTIONS = 8
const FEED_JOBS = 100
/** Maximum pages per feed. Clients that need more jobs can mirror the board through the API. */
const STREAMED_PAGES = 500
/** Limits on concurrent feeds. */
const STREAMS = {
  atOnce: 24,
  ofAccount: 3,
  ofNetwork: 3,
  refusal: 'You are loading too many feeds. Wait until a feed has finished.',
}

const HTML = 'text/html; charset=utf-8'

/** Accepts the query parameters of GET /v1/jobs, except those for mirrors. */
const pageList = { ...plainJobList, facets: jobList.facets }

export function registerBoardPages(pages: App, kit: Kit, noteView: NoteView, limiter: RateLimiter | undefined): void {
  registerList(pages, kit)
  registerSuggestions(pages, kit)
  registerJobPage(pages, kit, noteView)
  registerFeeds(pages, kit, limiter)
}

/** Reads a page of jobs without caching derived values. */
const readPage = ({ lists }: Kit, query: ListQuery, reading: { account: string; hasBegun?: boolean }) =>
  lists.page('/jobs', query, new DerivedValues((job) => job), reading)

function registerList(pages: App, kit: Kit): void {
  const { lists, catalogue } = kit
  const cards = cardsOf(kit)
  const besideListed = kit.collect('besideListed')
  /** The filters show the counts of all facets, whether or not the URL requests them. */
  const { names: facets } = jobList.facets

  pages.get('/jobs', {
    config: {
      access: 'public',
      again: (request: FastifyRequest, form: Form) =>
        renderJobList(request.page, catalogue, { form, found: undefined }),
    },
    onRequest: (request, reply, done) => {
      const tidy = tidied(request.raw.url!)
      if (tidy !== undefined) return void reply.redirect(tidy, 303)
      const cached = request.page.isShared && lists.cachedPage(request.raw.url!)
      if (cached) sendReady(request, reply, cached, HTML)
      else done()
    },
    schema: { querystring: ListQuerystring(pageList) },
    handler: async (request, reply) => {
      const url = request.raw.url!
      const query = { ...(request.query as ListQuery), facets }
      const found = await lists.page(url, query, cards, { account: request.chargedTo })
      const offers = await Promise.all(besideListed.map((offer) => offer(request.page, found.items)))
      const beside: BesideJob = (job) => offers.map((each) => each(job))
      const rendered = renderJobList(request.page, catalogue, { form: formOf(request), found, beside })
      const { link, staleSinceMs } = found
      if (!request.page.isShared || reply.isPersonal) {
        tellAge(reply, staleSinceMs)
        return showPage(setLink(reply, link), rendered)
      }
      const response = { body: Buffer.from(rendered.toString()), link, staleSinceMs }
      lists.keepPage(url, found.revision, response)
      return sendReady(request, reply, response, HTML)
    },
  })
}

/** Registers the titles and companies that the search field suggests. */
function registerSuggestions(pages: App, kit: Kit): void {
  pages.get('/jobs/suggestions', {
    config: { access: 'public' },
    schema: { querystring: Type.Object({ search: Type.Optional(Type.String()) }) },
    handler: async (request, reply) => {
      const raw = searchFor(request.query.search ?? '', {})
      const { query, faults } = parseListQuery(plainJobList, raw, kit.cursorSecret)
      const isAsked = faults.length === 0 && query.filters.length > 0
      const { items } = isAsked ? await readPage(kit, query, { account: request.chargedTo }) : { items: [] }
      const texts = new Set(items.flatMap(({ title, company }) => [title, company]))
      return showPage(reply, renderSuggestions([...texts].slice(0, SUGGESTIONS)))
    },
  })
}

/** Yields all jobs that match a search, a hundred at a time. Ends early if a board reload invalidates the cursor. */
async function* pagesOf(kit: Kit, raw: RawQuery, account: string) {
  let cursor: string | null = ''
  for (let n = 0; n < STREAMED_PAGES && cursor !== null; n++) {
    const page: RawQuery = { ...raw, limit: String(FEED_JOBS), cursor }
    const { query, faults } = parseListQuery(plainJobList, page, kit.cursorSecret)
    if (faults.length > 0) return
    const { items, meta }: Awaited<ReturnType<typeof readPage>> = await readPage(kit, query, {
      account,
      hasBegun: n > 0,
    })
    yield { items, total: meta.pagination.total }
    cursor = meta.pagination.next_cursor
  }
}

function registerFeeds(pages: App, kit: Kit, limiter: RateLimiter | undefined): void {
  const { clock, cursorSecret, settings, networkOf } = kit
  const streams = new Places(STREAMS)

  /**
   * Begins a stream of all jobs that match a search. Charges the request for every page as soon as the first page
   * reveals their number. The stream occupies a slot until it ends.
   */
  const beginStream = async (request: FastifyRequest, reply: FastifyReply, raw: RawQuery) => {
    const network = networkOf(request.raw)
    const leave = streams.take(network, network)
    try {
      const found = pagesOf(kit, raw, request.chargedTo)
      const first = await found.next()
      const count = first.done ? 0 : Math.min(Math.ceil(first.value.total / FEED_JOBS), STREAMED_PAGES)
      const refusal = limiter?.countMore(request, reply, count - 1)
      if (refusal) throw refusal
      const all = async function* () {
        if (first.done) return
        yield first.value.items
        for await (const { items } of found) yield items
      }
      return { jobs: all(), leave }
    } catch (error) {
      leave()
      throw error
    }
  }

  /** Streams do not support HEAD, because Fastify's automatic HEAD route would read the whole stream. */
  const feed = (
    path: string,
    isStream: boolean,
    send: (reply: FastifyReply, feed: FeedOf, raw: RawQuery, request: FastifyRequest) => unknown,
  ) => {
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const { page: _page, limit: _limit, cursor: _cursor, ...raw } = request.query as RawQuery
      const { query, faults } = parseListQuery(plainJobList, raw, cursorSecret)
      // A feed cannot report which terms it ignored.
      if (query.ignoredTerms.length > 0) {
        const detail = `search must have at most ${TERMS_MAX} terms in a feed.`
        faults.push({ parameter: 'search', code: 'invalid_parameter', detail })
      }
      if (faults.length > 0) throw badQuery(faults)
      const list = `/jobs${request.raw.url!.slice(path.length)}`
      const title = titleOfList(Form.of(query.applied))
      reply.header('cache-control', 'public, max-age=300')
      const { origin } = settings
      return send(reply, { origin, self: request.raw.url!, list, title, now: clock.now() }, raw, request)
    }
    pages.get(path, { config: { access: 'public' }, exposeHeadRoute: !isStream }, handler as RouteHandlerMethod)
  }

  for (const [path, type, render] of [
    ['/jobs.atom', 'application/atom+xml; charset=utf-8', atomFeed],
    ['/jobs.rss', 'application/rss+xml; charset=utf-8', rssFeed],
  ] as const) {
    feed(path, false, async (reply, feedOf, raw, request) => {
      const { value } = await pagesOf(kit, raw, request.chargedTo).next()
      return reply.type(type).send(render(value?.items ?? [], feedOf))
    })
  }
  for (const [path, type, render] of [
    ['/jobs.jsonl', 'application/x-ndjson; charset=utf-8', jsonLines],
    ['/jobs.xml', 'application/xml; charset=utf-8', aggregatorFeed],
  ] as const) {
    feed(path, true, async (reply, feedOf, raw, request) => {
      const { jobs, leave } = await beginStream(request, reply, raw)
      const body = Readable.from(render(jobs, feedOf))
      body.once('close', leave)
      reply.raw.once('close', leave)
      return reply.type(type).send(body)
    })
  }
}

/** Returns a cache of job cards. The catalog and the date are part of the cards. */
export function cardsOf({ catalogue, clock }: Pick<Kit, 'catalogue' | 'clock'>): DerivedValues<JobCard> {
  let madeWith = { catalogue: catalogue.now, day: utcDay(clock.now()) }
  return new DerivedValues(
    (job) => jobCard(catalogue, job, clock.now()),
    () => {
      const [current, day] = [catalogue.now, utcDay(clock.now())]
      if (current !== madeWith.catalogue || day !== madeWith.day) madeWith = { catalogue: current, day }
      return madeWith
    },
  )
}

/** Returns the search form, filled in with the filters and with the sort parameters as sent. */
function formOf({ query, raw }: FastifyRequest): Form {
  const sent = new URLSearchParams(raw.url!.split(/\?(.*)/s, 2)[1] ?? '')
  return Form.of({ ...(query as ListQuery).applied, sort: sent.get('sort'), order: sent.get('order') })
}

/** Returns the query parameters for a relevance search with the words in a text. */
function searchFor(text: string, more: RawQuery): RawQuery {
  const words = text.match(/[\p{L}\p{N}+#.]+/gu) ?? []
  const search = words
    .filter((word) => !/^or$/i.test(word))
    .slice(0, 8)
    .join(' ')
  return { ...more, search, ...(search !== '' && { sort: 'relevance' }) }
}

/**
 * Returns the URL without empty parameters and without an ineffective sort or distance. Returns undefined if nothing
 * changes.
 */
function tidied(url: string): string | undefined {
  if (!/=(?:&|$)|[?&](?:sort|distance)=/.test(url)) return undefined
  const [path, query = ''] = url.split(/\?(.*)/s, 2) as [string, string?]
  const sent = [...new URLSearchParams(query)]
  const emptied = new Set(sent.filter(([name, value]) => value === '' && name !== 'cursor').map(([name]) => name))
  const parameters = new URLSearchParams(sent.filter(([name]) => !emptied.has(name)))
  const sort = parameters.get('sort') ?? ''
  if (sort.startsWith('relevance') && !parameters.has('search')) parameters.delete('sort')
  if (!parameters.has('location')) parameters.delete('distance')
  if (sort.startsWith('distance') && !parameters.has('distance')) parameters.delete('sort')
  if ([...parameters].length === sent.length) return undefined
  const rest = parameters.toString()
  return rest === '' ? path : `${path}?${rest}`
}
