import { Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { idPattern } from '../../lib/ids.ts'
import { Envelope, Ref, Strict } from '../../lib/schema.ts'
import type { Actor } from '../../lib/scopes.ts'
import type { Clock } from '../../lib/time.ts'
import { JobStatisticsSchema } from './job-statistics.schemas.ts'
import { getJobStatistics } from './job-statistics.service.ts'

export interface JobStatisticsDeps {
  database: Database
  clock: Clock
}

export function registerJobStatistics(app: App, { database, clock }: JobStatisticsDeps): void {
  const get = (actor: Actor, id: string) => database.read((db) => getJobStatistics(db, actor, id, clock.now()))

  app.get(
    '/employers/jobs/:id/statistics',
    {
      config: {
        access: { kinds: ['employer', 'admin'], scope: 'jobs:read' },
        guard: (request) => get(request.actor, (request.params as { id: string }).id),
      },
      schema: {
        operationId: 'getJobStatistics',
        tags: ['Employers'],
        summary: "Get the daily views, saves and applications of one of the employer's jobs",
        params: Strict({ id: Type.String({ pattern: idPattern('job') }) }),
        response: { 200: Envelope(Ref(JobStatisticsSchema)) },
      },
    },
    async (request) => ({ data: (await get(request.actor, request.params.id)).statistics }),
  )
}
