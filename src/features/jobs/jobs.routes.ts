import { Type } from 'typebox'
import type { Tx } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { resourceTag } from '../../http/etag.ts'
import { answerPost, answerPostInStatement } from '../../http/idempotency.ts'
import { problems } from '../../http/openapi.ts'
import { Envelope, NoContent, Ref, Strict } from '../../lib/schema.ts'
import { ownerOf } from '../../lib/scopes.ts'
import { ListEnvelope, ListQuerystring, presentList, SearchMetaSchema } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import { paidRunConsumer } from '../payments/index.ts'
import { assertMayChange } from './jobs.access.ts'
import { listOwnJobs } from './jobs.list-queries.ts'
import { presentJobCreateForm, presentJobDetail } from './jobs.present.ts'
import { type BareJobRow, findJob } from './jobs.queries.ts'
import { activateJob, closeJob, reopenJob } from './jobs.runs.ts'
import {
  CloseBody,
  JobBody,
  JobCreateSchema,
  JobMergeBody,
  JobParams,
  OwnJobSchema,
  ownJobList,
} from './jobs.schemas.ts'
import { createJob, deleteJob, updateJob } from './jobs.service.ts'
import { readyForSearch } from './jobs.words.ts'

export function registerJobs(app: App, { database, clock, settings, provider, searches, rates }: Kit): void {
  /** Restricts routes that change a job to its owner and admins. */
  const changing = {
    access: { kinds: ['employer', 'admin'], scope: 'jobs:write' },
    guard: async ({ actor, params }: ResourceRequest) =>
      assertMayChange(await database.read((db) => findJob(db, params.id)), actor),
  } as const
  const presentForOwner = (row: BareJobRow) => ({
    data: presentJobCreateForm(row, { ...settings, now: clock.now() }),
  })
  const consumePaidRun = paidRunConsumer(provider)

  app.post('/jobs', {
    config: { access: { kinds: ['employer'], scope: 'jobs:write' } },
    attachValidation: true,
    schema: {
      operationId: 'createJob',
      summary: 'Create a job, which is inactive until it is paid for and activated',
      body: JobBody,
      response: { 201: Envelope(Ref(JobCreateSchema)) },
    },
    handler: async ({ actor, body, faults }, reply) => {
      const work = async (tx: Tx) => {
        const row = await createJob(tx, settings, actor, { body, faults, now: clock.now() })
        return { headers: { location: `/v1/jobs/${row.id}` }, body: presentForOwner(row) }
      }
      return answerPostInStatement(reply, database, work)
    },
  })

  app.put('/jobs/:id', {
    config: changing,
    attachValidation: true,
    schema: {
      operationId: 'updateJob',
      summary: 'Change a job; absent fields keep their values',
      params: JobParams,
      body: JobMergeBody,
      response: { 200: Envelope(Ref(JobCreateSchema)), ...problems(409) },
    },
    handler: async ({ actor, params, body, faults, precondition }, reply) => {
      const now = clock.now()
      const row = await database.inTx((tx) =>
        updateJob(tx, settings, { actor, id: params.id, body, faults, precondition, now }),
      )
      // The ETag identifies the resource that GET returns, not this response.
      const tag = resourceTag(presentJobDetail(row, { ...settings, now }))
      return reply.header('etag', tag).send(presentForOwner(row))
    },
  })

  app.delete('/jobs/:id', {
    config: changing,
    schema: {
      operationId: 'deleteJob',
      summary: 'Delete a job',
      params: JobParams,
      response: { 204: NoContent, ...problems(409) },
    },
    handler: async ({ actor, params, precondition }) => {
      await database.inTx((tx) => deleteJob(tx, settings, { actor, id: params.id, now: clock.now() }, precondition))
    },
  })

  app.post('/jobs/:id/activate', {
    config: changing,
    schema: {
      operationId: 'activateJob',
      summary: 'Put a paid job on the board',
      params: JobParams,
      body: Strict({}),
      response: { 200: Envelope(Ref(JobCreateSchema)), ...problems(402) },
    },
    handler: async ({ actor, params }, reply) =>
      answerPost(reply, database, async (tx) => {
        const action = { actor, id: params.id, now: clock.now() }
        return { body: presentForOwner(await activateJob(tx, settings, consumePaidRun, action)) }
      }),
  })

  app.post('/jobs/:id/close', {
    config: changing,
    schema: {
      operationId: 'closeJob',
      summary: 'Close a job before it expires',
      params: JobParams,
      body: CloseBody,
      response: { 200: Envelope(Ref(JobCreateSchema)) },
    },
    handler: async ({ actor, params, body }, reply) =>
      answerPost(reply, database, async (tx) => {
        const action = { actor, id: params.id, now: clock.now() }
        return { body: presentForOwner(await closeJob(tx, settings, action, body.reason ?? null)) }
      }),
  })

  app.post('/jobs/:id/reopen', {
    config: changing,
    schema: {
      operationId: 'reopenJob',
      summary: 'Reopen a closed job until it expires',
      params: JobParams,
      body: Strict({}),
      response: { 200: Envelope(Ref(JobCreateSchema)) },
    },
    handler: async ({ actor, params }, reply) =>
      answerPost(reply, database, async (tx) => {
        const action = { actor, id: params.id, now: clock.now() }
        return { body: presentForOwner(await reopenJob(tx, settings, action)) }
      }),
  })

  app.get('/employers/jobs', {
    config: { access: { kinds: ['employer', 'admin'], scope: 'jobs:read' }, charges: ['search-time'] },
    schema: {
      operationId: 'listOwnJobs',
      tags: ['Employers'],
      summary: "List the calling employer's jobs in any state; admins see all jobs",
      querystring: ListQuerystring(ownJobList),
      response: { 200: ListEnvelope(Ref(OwnJobSchema), { search: Type.Optional(SearchMetaSchema) }) },
    },
    handler: async ({ actor, query, chargedTo }, reply) => {
      const employerId = ownerOf(actor)
      const now = clock.now()
      await readyForSearch(database, employerId, query)
      const page = await searches.read(chargedTo, (db) =>
        listOwnJobs(db, employerId, query, { now, exchange: rates.now }),
      )
      return presentList(reply, page, (row) => ({
        ...presentJobCreateForm(row, { ...settings, now }),
        application_count: row.application_count,
        source: row.source,
      }))
    },
  })
}
