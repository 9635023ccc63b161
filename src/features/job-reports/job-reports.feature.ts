import { inBatches } from '../../background/retention.ts'
import { defineFeature } from '../feature.ts'
import { jobRemovedMail } from './job-reports.mails.ts'
import { registerJobReportPages, reportLinks } from './job-reports.pages.ts'
import { countReports, purgeReports } from './job-reports.queries.ts'
import { registerJobReports } from './job-reports.routes.ts'
import { JobReportDetailSchema, JobReportSchema } from './job-reports.schemas.ts'

import { reportsPersonalData } from './job-reports.service.ts'

/** Reports of jobs, and the removal of jobs by admins. */
export const jobReports = defineFeature({
  name: 'job-reports',
  isOptional: true,
  schemas: [JobReportDetailSchema, JobReportSchema],
  navigation: [{ menu: 'desk', href: '/desk/reports', text: 'Reports', rank: 20 }],
  async open(kit) {
    const { database, retention, linkTo } = kit
    const secret = await kit.secretOf('reports')
    return {
      api: (v1) => registerJobReports(v1, kit),
      pages: (pages) => registerJobReportPages(pages, { ...kit, secret }),
      mails: { 'job-removed': { compose: jobRemovedMail(linkTo('/employer/jobs/:id', '/v1/jobs/:id')) } },
      personalData: reportsPersonalData,
      retention: [
        {
          name: 'reports',
          days: retention.reports,
          tables: ['job_report'],
          purge: inBatches((before, limit) => database.inStatement((tx) => purgeReports(tx, before, limit))),
        },
      ],
      besideOne: reportLinks,
      countOpenReports: () => database.read(async (db) => (await countReports(db)).get('open') ?? 0),
    }
  },
})
