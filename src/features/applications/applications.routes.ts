import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Database, Reads, Tx } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { preconditionOf } from '../../http/etag.ts'
import { answerPost, answerPostInStatement } from '../../http/idempotency.ts'
import { problems } from '../../http/openapi.ts'
import { bodyFaultsOf } from '../../http/validation.ts'
import type { Budgets } from '../../lib/budgets.ts'
import { idPattern } from '../../lib/ids.ts'
import { Envelope, Ref, Strict } from '../../lib/schema.ts'
import { ownerOf } from '../../lib/scopes.ts'
import type { Clock } from '../../lib/time.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import { getVisibleJob } from '../jobs/index.ts'
import { presentApplication, presentApplicationListItem, presentEmployerApplication } from './applications.present.ts'
import { listApplications, listEmployerApplications } from './applications.queries.ts'
import {
  ApplicationListSchema,
  ApplicationReceiptSchema,
  ApplicationSchema,
  ApplyBody,
  applicationList,
  EmployerApplicationBody,
  EmployerApplicationSchema,
  employerApplicationList,
  WithdrawBody,
} from './applications.schemas.ts'
import {
  applyToJob,
  getApplication,
  getEmployerApplication,
  updateApplicationStatus,
  withdrawApplication,
} from './applications.service.ts'

export interface ApplicationsDeps {
  database: Database
  reads: Reads
  clock: Clock
  cursorSecret: Uint8Array
  settings: {
    /** Public origin. */
    origin: string
  }
  budgets: Budgets
}

const JobParams = Strict({ id: Type.String({ pattern: idPattern('job') }) })
const ApplicationParams = Strict({ id: Type.String({ pattern: idPattern('application') }) })
const tags = ['Applications']

const idOf = (request: FastifyRequest) => (request.params as { id: string }).id

export function registerApplications(app: App, deps: ApplicationsDeps): void {
  registerApply(app, deps)
  registerCandidateApplications(app, deps)
  registerEmployerApplications(app, deps)
}

function registerApply(app: App, { database, clock, budgets }: ApplicationsDeps): void {
  app.post(
    '/candidates/jobs/:id/apply',
    {
      config: {
        access: { kinds: ['candidate'], scope: 'applications:write' },
        limit: 'applications',
        guard: (request) => database.read((db) => getVisibleJob(db, idOf(request), request.actor)),
      },
      attachValidation: true,
      schema: {
        operationId: 'applyToJob',
        tags,
        summary: 'Apply to a job on the board',
        params: JobParams,
        body: ApplyBody,
        response: { 201: Envelope(Ref(ApplicationReceiptSchema)), ...problems(409) },
      },
    },
    async (request, reply) => {
      const faults = bodyFaultsOf(request)
      const { actor, params, body } = request
      const work = async (tx: Tx) => {
        const data = await applyToJob(tx, {
          candidateId: actor.accountId,
          jobId: params.id,
          body,
          faults,
          now: clock.now(),
        })
        return { status: 201, headers: { location: `/v1/candidates/applications/${data.id}` }, body: { data } }
      }
      return budgets.spend('emails', actor.accountId, 1, () => answerPostInStatement(request, reply, database, work))
    },
  )
}

