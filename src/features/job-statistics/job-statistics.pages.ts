import type { App } from '../../http/app.ts'
import { signedIn } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { JobParams, jobState } from '../jobs/index.ts'
import { getJobStatistics } from './job-statistics.service.ts'
import { renderJobStatistics } from './job-statistics.views.ts'

export function registerJobStatisticsPages(pages: App, { database, clock }: Kit): void {
  pages.get('/employer/jobs/:id/statistics', {
    config: { access: { kinds: ['employer'], scope: 'jobs:read' } },
    schema: { params: JobParams },
    handler: async (request) => {
      const now = clock.now()
      const actor = signedIn(request)
      const { job, statistics } = await database.read((db) => getJobStatistics(db, actor, request.params.id, now))
      const { id, title } = job
      return renderJobStatistics(request.page, { id, title, state: jobState(job, now) }, statistics)
    },
  })
}
