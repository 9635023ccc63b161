/** The public job pages: the list of jobs with the parameters of GET /v1/jobs, its feeds, and each job. */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import type { RateLimiter } from '../../http/rate-limit.ts'
import { sendReady, tellAge } from '../../http/representation.ts'
import { AppError, badQuery, isForLater } from '../../lib/errors.ts'
import { idPattern } from '../../lib/ids.ts'
import { Places } from '../../lib/places.ts'
import { Strict } from '../../lib/schema.ts'
import type { Clock } from '../../lib/time.ts'
import { type ListQuery, parseListQuery, type RawQuery } from '../../lists/query.ts'
import { ListQuerystring, setLink } from '../../lists/routes.ts'
import { Form } from '../../pages/forms.ts'
import { type PageContext, showPage } from '../../pages/page.ts'
import { TERMS_MAX } from '../../search/text/words.ts'
import type { LiveCatalogue } from '../catalogue/index.ts'
import {
  assertVisible,
  findJob,
  type JobDetail,
  type JobListItem,
  type JobSettings,
  jobList,
  type NoteView,
  plainJobList,
  presentJobDetail,
} from '../jobs/index.ts'
import { aggregatorFeed, atomFeed, type FeedOf, jsonLines, rssFeed } from './board.feeds.ts'
import { type BoardLists, OfForms } from './board.lists.ts'
import { jobPosting } from './board.posting.ts'
import {
  type BesideJob,
  jobCard,
  renderJob,
  renderJobList,
  renderRemovedJob,
  renderSuggestions,
  titleOfList,
} from './board.views.ts'

export interface BoardPagesDeps {
  database: Database
  clock: Clock
  cursorSecret: Uint8Array
  settings: JobSettings
  lists: BoardLists
  catalogue: LiveCatalogue
  noteView: NoteView
  /** Returns the client network of a request. */
  networkOf: (request: IncomingMessage) => string
  limiter: RateLimiter | undefined
  /** Content of other features beside each job of a list. */
  besideListed: readonly OfferBeside[]
  /** Content of other features on the page of one job. */
  besideOne: readonly OfferBeside[]
}

/** Function that returns a feature's content beside each of these jobs for the current visitor. */
export type OfferBeside = (
  page: PageContext,
  jobs: readonly (Pick<JobDetail, 'id' | 'application_url'> & { is_active?: boolean })[],
) => Promise<BesideJob>

const JobParams = Strict({ id: Type.String({ pattern: idPattern('job') }) })
const SIMILAR = 5
const SUGGESTIONS = 8
const FEED_JOBS = 100
/** Maximum pages of a feed. For more jobs, clients mirror the board over the API. */
const STREAMED_PAGES = 500
/** Limits of concurrent feeds. */
const STREAMS = {
  atOnce: 24,
  ofAccount: 3,
  ofNetwork: 3,
  refusal: 'You are loading too many feeds. Wait until one has finished.',
}

const HTML = 'text/html; charset=utf-8'

/** Accepts the query parameters of GET /v1/jobs, except those for mirrors. */
const pageList = { ...plainJobList, facets: jobList.facets }

