import { isMessageKey, t } from '../../locale/messages.ts'
import {
  actionButton,
  ago,
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
  noneFound,
  outsideLink,
  pagination,
  postForm,
  prose,
  type Tone,
  tabs,
} from '../../pages/components.ts'
import { type Form, optionsFor } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { rich, sentences } from '../../pages/text.ts'
import { formatSalary, type JobDetail, type JobState, jobPath } from '../jobs/index.ts'
import { type JobReportDetail, type ReportReason, type ReportStatus, reportReasons } from './job-reports.schemas.ts'

const nameOfReason = (reason: ReportReason) => t(`job_reports.reason_${reason}`)

const tones: Record<ReportStatus, Tone> = { open: 'warn', upheld: 'bad', dismissed: 'plain' }
const nameOfStatus = (status: ReportStatus) => t(`job_reports.status_${status}`)
export const statusBadge = (status: ReportStatus) => badge(nameOfStatus(status), tones[status])

export function renderReportLink(id: string): Html {
  return html`<a href="/jobs/${id}/report" rel="nofollow">${t('job_reports.report_this')}</a>`
}

export function renderReportForm(
  page: PageContext,
  { id, title, company }: { id: string; title: string; company: string },
  form: Form,
): Html {
  return htmlPage(page, { title: t('job_reports.report_this'), width: 'narrow' })`
<p class="crumbs"><a href="${jobPath({ id, title })}">${title}</a></p><h1>${t('job_reports.report_this')}</h1>
<p class="lead">${t('job_reports.lead', { title, company })}</p>
${form.summary()}
${postForm(page, `/jobs/${id}/report`, [
  card([
    form.choices(
      'reason',
      t('job_reports.your_reason'),
      optionsFor(reportReasons, (reason) => t(`job_reports.says_${reason}`)),
      { type: 'radio', isRequired: true },
    ),
    form.textArea('message', t('job_reports.details'), {
      isRequired: false,
      hint: t('job_reports.details_hint'),
      maxlength: 2_000,
    }),
  ]),
  html`<div class="actions">${button(t('job_reports.send'))}<a href="${jobPath({ id, title })}">${t('shared.cancel')}</a></div>`,
])}
${!page.actor && html`<p class="small soft">${t('job_reports.no_sign_in')}</p>`}`
}

const ALL = 'open,upheld,dismissed'

interface ReportsPage {
  form: Form
  counts: ReadonlyMap<string, number>
  /** Absent if the query was invalid. The form then shows the reason. */
  found?: Listed<JobReportDetail>
  now: Date
}

export function renderReports(page: PageContext, { form, counts, found, now }: ReportsPage): Html {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const status = form.value('status')
  const isAll = form.values('status_in').join(',') === ALL
  const nothing =
    all === 0
      ? emptyState(t('job_reports.none_yet'), html`<p>${t('job_reports.appear_here')}</p>`)
      : status === 'open' && form.value('reason') === ''
        ? noneFound(t('job_reports.none_open'), `/desk/reports?status_in=${ALL}`, t('job_reports.show_all'))
        : noneFound(t('job_reports.none_found'), '/desk/reports', t('job_reports.show_open'))
  return htmlPage(page, { title: t('job_reports.title') })`<h1>${t('job_reports.title')}</h1>
${form.summary()}
${tabs(page, t('shared.status'), [
  ...(Object.keys(tones) as ReportStatus[]).map((each) => ({
    href: each === 'open' ? '/desk/reports' : `/desk/reports?status=${each}`,
    text: nameOfStatus(each),
    count: counts.get(each) ?? 0,
    isHere: status === each,
  })),
  { href: `/desk/reports?status_in=${ALL}`, text: t('job_reports.all'), count: all, isHere: isAll },
])}
${
  all > 0 &&
  html`<form class="row bottom" action="/desk/reports" role="search" aria-label="${t('job_reports.title')}">
${status !== '' && status !== 'open' && html`<input type="hidden" name="status" value="${status}">`}
${isAll && html`<input type="hidden" name="status_in" value="${ALL}">`}
${['job_id', 'employer_id'].map((name) => form.value(name) !== '' && html`<input type="hidden" name="${name}" value="${form.value(name)}">`)}
${form.select('reason', t('shared.reason'), optionsFor(reportReasons, nameOfReason, t('shared.any')))}
${button(t('job_reports.show'), { variant: 'secondary' })}</form>`
}
${found && (found.items.length > 0 ? renderReportTable(found.items, now) : nothing)}
${pagination(page, found?.pagination)}`
}

