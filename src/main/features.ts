/** The board's features. Documents list their operations, components and personal data in this order. */
import { accounts } from '../features/accounts/accounts.feature.ts'
import { agents } from '../features/agents/agents.feature.ts'
import { applicationDrafts } from '../features/applications/application-drafts.feature.ts'
import { applications } from '../features/applications/applications.feature.ts'
import { blocks } from '../features/blocks/blocks.feature.ts'
import { board } from '../features/board/board.feature.ts'
import { brand } from '../features/brand/brand.feature.ts'
import { candidates } from '../features/candidates/candidates.feature.ts'
import { catalogue } from '../features/catalogue/catalogue.feature.ts'
import { claims } from '../features/claims/claims.feature.ts'
import { currencyRates } from '../features/currency-rates/currency-rates.feature.ts'
import { desk } from '../features/desk/desk.feature.ts'
import { duplicates } from '../features/duplicates/duplicates.feature.ts'
import { emails } from '../features/emails/emails.feature.ts'
import { employers } from '../features/employers/employers.feature.ts'
import { eventSink } from '../features/event-sink/event-sink.feature.ts'
import { events } from '../features/events/events.feature.ts'
import type { Feature } from '../features/feature.ts'
import { feeds } from '../features/feeds/feeds.feature.ts'
import { indexNow } from '../features/index-now/index-now.feature.ts'
import { jobAlerts } from '../features/job-alerts/job-alerts.feature.ts'
import { jobReports } from '../features/job-reports/job-reports.feature.ts'
import { jobStatistics } from '../features/job-statistics/job-statistics.feature.ts'
import { jobs } from '../features/jobs/jobs.feature.ts'
import { oidc } from '../features/oidc/oidc.feature.ts'
import { passkeys } from '../features/passkeys/passkeys.feature.ts'
import { payments } from '../features/payments/payments.feature.ts'
import { registration } from '../features/registration/registration.feature.ts'
import { resumes } from '../features/resumes/resumes.feature.ts'
import { savedJobs } from '../features/saved-jobs/saved-jobs.feature.ts'
import { sessions } from '../features/sessions/sessions.feature.ts'
import { sharePictures } from '../features/share-pictures/share-pictures.feature.ts'
import { site } from '../features/site/site.feature.ts'
import { stripe } from '../features/stripe/stripe.feature.ts'
import { tasks } from '../features/tasks/tasks.feature.ts'
import { teams } from '../features/teams/teams.feature.ts'
import { unsubscribe } from '../features/unsubscribe/unsubscribe.feature.ts'
import { webhooks } from '../features/webhooks/webhooks.feature.ts'
import { widget } from '../features/widget/widget.feature.ts'

export const features: readonly Feature[] = [
  accounts,
  candidates,
  employers,
  teams,
  claims,
  board,
  jobs,
  feeds,
  duplicates,
  applications,
  applicationDrafts,
  resumes,
  savedJobs,
  jobAlerts,
  emails,
  sessions,
  passkeys,
  oidc,
  events,
  webhooks,
  jobReports,
  jobStatistics,
  payments,
  stripe,
  catalogue,
  brand,
  currencyRates,
  registration,
  blocks,
  tasks,
  desk,
  unsubscribe,
  sharePictures,
  widget,
  agents,
  eventSink,
  indexNow,
  site,
]