export function registerBoardPages(pages: App, deps: BoardPagesDeps): void {
  const { database, clock, cursorSecret, settings, lists, catalogue, noteView, networkOf, limiter, besideListed } = deps
  const { besideOne } = deps
  const { origin } = settings
  const querystring = ListQuerystring(pageList)
  const cards = cardsOf(catalogue)
  /** Reads a page of jobs without caching converted values. */
  const read = (query: ListQuery, account: string, hasBegun = false) =>
    lists.page('/jobs', query, new OfForms((job) => job), { account, hasBegun })
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
      const ready = request.page.isShared && lists.readyPage(request.raw.url!)
      if (ready) sendReady(request, reply, ready, HTML)
      else done()
    },
    schema: { querystring },
    handler: async (request, reply) => {
      const url = request.raw.url!
      const query = { ...(request.query as ListQuery), facets }
      const found = await lists.page(url, query, cards, { account: request.chargedTo })
      const offers = await Promise.all(besideListed.map((offer) => offer(request.page, found.items)))
      const beside: BesideJob = (id) => offers.map((each) => each(id))
      const rendered = renderJobList(request.page, catalogue, { form: formOf(request), found, beside })
      if (!request.page.isShared || reply.isPersonal) {
        tellAge(reply, found.staleSinceMs)
        return showPage(setLink(reply, found.link), rendered)
      }
      const ready = { body: Buffer.from(rendered.toString()), link: found.link, staleSinceMs: found.staleSinceMs }
      lists.keepPage(url, found.revision, ready)
      return sendReady(request, reply, ready, HTML)
    },
  })

  /** Title suggestions for the search field. */
  pages.get(
    '/jobs/suggestions',
    { config: { access: 'public' }, schema: { querystring: Type.Object({ search: Type.Optional(Type.String()) }) } },
    async (request, reply) => {
      const { query, faults } = parseListQuery(plainJobList, searchFor(request.query.search ?? '', {}), cursorSecret)
      const isAsked = faults.length === 0 && query.filters.length > 0
      const { items } = isAsked ? await read(query, request.chargedTo) : { items: [] }
      const texts = new Set(items.flatMap(({ title, company }) => [title, company]))
      return showPage(reply, renderSuggestions([...texts].slice(0, SUGGESTIONS)))
    },
  )

  const similarTo = async (job: JobDetail, account: string) => {
    const raw = searchFor(job.title, { category: job.category, limit: String(SIMILAR + 1) })
    const { query, faults } = parseListQuery(plainJobList, raw, cursorSecret)
    if (faults.length > 0 || query.filters.length < 2) return []
    const items = await read(query, account).then(
      (found) => found.items,
      (error) => {
        // Omits similar jobs if searches are rate-limited or unavailable.
        if (error instanceof AppError && isForLater(error)) return []
        throw error
      },
    )
    return items.filter(({ id }) => id !== job.id).slice(0, SIMILAR)
  }

  /** Reads a job only if it is public, even for its owner, who has a separate preview. */
  const readDetail = async (id: string) => {
    const row = await database.read((db) => findJob(db, id))
    if (row?.removed_at) throw new RemovedJob()
    assertVisible(row, undefined)
    const { number, employer_id } = row
    return { number, employer_id, detail: presentJobDetail(row, { origin, now: clock.now() }) }
  }

  pages.get('/jobs/:id', { config: { access: 'public' }, schema: { params: JobParams } }, async (request, reply) => {
    const { id } = request.params
    const form =
      lists.readyDetail(id) ??
      (await lists
        .detail(id, () => readDetail(id))
        .catch((error: unknown) => {
          if (!(error instanceof RemovedJob)) throw error
        }))
    if (form === undefined) return showPage(reply, renderRemovedJob(request.page), 410)
    tellAge(reply, lists.staleSinceMs)
    const now = clock.now()
    const { data: job }: { data: JobDetail } = JSON.parse(form.bytes.toString())
    const { method, headers, page } = request
    if (job.is_active)
      noteView({ id, employer_id: form.employerId }, { actor: page.actor, isPage: true, method, headers })
    const similar = job.is_active ? await similarTo(job, request.chargedTo) : []
    const posting = job.is_active ? jobPosting(job, catalogue, origin) : undefined
    const offers = await Promise.all(besideOne.map((offer) => offer(request.page, [job])))
    const actions = offers.map((beside) => beside(job.id))
    return showPage(
      reply,
      renderJob(request.page, catalogue, { job, similar, posting, now, actions }),
      job.is_active ? 200 : 410,
    )
  })

  /** Yields all jobs of a search, a hundred at a time. */
  async function* pagesOf(raw: RawQuery, account: string) {
    let cursor: string | null = ''
    for (let n = 0; n < STREAMED_PAGES && cursor !== null; n++) {
      const { query, faults } = parseListQuery(plainJobList, { ...raw, limit: String(FEED_JOBS), cursor }, cursorSecret)
      // The cursor is outdated, because the board was reloaded.
      if (faults.length > 0) return
      const { items, meta }: Awaited<ReturnType<typeof read>> = await read(query, account, n > 0)
      yield { items, total: meta.pagination.total }
      cursor = meta.pagination.next_cursor
    }
  }

  const streams = new Places(STREAMS)

  /**
   * Begins a stream of all jobs of a search. The stream is charged for all of its pages, whose number is known after
   * the first page, and occupies a slot until it ends.
   */
  const beginStream = async (request: FastifyRequest, reply: FastifyReply, raw: RawQuery) => {
    const network = networkOf(request.raw)
    const leave = streams.take(network, network)
    try {
      const pages = pagesOf(raw, request.chargedTo)
      const first = await pages.next()
      const count = first.done ? 0 : Math.min(Math.ceil(first.value.total / FEED_JOBS), STREAMED_PAGES)
      const refusal = limiter?.countMore(request, reply, count - 1)
      if (refusal) throw refusal
      const all = async function* () {
        if (first.done) return
        yield first.value.items
        for await (const { items } of pages) yield items
      }
      return { pages: all(), leave }
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
      return send(reply, { origin, self: request.raw.url!, list, title, now: clock.now() }, raw, request)
    }
    pages.get(path, { config: { access: 'public' }, exposeHeadRoute: !isStream }, handler as RouteHandlerMethod)
  }

  const firstOf = async (raw: RawQuery, { chargedTo }: FastifyRequest) => {
    for await (const { items } of pagesOf(raw, chargedTo)) return items
    return []
  }

  feed('/jobs.atom', false, async (reply, feedOf, raw, request) =>
    reply.type('application/atom+xml; charset=utf-8').send(atomFeed(await firstOf(raw, request), feedOf)),
  )
  feed('/jobs.rss', false, async (reply, feedOf, raw, request) =>
    reply.type('application/rss+xml; charset=utf-8').send(rssFeed(await firstOf(raw, request), feedOf)),
  )
  const stream = (
    path: string,
    type: string,
    textOf: (pages: AsyncIterable<readonly JobListItem[]>, of: FeedOf) => AsyncIterable<string>,
  ) =>
    feed(path, true, async (reply, feedOf, raw, request) => {
      const { pages, leave } = await beginStream(request, reply, raw)
      const body = Readable.from(textOf(pages, feedOf))
      body.once('close', leave)
      reply.raw.once('close', leave)
      return reply.type(type).send(body)
    })
  stream('/jobs.jsonl', 'application/x-ndjson; charset=utf-8', jsonLines)
  stream('/jobs.xml', 'application/xml; charset=utf-8', aggregatorFeed)
}

