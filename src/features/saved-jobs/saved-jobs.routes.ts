import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { answerPost } from '../../http/idempotency.ts'
import { Envelope, NoContent, Ref, Strict } from '../../lib/schema.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import { getVisibleJob, JobParams } from '../jobs/index.ts'
import { deleteSavedJob, listSavedJobs } from './saved-jobs.queries.ts'
import { SavedJobSchema, savedJobList } from './saved-jobs.schemas.ts'
import { presentSavedJob, saveJob } from './saved-jobs.service.ts'

export function registerSavedJobs(app: App, { database, reads, clock, settings }: Kit): void {
  app.post('/candidates/jobs/:id/save', {
    config: {
      access: { kinds: ['candidate'], scope: 'applications:write' },
      guard: ({ actor, params }: ResourceRequest) => database.read((db) => getVisibleJob(db, params.id, actor)),
    },
    schema: {
      operationId: 'saveJob',
      summary: 'Save a job; 200 if it is already saved',
      params: JobParams,
      body: Strict({}),
      response: { 200: Envelope(Ref(SavedJobSchema)), 201: Envelope(Ref(SavedJobSchema)) },
    },
    handler: async ({ actor, params }, reply) => {
      const now = clock.now()
      return answerPost(reply, database, async (tx) => {
        const { row, isNew } = await saveJob(tx, actor, params.id, now)
        const body = { data: presentSavedJob(row, { ...settings, now }) }
        return isNew ? { status: 201, headers: { location: '/v1/candidates/jobs/saved' }, body } : { body }
      })
    },
  })

  app.delete('/candidates/jobs/:id/save', {
    config: { access: { kinds: ['candidate'], scope: 'applications:write' } },
    schema: {
      operationId: 'unsaveJob',
      summary: 'Unsave a job; succeeds even if the job was not saved',
      params: JobParams,
      response: { 204: NoContent },
    },
    handler: async ({ actor, params, precondition }) => {
      // A saved job has no ETag to compare.
      precondition(undefined)
      await database.inStatement((tx) => deleteSavedJob(tx, actor.accountId, params.id))
    },
  })

  app.get('/candidates/jobs/saved', {
    config: { access: { kinds: ['candidate'], scope: 'applications:read' } },
    schema: {
      operationId: 'listSavedJobs',
      summary: "List the calling candidate's saved jobs, newest first",
      querystring: ListQuerystring(savedJobList),
      response: { 200: ListEnvelope(Ref(SavedJobSchema)) },
    },
    handler: async ({ actor, query }, reply) => {
      const now = clock.now()
      const page = await reads.read((db) => listSavedJobs(db, actor.accountId, query))
      return presentList(reply, page, (row) => presentSavedJob(row, { ...settings, now }))
    },
  })
}
