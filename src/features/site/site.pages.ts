/** The home, registration and developer pages, and files for search engines. */
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { sendReady, tellAge } from '../../http/representation.ts'
import { entityTag, matchesNone } from '../../lib/entity-tags.ts'
import { AppError, found } from '../../lib/errors.ts'
import { IdParts } from '../../lib/id-parts.ts'
import { MARKDOWN_TYPE } from '../../lib/markdown-text.ts'
import { parseListQuery, type RawQuery } from '../../lists/query.ts'
import { returnToOf } from '../../pages/local-path.ts'
import { readerOf, seeOther } from '../../pages/page.ts'
import { besideListed, cardsOf, pageKey, readPage, unitOf } from '../board/index.ts'
import { withCounts } from '../catalogue/index.ts'
import { countHiring, listHiringIds } from '../employers/index.ts'
import type { Kit } from '../feature.ts'
import { findSitemapMembers, jobList, jobPath } from '../jobs/index.ts'
import { registerCandidateHome } from './candidate-home.pages.ts'
import { guideNames, guideText, readGuide, searchGuides } from './guide.views.ts'
import { llmsText } from './site.llms.ts'
import { frontMarkdown } from './site.markdown.ts'
import { pagesSitemap, robots, sitemap, sitemapIndex, URLS_PER_SITEMAP } from './site.sitemap.ts'
import {
  DOCS_SEARCH_MAX,
  renderDocs,
  renderDocsSearch,
  renderErrorCode,
  renderFront,
  renderGuidePage,
  renderRegister,
} from './site.views.ts'

/**
 * Maximum numbers of cards on the home page. If there are featured jobs, they come first, and fewer of the newest jobs
 * follow them.
 */
const FEATURED = 2
const NEWEST = 6
const NEWEST_WITH_FEATURED = 3
const COMPANIES = 4
const HTML = 'text/html; charset=utf-8'

export function registerSite(pages: App, kit: Kit): void {
  registerCandidateHome(pages, kit)
  registerFront(pages, kit)
  registerAreas(pages)
  registerFiles(pages, kit)
}

/** Registers the home page. It is cached for visitors, like the list of jobs. */
function registerFront(pages: App, kit: Kit): void {
  const { lists, catalogue, cursorSecret, settings } = kit
  const cardsIn = cardsOf(kit)
  const offerBeside = besideListed(kit)
  const listOf = (raw: RawQuery) => parseListQuery(jobList, raw, cursorSecret).query

  pages.get('/', {
    config: { access: 'public', readyPage: (reader) => lists.cachedPage(pageKey(reader)) },
    handler: async (request, reply) => {
      const account = request.chargedTo
      const cards = cardsIn()
      const newest = await lists.page('/jobs', listOf({ limit: String(NEWEST) }), cards, { account })
      const isFeatured = listOf({ is_featured: 'true', limit: String(FEATURED) })
      const { items: featured } = await lists.page('/jobs', isFeatured, cards, { account })
      const ids = new Set(featured.map(({ id }) => id))
      const others = newest.items.filter(({ id }) => !ids.has(id))
      const shown = [...featured, ...others]
      const beside = await offerBeside(request.page, shown)
      const companies = await lists.busiestCompanies(COMPANIES, account)
      const rendered = renderFront(request.page, {
        unit: unitOf(request),
        total: newest.meta.pagination.total,
        featured,
        newest: featured.length > 0 ? others.slice(0, NEWEST_WITH_FEATURED) : others,
        beside,
        categories: withCounts(catalogue.categories, await lists.countBy('category')),
        companies: companies.map(({ job, job_count }) => ({
          id: job.employer_id,
          name: job.company,
          logo_url: job.company_logo_url,
          location: job.location,
          job_count,
        })),
      })
      const { staleSinceMs } = newest
      if (!request.page.isShared || reply.isPersonal) {
        tellAge(reply, staleSinceMs)
        return rendered
      }
      const response = { body: Buffer.from(rendered.toString()), type: HTML, link: undefined, staleSinceMs }
      lists.keepPage(pageKey(readerOf(request)), newest.revision, response)
      return sendReady(request, reply, response)
    },
  })

  pages.get('/index.md', { config: { access: 'public' } }, async (request, reply) => {
    const account = request.chargedTo
    const { items, meta } = await readPage(kit, listOf({ limit: String(NEWEST) }), { account })
    const companies = await lists.busiestCompanies(COMPANIES, account)
    const shown = {
      total: meta.pagination.total,
      jobs: items,
      categories: withCounts(catalogue.categories, await lists.countBy('category')),
      companies: companies.map(({ job, job_count }) => ({ id: job.employer_id, name: job.company, job_count })),
    }
    return reply.type(MARKDOWN_TYPE).send(frontMarkdown(settings.origin, request.page.brand, shown))
  })
}

