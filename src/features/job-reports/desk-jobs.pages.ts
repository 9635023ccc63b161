/** Admin pages for the jobs of all employers: the list, and a page where an admin can remove or restore a job. */
import type { FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { found } from '../../lib/errors.ts'
import { parseListQuery } from '../../lists/query.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { t } from '../../locale/messages.ts'
import { Form } from '../../pages/forms.ts'
import { doOnce, resultOnce } from '../../pages/once.ts'
import { listed, seeOther, signedIn } from '../../pages/page.ts'
import { findEmployerAccountId } from '../employers/index.ts'
import type { DeskFinder, Kit } from '../feature.ts'
import {
  type DeskJobRow,
  deskJobList,
  findJob,
  JobParams,
  jobState,
  listDeskJobs,
  presentJobDetail,
} from '../jobs/index.ts'
import { nameOfJobState, renderDeskJob, renderDeskJobs } from './desk-jobs.views.ts'
import { presentReportDetail } from './job-reports.present.ts'
import { listReportsOfJob } from './job-reports.queries.ts'
import { UpholdBody } from './job-reports.schemas.ts'
import { removeReportedJob, restoreReportedJob } from './job-reports.service.ts'

const path = '/desk/jobs'
const REPORTS_SHOWN = 20
const reading = { access: { kinds: ['admin'], scope: 'admin:read', staff: 'moderator' } } as const
const deciding = { access: { kinds: ['admin'], scope: 'admin:write', staff: 'moderator' } } as const

export const jobFinder = ({ clock, cursorSecret }: Pick<Kit, 'clock' | 'cursorSecret'>): DeskFinder => ({
  title: 'menu.jobs',
  list: path,
  async find(db, text, limit) {
    const now = clock.now()
    const { query } = parseListQuery(deskJobList, { search: text, limit: String(limit) }, cursorSecret)
    const { rows, total } = await listDeskJobs(db, query, now)
    const job = await findJob(db, text)
    const exact = job && { ...job, shown_state: job.removed_at ? ('removed' as const) : jobState(job, now) }
    const present = (found: Pick<DeskJobRow, 'id' | 'title' | 'company' | 'location' | 'shown_state'>) => ({
      href: `${path}/${found.id}`,
      title: found.title,
      details: [found.company, found.location, nameOfJobState(found.shown_state)],
    })
    return { exact: exact ? [present(exact)] : [], newest: rows.map(present), total }
  },
})

export function registerDeskJobPages(pages: App, kit: Kit): void {
  const { database, searches, clock, settings } = kit

  pages.get(path, {
    config: {
      ...reading,
      charges: ['search-time'],
      again: (request, form) => renderDeskJobs(request.page, form, undefined),
    },
    schema: { querystring: ListQuerystring(deskJobList) },
    handler: async (request) => {
      const { query } = request
      const now = clock.now()
      const rows = await searches.read(request.chargedTo, (db) => listDeskJobs(db, query, now))
      const jobs = listed(request, rows, (row) => row)
      return renderDeskJobs(request.page, Form.of(query.applied), jobs)
    },
  })

  const show = async (request: FastifyRequest, form: Form = Form.of()) => {
    const { id } = request.params as { id: string }
    const now = clock.now()
    const { job, accountId, reports } = await database.read(async (db) => {
      const job = found(await findJob(db, id))
      const accountId = await findEmployerAccountId(db, job.employer_id)
      return { job, accountId, reports: await listReportsOfJob(db, id, REPORTS_SHOWN) }
    })
    return renderDeskJob(request.page, {
      job: { ...presentJobDetail(job, { origin: settings.origin, now }), state: jobState(job, now) },
      accountId,
      reports: { ...reports, latest: reports.latest.map(presentReportDetail) },
      ownUrl: job.application_url,
      removal: job.removed_at ? { at: job.removed_at.toISOString(), reason: job.removal_reason ?? '' } : undefined,
      form,
    })
  }

  pages.get(`${path}/:id`, { config: reading, schema: { params: JobParams } }, (request) => show(request))

  pages.post(`${path}/:id/remove`, {
    config: { ...deciding, again: show },
    schema: { params: JobParams, body: UpholdBody },
    handler: async (request, reply) => {
      const { params, body } = request
      const actor = signedIn(request)
      await doOnce(request, database, (tx) =>
        removeReportedJob(tx, { settings, actor, id: params.id, reason: body.reason, now: clock.now() }),
      )
      return seeOther(reply, `${path}/${params.id}`, t('job_reports.job_removed'))
    },
  })

  pages.post(`${path}/:id/restore`, {
    config: { ...deciding, again: show },
    schema: { params: JobParams },
    handler: async (request, reply) => {
      const { id } = request.params
      const isBack = await resultOnce(request, database, async (tx) => {
        const restoring = { settings, actor: signedIn(request), id, now: clock.now() }
        return (await restoreReportedJob(tx, restoring)).state === 'active'
      })
      return seeOther(
        reply,
        `${path}/${id}`,
        t(isBack ? 'job_reports.restored_active' : 'job_reports.restored_inactive'),
      )
    },
  })
}