function renderReportTable(reports: readonly JobReportDetail[], now: Date): Html {
  return dataTable(t('job_reports.title'), { rows: reports }, (report) => ({
    [t('shared.job')]:
      html`<a class="strong" href="/desk/reports/${report.id}">${report.job.title}</a><br><span class="soft small">${report.job.company}</span>${report.job.removed_at && html`<br>${badge(t('job_reports.removed'), 'bad')}`}`,
    [t('shared.reason')]:
      html`${nameOfReason(report.reason)}${report.message && html`<br><span class="soft small">${excerpt(report.message)}</span>`}`,
    [t('job_reports.from')]: reporterOf(report),
    [t('job_reports.reported')]: ago(report.created_at, now),
    [t('shared.status')]: statusBadge(report.status),
  }))
}

const EXCERPT = 120
const excerpt = (text: string) => {
  const line = text.replace(/\s+/g, ' ')
  return line.length <= EXCERPT ? line : `${line.slice(0, EXCERPT).toWellFormed()}…`
}

/** Returns the name of the reporter's account kind, derived from the ID's prefix, or "A visitor" if the ID is null. */
function reporterOf({ reporter_id }: JobReportDetail): string {
  const key = `job_reports.by_${reporter_id?.split('_', 1)[0] ?? 'visitor'}`
  return t(isMessageKey(key) ? key : 'job_reports.by_account')
}

export interface JobOnDesk {
  /** Undefined if the job was deleted. */
  job: (JobDetail & { state: JobState }) | undefined
  ownUrl: string | null
  removal: { at: string; reason: string } | undefined
}

/** The latest reports about a job, newest first, and the numbers of all its reports and of its open reports. */
export interface ReportsOfJob {
  latest: readonly JobReportDetail[]
  total: number
  open: number
}

interface ReportView extends JobOnDesk {
  report: JobReportDetail
  /** The reports about the same job. */
  reports: ReportsOfJob
  now: Date
  form: Form
}

export function renderReportPage(page: PageContext, view: ReportView): Html {
  const { report, reports, job, removal, form } = view
  const { id, status } = report
  const path = `/desk/reports/${id}`
  const mayDecide = page.may('POST', `${path}/dismiss`)
  return htmlPage(page, {
    title: t('job_reports.report_title', { title: report.job.title }),
  })`<div class="row page-head"><h1>${report.job.title}</h1>${statusBadge(status)}</div>
<p class="lead"><a href="/companies/${report.job.employer_id}">${report.job.company}</a></p>
${form.summary()}
${renderRemovalNotice(page, path, removal)}
${!job && message(html`<p>${t('job_reports.deleted_by_employer')}</p>`, 'warn')}
<div class="split">
<div>
${card([
  html`<h2>${t('job_reports.reports', { count: reports.total })}</h2>`,
  html`<ol class="timeline">${reports.latest.map((each) => renderReport(each, each.id === id && reports.total > 1))}</ol>`,
])}
${job && renderJobAsItIs(view, job)}
</div>
<aside>${
    status !== 'open'
      ? card(
          html`<h2>${nameOfStatus(status)}</h2>${facts([
            [t('job_reports.decided'), report.decided_at && moment(report.decided_at)],
            [t(status === 'upheld' ? 'job_reports.reason_given' : 'job_reports.note'), report.note],
            [t('job_reports.decided_by'), report.decided_by && html`<code>${report.decided_by}</code>`],
          ])}`,
        )
      : mayDecide
        ? renderDecision(page, path, reports.open, form)
        : card(html`<p>${rich('job_reports.needs_scope')}</p>`)
  }</aside>
</div>`
}

