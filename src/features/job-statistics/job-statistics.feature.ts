import { periodicTask } from '../../background/loop.ts'
import { inBatches } from '../../background/retention.ts'
import { addPartitions, dropPartitions, type PartitionedTable } from '../../db/partitions.ts'
import { defineFeature } from '../feature.ts'
import { registerJobStatisticsPages } from './job-statistics.pages.ts'
import { purgeStrayViews } from './job-statistics.queries.ts'
import { registerJobStatistics } from './job-statistics.routes.ts'
import { JobStatisticsSchema } from './job-statistics.schemas.ts'
import { dayOf, getViewsOf, ViewCounter } from './job-statistics.service.ts'

const viewTable: PartitionedTable = {
  name: 'job_view_day',
  period: 'month',
  keyAt: (time) => dayOf(new Date(time)),
}

/** Daily views, saves and applications for each job. */
export const jobStatistics = defineFeature({
  name: 'job-statistics',
  tag: 'Employers',
  isOptional: true,
  schemas: [JobStatisticsSchema],
  open(kit) {
    const { database, clock, retention } = kit
    const views = new ViewCounter(database, clock)
    const purgeStray = inBatches((before, limit) =>
      database.inStatement((tx) => purgeStrayViews(tx, dayOf(before), limit)),
    )
    return {
      api: (v1) => registerJobStatistics(v1, kit),
      pages: (pages) => registerJobStatisticsPages(pages, kit),
      tasks: [
        {
          ...periodicTask('job-views', 10_000, () => views.flush()),
          runsIn: 'http',
          // Writes the remaining views at shutdown. A killed process loses up to ten seconds of views.
          finish: () => views.flush(),
        },
        periodicTask('view-partitions', 3_600_000, () => addPartitions(database, viewTable, clock.now().getTime())),
      ],
      retention: [
        {
          name: 'views',
          days: retention.views,
          tables: ['job_view_day'],
          async purge(before) {
            await dropPartitions(database, viewTable, before.getTime())
            return purgeStray(before)
          },
        },
      ],
      noteView: views.note,
      viewsOf: getViewsOf,
    }
  },
})