function registerCandidateApplications(
  app: App,
  { database, reads, clock, cursorSecret, settings }: ApplicationsDeps,
): void {
  const { origin } = settings
  const ownGuard = (request: FastifyRequest) =>
    reads.read((db) => getApplication(db, request.actor.accountId, idOf(request)))

  app.get(
    '/candidates/applications',
    {
      config: { access: { kinds: ['candidate'], scope: 'applications:read' } },
      schema: {
        operationId: 'listApplications',
        tags,
        summary: "List the calling candidate's applications",
        querystring: ListQuerystring(applicationList),
        response: { 200: ListEnvelope(Ref(ApplicationListSchema)) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.actor
      const page = await reads.read((db) => listApplications(db, accountId, request.query, cursorSecret))
      return presentList(request, reply, page, presentApplicationListItem)
    },
  )

  app.get(
    '/candidates/applications/:id',
    {
      config: { access: { kinds: ['candidate'], scope: 'applications:read' }, guard: ownGuard },
      schema: {
        operationId: 'getApplication',
        tags,
        summary: "Get one of the candidate's applications, with answers, resume and history",
        params: ApplicationParams,
        response: { 200: Envelope(Ref(ApplicationSchema)) },
      },
    },
    async (request) => ({ data: presentApplication(await ownGuard(request), origin) }),
  )

  app.post(
    '/candidates/applications/:id/withdraw',
    {
      config: { access: { kinds: ['candidate'], scope: 'applications:write' }, guard: ownGuard },
      schema: {
        operationId: 'withdrawApplication',
        tags,
        summary: 'Withdraw an undecided application; the candidate can apply again',
        params: ApplicationParams,
        body: WithdrawBody,
        response: { 200: Envelope(Ref(ApplicationSchema)), ...problems(409) },
      },
    },
    async (request, reply) => {
      const { actor, params, body } = request
      return answerPost(request, reply, database, async (tx) => {
        const row = await withdrawApplication(tx, {
          candidateId: actor.accountId,
          id: params.id,
          reason: body.reason ?? null,
          now: clock.now(),
        })
        return { body: { data: presentApplication(row, origin) } }
      })
    },
  )
}

function registerEmployerApplications(
  app: App,
  { database, reads, clock, cursorSecret, settings, budgets }: ApplicationsDeps,
): void {
  const { origin } = settings
  const employerGuard = (request: FastifyRequest) =>
    reads.read((db) => getEmployerApplication(db, request.actor, idOf(request)))

  app.get(
    '/employers/applications',
    {
      config: { access: { kinds: ['employer', 'admin'], scope: 'applications:read' } },
      schema: {
        operationId: 'listEmployerApplications',
        tags,
        summary: "List applications to the calling employer's jobs; operators see all",
        querystring: ListQuerystring(employerApplicationList),
        response: { 200: ListEnvelope(Ref(EmployerApplicationSchema)) },
      },
    },
    async (request, reply) => {
      const owner = ownerOf(request.actor)
      const page = await reads.read((db) => listEmployerApplications(db, owner, request.query, cursorSecret))
      return presentList(request, reply, page, (row) => presentEmployerApplication(row, origin))
    },
  )

  app.get(
    '/employers/applications/:id',
    {
      config: { access: { kinds: ['employer', 'admin'], scope: 'applications:read' }, guard: employerGuard },
      schema: {
        operationId: 'getEmployerApplication',
        tags,
        summary: "Get an application to one of the employer's jobs",
        params: ApplicationParams,
        response: { 200: Envelope(Ref(EmployerApplicationSchema)) },
      },
    },
    async (request) => ({ data: presentEmployerApplication(await employerGuard(request), origin) }),
  )

  app.put(
    '/employers/applications/:id',
    {
      config: { access: { kinds: ['employer', 'admin'], scope: 'applications:write' }, guard: employerGuard },
      attachValidation: true,
      schema: {
        operationId: 'updateApplicationStatus',
        tags,
        summary: 'Change the status of an application',
        params: ApplicationParams,
        body: EmployerApplicationBody,
        response: { 200: Envelope(Ref(EmployerApplicationSchema)), ...problems(409) },
      },
    },
    async (request) => {
      const faults = bodyFaultsOf(request)
      const { actor, params, body } = request
      const row = await budgets.spend('emails', actor.accountId, 1, () =>
        database.inTx((tx) =>
          updateApplicationStatus(tx, {
            origin,
            actor,
            id: params.id,
            body,
            faults,
            precondition: preconditionOf(request),
            now: clock.now(),
          }),
        ),
      )
      return { data: presentEmployerApplication(row, origin) }
    },
  )
}
