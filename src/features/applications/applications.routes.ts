import type { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import type { Tx } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { answerPost, answerPostInStatement } from '../../http/idempotency.ts'
import { prefersToJson } from '../../http/negotiation.ts'
import { problems } from '../../http/openapi.ts'
import { problemDocument } from '../../http/problem.ts'
import { AppError } from '../../lib/errors.ts'
import { Envelope, Id, Ref, Strict } from '../../lib/schema.ts'
import { ownerOf } from '../../lib/scopes.ts'
import { CSV, sendCsv } from '../../lists/csv.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import { getVisibleJob } from '../jobs/index.ts'
import { exportApplications } from './applications.csv.ts'
import { presentApplication, presentApplicationListItem, presentEmployerApplication } from './applications.present.ts'
import { listApplications, listEmployerApplications } from './applications.queries.ts'
import {
  ApplicationListSchema,
  ApplicationReceiptSchema,
  ApplicationSchema,
  type ApplicationStatus,
  ApplyBody,
  applicationList,
  EmployerApplicationBody,
  EmployerApplicationSchema,
  employerApplicationList,
  MoveApplicationsBody,
  MoveResultSchema,
  WithdrawBody,
} from './applications.schemas.ts'
import {
  applyToJob,
  emailsOf,
  getApplication,
  getEmployerApplication,
  invalidTransition,
  type MoveResult,
  moveApplications,
  updateApplication,
  withdrawApplication,
} from './applications.service.ts'

export const JobParams = Strict({ id: Id('job') })
export const ApplicationParams = Strict({ id: Id('application') })
const ApplicationPage = ListEnvelope(Ref(EmployerApplicationSchema))

export const idOf = ({ params }: { params: unknown }) => (params as { id: string }).id

export function registerApplications(app: App, kit: Kit): void {
  registerOwnApplications(app, kit)
  registerReceivedApplications(app, kit)
}

function registerOwnApplications(app: App, { database, reads, clock, settings, budgets }: Kit): void {
  const { origin } = settings
  const reading = { kinds: ['candidate'], scope: 'applications:read' } as const
  const writing = { kinds: ['candidate'], scope: 'applications:write' } as const
  const getOwn = ({ actor, params }: ResourceRequest) =>
    reads.read((db) => getApplication(db, actor.accountId, params.id))

  app.post('/candidates/jobs/:id/apply', {
    config: {
      access: writing,
      limit: 'applications',
      guard: ({ actor, params }: ResourceRequest) => database.read((db) => getVisibleJob(db, params.id, actor)),
    },
    attachValidation: true,
    schema: {
      operationId: 'applyToJob',
      summary: 'Apply to a job on the board',
      params: JobParams,
      body: ApplyBody,
      response: { 201: Envelope(Ref(ApplicationReceiptSchema)) },
    },
    handler: async ({ actor, params, body, faults }, reply) => {
      const application = { candidateId: actor.accountId, jobId: params.id, body, faults }
      const work = async (tx: Tx) => {
        const data = await applyToJob(tx, { ...application, now: clock.now() })
        return { headers: { location: `/v1/candidates/applications/${data.id}` }, body: { data } }
      }
      return budgets.spend('emails', actor.accountId, 1, () => answerPostInStatement(reply, database, work))
    },
  })

  app.get('/candidates/applications', {
    config: { access: reading },
    schema: {
      operationId: 'listApplications',
      summary: "List the calling candidate's applications",
      querystring: ListQuerystring(applicationList),
      response: { 200: ListEnvelope(Ref(ApplicationListSchema)) },
    },
    handler: async ({ actor, query }, reply) => {
      const page = await reads.read((db) => listApplications(db, actor.accountId, query))
      return presentList(reply, page, presentApplicationListItem)
    },
  })

  app.get('/candidates/applications/:id', {
    config: { access: reading, guard: getOwn },
    schema: {
      operationId: 'getApplication',
      summary: "Get one of the candidate's applications, with answers, resume and history",
      params: ApplicationParams,
      response: { 200: Envelope(Ref(ApplicationSchema)) },
    },
    handler: async (request) => ({ data: presentApplication(await getOwn(request), origin) }),
  })

  app.post('/candidates/applications/:id/withdraw', {
    config: { access: writing, guard: getOwn },
    schema: {
      operationId: 'withdrawApplication',
      summary: 'Withdraw an undecided application; the candidate can apply again',
      params: ApplicationParams,
      body: WithdrawBody,
      response: { 200: Envelope(Ref(ApplicationSchema)) },
    },
    handler: async ({ actor, params, body }, reply) => {
      const withdrawal = { candidateId: actor.accountId, id: params.id, reason: body.reason ?? null }
      return answerPost(reply, database, async (tx) => {
        const row = await withdrawApplication(tx, { ...withdrawal, now: clock.now() })
        return { body: { data: presentApplication(row, origin) } }
      })
    },
  })
}

function registerReceivedApplications(app: App, kit: Kit): void {
  const { database, reads, clock, settings, budgets } = kit
  const { origin } = settings
  const reading = { kinds: ['employer', 'admin'], scope: 'applications:read' } as const
  const writing = { kinds: ['employer', 'admin'], scope: 'applications:write' } as const
  const getReceived = ({ actor, params }: ResourceRequest) =>
    reads.read((db) => getEmployerApplication(db, actor, params.id))

  app.get('/employers/applications', {
    config: { access: reading, alternative: CSV },
    schema: {
      operationId: 'listEmployerApplications',
      summary: "List applications to the calling employer's jobs; admins see all applications",
      description:
        'With `Accept: text/csv`, returns all pages as one spreadsheet. An apostrophe precedes characters that would start a formula.',
      querystring: ListQuerystring(employerApplicationList),
      response: {
        200: Type.Unsafe<Static<typeof ApplicationPage> | Readable>({
          content: { 'application/json': { schema: ApplicationPage }, [CSV]: { schema: {} } },
        }),
      },
    },
    handler: async (request, reply) => {
      const owner = { employerId: ownerOf(request.actor) }
      const { query } = request
      reply.header('vary', `${reply.getHeader('vary')}, accept`)
      if (prefersToJson(CSV, request.headers.accept)) {
        const lines = exportApplications(reads, { owner, query, origin })
        return sendCsv(request, reply, 'applications.csv', lines)
      }
      const page = await reads.read((db) => listEmployerApplications(db, owner, query))
      return presentList(reply, page, (row) => presentEmployerApplication(row, origin))
    },
  })

  app.get('/employers/applications/:id', {
    config: { access: reading, guard: getReceived },
    schema: {
      operationId: 'getEmployerApplication',
      summary: "Get an application to one of the employer's jobs",
      params: ApplicationParams,
      response: { 200: Envelope(Ref(EmployerApplicationSchema)) },
    },
    handler: async (request) => ({ data: presentEmployerApplication(await getReceived(request), origin) }),
  })

  app.put('/employers/applications/:id', {
    config: { access: writing, guard: getReceived },
    attachValidation: true,
    schema: {
      operationId: 'updateApplicationStatus',
      summary: 'Change the status, rating or tags of an application',
      params: ApplicationParams,
      body: EmployerApplicationBody,
      response: { 200: Envelope(Ref(EmployerApplicationSchema)), ...problems(409) },
    },
    handler: async ({ actor, params, body, faults, precondition }) => {
      const change = { origin, actor, id: params.id, body, faults, precondition }
      const row = await budgets.spend('emails', actor.accountId, emailsOf(body, 1), () =>
        database.inTx((tx) => updateApplication(tx, { ...change, now: clock.now() })),
      )
      return { data: presentEmployerApplication(row, origin) }
    },
  })

  app.post('/employers/applications/bulk', {
    config: { access: writing },
    schema: {
      operationId: 'moveApplications',
      summary: 'Change the status of up to 100 applications, each independently of the others',
      body: MoveApplicationsBody,
      response: { 200: Envelope(Type.Array(Ref(MoveResultSchema))) },
    },
    handler: async ({ actor, body }, reply) => {
      const { ids, ...move } = body
      return budgets.spend('emails', actor.accountId, emailsOf(move, ids.length), () =>
        answerPost(reply, database, async (tx) => {
          const results = await moveApplications(tx, { actor, ids, move, now: clock.now() })
          return { body: { data: results.map((result) => presentMove(result, move.status)) } }
        }),
      )
    },
  })
}

function presentMove(result: MoveResult, status: ApplicationStatus) {
  const { id } = result
  if (result.outcome === 'moved' || result.outcome === 'unchanged') return { id, status }
  const error =
    result.outcome === 'refused' ? invalidTransition(result.state, result.allowed) : new AppError('not_found')
  const { instance: _, request_id: __, ...problem } = problemDocument(error, '', '')
  return { id, problem: problem as Static<typeof MoveResultSchema>['problem'] & object }
}
