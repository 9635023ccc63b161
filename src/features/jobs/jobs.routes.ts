import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Database, Reads, Tx } from '../../db/database.ts'
import type { SearchReads } from '../../db/search-reads.ts'
import type { App } from '../../http/app.ts'
import { preconditionOf, resourceTag } from '../../http/etag.ts'
import { answerPost, answerPostInStatement } from '../../http/idempotency.ts'
import { problems } from '../../http/openapi.ts'
import { sendReady, tellAge } from '../../http/representation.ts'
import { bodyFaultsOf } from '../../http/validation.ts'
import { idPattern } from '../../lib/ids.ts'
import { Envelope, Nullable, Ref, Strict, Text, Timestamp } from '../../lib/schema.ts'
import { ownerOf } from '../../lib/scopes.ts'
import type { Clock } from '../../lib/time.ts'
import type { ListQuery } from '../../lists/query.ts'
import {
  FacetsSchema,
  ListEnvelope,
  ListQuerystring,
  presentList,
  SearchMetaSchema,
  StaleMetaSchema,
} from '../../lists/routes.ts'
import { type Catalogue, withCounts } from '../catalogue/index.ts'
import { ChangeHorizon, getUpdatedUntil, sinceOf } from './jobs.changes.ts'
import type { BoardLists } from './jobs.lists.ts'
import { isActive, presentJobChange, presentJobCreateForm, presentJobDetail } from './jobs.present.ts'
import { type BareJobRow, findJob, type JobChangeRow, listJobChanges, listOwnJobs } from './jobs.queries.ts'
import {
  DeletedJobSchema,
  JobBody,
  JobCreateSchema,
  JobDetailSchema,
  JobListSchema,
  JobMergeBody,
  jobList,
  NamedCounts,
  OwnJobSchema,
  ownJobList,
} from './jobs.schemas.ts'
import {
  activateJob,
  assertMayChange,
  type ConsumePaidRun,
  closeJob,
  createJob,
  deleteJob,
  getVisibleJob,
  type JobSettings,
  type NoteView,
  readyForSearch,
  reopenJob,
  updateJob,
  type ViewedBy,
} from './jobs.service.ts'

export interface JobsDeps {
  database: Database
  reads: Reads
  clock: Clock
  cursorSecret: Uint8Array
  settings: JobSettings
  catalogue: Catalogue
  consumePaidRun: ConsumePaidRun
  lists: BoardLists
  searches: SearchReads
  noteView: NoteView
}

const JobParams = Strict({ id: Type.String({ pattern: idPattern('job') }) })
const tags = ['Jobs']

