import {
  actionButton,
  badge,
  button,
  card,
  dataTable,
  day,
  emptyState,
  facts,
  markdown,
  message,
  moment,
  outsideLink,
  pagination,
  postForm,
  prose,
  type Tone,
  tabs,
} from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { ageOf, formatSalary, type JobDetail, type JobState, jobPath } from '../jobs/index.ts'
import { type JobReportDetail, type ReportReason, type ReportStatus, reportReasons } from './job-reports.schemas.ts'

const reasons: Record<ReportReason, { name: string; sentence: string }> = {
  spam: { name: 'Spam', sentence: 'It’s advertising, not a job' },
  fraud: { name: 'Fraud', sentence: 'It’s a scam: it asks for money, or for data that no employer needs' },
  discrimination: { name: 'Discrimination', sentence: 'It discriminates against people' },
  expired: { name: 'Filled', sentence: 'The position is filled or no longer exists' },
  wrong_information: { name: 'Wrong information', sentence: 'Some of the information is wrong' },
  other: { name: 'Other', sentence: 'Something else' },
}

const statuses: Record<ReportStatus, { name: string; tone: Tone }> = {
  open: { name: 'Open', tone: 'warn' },
  upheld: { name: 'Upheld', tone: 'bad' },
  dismissed: { name: 'Dismissed', tone: 'plain' },
}
const statusBadge = (status: ReportStatus) => badge(statuses[status].name, statuses[status].tone)

export function renderReportLink(id: string): Html {
  return html`<a href="/jobs/${id}/report" rel="nofollow">Report this job</a>`
}

export function renderReportForm(
  page: PageContext,
  { id, title, company }: { id: string; title: string; company: string },
  form: Form,
): Html {
  return htmlPage(page, { title: 'Report this job', width: 'narrow' })`
<p class="crumbs"><a href="${jobPath({ id, title })}">${title}</a></p><h1>Report this job</h1>
<p class="lead">“${title}” at ${company}. The operator of this board will review your report. The company does not learn who reported it.</p>
${form.summary()}
${postForm(page, `/jobs/${id}/report`, [
  card([
    form.choices(
      'reason',
      'Reason for your report',
      reportReasons.map((reason) => ({ value: reason, text: reasons[reason].sentence })),
      { type: 'radio', isRequired: true },
    ),
    form.textArea('message', 'Details', {
      isRequired: false,
      hint: 'Required for “Something else”.',
      maxlength: 2_000,
    }),
  ]),
  html`<div class="actions">${button('Send report')}<a href="${jobPath({ id, title })}">Cancel</a></div>`,
])}
${!page.actor && html`<p class="small soft">You don’t need to sign in. We accept one report per job and network, so we store a code computed from your network address until the report is decided.</p>`}`
}

interface Found {
  items: readonly JobReportDetail[]
  pagination: { total: number; page?: number; pages?: number }
}

const ALL = 'open,upheld,dismissed'

interface ReportsPage {
  form: Form
  counts: ReadonlyMap<string, number>
  /** Absent if the query was invalid. The form then shows the reason. */
  found?: Found
  now: Date
}

export function renderReports(page: PageContext, { form, counts, found, now }: ReportsPage): Html {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const status = form.value('status')
  const isAll = form.values('status_in').join(',') === ALL
  const nothing =
    all === 0
      ? emptyState('No reports yet', html`<p>Job reports appear here.</p>`)
      : status === 'open' && form.value('reason') === ''
        ? emptyState('No open reports', html`<p><a href="/desk/reports?status_in=${ALL}">Show all reports</a></p>`)
        : emptyState('No reports found', html`<p><a href="/desk/reports">Show open reports</a></p>`)
  return htmlPage(page, { title: 'Reported jobs' })`<h1>Reported jobs</h1>
${form.summary()}
${tabs(page, 'Status', [
  ...(Object.keys(statuses) as ReportStatus[]).map((each) => ({
    href: each === 'open' ? '/desk/reports' : `/desk/reports?status=${each}`,
    text: statuses[each].name,
    count: counts.get(each) ?? 0,
    isHere: status === each,
  })),
  { href: `/desk/reports?status_in=${ALL}`, text: 'All', count: all, isHere: isAll },
])}
${
  all > 0 &&
  html`<form class="row bottom" action="/desk/reports" role="search" aria-label="Reported jobs">
${status !== '' && status !== 'open' && html`<input type="hidden" name="status" value="${status}">`}
${isAll && html`<input type="hidden" name="status_in" value="${ALL}">`}
${['job_id', 'employer_id'].map((name) => form.value(name) !== '' && html`<input type="hidden" name="${name}" value="${form.value(name)}">`)}
${form.select('reason', 'Reason', [
  { value: '', text: 'Any' },
  ...reportReasons.map((reason) => ({ value: reason, text: reasons[reason].name })),
])}
${button('Show', { variant: 'secondary' })}</form>`
}
${found && (found.items.length > 0 ? renderReportTable(found.items, now) : nothing)}
${pagination(page, found?.pagination)}`
}

function renderReportTable(reports: readonly JobReportDetail[], now: Date): Html {
  return dataTable('Reported jobs', { rows: reports }, (report) => ({
    Job: html`<a class="strong" href="/desk/reports/${report.id}">${report.job.title}</a><br><span class="soft small">${report.job.company}</span>${report.job.removed_at && html`<br>${badge('Removed', 'bad')}`}`,
    Reason: html`${reasons[report.reason].name}${report.message && html`<br><span class="soft small">${excerpt(report.message)}</span>`}`,
    From: reporterOf(report),
    Reported: html`<time datetime="${report.created_at}">${ageOf(report.created_at, now)}</time>`,
    Status: statusBadge(report.status),
  }))
}

