/** The home, registration, candidate home and developer pages, and the files for search engines. */
import { Readable } from 'node:stream'
import type { App } from '../../http/app.ts'
import { tellAge } from '../../http/representation.ts'
import { AppError } from '../../lib/errors.ts'
import type { Scope } from '../../lib/scopes.ts'
import { parseListQuery } from '../../lists/query.ts'
import { returnToOf } from '../../pages/local-path.ts'
import { seeOther, showPage, signedIn } from '../../pages/page.ts'
import { applicationList, listApplications, presentApplicationListItem } from '../applications/index.ts'
import { cardsOf } from '../board/index.ts'
import { findCandidate } from '../candidates/index.ts'
import { withCounts } from '../catalogue/index.ts'
import type { Kit } from '../feature.ts'
import { jobAlertList, listAlerts } from '../job-alerts/index.ts'
import { findJobTitles, jobList, jobPath } from '../jobs/index.ts'
import { listResumes, resumeList } from '../resumes/index.ts'
import { guideNames, readGuide } from './guide.views.ts'
import { JOBS_PER_SITEMAP, robots, sitemap, sitemapIndex } from './site.sitemap.ts'
import { renderCandidateHome, renderDocs, renderFront, renderGuidePage, renderRegister } from './site.views.ts'

const NEWEST = { limit: '6' }

export function registerSite(pages: App, { database, clock, cursorSecret, settings, lists, catalogue }: Kit): void {
  const cards = cardsOf({ catalogue, clock })

  pages.get('/', { config: { access: 'public' } }, async (request, reply) => {
    const { query } = parseListQuery(jobList, NEWEST, cursorSecret)
    const newest = await lists.page('/jobs', query, cards, { account: request.chargedTo })
    const categories = withCounts(catalogue.categories, await lists.countBy('category'))
    tellAge(reply, newest.staleSinceMs)
    return showPage(reply, renderFront(request.page, newest.items, newest.meta.pagination.total, categories))
  })

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
    return showPage(reply, renderCandidateHome(request.page, found.candidate?.first_name ?? name, steps, applications))
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

  const { origin } = settings
  const XML = 'application/xml; charset=utf-8'

  const pathsOf = async (ids: readonly string[]) => {
    // Without the database, the sitemap contains the short paths, which lead to the others.
    const titles = await database.read((db) => findJobTitles(db, ids)).catch(() => new Map<string, string>())
    return ids.map((id) => jobPath({ id, title: titles.get(id) ?? '' }))
  }

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
    return reply.type(XML).send(Readable.from(sitemap(origin, ids, pathsOf)))
  })
}
