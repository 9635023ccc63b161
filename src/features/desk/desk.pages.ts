/** The operator's desk: what needs a hand now. */
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { type Clock, DAY_MS } from '../../lib/time.ts'
import { showPage } from '../../pages/page.ts'
import { findFigures } from './desk.queries.ts'
import { renderDesk } from './desk.views.ts'

export interface DeskPagesDeps {
  database: Database
  clock: Clock
}

const NEW_MS = 7 * DAY_MS

export function registerDeskPages(pages: App, { database, clock }: DeskPagesDeps): void {
  const reading = { kinds: ['admin'], scope: 'admin:read' } as const

  pages.get('/desk', { config: { access: reading } }, async (request, reply) => {
    const now = clock.now()
    const figures = await database.read((db) => findFigures(db, new Date(now.getTime() - NEW_MS), now))
    return showPage(reply, renderDesk(request.page, figures))
  })
}
