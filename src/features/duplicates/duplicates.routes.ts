import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import { answerPost } from '../../http/idempotency.ts'
import { bodyFaultsOf } from '../../http/validation.ts'
import { Envelope, Ref, Strict } from '../../lib/schema.ts'
import type { Actor } from '../../lib/scopes.ts'
import type { Kit } from '../feature.ts'
import { assertMayChange, findJob, JobParams } from '../jobs/index.ts'
import { DuplicateDecisionBody, DuplicateSchema } from './duplicates.schemas.ts'
import { decideDuplicates, listCopies } from './duplicates.service.ts'

export function registerDuplicates(app: App, { database, clock }: Kit): void {
  const check = (actor: Actor, id: string) => database.read(async (db) => assertMayChange(await findJob(db, id), actor))

  app.get('/jobs/:id/duplicates', {
    config: {
      access: { kinds: ['employer', 'admin'], scope: 'jobs:read' },
      guard: (request) => check(request.actor, (request.params as { id: string }).id),
    },
    schema: {
      operationId: 'getJobDuplicates',
      tags: ['Jobs'],
      summary: 'Find the jobs on the board that are copies of a job',
      params: JobParams,
      response: { 200: Strict({ data: Type.Array(Ref(DuplicateSchema)) }) },
    },
    handler: async ({ actor, params }) => {
      await check(actor, params.id)
      return { data: await database.read((db) => listCopies(db, params.id, clock.now())) }
    },
  })

  app.post('/admin/duplicates', {
    config: { access: { kinds: ['admin'], scope: 'admin:write', staff: 'moderator' } },
    attachValidation: true,
    schema: {
      operationId: 'decideDuplicates',
      tags: ['Operator'],
      summary: 'Decide whether jobs are copies of each other',
      body: DuplicateDecisionBody,
      response: { 200: Envelope(DuplicateDecisionBody) },
    },
    handler: async (request, reply) => {
      const faults = bodyFaultsOf(request)
      const { actor, body } = request
      return answerPost(request, reply, database, async (tx) => {
        await decideDuplicates(tx, actor, body, { faults, now: clock.now() })
        return { status: 200, body: { data: body } }
      })
    },
  })
}
