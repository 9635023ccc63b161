import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { sendReady, tellAge } from '../../http/representation.ts'
import { AppError } from '../../lib/errors.ts'
import { Envelope, Nullable, Ref, Timestamp } from '../../lib/schema.ts'
import { onlyEmployerOf } from '../../lib/scopes.ts'
import type { ListQuery } from '../../lists/query.ts'
import {
  FacetsSchema,
  ListEnvelope,
  ListQuerystring,
  presentList,
  SearchMetaSchema,
  StaleMetaSchema,
} from '../../lists/routes.ts'
import { withCounts } from '../catalogue/index.ts'
import type { Kit } from '../feature.ts'
import {
  ChangeHorizon,
  DeletedJobSchema,
  getUpdatedUntil,
  getVisibleJob,
  isActive,
  type JobChangeRow,
  JobDetailSchema,
  JobListSchema,
  JobParams,
  jobList,
  listJobChanges,
  NamedCounts,
  type NoteView,
  presentJobChange,
  presentJobDetail,
  sinceOf,
  type ViewedBy,
} from '../jobs/index.ts'

export function registerBoard(app: App, kit: Kit, noteView: NoteView): void {
  const { database, reads, clock, settings, lists, searches, catalogue, rates } = kit
  const horizon = new ChangeHorizon()
  const note = ({ actor, method, headers }: Omit<ViewedBy, 'isPage'>, job: { id: string; employer_id: string }) =>
    noteView(job, { actor, isPage: false, method, headers })

  // Finds the horizon early, so that mirrors receive `updated_until` soon after startup.
  app.addHook('onReady', async () => void (await horizon.find(database)))

  app.get('/jobs', {
    config: {
      access: { scope: 'jobs:read' },
      takesPublishable: true,
      charges: ['search-time'],
      ready: (url, actor) => lists.cached(url, onlyEmployerOf(actor)),
    },
    schema: {
      operationId: 'listJobs',
      summary: 'List the jobs on the board',
      querystring: ListQuerystring(jobList),
      response: {
        200: ListEnvelope(Type.Union([Ref(JobListSchema), Ref(DeletedJobSchema)]), {
          facets: Type.Optional(FacetsSchema),
          search: Type.Optional(SearchMetaSchema),
          stale: Type.Optional(StaleMetaSchema),
          updated_until: Type.Optional(
            Nullable(Timestamp('With updated_since: the value for the next sync. Null on all pages except the first.')),
          ),
        }),
      },
    },
    handler: async (request, reply) => {
      const onlyOf = onlyEmployerOf(request.actor)
      if (sinceOf(request.query as ListQuery)) {
        const now = clock.now()
        const updatedUntil = await getUpdatedUntil(database, horizon, request.query as ListQuery, now)
        const page = await searches.read(request.chargedTo, (db) =>
          listJobChanges(db, request.query, { now, exchange: rates.now, onlyOf }),
        )
        const present = (row: JobChangeRow) => presentJobChange(row, settings.origin)
        const { data, meta } = presentList(reply, page, present)
        return { data, meta: { ...meta, updated_until: updatedUntil?.toISOString() ?? null } }
      }
      return sendReady(request, reply, await lists.list(request.raw.url!, request.query, request.chargedTo, onlyOf))
    },
  })

  for (const [path, operationId, name, facet, offered] of [
    ['/jobs/categories', 'listJobCategories', 'category', 'category', 'categories'],
    ['/jobs/types', 'listJobTypes', 'job type', 'job_type', 'types'],
  ] as const) {
    app.get(path, {
      config: { access: { scope: 'jobs:read' }, takesPublishable: true },
      schema: {
        operationId,
        summary: `List every ${name} with its number of jobs on the board`,
        response: { 200: NamedCounts },
      },
      handler: async ({ actor }, reply) => {
        const counts = await lists.countBy(facet, onlyEmployerOf(actor))
        tellAge(reply, lists.staleSinceMs)
        return { data: withCounts(catalogue[offered], counts) }
      },
    })
  }

  app.get('/jobs/:id', {
    config: {
      access: { scope: 'jobs:read' },
      takesPublishable: true,
      guard: ({ actor, params }: ResourceRequest) => reads.read((db) => getVisibleJob(db, params.id, actor)),
      ready: (url, actor) => {
        const id = url.slice(url.lastIndexOf('/') + 1)
        const cached = lists.cachedDetail(id)
        if (cached === undefined) return undefined
        const { bytes, etag, employerId } = cached
        if ((onlyEmployerOf(actor) ?? employerId) !== employerId) return undefined
        return { body: bytes, etag, note: (by) => note(by, { id, employer_id: employerId }) }
      },
    },
    schema: {
      operationId: 'getJob',
      summary: 'Get a job, even if it is closed or expired',
      params: JobParams,
      response: { 200: Envelope(Ref(JobDetailSchema)) },
    },
    handler: async (request, reply) => {
      const { actor, params } = request
      const { bytes, etag, employerId } = await lists.detail(params.id, async () => {
        const row = await reads.read((db) => getVisibleJob(db, params.id, actor))
        const is_active = isActive(row, clock.now())
        if (is_active) note(request, row)
        return {
          number: row.number,
          is_active,
          employer_id: row.employer_id,
          detail: presentJobDetail(row, { origin: settings.origin, now: clock.now() }),
        }
      })
      // While the database is unavailable, the cached detail may be another employer's.
      if ((onlyEmployerOf(actor) ?? employerId) !== employerId) throw new AppError('not_found')
      return sendReady(request, reply, { body: bytes, etag, staleSinceMs: lists.staleSinceMs })
    },
  })
}
