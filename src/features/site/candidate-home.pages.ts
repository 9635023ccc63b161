/** The home page of candidates: their applications, saved jobs, alerts and profile. */
import type { App } from '../../http/app.ts'
import type { Scope } from '../../lib/scopes.ts'
import { type ListDeclaration, parseListQuery } from '../../lists/query.ts'
import { signedIn } from '../../pages/page.ts'
import { applicationList, listApplications, presentApplicationListItem } from '../applications/index.ts'
import { besideListed } from '../board/index.ts'
import { findCandidate } from '../candidates/index.ts'
import type { Kit } from '../feature.ts'
import { findAlertNews, jobAlertList, listAlerts } from '../job-alerts/index.ts'
import { listResumes, resumeList } from '../resumes/index.ts'
import { listSavedJobs, presentMarkedSavedJob, savedJobList } from '../saved-jobs/index.ts'
import { renderCandidateHome } from './candidate-home.views.ts'

const FEW_MAX = 3
const FEW = { limit: String(FEW_MAX) }

export function registerCandidateHome(pages: App, kit: Kit): void {
  const { database, clock, cursorSecret, settings, catalogue } = kit
  const offerBeside = besideListed(kit)
  const few = <F extends string, S extends string>(list: ListDeclaration<F, S>) =>
    parseListQuery(list, FEW, cursorSecret).query

  pages.get('/me', { config: { access: { kinds: ['candidate'] } } }, async (request) => {
    const { accountId, scopes, name } = signedIn(request)
    const may = (scope: Scope) => scopes.includes(scope)
    const now = clock.now()
    const home = await database.read(async (db) => {
      const applications = may('applications:read')
        ? await listApplications(db, accountId, few(applicationList))
        : undefined
      const saved = may('applications:read') ? await listSavedJobs(db, accountId, few(savedJobList)) : undefined
      const alerts = may('alerts:read') ? await listAlerts(db, accountId, few(jobAlertList)) : undefined
      const profile = may('profile:read') ? await findCandidate(db, accountId) : undefined
      const resumes = may('profile:read') ? await listResumes(db, accountId, few(resumeList)) : undefined
      return {
        name: profile?.first_name ?? name,
        applications: applications && {
          total: applications.total,
          items: applications.rows.map(presentApplicationListItem),
        },
        saved: saved && {
          total: saved.total,
          items: saved.rows.map((row) => presentMarkedSavedJob(row, { origin: settings.origin, now })),
        },
        alerts: alerts && { total: alerts.total, items: alerts.rows },
        profile: profile && { ...profile, hasResume: (resumes?.total ?? 0) > 0 },
        now,
      }
    })
    // Runs outside the transaction of the other reads, because searches also read from the database.
    const news = await findAlertNews(kit, home.alerts?.items ?? [], { account: request.chargedTo, max: FEW_MAX })
    const beside = await offerBeside(request.page, news.jobs)
    return renderCandidateHome(request.page, catalogue, { ...home, news, beside })
  })
}