function registerAreas(pages: App): void {
  pages.get('/register', { config: { access: 'registration' } }, (request) =>
    renderRegister(request.page, returnToOf(request)),
  )

  pages.get('/console', { config: { access: {} } }, async (request, reply) =>
    seeOther(reply, request.page.menu('console')[0]?.href ?? '/account'),
  )

  pages.get('/docs', { config: { access: 'public' } }, (request) => renderDocs(request.page))

  pages.get('/docs/search', { config: { access: 'public' } }, (request) => {
    const { search } = request.query as RawQuery
    const text = typeof search === 'string' ? search.trim().slice(0, DOCS_SEARCH_MAX) : ''
    return renderDocsSearch(request.page, text, searchGuides(text))
  })

  // The `type` of a problem document links to this page.
  pages.get('/docs/errors/:code', { config: { access: 'public' } }, (request) => {
    const { code } = request.params as { code: string }
    const section = readGuide('errors').sections.find(({ id }) => id === code)
    return renderErrorCode(request.page, found(section))
  })

  for (const name of guideNames) {
    pages.get(`/docs/${name}`, { config: { access: 'public' } }, (request) =>
      renderGuidePage(request.page, name, readGuide(name)),
    )
    pages.get(`/docs/${name}.md`, { config: { access: 'public' } }, async (_request, reply) =>
      reply.type(MARKDOWN_TYPE).send(guideText(name)),
    )
  }
}

/** How long the number of companies is cached, in milliseconds. Counting them reads all companies. */
const COMPANIES_MS = 600_000

/** Registers the files for search engines. */
function registerFiles(pages: App, { database, searches, clock, settings: { origin }, lists }: Kit): void {
  const XML = 'application/xml; charset=utf-8'
  const companyParts = new IdParts()
  let hiring: { readMs: number; count: number } | undefined

  /** Returns the number of companies with open jobs or, if the count fails, the last known number or 0. */
  const countCompanies = async (request: FastifyRequest): Promise<number> => {
    if (hiring && performance.now() - hiring.readMs <= COMPANIES_MS) return hiring.count
    const count = await searches.read(request.chargedTo, (db) => countHiring(db, clock.now())).catch(() => undefined)
    if (count === undefined) return hiring?.count ?? 0
    hiring = { readMs: performance.now(), count }
    return count
  }

  const listedJobs = async (ids: readonly string[]) => {
    // If the database is unavailable, the sitemap contains the short paths, which redirect to the full ones.
    const found = await database.read((db) => findSitemapMembers(db, ids)).catch(() => undefined)
    return ids.map((id) => {
      const { title = '', updated_at } = found?.get(id) ?? {}
      return { path: jobPath({ id, title }), changed: updated_at }
    })
  }
  const listedCompanies = async (ids: readonly string[]) => ids.map((id) => ({ path: `/companies/${id}` }))

  pages.get('/robots.txt', { config: { access: 'public' } }, async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(robots(origin)),
  )

  pages.get('/llms.txt', { config: { access: 'public' } }, async ({ page }, reply) =>
    reply.type(MARKDOWN_TYPE).send(llmsText(origin, page.brand)),
  )

  pages.get('/sitemap.xml', { config: { access: 'public' } }, async (request, reply) => {
    const jobs = await lists.size()
    return reply.type(XML).send(sitemapIndex(origin, { jobs, companies: await countCompanies(request) }))
  })

  pages.get('/sitemaps/:file', { config: { access: 'public' }, exposeHeadRoute: false }, async (request, reply) => {
    const { file } = request.params as { file: string }
    if (file === 'pages.xml') return reply.type(XML).send(pagesSitemap(request.page))
    const [, kind, number] = /^(jobs|companies)-([1-9]\d{0,5})\.xml$/.exec(file) ?? []
    if (kind === undefined) throw new AppError('not_found')
    const skip = (Number(number) - 1) * URLS_PER_SITEMAP
    const limit = URLS_PER_SITEMAP
    if (kind === 'jobs') {
      const tag = `W/${entityTag(`${await lists.revision()} ${file}`)}`
      reply.header('etag', tag)
      if (!matchesNone(request.headers['if-none-match'], tag)) return reply.code(304).send()
    }
    const ids =
      kind === 'jobs'
        ? await lists.ids(skip, limit)
        : await companyParts.read(skip, limit, (part) =>
            searches.read(request.chargedTo, (db) => listHiringIds(db, part, clock.now())),
          )
    if (ids.length === 0) throw new AppError('not_found')
    return reply.type(XML).send(Readable.from(sitemap(origin, ids, kind === 'jobs' ? listedJobs : listedCompanies)))
  })
}
