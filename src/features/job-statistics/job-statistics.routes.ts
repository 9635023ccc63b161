import type { App } from '../../http/app.ts'
import { Envelope, Ref } from '../../lib/schema.ts'
import type { Actor } from '../../lib/scopes.ts'
import type { Kit } from '../feature.ts'
import { JobParams } from '../jobs/index.ts'
import { JobStatisticsSchema } from './job-statistics.schemas.ts'
import { getJobStatistics } from './job-statistics.service.ts'

export function registerJobStatistics(app: App, { database, clock }: Kit): void {
  const get = (actor: Actor, id: string) => database.read((db) => getJobStatistics(db, actor, id, clock.now()))

  app.get('/employers/jobs/:id/statistics', {
    config: {
      access: { kinds: ['employer', 'admin'], scope: 'jobs:read' },
      guard: (request) => get(request.actor, (request.params as { id: string }).id),
    },
    schema: {
      operationId: 'getJobStatistics',
      summary: "Get a job's daily views, saves and applications",
      params: JobParams,
      response: { 200: Envelope(Ref(JobStatisticsSchema)) },
    },
    handler: async (request) => ({ data: (await get(request.actor, request.params.id)).statistics }),
  })
}
