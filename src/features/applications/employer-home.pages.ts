/** The start page of the employer dashboard: to-dos, figures for the last four weeks, and jobs. */
import type { App } from '../../http/app.ts'
import type { Scope } from '../../lib/scopes.ts'
import { DAY_MS } from '../../lib/time.ts'
import { parseListQuery } from '../../lists/query.ts'
import { signedIn } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { awaitsPublication, countOwnJobs, jobState, listEndingJobs, listOwnJobs, ownJobList } from '../jobs/index.ts'
import { findFigures, listWaiting } from './applications.queries.ts'
import { renderEmployerHome } from './employer-home.views.ts'

/** Length of the period that the figures cover, in days. The page also shows changes from the preceding period. */
const DAYS = 28
/** A job becomes a to-do this many days before it ends. */
const ENDING_DAYS = 3
const TO_DO_MAX = 3
const JOBS_MAX = '10'

export function registerEmployerHome(pages: App, { database, clock, cursorSecret, rates, collect }: Kit): void {
  pages.get('/employer', { config: { access: { kinds: ['employer'] } } }, async (request) => {
    const { accountId, name, scopes } = signedIn(request)
    const now = clock.now()
    const may = (scope: Scope) => scopes.includes(scope)
    const since = new Date(now.getTime() - DAYS * DAY_MS)
    const before = new Date(since.getTime() - DAYS * DAY_MS)
    const listing = { now, exchange: rates.now }
    const [viewsOf] = collect('viewsOf')
    const view = await database.read(async (db) => {
      const list = (query: Record<string, string>) =>
        listOwnJobs(db, accountId, parseListQuery(ownJobList, query, cursorSecret).query, listing)
      const jobs = may('jobs:read')
        ? {
            counts: await countOwnJobs(db, accountId, now),
            latest: (await list({ limit: JOBS_MAX })).rows.map((row) => ({ ...row, state: jobState(row, now) })),
            drafts: (await list({ state: 'inactive', limit: String(TO_DO_MAX) })).rows.filter(
              (row) => !awaitsPublication(row, now),
            ),
            ending: await listEndingJobs(db, accountId, {
              now,
              until: new Date(now.getTime() + ENDING_DAYS * DAY_MS),
              limit: TO_DO_MAX,
            }),
          }
        : undefined
      const applications = may('applications:read')
        ? { waiting: await listWaiting(db, accountId), figures: await findFigures(db, accountId, { before, since }) }
        : undefined
      const views = may('jobs:read') && viewsOf ? await viewsOf(db, accountId, { before, since }) : undefined
      return { jobs, applications, views }
    })
    return renderEmployerHome(request.page, { ...view, name, days: DAYS, now })
  })
}