export function registerJobs(app: App, deps: JobsDeps): void {
  const { database, reads, clock, cursorSecret, settings, catalogue, consumePaidRun, lists, searches, noteView } = deps
  const horizon = new ChangeHorizon()
  // Creates the first mark, so that a mirror that starts soon after the server gets a horizon.
  app.addHook('onReady', async () => void (await horizon.find(database)))
  const note = ({ actor, method, headers }: Omit<ViewedBy, 'isPage'>, job: { id: string; employer_id: string }) =>
    noteView(job, { actor, isPage: false, method, headers })
  const presentForOwner = (row: BareJobRow) => ({
    data: presentJobCreateForm(row, { origin: settings.origin, now: clock.now() }),
  })
  /** Access of routes that change a job: its owner and admins. */
  const changing = {
    access: { kinds: ['employer', 'admin'], scope: 'jobs:write' },
    guard: async (request: FastifyRequest) => {
      const { id } = request.params as { id: string }
      assertMayChange(await database.read((db) => findJob(db, id)), request.actor)
    },
  } as const

  app.get(
    '/jobs',
    {
      config: { access: { scope: 'jobs:read' }, charges: ['search-time'], ready: (url) => lists.ready(url) },
      schema: {
        operationId: 'listJobs',
        tags,
        summary: 'List the jobs on the board',
        querystring: ListQuerystring(jobList),
        response: {
          200: ListEnvelope(Type.Union([Ref(JobListSchema), Ref(DeletedJobSchema)]), {
            facets: Type.Optional(FacetsSchema),
            search: Type.Optional(SearchMetaSchema),
            stale: Type.Optional(StaleMetaSchema),
            updated_until: Type.Optional(
              Nullable(Timestamp('With updated_since: the value to send next time. Null on all pages but the first.')),
            ),
          }),
        },
      },
    },
    async (request, reply) => {
      if (sinceOf(request.query as ListQuery)) {
        const now = clock.now()
        const updatedUntil = await getUpdatedUntil(database, horizon, request.query as ListQuery, now)
        const page = await searches.read(request.chargedTo, (db) =>
          listJobChanges(db, request.query, now, cursorSecret),
        )
        const present = (row: JobChangeRow) => presentJobChange(row, settings.origin)
        const { data, meta } = presentList(request, reply, page, present)
        return { data, meta: { ...meta, updated_until: updatedUntil?.toISOString() ?? null } }
      }
      return sendReady(request, reply, await lists.list(request.raw.url!, request.query, request.chargedTo))
    },
  )

  for (const [path, operationId, name, facet, offered] of [
    ['/jobs/categories', 'listJobCategories', 'category', 'category', 'categories'],
    ['/jobs/types', 'listJobTypes', 'type', 'job_type', 'types'],
  ] as const) {
    app.get(
      path,
      {
        config: { access: { scope: 'jobs:read' } },
        schema: {
          operationId,
          tags,
          summary: `List every ${name} with its number of jobs on the board`,
          response: { 200: NamedCounts },
        },
      },
      async (_request, reply) => {
        const counts = await lists.countBy(facet)
        tellAge(reply, lists.staleSinceMs)
        return { data: withCounts(catalogue[offered], counts) }
      },
    )
  }

  app.get(
    '/jobs/:id',
    {
      config: {
        access: { scope: 'jobs:read' },
        guard: async (request) => {
          const { id } = request.params as { id: string }
          await reads.read((db) => getVisibleJob(db, id, request.actor))
        },
        ready: (url) => {
          const id = url.slice(url.lastIndexOf('/') + 1)
          const form = lists.readyDetail(id)
          return (
            form && { body: form.bytes, etag: form.etag, note: (by) => note(by, { id, employer_id: form.employerId }) }
          )
        },
      },
      schema: {
        operationId: 'getJob',
        tags,
        summary: 'Get a job, even after it left the board',
        params: JobParams,
        response: { 200: Envelope(Ref(JobDetailSchema)) },
      },
    },
    async (request, reply) => {
      const { actor, params } = request
      const { bytes, etag } = await lists.detail(params.id, async () => {
        const row = await reads.read((db) => getVisibleJob(db, params.id, actor))
        if (isActive(row, clock.now())) note(request, row)
        return {
          number: row.number,
          employer_id: row.employer_id,
          detail: presentJobDetail(row, { origin: settings.origin, now: clock.now() }),
        }
      })
      return sendReady(request, reply, { body: bytes, etag, staleSinceMs: lists.staleSinceMs })
    },
  )

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
        const row = await createJob(tx, settings, request.actor, request.body, faults, clock.now())
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
        updateJob(tx, settings, actor, params.id, body, faults, precondition, now),
      )
      // GET returns a different representation, so the ETag is the one of GET.
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
      await database.inTx((tx) => deleteJob(tx, settings, actor, params.id, precondition, clock.now()))
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
        body: presentForOwner(await activateJob(tx, settings, consumePaidRun, actor, params.id, clock.now())),
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
        body: presentForOwner(await closeJob(tx, settings, actor, params.id, body.reason ?? null, clock.now())),
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
        body: presentForOwner(await reopenJob(tx, settings, actor, params.id, clock.now())),
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
        listOwnJobs(db, employerId, request.query, now, cursorSecret),
      )
      return presentList(request, reply, page, (row) => ({
        ...presentJobCreateForm(row, { origin: settings.origin, now }),
        application_count: row.application_count,
      }))
    },
  )
}
