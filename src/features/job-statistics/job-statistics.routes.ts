import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { Envelope, Ref } from '../../lib/schema.ts'
import type { Kit } from '../feature.ts'
import { JobParams } from '../jobs/index.ts'
import { JobStatisticsSchema } from './job-statistics.schemas.ts'
import { getJobStatistics } from './job-statistics.service.ts'

export function registerJobStatistics(app: App, { database, clock }: Kit): void {
  const get = ({ actor, params }: ResourceRequest) =>
    database.read((db) => getJobStatistics(db, actor, params.id, clock.now()))

  app.get('/employers/jobs/:id/statistics', {
    config: { access: { kinds: ['employer', 'admin'], scope: 'jobs:read' }, guard: get },
    schema: {
      operationId: 'getJobStatistics',
      summary: "Get a job's daily views, saves and applications",
      params: JobParams,
      response: { 200: Envelope(Ref(JobStatisticsSchema)) },
    },
    handler: async (request) => ({ data: (await get(request)).statistics }),
  })
}
