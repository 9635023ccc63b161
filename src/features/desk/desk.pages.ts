import type { App } from '../../http/app.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { Kit } from '../feature.ts'
import { countJobsOnBoard } from '../jobs/index.ts'
import { rememberActivity } from './desk.activity.ts'
import { listTableSizes } from './desk.queries.ts'
import { findOverview, findQueues } from './desk.service.ts'
import { renderDesk, renderQueues, renderStorage } from './desk.views.ts'

const NEW_MS = 7 * DAY_MS

export function registerDeskPages(pages: App, kit: Kit): void {
  const { database, clock, registration, lists } = kit
  const reading = { access: { kinds: ['admin'], scope: 'admin:read' } } as const
  const kept = kit.collect('retention').flat()
  const keptDays = Object.fromEntries(kept.flatMap(({ tables, days }) => tables.map((table) => [table, days])))

  const subjects = kit.collect('deskSubjects').flat()
  const activityNow = rememberActivity(database, clock)

  pages.get('/desk', { config: { access: { ...reading.access, staff: 'moderator' } } }, async (request) => {
    const now = clock.now()
    const since = new Date(now.getTime() - NEW_MS)
    const overview = await database.read((db) => findOverview(db, { subjects, since }))
    // If the search engine is unavailable, counts the jobs in the database.
    const jobsOnBoard = await lists.size().catch(() => database.read((db) => countJobsOnBoard(db, now)))
    const queues = await findQueues(kit, now)
    const openReports = (await kit.collect('countOpenReports')[0]?.()) ?? 0
    const suspects = (await kit.collect('countSuspects')[0]?.()) ?? 0
    const isOpen = registration.isOpen()
    return renderDesk(request.page, {
      ...overview,
      jobsOnBoard,
      activity: await activityNow(),
      queues,
      openReports,
      suspects,
      isOpen,
      now,
    })
  })

  pages.get('/desk/queues', { config: reading }, async (request) => {
    const now = clock.now()
    return renderQueues(request.page, await findQueues(kit, now), now)
  })

  pages.get('/desk/storage', { config: reading }, async (request) =>
    renderStorage(request.page, await database.read(listTableSizes), keptDays),
  )
}