/** Renders the reason for a removal, and the button that restores the job. */
export function renderRemovalNotice(page: PageContext, path: string, removal: JobOnDesk['removal']): Html | undefined {
  if (!removal) return undefined
  return message(
    html`<p>${rich('job_reports.removal', { moment: moment(removal.at), reason: removal.reason })}</p>
${actionButton(page, { action: `${path}/restore`, text: t('job_reports.restore') })}`,
    'bad',
  )
}

/**
 * Renders the form that removes a job, or a note for admins who may not remove jobs. `open` is the number of open
 * reports, which the removal upholds.
 */
export function renderRemoval(page: PageContext, action: string, open: number, form: Form): Html {
  if (!page.may('POST', action)) return card(html`<p>${rich('job_reports.needs_scope')}</p>`)
  return card([
    html`<h2>${t('job_reports.remove_title')}</h2>
<p class="soft">${sentences(t('job_reports.remove_text'), open > 1 && t('job_reports.upholds_all', { count: open }))}</p>`,
    postForm(page, action, [
      form.textArea('reason', t('job_reports.reason_for_employer'), { isRequired: true, rows: 4, maxlength: 500 }),
      button(t('job_reports.remove'), { variant: 'danger' }),
    ]),
  ])
}

/** Renders the forms for deciding on a job's reports. `open` is the number of open reports. */
function renderDecision(page: PageContext, path: string, open: number, form: Form): Html {
  return html`${renderRemoval(page, `${path}/uphold`, open, form)}
${card([
  html`<h2>${t('job_reports.keep_title')}</h2>${open > 1 && html`<p class="soft">${t('job_reports.dismisses_all', { count: open })}</p>`}`,
  postForm(page, `${path}/dismiss`, [
    form.textArea('note', t('job_reports.note'), {
      isRequired: false,
      hint: t('job_reports.note_hint'),
      rows: 2,
      maxlength: 500,
    }),
    button(t('job_reports.dismiss'), { variant: 'secondary' }),
  ]),
])}`
}

function renderReport(report: JobReportDetail, isThis: boolean): Html {
  const { reason, message: text, status, created_at } = report
  return html`<li><p class="row"><strong>${nameOfReason(reason)}</strong> ${statusBadge(status)}${isThis && badge(t('job_reports.this_report'), 'accent')} <span class="soft small">${reporterOf(report)} · ${moment(created_at)}</span></p>${text && prose(text)}</li>`
}

export function renderJobAsItIs({ ownUrl, removal }: JobOnDesk, job: JobDetail & { state: JobState }): Html {
  const list = (heading: string, items: readonly string[]) =>
    items.length > 0 && html`<h3>${heading}</h3><ul>${items.map((text) => html`<li>${text}</li>`)}</ul>`
  return card([
    html`<h2>${t('job_reports.current_job')}</h2>`,
    markdown(job.description),
    list(t('job_reports.requirements'), job.requirements),
    list(t('job_reports.benefits'), job.benefits),
    list(
      t('job_reports.questions'),
      job.custom_questions.map(({ label }) => label),
    ),
    html`<h3>${t('job_reports.details')}</h3>`,
    facts([
      [t('job_reports.state'), t(removal ? 'job_reports.removed' : `job_reports.state_${job.state}`)],
      [
        t('job_reports.page'),
        !removal && job.state !== 'inactive' && html`<a href="${jobPath(job)}">${t('shared.view_public_page')}</a>`,
      ],
      [t('shared.location'), job.location],
      [t('shared.pay'), job.salary && formatSalary(job.salary)],
      [t('job_reports.posted'), day(job.posted_at)],
      [t('job_reports.apply_at'), ownUrl && outsideLink(ownUrl)],
      [t('job_reports.contact'), job.contact_email],
      [t('shared.website'), job.company_website && outsideLink(job.company_website)],
      [t('shared.skills'), job.skills.join(', ')],
      [t('shared.reference'), html`<code>${job.id}</code>`],
    ]),
  ])
}