/** Thrown for a job that the operator removed. Browsers get a special page. */
class RemovedJob extends Error {}

/** Returns a cache of job cards that is rebuilt when the catalog changes. */
export const cardsOf = (catalogue: LiveCatalogue) =>
  new OfForms(
    (job) => jobCard(catalogue, job),
    () => catalogue.now,
  )

/** Returns the search form, filled in from the URL under the parameter names that were sent. */
function formOf(request: FastifyRequest): Form {
  const { sort, order, applied } = Object.assign({}, request.query as ListQuery & RawQuery, sentOf(request))
  return Form.of({ ...applied, sort, order })
}

/** Returns the sort parameters as sent, which the parsed query does not keep. */
function sentOf({ raw }: FastifyRequest) {
  const parameters = new URLSearchParams(raw.url!.split(/\?(.*)/s, 2)[1] ?? '')
  return { sort: parameters.get('sort'), order: parameters.get('order') }
}

/** Returns the query parameters of a relevance search for the words in a text. */
function searchFor(text: string, more: RawQuery): RawQuery {
  const words = text.match(/[\p{L}\p{N}+#.]+/gu) ?? []
  const search = words
    .filter((word) => !/^or$/i.test(word))
    .slice(0, 8)
    .join(' ')
  return { ...more, search, ...(search !== '' && { sort: 'relevance' }) }
}

/**
 * Returns the URL without empty parameters and without a sort or distance that has no effect, or undefined if the URL
 * has none of these.
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
