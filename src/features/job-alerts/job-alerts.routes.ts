import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { resourceTag } from '../../http/etag.ts'
import { answerPost } from '../../http/idempotency.ts'
import { sendReady } from '../../http/representation.ts'
import { Envelope, NoContent, Ref } from '../../lib/schema.ts'
import type { RawQuery } from '../../lists/query.ts'
import { ListEnvelope, ListQuerystring, presentList, SearchMetaSchema } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import { JobListSchema } from '../jobs/index.ts'
import { parseMatchQuery } from './job-alerts.criteria.ts'
import { presentAlert } from './job-alerts.present.ts'
import { listAlerts } from './job-alerts.queries.ts'
import {
  AlertParams,
  JobAlertBody,
  JobAlertMergeBody,
  JobAlertSchema,
  jobAlertList,
  matchListWithoutFilters,
} from './job-alerts.schemas.ts'
import { createJobAlert, deleteJobAlert, getJobAlert, updateJobAlert } from './job-alerts.service.ts'

const reading = { access: { kinds: ['candidate'], scope: 'alerts:read' } } as const
const writing = { access: { kinds: ['candidate'], scope: 'alerts:write' } } as const

export function registerJobAlerts(app: App, { database, reads, clock, cursorSecret, lists }: Kit): void {
  const getAlert = ({ actor, params }: ResourceRequest) =>
    reads.read((db) => getJobAlert(db, actor.accountId, params.id))
  /** Unparsed queries for matches. Parsing them requires the alert's criteria. */
  const sentQueries = new WeakMap<FastifyRequest, RawQuery>()

  app.post('/candidates/job-alerts', {
    config: writing,
    attachValidation: true,
    schema: {
      operationId: 'createJobAlert',
      summary: 'Create a job alert',
      body: JobAlertBody,
      response: { 201: Envelope(Ref(JobAlertSchema)) },
    },
    handler: async ({ actor, body, faults }, reply) =>
      answerPost(reply, database, async (tx) => {
        const created = { candidateId: actor.accountId, body, faults, now: clock.now() }
        const alert = presentAlert(await createJobAlert(tx, created))
        const headers = { location: `/v1/candidates/job-alerts/${alert.id}`, etag: resourceTag(alert) }
        return { headers, body: { data: alert } }
      }),
  })

  app.get('/candidates/job-alerts', {
    config: reading,
    schema: {
      operationId: 'listJobAlerts',
      summary: "List the calling candidate's job alerts",
      querystring: ListQuerystring(jobAlertList),
      response: { 200: ListEnvelope(Ref(JobAlertSchema)) },
    },
    handler: async ({ actor, query }, reply) =>
      presentList(reply, await reads.read((db) => listAlerts(db, actor.accountId, query)), presentAlert),
  })

  app.get('/candidates/job-alerts/:id', {
    config: { ...reading, guard: getAlert },
    schema: {
      operationId: 'getJobAlert',
      summary: 'Get a job alert',
      params: AlertParams,
      response: { 200: Envelope(Ref(JobAlertSchema)) },
    },
    handler: async (request) => ({ data: presentAlert(await getAlert(request)) }),
  })

  app.put('/candidates/job-alerts/:id', {
    config: { ...writing, guard: getAlert },
    attachValidation: true,
    schema: {
      operationId: 'updateJobAlert',
      summary: 'Change a job alert; absent fields keep their values, but criteria are replaced entirely',
      params: AlertParams,
      body: JobAlertMergeBody,
      response: { 200: Envelope(Ref(JobAlertSchema)) },
    },
    handler: async ({ actor, params, body, faults, precondition }) => {
      const change = { candidateId: actor.accountId, id: params.id, body, faults, precondition, now: clock.now() }
      return { data: presentAlert(await database.inTx((tx) => updateJobAlert(tx, change))) }
    },
  })

  app.delete('/candidates/job-alerts/:id', {
    config: { ...writing, guard: getAlert },
    schema: {
      operationId: 'deleteJobAlert',
      summary: 'Delete a job alert',
      params: AlertParams,
      response: { 204: NoContent },
    },
    handler: async ({ actor, params, precondition }) => {
      await database.inTx((tx) => deleteJobAlert(tx, actor.accountId, params.id, precondition))
    },
  })

  app.get('/candidates/job-alerts/:id/matches', {
    config: { ...reading, guard: getAlert, charges: ['search-time'] },
    preValidation: async (request) => {
      sentQueries.set(request, request.query as unknown as RawQuery)
      request.query = {} as typeof request.query
    },
    schema: {
      operationId: 'listJobAlertMatches',
      summary: 'List the jobs on the board that match an alert',
      description: "`filters_applied` contains the alert's criteria.",
      params: AlertParams,
      querystring: ListQuerystring(matchListWithoutFilters),
      response: { 200: ListEnvelope(Ref(JobListSchema), { search: Type.Optional(SearchMetaSchema) }) },
    },
    handler: async (request, reply) => {
      const { criteria } = await getAlert(request)
      const query = parseMatchQuery(sentQueries.get(request)!, criteria, cursorSecret)
      request.query = query as typeof request.query
      return sendReady(request, reply, await lists.answer(request.raw.url!, query, request.chargedTo))
    },
  })
}
