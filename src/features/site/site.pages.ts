/** The front page, and where to go from it. */
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { parseListQuery } from '../../lib/list-query.ts'
import { showPage } from '../../pages/page.ts'
import { type BoardLists, configuredCategories, jobList, withCounts } from '../jobs/index.ts'
import { renderDocs, renderFront, renderRegister } from './site.views.ts'

export interface SiteDeps {
  database: Database
  cursorSecret: Uint8Array
  lists: BoardLists
}

const NEWEST = { limit: '6' }

export function registerSite(pages: App, { cursorSecret, lists }: SiteDeps): void {
  pages.get('/', { config: { access: 'public' } }, async (request, reply) => {
    const { query } = parseListQuery(jobList, NEWEST, cursorSecret)
    const newest = await lists.page('/jobs', query)
    const categories = withCounts(configuredCategories, await lists.countBy('category'))
    return showPage(reply, renderFront(request.page, newest.items, newest.meta.pagination.total, categories))
  })

  pages.get('/register', { config: { access: 'registration' } }, async (request, reply) =>
    showPage(reply, renderRegister(request.page)),
  )

  pages.get('/docs', { config: { access: 'public' } }, async (request, reply) =>
    showPage(reply, renderDocs(request.page)),
  )
}
