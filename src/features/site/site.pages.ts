/** The front page, where to go from it, and what search engines are told. */
import { Readable } from 'node:stream'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { AppError } from '../../lib/errors.ts'
import { parseListQuery } from '../../lib/list-query.ts'
import { showPage } from '../../pages/page.ts'
import { type BoardLists, configuredCategories, jobList, OfForms, renderJobCard, withCounts } from '../jobs/index.ts'
import { JOBS_PER_SITEMAP, robots, sitemap, sitemapIndex } from './site.sitemap.ts'
import { renderDocs, renderFront, renderRegister } from './site.views.ts'

export interface SiteDeps {
  database: Database
  cursorSecret: Uint8Array
  settings: { origin: string }
  lists: BoardLists
}

const NEWEST = { limit: '6' }

export function registerSite(pages: App, { cursorSecret, settings, lists }: SiteDeps): void {
  const cards = new OfForms(renderJobCard)

  pages.get('/', { config: { access: 'public' } }, async (request, reply) => {
    const { query } = parseListQuery(jobList, NEWEST, cursorSecret)
    const newest = await lists.page('/jobs', query, cards)
    const categories = withCounts(configuredCategories, await lists.countBy('category'))
    return showPage(reply, renderFront(request.page, newest.items, newest.meta.pagination.total, categories))
  })

  pages.get('/register', { config: { access: 'registration' } }, async (request, reply) =>
    showPage(reply, renderRegister(request.page)),
  )

  pages.get('/docs', { config: { access: 'public' } }, async (request, reply) =>
    showPage(reply, renderDocs(request.page)),
  )

  const { origin } = settings
  const XML = 'application/xml; charset=utf-8'

  pages.get('/robots.txt', { config: { access: 'public' } }, async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(robots(origin)),
  )

  pages.get('/sitemap.xml', { config: { access: 'public' } }, async (_request, reply) => {
    const { length } = await lists.ids()
    return reply.type(XML).send(sitemapIndex(origin, Math.ceil(length / JOBS_PER_SITEMAP)))
  })

  pages.get('/sitemaps/:file', { config: { access: 'public' } }, async (request, reply) => {
    const [, number] = /^jobs-([1-9]\d{0,5})\.xml$/.exec((request.params as { file: string }).file) ?? []
    const start = (Number(number) - 1) * JOBS_PER_SITEMAP
    const ids = number === undefined ? [] : (await lists.ids()).slice(start, start + JOBS_PER_SITEMAP)
    if (ids.length === 0) throw new AppError('not_found')
    return reply.type(XML).send(Readable.from(sitemap(origin, ids)))
  })
}