const EXCERPT = 120
const excerpt = (text: string) => {
  const line = text.replace(/\s+/g, ' ')
  return line.length <= EXCERPT ? line : `${line.slice(0, EXCERPT).toWellFormed()}…`
}

const kinds: Readonly<Record<string, string>> = {
  cand: 'A candidate',
  emp: 'An employer',
  int: 'An integrator',
  adm: 'An operator',
}
/** Returns the reporter's account kind, which the id prefix determines. */
const reporterOf = ({ reporter_id }: JobReportDetail) =>
  reporter_id === null ? 'A visitor' : (kinds[reporter_id.split('_', 1)[0]!] ?? 'An account')

export interface ReportView {
  report: JobReportDetail
  /** All reports about the same job, newest first. */
  all: readonly JobReportDetail[]
  /** Undefined if the employer deleted the job. */
  job: (JobDetail & { state: JobState }) | undefined
  ownUrl: string | null
  removal: { at: string; reason: string } | undefined
  now: Date
  form: Form
}

export function renderReportPage(page: PageContext, view: ReportView): Html {
  const { report, all, job, removal, form } = view
  const { id, status } = report
  const path = `/desk/reports/${id}`
  const open = all.filter((each) => each.status === 'open').length
  const mayDecide = page.actor?.scopes.includes('admin:write')
  return htmlPage(page, {
    title: `Reported: ${report.job.title}`,
  })`<div class="row page-head"><h1>${report.job.title}</h1>${statusBadge(status)}</div>
<p class="lead"><a href="/companies/${report.job.employer_id}">${report.job.company}</a></p>
${form.summary()}
${
  removal &&
  message(
    html`<p><strong>Removed on ${moment(removal.at)}.</strong> Reason given to the employer: ${removal.reason}</p>
${mayDecide && actionButton(page, { action: `${path}/restore`, text: 'Restore job' })}`,
    'bad',
  )
}
${!job && message(html`<p>The employer has deleted this job.</p>`, 'warn')}
<div class="split">
<div>
${card([
  html`<h2>${all.length === 1 ? 'Report' : `${all.length} reports`}</h2>`,
  html`<ol class="timeline">${all.map((each) => renderReport(each, each.id === id && all.length > 1))}</ol>`,
])}
${job && renderJobAsItIs(view, job)}
</div>
<aside>${
    status !== 'open'
      ? card(
          html`<h2>${statuses[status].name}</h2>${facts([
            ['Decided', report.decided_at && moment(report.decided_at)],
            [status === 'upheld' ? 'Reason given to the employer' : 'Note', report.note],
            ['Decided by', report.decided_by && html`<code>${report.decided_by}</code>`],
          ])}`,
        )
      : mayDecide
        ? renderDecision(page, path, open, form)
        : card(html`<p>You need an API key with <code>admin:write</code> to decide this report.</p>`)
  }</aside>
</div>`
}

/** Renders the forms that decide a job's reports. `open` is the number of open reports. */
function renderDecision(page: PageContext, path: string, open: number, form: Form): Html {
  return html`${card([
    html`<h2>Remove the job</h2>
<p class="soft">Only its employer can still see it. The employer cannot post it again.${open > 1 && ` This upholds all ${open} open reports.`}</p>`,
    postForm(page, `${path}/uphold`, [
      form.textArea('reason', 'Reason for the employer', { isRequired: true, rows: 4, maxlength: 500 }),
      button('Remove job', { variant: 'danger' }),
    ]),
  ])}
${card([
  html`<h2>Keep the job</h2>${open > 1 && html`<p class="soft">This dismisses all ${open} open reports.</p>`}`,
  postForm(page, `${path}/dismiss`, [
    form.textArea('note', 'Note', { isRequired: false, hint: 'Only operators can see it.', rows: 2, maxlength: 500 }),
    button('Dismiss report', { variant: 'secondary' }),
  ]),
])}`
}

function renderReport(report: JobReportDetail, isThis: boolean): Html {
  const { reason, message: text, status, created_at } = report
  return html`<li><p class="row"><strong>${reasons[reason].name}</strong> ${statusBadge(status)}${isThis && badge('This report', 'accent')} <span class="soft small">${reporterOf(report)}, ${moment(created_at)}</span></p>${text && prose(text)}</li>`
}

const stateNames: Record<JobState, string> = {
  active: 'On the board',
  inactive: 'Draft',
  closed: 'Closed',
  expired: 'Expired',
}

function renderJobAsItIs({ ownUrl, removal }: ReportView, job: JobDetail & { state: JobState }): Html {
  const list = (heading: string, items: readonly string[]) =>
    items.length > 0 && html`<h3>${heading}</h3><ul>${items.map((text) => html`<li>${text}</li>`)}</ul>`
  return card([
    html`<h2>Current job</h2>`,
    markdown(job.description),
    list('Requirements', job.requirements),
    list('Benefits', job.benefits),
    list(
      'Questions',
      job.custom_questions.map(({ label }) => label),
    ),
    html`<h3>Details</h3>`,
    facts([
      ['State', removal ? 'Removed' : stateNames[job.state]],
      ['Page', !removal && job.state !== 'inactive' && html`<a href="${jobPath(job)}">View public page</a>`],
      ['Location', job.location],
      ['Pay', job.salary && formatSalary(job.salary)],
      ['Posted', day(job.posted_at)],
      ['Apply at', ownUrl && outsideLink(ownUrl)],
      ['Contact', job.contact_email],
      ['Website', job.company_website && outsideLink(job.company_website)],
      ['Skills', job.skills.join(', ')],
      ['Reference', html`<code>${job.id}</code>`],
    ]),
  ])
}
