import { join } from 'node:path'
import { defineFeature } from '../feature.ts'
import { paidRunConsumer } from '../payments/index.ts'
import { archiveJobs } from './jobs.archive.ts'
import { jobExpiringMails } from './jobs.mails.ts'
import { registerJobPages } from './jobs.pages.ts'
import { countJobHoldings } from './jobs.queries.ts'
import { registerJobs } from './jobs.routes.ts'
import { DeletedJobSchema, JobCreateSchema, JobDetailSchema, JobListSchema, OwnJobSchema } from './jobs.schemas.ts'
import { endingJobs, expirySweeper, jobLanguages, jobPlacer, jobPublisher, jobWords } from './jobs.tasks.ts'

/** Employers' jobs, from creation to deletion. */
export const jobs = defineFeature({
  name: 'jobs',
  tag: 'Jobs',
  personalColumns: {
    job: {
      columns: ['contact_email'],
      purpose: 'the contact for questions about the job',
      until: "the employer changes it, or the operator deletes the job's archive file (`RETENTION_CLOSED_JOBS_DAYS`)",
    },
  },
  schemas: [DeletedJobSchema, JobCreateSchema, JobDetailSchema, JobListSchema, OwnJobSchema],
  examples: {
    application_url: 'https://board.example/v1/candidates/jobs/job_01k9z6q4x0e8wbmt5n7rhv2c3d/apply',
    benefits: ['A van of your own'],
    company_logo_url: 'https://voltaire.example/logo.png',
    company_website: 'https://voltaire.example',
    custom_questions: [{ id: 'license', label: 'Are you licensed to drive?', type: 'boolean', required: true }],
    'custom_questions.id': 'license',
    'custom_questions.type': 'boolean',
    description: 'Design battery packs for electric vans.',
    description_html: '<p>Design battery packs for electric vans.</p>\n',
    duration_days: 30,
    expires_at: '2026-04-01T09:15:00.000Z',
    language: 'en',
    label: 'Are you licensed to drive?',
    max: 68_000,
    min: 52_000,
    open_positions: 1,
    period: 'year',
    publish_at: null,
    requirements: ['Three years with lithium cells'],
    title: 'Battery engineer',
    type: 'full-time',
  },
  navigation: [{ menu: 'employer', href: '/employer/jobs', text: 'menu.jobs', rank: 10 }],
  open(kit) {
    const { database, clock, settings, retention, dataDir, linkTo } = kit
    return {
      api: (v1) => registerJobs(v1, kit),
      pages: (pages) => registerJobPages(pages, kit),
      tasks: [
        expirySweeper(database, clock, settings),
        jobPublisher(database, clock, { settings, consumePaidRun: paidRunConsumer(kit.provider) }),
        endingJobs(database, clock),
        jobPlacer(database),
        jobLanguages(database),
        jobWords(database),
      ],
      mails: { 'job-expiring': jobExpiringMails(linkTo('/employer/jobs/:id', '/v1/jobs/:id')) },
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
