import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { answerPost } from '../../http/idempotency.ts'
import { Envelope, Ref, Strict } from '../../lib/schema.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import { assertMayChange, findJob, JobParams } from '../jobs/index.ts'
import { presentDecision } from './duplicates.present.ts'
import { DuplicateDecisionBody, DuplicateDecisionSchema, DuplicateSchema, decisionList } from './duplicates.schemas.ts'
import { decideDuplicates, listCopies, listNamedDecisions } from './duplicates.service.ts'

export function registerDuplicates(app: App, { database, reads, clock }: Kit): void {
  const guard = ({ actor, params }: ResourceRequest) =>
    database.read(async (db) => assertMayChange(await findJob(db, params.id), actor))

  app.get('/jobs/:id/duplicates', {
    config: { access: { kinds: ['employer', 'admin'], scope: 'jobs:read' }, guard },
    schema: {
      operationId: 'getJobDuplicates',
      summary: 'Find the jobs on the board that are copies of a job',
      params: JobParams,
      response: { 200: Strict({ data: Type.Array(Ref(DuplicateSchema)) }) },
    },
    handler: async ({ actor, params }) => {
      await guard({ actor, params })
      return { data: await database.read((db) => listCopies(db, params.id, clock.now())) }
    },
  })

  app.get('/admin/duplicates', {
    config: { access: { kinds: ['admin'], scope: 'admin:read', staff: 'moderator' } },
    schema: {
      operationId: 'listDuplicateDecisions',
      summary: 'List the decisions about copies',
      querystring: ListQuerystring(decisionList),
      response: { 200: ListEnvelope(Ref(DuplicateDecisionSchema)) },
    },
    handler: async ({ query }, reply) =>
      presentList(reply, await reads.read((db) => listNamedDecisions(db, query)), presentDecision),
  })

  app.post('/admin/duplicates', {
    config: { access: { kinds: ['admin'], scope: 'admin:write', staff: 'moderator' } },
    attachValidation: true,
    schema: {
      operationId: 'decideDuplicates',
      summary: 'Decide whether jobs are copies of each other',
      body: DuplicateDecisionBody,
      response: { 200: Envelope(DuplicateDecisionBody) },
    },
    handler: async ({ actor, body, faults }, reply) =>
      answerPost(reply, database, async (tx) => {
        await decideDuplicates(tx, actor, body, { faults, now: clock.now() })
        return { body: { data: body } }
      }),
  })
}
