import type { FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { refusalOf } from '../../http/authenticate.ts'
import type { Actor } from '../../lib/scopes.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { t } from '../../locale/messages.ts'
import { Form } from '../../pages/forms.ts'
import { doOnce, resultOnce } from '../../pages/once.ts'
import { listed, seeOther, signedIn } from '../../pages/page.ts'
import type { OfferBeside } from '../board/index.ts'
import type { Kit } from '../feature.ts'
import { assertVisible, findJob, JobParams, jobState, presentJobDetail } from '../jobs/index.ts'
import { presentReportDetail } from './job-reports.present.ts'
import { countReports, listReports, listReportsOfJob } from './job-reports.queries.ts'
import { DismissBody, ReportBody, ReportParams, reportList, UpholdBody } from './job-reports.schemas.ts'
import { dismissReport, getReport, reportJob, restoreReportedJob, upholdReport } from './job-reports.service.ts'
import { renderReportForm, renderReportLink, renderReportPage, renderReports } from './job-reports.views.ts'

/** The kit, and the `secret` for hashing networks before they are stored. */
type PagesKit = Kit & { secret: Uint8Array }

const SHOWN_OF_JOB = 100
/**
 * The access that signed-in accounts need to report a job. A session that began with an API key has only the
 * permissions of that key.
 */
const reporting = { access: { scope: 'jobs:write' } } as const

/** Returns an error if the account is not allowed to report jobs. Visitors without an account are always allowed. */
const refusalFor = (actor: Actor | undefined) => actor && refusalOf(reporting, actor, () => false)

export const reportLinks: OfferBeside = async ({ actor }) =>
  refusalFor(actor) ? () => undefined : ({ id }) => renderReportLink(id)

const idOf = (request: FastifyRequest) => (request.params as { id: string }).id
const reading = { access: { kinds: ['admin'], scope: 'admin:read', staff: 'moderator' } } as const
const deciding = { access: { kinds: ['admin'], scope: 'admin:write', staff: 'moderator' } } as const

export function registerJobReportPages(pages: App, kit: PagesKit): void {
  registerReportForm(pages, kit)
  registerReportList(pages, kit)
  registerReport(pages, kit)
}

function registerReportForm(pages: App, kit: PagesKit): void {
  const { database, clock, networkOf, secret } = kit

  const renderForm = async (request: FastifyRequest, form: Form) => {
    const { actor } = request.page
    const refusal = refusalFor(actor)
    if (refusal) throw refusal
    const job = await database.read((db) => findJob(db, idOf(request)))
    assertVisible(job, actor)
    return renderReportForm(request.page, job, form)
  }

  pages.get('/jobs/:id/report', { config: { access: 'public' }, schema: { params: JobParams } }, (request) =>
    renderForm(request, Form.of()),
  )

  pages.post('/jobs/:id/report', {
    config: { access: 'public', limit: 'reports', again: renderForm },
    attachValidation: true,
    schema: { params: JobParams, body: ReportBody },
    handler: async (request, reply) => {
      const faults = request.faults
      const { params, body } = request
      const { actor } = request.page
      const refusal = refusalFor(actor)
      if (refusal) throw refusal
      const reporter = actor ? { actor } : { network: networkOf(request.raw), secret }
      await doOnce(request, database, (tx) =>
        reportJob(tx, { reporter, jobId: params.id, body, faults, now: clock.now() }),
      )
      return seeOther(reply, `/jobs/${params.id}`, t('job_reports.sent'))
    },
  })
}

function registerReportList(pages: App, kit: PagesKit): void {
  const { database, clock } = kit

  pages.get('/desk/reports', {
    config: {
      ...reading,
      again: async (request, form) =>
        renderReports(request.page, { form, counts: await database.read(countReports), now: clock.now() }),
    },
    schema: { querystring: ListQuerystring(reportList) },
    handler: async (request) => {
      const asked = request.query
      // Shows only open reports, unless the query filters by status.
      const isOfStatus = asked.filters.some(({ filter }) => filter === 'status')
      const open = { filter: 'status', operator: 'is', value: 'open' } as const
      const query = isOfStatus ? asked : { ...asked, filters: [...asked.filters, open] }
      const { rows, counts } = await database.read(async (db) => ({
        rows: await listReports(db, query),
        counts: await countReports(db),
      }))
      const form = Form.of({ ...(isOfStatus ? {} : { status: 'open' }), ...query.applied })
      const found = listed(request, rows, presentReportDetail, query)
      return renderReports(request.page, { form, counts, found, now: clock.now() })
    },
  })
}

function registerReport(pages: App, kit: PagesKit): void {
  const { database, clock, settings } = kit

  const renderOne = async (request: FastifyRequest, form: Form = Form.of()) => {
    const now = clock.now()
    const { report, job, reports } = await database.read(async (db) => {
      const report = await getReport(db, idOf(request))
      return {
        report: presentReportDetail(report),
        job: await findJob(db, report.job_id),
        reports: await listReportsOfJob(db, report.job_id, SHOWN_OF_JOB),
      }
    })
    const view = {
      report,
      reports: { ...reports, latest: reports.latest.map(presentReportDetail) },
      job: job && { ...presentJobDetail(job, { origin: settings.origin, now }), state: jobState(job, now) },
      ownUrl: job?.application_url ?? null,
      removal: job?.removed_at ? { at: job.removed_at.toISOString(), reason: job.removal_reason ?? '' } : undefined,
      now,
      form,
    }
    return renderReportPage(request.page, view)
  }

  pages.get('/desk/reports/:id', { config: reading, schema: { params: ReportParams } }, (request) => renderOne(request))

  pages.post(
    '/desk/reports/:id/uphold',
    { config: { ...deciding, again: renderOne }, schema: { params: ReportParams, body: UpholdBody } },
    async (request, reply) => {
      const { params, body } = request
      const actor = signedIn(request)
      await doOnce(request, database, (tx) =>
        upholdReport(tx, { settings, actor, id: params.id, reason: body.reason, now: clock.now() }),
      )
      return seeOther(reply, `/desk/reports/${params.id}`, t('job_reports.job_removed'))
    },
  )

  pages.post(
    '/desk/reports/:id/dismiss',
    { config: { ...deciding, again: renderOne }, schema: { params: ReportParams, body: DismissBody } },
    async (request, reply) => {
      const { params, body } = request
      const actor = signedIn(request)
      await doOnce(request, database, (tx) =>
        dismissReport(tx, { actor, id: params.id, note: body.note ?? null, now: clock.now() }),
      )
      return seeOther(reply, `/desk/reports/${params.id}`, t('job_reports.report_dismissed'))
    },
  )

  pages.post(
    '/desk/reports/:id/restore',
    { config: { ...deciding, again: renderOne }, schema: { params: ReportParams } },
    async (request, reply) => {
      const { id } = request.params
      const isBack = await resultOnce(request, database, async (tx) => {
        const { job_id } = await getReport(tx, id)
        const restoring = { settings, actor: signedIn(request), id: job_id, now: clock.now() }
        return (await restoreReportedJob(tx, restoring)).state === 'active'
      })
      return seeOther(
        reply,
        `/desk/reports/${id}`,
        t(isBack ? 'job_reports.restored_active' : 'job_reports.restored_inactive'),
      )
    },
  )
}
