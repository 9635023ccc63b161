import { defineFeature } from '../feature.ts'
import { jobPath } from '../jobs/index.ts'
import { jobAlertMails } from './job-alerts.mails.ts'
import { registerJobAlertPages } from './job-alerts.pages.ts'
import { alertsPersonalData } from './job-alerts.personal-data.ts'
import { bringAlertsBack, countAlertHoldings } from './job-alerts.queries.ts'
import { registerJobAlerts } from './job-alerts.routes.ts'
import { JobAlertSchema } from './job-alerts.schemas.ts'
import { alertAnchorer, alertMatcher, alertRunner } from './job-alerts.tasks.ts'

/** Job alerts: saved searches. The service emails candidates about new jobs that match their alerts. */
export const jobAlerts = defineFeature({
  name: 'job-alerts',
  tag: 'Job alerts',
  isOptional: true,
  personalColumns: {
    job_alert: {
      columns: ['name', 'name_sort', 'criteria', 'anchors'],
      purpose: 'the searches whose new results the candidate gets by email',
      until: 'the alert is deleted, or the profile is erased',
    },
  },
  schemas: [JobAlertSchema],
  examples: {
    frequency: 'daily',
    'JobAlert.name': 'Batteries in Sweden',
  },
  navigation: [{ menu: 'candidate', href: '/me/alerts', text: 'menu.alerts', rank: 50 }],
  open(kit) {
    const { database, clock, catalogue, rates, linkTo, hasWebsite, settings } = kit
    const toResource = linkTo('/jobs/:id', '/v1/jobs/:id')
    return {
      api: (v1) => registerJobAlerts(v1, kit),
      pages: (pages) => registerJobAlertPages(pages, kit),
      tasks: [alertRunner(database, clock, rates), alertMatcher(database, clock, rates), alertAnchorer(database)],
      mails: {
        'job-alert': jobAlertMails({
          catalogue,
          // Without the website, only the employer's own site has a page for the job.
          job: (job) => (hasWebsite ? settings.origin + jobPath(job) : (job.application_url ?? toResource(job.id))),
          matches: linkTo('/me/alerts/:id', '/v1/candidates/job-alerts/:id/matches'),
        }),
      },
      personalData: alertsPersonalData,
      countHoldings: countAlertHoldings,
      afterClockStep: bringAlertsBack,
    }
  },
})
