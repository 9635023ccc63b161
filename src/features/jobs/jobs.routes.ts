import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Database, Tx } from '../../db/database.ts'
import type { SearchReads } from '../../db/search-reads.ts'
import type { App } from '../../http/app.ts'
import { preconditionOf, resourceTag } from '../../http/etag.ts'
import { answerPost, answerPostInStatement } from '../../http/idempotency.ts'
import { problems } from '../../http/openapi.ts'
import { bodyFaultsOf } from '../../http/validation.ts'
import { idPattern } from '../../lib/ids.ts'
import { Envelope, Nullable, Ref, Strict, Text } from '../../lib/schema.ts'
import { ownerOf } from '../../lib/scopes.ts'
import type { Clock } from '../../lib/time.ts'
import { ListEnvelope, ListQuerystring, presentList, SearchMetaSchema } from '../../lists/routes.ts'
import { presentJobCreateForm, presentJobDetail } from './jobs.present.ts'
import { type BareJobRow, findJob, listOwnJobs } from './jobs.queries.ts'
import { JobBody, JobCreateSchema, JobMergeBody, OwnJobSchema, ownJobList } from './jobs.schemas.ts'
import {
  activateJob,
  assertMayChange,
  type ConsumePaidRun,
  closeJob,
  createJob,
  deleteJob,
  type JobSettings,
  readyForSearch,
  reopenJob,
  updateJob,
} from './jobs.service.ts'

export interface JobsDeps {
  database: Database
  clock: Clock
  cursorSecret: Uint8Array
  settings: JobSettings
  consumePaidRun: ConsumePaidRun
  searches: SearchReads
}

const JobParams = Strict({ id: Type.String({ pattern: idPattern('job') }) })
const tags = ['Jobs']

export function registerJobs(app: App, deps: JobsDeps): void {
  const { database, clock, cursorSecret, settings, consumePaidRun, searches } = deps
  const presentForOwner = (row: BareJobRow) => ({
    data: presentJobCreateForm(row, { origin: settings.origin, now: clock.now() }),
  })
  /** Access to routes that change a job: only its owner and admins. */
  const changing = {
    access: { kinds: ['employer', 'admin'], scope: 'jobs:write' },
    guard: async (request: FastifyRequest) => {
      const { id } = request.params as { id: string }
      assertMayChange(await database.read((db) => findJob(db, id)), request.actor)
    },
  } as const

  app.post(
    '/jobs',
    {
      config: { access: { kinds: ['employer'], scope: 'jobs:write' } },
      attachValidation: true,
      schema: {
        operationId: 'createJob',
        tags,
        summary: 'Create a job, which is inactive until it is paid for and activated',
        body: JobBody,
        response: { 201: Envelope(Ref(JobCreateSchema)) },
      },
    },
    async (request, reply) => {
      const faults = bodyFaultsOf(request)
      const work = async (tx: Tx) => {
        const row = await createJob(tx, settings, request.actor, { body: request.body, faults, now: clock.now() })
        return { status: 201, headers: { location: `/v1/jobs/${row.id}` }, body: presentForOwner(row) }
      }
      return answerPostInStatement(request, reply, database, work)
    },
  )

  app.put(
    '/jobs/:id',
    {
      config: changing,
      attachValidation: true,
      schema: {
        operationId: 'updateJob',
        tags,
        summary: 'Change a job; absent members keep their values',
        params: JobParams,
        body: JobMergeBody,
        response: { 200: Envelope(Ref(JobCreateSchema)) },
      },
    },
    async (request, reply) => {
      const faults = bodyFaultsOf(request)
      const { actor, params, body } = request
      const precondition = preconditionOf(request)
      const now = clock.now()
      const row = await database.inTx((tx) =>
        updateJob(tx, settings, { actor, id: params.id, body, faults, precondition, now }),
      )
      // The ETag belongs to the detail representation, which GET returns instead of this response's representation.
      const tag = resourceTag(presentJobDetail(row, { origin: settings.origin, now }))
      return reply.header('etag', tag).send(presentForOwner(row))
    },
  )

  app.delete(
    '/jobs/:id',
    {
      config: changing,
      schema: {
        operationId: 'deleteJob',
        tags,
        summary: 'Delete a job',
        params: JobParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { actor, params } = request
      const precondition = preconditionOf(request)
      await database.inTx((tx) => deleteJob(tx, settings, { actor, id: params.id, now: clock.now() }, precondition))
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/jobs/:id/activate',
    {
      config: changing,
      schema: {
        operationId: 'activateJob',
        tags,
        summary: 'Put a paid job on the board',
        params: JobParams,
        body: Strict({}),
        response: { 200: Envelope(Ref(JobCreateSchema)), ...problems(402, 409) },
      },
    },
    async (request, reply) => {
      const { actor, params } = request
      return answerPost(request, reply, database, async (tx) => ({
        body: presentForOwner(
          await activateJob(tx, settings, consumePaidRun, { actor, id: params.id, now: clock.now() }),
        ),
      }))
    },
  )

  app.post(
    '/jobs/:id/close',
    {
      config: changing,
      schema: {
        operationId: 'closeJob',
        tags,
        summary: 'Close a job before it expires',
        params: JobParams,
        body: Strict({ reason: Type.Optional(Nullable(Text(1, 500))) }),
        response: { 200: Envelope(Ref(JobCreateSchema)), ...problems(409) },
      },
    },
    async (request, reply) => {
      const { actor, params, body } = request
      return answerPost(request, reply, database, async (tx) => ({
        body: presentForOwner(
          await closeJob(tx, settings, { actor, id: params.id, now: clock.now() }, body.reason ?? null),
        ),
      }))
    },
  )

  app.post(
    '/jobs/:id/reopen',
    {
      config: changing,
      schema: {
        operationId: 'reopenJob',
        tags,
        summary: 'Reopen a closed job until it expires',
        params: JobParams,
        body: Strict({}),
        response: { 200: Envelope(Ref(JobCreateSchema)), ...problems(409) },
      },
    },
    async (request, reply) => {
      const { actor, params } = request
      return answerPost(request, reply, database, async (tx) => ({
        body: presentForOwner(await reopenJob(tx, settings, { actor, id: params.id, now: clock.now() })),
      }))
    },
  )

  app.get(
    '/employers/jobs',
    {
      config: { access: { kinds: ['employer', 'admin'], scope: 'jobs:read' }, charges: ['search-time'] },
      schema: {
        operationId: 'listOwnJobs',
        tags: ['Employers'],
        summary: "List the calling employer's jobs in any state; operators see all",
        querystring: ListQuerystring(ownJobList),
        response: { 200: ListEnvelope(Ref(OwnJobSchema), { search: Type.Optional(SearchMetaSchema) }) },
      },
    },
    async (request, reply) => {
      const employerId = ownerOf(request.actor)
      const now = clock.now()
      await readyForSearch(database, employerId, request.query)
      const page = await searches.read(request.chargedTo, (db) =>
        listOwnJobs(db, employerId, request.query, { now, cursorSecret }),
      )
      return presentList(request, reply, page, (row) => ({
        ...presentJobCreateForm(row, { origin: settings.origin, now }),
        application_count: row.application_count,
      }))
    },
  )
}
