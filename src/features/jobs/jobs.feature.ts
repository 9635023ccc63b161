import { join } from 'node:path'
import { defineFeature } from '../feature.ts'
import { archiveJobs } from './jobs.archive.ts'
import { registerJobPages } from './jobs.pages.ts'
import { countJobHoldings } from './jobs.queries.ts'
import { registerJobs } from './jobs.routes.ts'
import { DeletedJobSchema, JobCreateSchema, JobDetailSchema, JobListSchema, OwnJobSchema } from './jobs.schemas.ts'
import { expirySweeper, jobPlacer, jobWords } from './jobs.tasks.ts'

/** Jobs of employers, from creation to deletion. */
export const jobs = defineFeature({
  name: 'jobs',
  schemas: [DeletedJobSchema, JobCreateSchema, JobDetailSchema, JobListSchema, OwnJobSchema],
  navigation: [{ menu: 'employer', href: '/employer/jobs', text: 'Your jobs', rank: 10 }],
  open(kit) {
    const { database, clock, settings, retention, dataDir } = kit
    return {
      api: (v1) => registerJobs(v1, kit),
      pages: (pages) => registerJobPages(pages, kit),
      tasks: [expirySweeper(database, clock, settings), jobPlacer(database), jobWords(database)],
      countHoldings: countJobHoldings,
      retention: [
        {
          name: 'closed-jobs',
          days: retention.closedJobs,
          tables: ['job'],
          purge: (before) => archiveJobs(database, join(dataDir, 'archive'), before),
        },
      ],
    }
  },
})
