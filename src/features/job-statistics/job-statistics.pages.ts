/** The statistics of a job in the employer dashboard. */
import { Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { idPattern } from '../../lib/ids.ts'
import { Strict } from '../../lib/schema.ts'
import type { Clock } from '../../lib/time.ts'
import { showPage, signedIn } from '../../pages/page.ts'
import { jobState } from '../jobs/index.ts'
import { getJobStatistics } from './job-statistics.service.ts'
import { renderJobStatistics } from './job-statistics.views.ts'

export interface JobStatisticsPagesDeps {
  database: Database
  clock: Clock
}

export function registerJobStatisticsPages(pages: App, { database, clock }: JobStatisticsPagesDeps): void {
  pages.get(
    '/employer/jobs/:id/statistics',
    {
      config: { access: { kinds: ['employer'], scope: 'jobs:read' } },
      schema: { params: Strict({ id: Type.String({ pattern: idPattern('job') }) }) },
    },
    async (request, reply) => {
      const now = clock.now()
      const actor = signedIn(request)
      const { job, statistics } = await database.read((db) => getJobStatistics(db, actor, request.params.id, now))
      const { id, title } = job
      return showPage(reply, renderJobStatistics(request.page, { id, title, state: jobState(job, now) }, statistics))
    },
  )
}
