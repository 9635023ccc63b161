import { inBatches } from '../../background/retention.ts'
import { defineFeature } from '../feature.ts'
import { registerJobStatisticsPages } from './job-statistics.pages.ts'
import { purgeViews } from './job-statistics.queries.ts'
import { registerJobStatistics } from './job-statistics.routes.ts'
import { JobStatisticsSchema } from './job-statistics.schemas.ts'
import { dayOf, getViewsOf, ViewCounter } from './job-statistics.service.ts'

/** Daily views, saves and applications for each job. */
export const jobStatistics = defineFeature({
  name: 'job-statistics',
  isOptional: true,
  schemas: [JobStatisticsSchema],
  open(kit) {
    const { database, clock, retention } = kit
    const views = new ViewCounter(database, clock)
    return {
      api: (v1) => registerJobStatistics(v1, kit),
      pages: (pages) => registerJobStatisticsPages(pages, kit),
      tasks: [
        {
          name: 'job-views',
          everyMs: 10_000,
          runsIn: 'http',
          async once() {
            await views.flush()
            return 'done'
          },
          // Writes the remaining views at shutdown. A killed process loses up to ten seconds of views.
          finish: () => views.flush(),
        },
      ],
      retention: [
        {
          name: 'views',
          days: retention.views,
          tables: ['job_view_day'],
          purge: inBatches((before, limit) => database.inStatement((tx) => purgeViews(tx, dayOf(before), limit))),
        },
      ],
      noteView: views.note,
      viewsOf: getViewsOf,
    }
  },
})
