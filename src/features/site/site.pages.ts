/** The home, registration and developer pages, and the files for search engines. */
import { Readable } from 'node:stream'
import type { App } from '../../http/app.ts'
import { tellAge } from '../../http/representation.ts'
import { AppError } from '../../lib/errors.ts'
import { parseListQuery } from '../../lists/query.ts'
import { returnToOf } from '../../pages/local-path.ts'
import { seeOther, showPage } from '../../pages/page.ts'
import { cardsOf } from '../board/index.ts'
import { withCounts } from '../catalogue/index.ts'
import type { Kit } from '../feature.ts'
import { findJobTitles, jobList, jobPath } from '../jobs/index.ts'
import { registerCandidateHome } from './candidate-home.pages.ts'
import { guideNames, readGuide } from './guide.views.ts'
import { JOBS_PER_SITEMAP, robots, sitemap, sitemapIndex } from './site.sitemap.ts'
import { renderDocs, renderFront, renderGuidePage, renderRegister } from './site.views.ts'

const NEWEST = { limit: '6' }

export function registerSite(pages: App, kit: Kit): void {
  const { database, clock, cursorSecret, settings, lists, catalogue } = kit
  registerCandidateHome(pages, kit)
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
