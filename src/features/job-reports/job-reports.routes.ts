import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { answerPost } from '../../http/idempotency.ts'
import { found } from '../../lib/errors.ts'
import { Envelope, Ref, Strict } from '../../lib/schema.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import { findJob, getVisibleJob, JobCreateSchema, JobParams, presentJobCreateForm } from '../jobs/index.ts'
import { presentReport, presentReportDetail } from './job-reports.present.ts'
import { listReports } from './job-reports.queries.ts'
import {
  DismissBody,
  JobReportDetailSchema,
  JobReportSchema,
  ReportBody,
  ReportParams,
  reportList,
  UpholdBody,
} from './job-reports.schemas.ts'
import { dismissReport, getReport, reportJob, restoreReportedJob, upholdReport } from './job-reports.service.ts'

const reading = { kinds: ['admin'], scope: 'admin:read', staff: 'moderator' } as const

export function registerJobReports(app: App, { database, reads, clock, settings }: Kit): void {
  const deciding = {
    access: { kinds: ['admin'], scope: 'admin:write', staff: 'moderator' },
    guard: ({ params }: ResourceRequest) => database.read((db) => getReport(db, params.id)),
  } as const

  app.post('/jobs/:id/reports', {
    config: {
      access: { scope: 'jobs:write' },
      limit: 'reports',
      guard: ({ actor, params }: ResourceRequest) => database.read((db) => getVisibleJob(db, params.id, actor)),
    },
    attachValidation: true,
    schema: {
      operationId: 'reportJob',
      summary: 'Report a job to the operator',
      params: JobParams,
      body: ReportBody,
      response: { 201: Envelope(Ref(JobReportSchema)) },
    },
    handler: async ({ actor, params, body, faults }, reply) =>
      answerPost(reply, database, async (tx) => {
        const report = await reportJob(tx, { reporter: { actor }, jobId: params.id, body, faults, now: clock.now() })
        const headers = { location: `/v1/admin/reports/${report.id}` }
        return { headers, body: { data: presentReport(report) } }
      }),
  })

  app.get('/admin/reports', {
    config: { access: reading },
    schema: {
      operationId: 'listReports',
      summary: 'List job reports',
      querystring: ListQuerystring(reportList),
      response: { 200: ListEnvelope(Ref(JobReportDetailSchema)) },
    },
    handler: async ({ query }, reply) =>
      presentList(reply, await reads.read((db) => listReports(db, query)), presentReportDetail),
  })

  app.get('/admin/reports/:id', {
    config: { access: reading },
    schema: {
      operationId: 'getReport',
      summary: 'Get a report',
      params: ReportParams,
      response: { 200: Envelope(Ref(JobReportDetailSchema)) },
    },
    handler: async (request) => ({
      data: presentReportDetail(await reads.read((db) => getReport(db, request.params.id))),
    }),
  })

  app.post('/admin/reports/:id/uphold', {
    config: deciding,
    schema: {
      operationId: 'upholdReport',
      summary: 'Remove the reported job and uphold all open reports about it',
      params: ReportParams,
      body: UpholdBody,
      response: { 200: Envelope(Ref(JobReportDetailSchema)) },
    },
    handler: async ({ actor, params, body }, reply) =>
      answerPost(reply, database, async (tx) => {
        const decision = { settings, actor, id: params.id, reason: body.reason, now: clock.now() }
        return { body: { data: presentReportDetail(await upholdReport(tx, decision)) } }
      }),
  })

  app.post('/admin/reports/:id/dismiss', {
    config: deciding,
    schema: {
      operationId: 'dismissReport',
      summary: 'Dismiss all open reports about the reported job; the job does not change',
      params: ReportParams,
      body: DismissBody,
      response: { 200: Envelope(Ref(JobReportDetailSchema)) },
    },
    handler: async ({ actor, params, body }, reply) =>
      answerPost(reply, database, async (tx) => {
        const decision = { actor, id: params.id, note: body.note ?? null, now: clock.now() }
        return { body: { data: presentReportDetail(await dismissReport(tx, decision)) } }
      }),
  })

  app.post('/admin/jobs/:id/restore', {
    config: {
      access: { kinds: ['admin'], scope: 'admin:write', staff: 'moderator' },
      guard: async ({ params }: ResourceRequest) => found(await database.read((db) => findJob(db, params.id))),
    },
    schema: {
      operationId: 'restoreJob',
      summary: 'Restore a removed job',
      params: JobParams,
      body: Strict({}),
      response: { 200: Envelope(Ref(JobCreateSchema)) },
    },
    handler: async ({ actor, params }, reply) =>
      answerPost(reply, database, async (tx) => {
        const now = clock.now()
        const row = await restoreReportedJob(tx, { settings, actor, id: params.id, now })
        return { body: { data: presentJobCreateForm(row, { origin: settings.origin, now }) } }
      }),
  })
}
