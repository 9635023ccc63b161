import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { answerPost } from '../../http/idempotency.ts'
import { Envelope, Ref } from '../../lib/schema.ts'
import type { Kit } from '../feature.ts'
import { getVisibleJob } from '../jobs/index.ts'
import { presentDraft } from './application-drafts.present.ts'
import { ApplicationDraftSchema } from './application-drafts.schemas.ts'
import { draftApplication } from './application-drafts.service.ts'
import { JobParams } from './applications.routes.ts'
import { ApplyBody } from './applications.schemas.ts'

export function registerDrafts(app: App, { database, clock, settings }: Kit): void {
  app.post('/candidates/jobs/:id/draft', {
    config: {
      access: { kinds: ['candidate'], scope: 'applications:write' },
      limit: 'applications',
      guard: ({ actor, params }: ResourceRequest) => database.read((db) => getVisibleJob(db, params.id, actor)),
    },
    attachValidation: true,
    schema: {
      operationId: 'draftApplication',
      summary: 'Draft an application for the candidate to send on the website within 24 hours',
      params: JobParams,
      body: ApplyBody,
      response: { 201: Envelope(Ref(ApplicationDraftSchema)) },
    },
    handler: async ({ actor, params, body, faults }, reply) =>
      answerPost(reply, database, async (tx) => {
        const application = { candidateId: actor.accountId, jobId: params.id, body, faults, now: clock.now() }
        const data = presentDraft(await draftApplication(tx, application), settings.origin)
        return { headers: { location: data.url }, body: { data } }
      }),
  })
}
