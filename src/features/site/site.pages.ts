/** The home, registration, candidate home and developer pages, and the files for search engines. */
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { sendReady, tellAge } from '../../http/representation.ts'
import { AppError } from '../../lib/errors.ts'
import type { Scope } from '../../lib/scopes.ts'
import { parseListQuery, type RawQuery } from '../../lists/query.ts'
import { returnToOf } from '../../pages/local-path.ts'
import { seeOther, showPage, signedIn } from '../../pages/page.ts'
import { applicationList, listApplications, presentApplicationListItem } from '../applications/index.ts'
import { cardsOf, unitOf } from '../board/index.ts'
import { findCandidate } from '../candidates/index.ts'
import { withCounts } from '../catalogue/index.ts'
import type { Kit } from '../feature.ts'
import { jobAlertList, listAlerts } from '../job-alerts/index.ts'
import { jobList } from '../jobs/index.ts'
import { listResumes, resumeList } from '../resumes/index.ts'
import { guideNames, readGuide } from './guide.views.ts'
import { JOBS_PER_SITEMAP, robots, sitemap, sitemapIndex } from './site.sitemap.ts'
import { renderCandidateHome, renderDocs, renderFront, renderGuidePage, renderRegister } from './site.views.ts'

/** Cards on the home page. If jobs are featured, these come first, and fewer of the newest jobs follow. */
const FEATURED = 2
const NEWEST = 6
const NEWEST_WITH_FEATURED = 3
const COMPANIES = 4
const HTML = 'text/html; charset=utf-8'

export function registerSite(pages: App, kit: Kit): void {
  registerFront(pages, kit)
  registerAreas(pages, kit)
  registerFiles(pages, kit)
}

/** Registers the home page, which is cached for visitors like a list of jobs. */
function registerFront(pages: App, kit: Kit): void {
  const { lists, catalogue, cursorSecret } = kit
  const cards = cardsOf(kit)
  const besideListed = kit.collect('besideListed')
  const keyOf = (request: FastifyRequest) => `${unitOf(request)} ${request.raw.url}`
  const listOf = (raw: RawQuery) => parseListQuery(jobList, raw, cursorSecret).query

  pages.get('/', {
    config: { access: 'public' },
    onRequest: (request, reply, done) => {
      const cached = request.page.isShared && lists.cachedPage(keyOf(request))
      if (cached) sendReady(request, reply, cached, HTML)
      else done()
    },
    handler: async (request, reply) => {
      const account = request.chargedTo
      const newest = await lists.page('/jobs', listOf({ limit: String(NEWEST) }), cards, { account })
      const isFeatured = listOf({ is_featured: 'true', limit: String(FEATURED) })
      const { items: featured } = await lists.page('/jobs', isFeatured, cards, { account })
      const ids = new Set(featured.map(({ id }) => id))
      const others = newest.items.filter(({ id }) => !ids.has(id))
      const shown = [...featured, ...others]
      const offers = await Promise.all(besideListed.map((offer) => offer(request.page, shown)))
      const companies = await lists.busiestCompanies(COMPANIES, account)
      const rendered = renderFront(request.page, {
        unit: unitOf(request),
        total: newest.meta.pagination.total,
        featured,
        newest: featured.length > 0 ? others.slice(0, NEWEST_WITH_FEATURED) : others,
        beside: (job) => offers.map((each) => each(job)),
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
        return showPage(reply, rendered)
      }
      const response = { body: Buffer.from(rendered.toString()), link: undefined, staleSinceMs }
      lists.keepPage(keyOf(request), newest.revision, response)
      return sendReady(request, reply, response, HTML)
    },
  })
}

function registerAreas(pages: App, { database, cursorSecret }: Kit): void {
  pages.get('/register', { config: { access: 'registration' } }, async (request, reply) =>
    showPage(reply, renderRegister(request.page, returnToOf(request))),
  )

  pages.get('/me', { config: { access: { kinds: ['candidate'] } } }, async (request, reply) => {
    const { accountId, scopes, name } = signedIn(request)
    const may = (scope: Scope) => scopes.includes(scope)
    const few = { limit: '3' }
    const found = await database.read(async (db) => ({
      applications: may('applications:read')
        ? await listApplications(db, accountId, parseListQuery(applicationList, few, cursorSecret).query, cursorSecret)
        : undefined,
      resumes: may('profile:read')
        ? await listResumes(db, accountId, parseListQuery(resumeList, few, cursorSecret).query, cursorSecret)
        : undefined,
      alerts: may('alerts:read')
        ? await listAlerts(db, accountId, parseListQuery(jobAlertList, few, cursorSecret).query, cursorSecret)
        : undefined,
      candidate: may('profile:read') ? await findCandidate(db, accountId) : undefined,
    }))
    const steps = [
      { text: 'Tell employers what you do', href: '/me/profile', isDone: Boolean(found.candidate?.headline) },
      { text: 'Upload a resume', href: '/me/resumes', isDone: (found.resumes?.total ?? 0) > 0 },
      { text: 'Get new jobs by email', href: '/me/alerts/new', isDone: (found.alerts?.total ?? 0) > 0 },
      { text: 'Apply for a job', href: '/jobs', isDone: (found.applications?.total ?? 0) > 0 },
    ]
    const applications = (found.applications?.rows ?? []).map(presentApplicationListItem)
    return showPage(
      reply,
      renderCandidateHome(request.page, {
        name: found.candidate?.first_name ?? name,
        unit: unitOf(request),
        steps,
        applications,
      }),
    )
  })

  pages.get('/console', { config: { access: {} } }, async (request, reply) =>
    seeOther(reply, request.page.menu('console')[0]?.href ?? '/account'),
  )

  pages.get('/docs', { config: { access: 'public' } }, async (request, reply) =>
    showPage(reply, renderDocs(request.page)),
  )

  for (const name of guideNames) {
    pages.get(`/docs/${name}`, { config: { access: 'public' } }, async (request, reply) =>
      showPage(reply, renderGuidePage(request.page, name, readGuide(name))),
    )
  }
}

/** Registers the files for search engines. */
function registerFiles(pages: App, { settings: { origin }, lists }: Kit): void {
  const XML = 'application/xml; charset=utf-8'

  pages.get('/robots.txt', { config: { access: 'public' } }, async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(robots(origin)),
  )

  pages.get('/sitemap.xml', { config: { access: 'public' } }, async (_request, reply) => {
    const { length } = await lists.ids()
    return reply.type(XML).send(sitemapIndex(origin, Math.ceil(length / JOBS_PER_SITEMAP)))
  })

  pages.get('/sitemaps/:file', { config: { access: 'public' }, exposeHeadRoute: false }, async (request, reply) => {
    const [, number] = /^jobs-([1-9]\d{0,5})\.xml$/.exec((request.params as { file: string }).file) ?? []
    const start = (Number(number) - 1) * JOBS_PER_SITEMAP
    const ids = number === undefined ? [] : (await lists.ids()).slice(start, start + JOBS_PER_SITEMAP)
    if (ids.length === 0) throw new AppError('not_found')
    return reply.type(XML).send(Readable.from(sitemap(origin, ids)))
  })
}
