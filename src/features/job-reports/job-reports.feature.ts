import { inBatches } from '../../background/retention.ts'
import { defineFeature } from '../feature.ts'
import { findExistingJobTitles } from '../jobs/index.ts'
import { jobFinder, registerDeskJobPages } from './desk-jobs.pages.ts'
import { jobRemovedMails, jobReportedMails } from './job-reports.mails.ts'
import { registerJobReportPages, reportLinks } from './job-reports.pages.ts'
import { reportsPersonalData } from './job-reports.personal-data.ts'
import { countReports, findReportTitles, purgeReports } from './job-reports.queries.ts'
import { registerJobReports } from './job-reports.routes.ts'
import { JobReportDetailSchema, JobReportSchema } from './job-reports.schemas.ts'

/** Job reports, and job removals by admins. */
export const jobReports = defineFeature({
  name: 'job-reports',
  tag: 'Jobs',
  isOptional: true,
  personalColumns: {
    job_report: {
      columns: ['message', 'note', 'network_hash'],
      purpose: "a report about a job, and the operator's decision",
      until:
        "the reporter's profile is erased, or `RETENTION_REPORTS_DAYS` after the decision; the hash until the decision",
    },
  },
  schemas: [JobReportDetailSchema, JobReportSchema],
  examples: {
    reason: 'The position is filled.',
    reporter_id: 'cand_01k9z6q4x0e8wbmt5n7rhv2c3d',
  },
  limits: { reports: { quota: 60, windowS: 3_600 } },
  navigation: [
    { menu: 'desk', href: '/desk/reports', text: 'menu.reports', rank: 20 },
    { menu: 'desk', href: '/desk/jobs', text: 'menu.jobs', rank: 25 },
  ],
  async open(kit) {
    const { database, retention, linkTo } = kit
    const secret = await kit.secretOf('reports')
    return {
      api: (v1) => registerJobReports(v1, kit),
      pages(pages) {
        registerJobReportPages(pages, { ...kit, secret })
        registerDeskJobPages(pages, kit)
      },
      deskFinder: jobFinder(kit),
      deskSubjects: [
        { kind: 'job', page: '/desk/jobs/:id', name: findExistingJobTitles },
        { kind: 'report', page: '/desk/reports/:id', name: findReportTitles },
      ],
      mails: {
        'job-removed': jobRemovedMails(linkTo('/employer/jobs/:id', '/v1/jobs/:id')),
        'job-reported': jobReportedMails(linkTo('/desk/reports/:id', '/v1/admin/reports/:id'), kit.brand.now),
      },
      personalData: reportsPersonalData,
      retention: [
        {
          name: 'reports',
          days: retention.reports,
          tables: ['job_report'],
          purge: inBatches((before, limit) => database.inStatement((tx) => purgeReports(tx, before, limit))),
        },
      ],
      belowOne: reportLinks,
      countOpenReports: () => database.read(async (db) => (await countReports(db)).get('open') ?? 0),
    }
  },
})
