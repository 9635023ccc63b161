/** Admin pages: the overview of open tasks, and the state of background work. */
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { type Clock, DAY_MS } from '../../lib/time.ts'
import { showPage } from '../../pages/page.ts'
import { listTableSizes } from './desk.queries.ts'
import { findOverview, findQueues, type WatchedTask } from './desk.service.ts'
import { renderDesk, renderQueues, renderStorage } from './desk.views.ts'

export interface DeskPagesDeps {
  database: Database
  clock: Clock
  tasks: () => readonly WatchedTask[]
  withStripe: boolean
  isRegistrationOpen: () => boolean
  /** Retention of rows in days, by table. Undefined means forever. */
  keptDays: Readonly<Record<string, number | undefined>>
  /** Returns the number of open job reports. */
  countOpenReports: () => Promise<number>
}

const NEW_MS = 7 * DAY_MS

export function registerDeskPages(pages: App, deps: DeskPagesDeps): void {
  const { database, clock, tasks, withStripe, isRegistrationOpen, keptDays, countOpenReports } = deps
  const reading = { kinds: ['admin'], scope: 'admin:read' } as const

  pages.get('/desk', { config: { access: reading } }, async (request, reply) => {
    const now = clock.now()
    const { figures, actions } = await database.read((db) => findOverview(db, new Date(now.getTime() - NEW_MS), now))
    const queues = await findQueues(database, tasks(), withStripe, now)
    const openReports = await countOpenReports()
    const isOpen = isRegistrationOpen()
    return showPage(reply, renderDesk(request.page, { figures, actions, queues, openReports, isOpen, now }))
  })

  pages.get('/desk/queues', { config: { access: reading } }, async (request, reply) => {
    const now = clock.now()
    return showPage(reply, renderQueues(request.page, await findQueues(database, tasks(), withStripe, now), now))
  })

  pages.get('/desk/storage', { config: { access: reading } }, async (request, reply) =>
    showPage(reply, renderStorage(request.page, await database.read(listTableSizes), keptDays)),
  )
}
