import { t } from '../../locale/messages.ts'
import { badge, button, card, day, listTable, noneFound, type Tone } from '../../pages/components.ts'
import { type Form, optionsFor } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { type DeskJobRow, deskJobStates } from '../jobs/index.ts'
import {
  type JobOnDesk,
  type ReportsOfJob,
  renderJobAsItIs,
  renderRemoval,
  renderRemovalNotice,
  statusBadge,
} from './job-reports.views.ts'

type DeskJobState = DeskJobRow['shown_state']

const tones: Partial<Record<DeskJobState, Tone>> = { active: 'good', removed: 'bad' }
export const nameOfJobState = (state: DeskJobState): string =>
  t(state === 'removed' ? 'job_reports.removed' : `job_reports.state_${state}`)
const jobStateBadge = (state: DeskJobState) => badge(nameOfJobState(state), tones[state])

/** Renders the list of jobs. `found` is undefined if the query was invalid. */
export function renderDeskJobs(page: PageContext, form: Form, found: Listed<DeskJobRow> | undefined): Html {
  const title = t('menu.jobs')
  const empty = noneFound(t('job_reports.no_jobs'), '/desk/jobs', t('job_reports.show_all_jobs'))
  return htmlPage(page, { title })`<h1>${title}</h1>
${form.summary()}
<form class="row bottom" action="/desk/jobs" role="search" aria-label="${title}">
${form.field('search', t('job_reports.title_or_company'), { type: 'search', maxlength: 1000 })}
${form.select('state', t('shared.state'), optionsFor(deskJobStates, nameOfJobState, t('shared.any')))}
${button(t('shared.search'), { variant: 'secondary' })}</form>
${found && html`<p role="status" class="soft">${t('job_reports.jobs_found', { count: found.pagination.total })}</p>`}
${listTable(page, title, { found, empty }, (job) => ({
  [t('shared.job')]:
    html`<a class="strong" href="/desk/jobs/${job.id}">${job.title}</a><br><span class="soft small">${job.company}, ${job.location}</span>`,
  [t('shared.created')]: day(job.created_at.toISOString()),
  [t('shared.state')]: [
    jobStateBadge(job.shown_state),
    job.is_of_suspended && html` ${badge(t('job_reports.employer_suspended'), 'bad')}`,
  ],
}))}`
}

interface DeskJobView extends Omit<JobOnDesk, 'job'> {
  job: NonNullable<JobOnDesk['job']>
  /** The employer's account. Null if the company was imported and nobody has claimed it. */
  accountId: string | null
  reports: ReportsOfJob
  form: Form
}

/** Renders one job with its reports and, for admins who may decide, the form that removes or restores the job. */
export function renderDeskJob(page: PageContext, view: DeskJobView): Html {
  const { job, accountId, reports, removal, form } = view
  const at = `/desk/jobs/${job.id}`
  return htmlPage(page, { title: job.title })`<p class="crumbs"><a href="/desk/jobs">${t('menu.jobs')}</a></p>
<div class="row page-head"><h1>${job.title}</h1>${jobStateBadge(removal ? 'removed' : job.state)}</div>
<p class="lead">${accountId !== null && page.has('/desk/accounts/:id') ? html`<a href="/desk/accounts/${accountId}">${job.company}</a>` : job.company}</p>
${form.summary()}
${renderRemovalNotice(page, at, removal)}
<div class="split">
<div>${renderJobAsItIs(view, job)}</div>
<aside>
${!removal && renderRemoval(page, `${at}/remove`, reports.open, form)}
${card([
  html`<h2>${t('menu.reports')}</h2>`,
  reports.total === 0
    ? html`<p class="soft">${t('job_reports.none_about_job')}</p>`
    : html`<ul class="rows">${reports.latest.map(
        ({ id, reason, status, created_at }) =>
          html`<li class="row apart"><a href="/desk/reports/${id}">${t(`job_reports.reason_${reason}`)}</a><span class="soft small">${day(created_at)}</span>${statusBadge(status)}</li>`,
      )}</ul>`,
])}
</aside>
</div>`
}
