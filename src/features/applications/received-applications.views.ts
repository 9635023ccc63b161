import { formatDecimal, formatNumber } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
import {
  ago,
  button,
  card,
  dataTable,
  day,
  emptyState,
  linkTo,
  logo,
  message,
  moment,
  pagination,
  postForm,
  prose,
  wayTo,
} from '../../pages/components.ts'
import { editedField } from '../../pages/editing.ts'
import type { Form } from '../../pages/forms.ts'
import { attributes, type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext, PageNumbers } from '../../pages/page.ts'
import { rich } from '../../pages/text.ts'
import type { CustomQuestion } from '../jobs/index.ts'
import { statusName } from './applications.present.ts'
import type { Neighbors } from './applications.queries.ts'
import { type ApplicationStatus, type EmployerApplication, transitions } from './applications.schemas.ts'
import { renderAnswers, renderHistory, statusBadge, withdrawnBadge } from './applications.views.ts'

const nameOf = ({ candidate }: EmployerApplication) => candidate.name ?? t('received.deleted_candidate')

export const statusNotice = (application: EmployerApplication) =>
  t('received.moved', { name: nameOf(application), status: statusName('received', application.status) })

/** Names a status that an application can move to. */
const nameOfMove = (status: ApplicationStatus) => {
  const name = statusName('received', status)
  return status === 'hired' ? t('received.final', { status: name }) : name
}

type JobChoices = readonly { id: string; title: string }[]

function renderFilter(form: Form, jobs: JobChoices): Html {
  const status = form.value('status')
  return html`<form class="row bottom" action="/employer/applications" aria-label="${t('received.filter')}">
${status !== '' && html`<input type="hidden" name="status" value="${status}">`}
${form.select('job_id', t('received.job'), [{ value: '', text: t('received.all_jobs') }, ...jobs.map(({ id, title }) => ({ value: id, text: title }))])}
${button(t('received.show'), { variant: 'secondary' })}</form>`
}

const listPath = (form: Form, status: ApplicationStatus) => {
  const jobId = form.value('job_id')
  return `/employer/applications?status=${status}${jobId && `&job_id=${encodeURIComponent(jobId)}`}`
}

interface ColumnOfBoard {
  status: ApplicationStatus
  total: number
  items: readonly EmployerApplication[]
}

interface Board {
  form: Form
  jobs: JobChoices
  columns: readonly ColumnOfBoard[]
  now: Date
}

export function renderReceivedBoard(page: PageContext, { form, jobs, columns, now }: Board): Html {
  const all = columns.reduce((sum, { total }) => sum + total, 0)
  const fresh = columns.find(({ status }) => status === 'pending')?.total ?? 0
  return htmlPage(page, { title: t('received.applicants'), modules: ['stages.js'] })`
<div class="page-head head-gap"><div><h1>${t('received.applicants')}</h1>${all > 0 && html`<p class="soft">${t('received.count', { count: all, fresh })}</p>`}</div>${(jobs.length > 0 || all > 0) && renderFilter(form, jobs)}</div>
${form.summary()}
${
  all === 0
    ? emptyState(
        t('received.none'),
        html`<p>${t('received.none_text')} ${linkTo(page, t('jobs.title'), '/employer/jobs')}</p>`,
      )
    : html`<nav class="phone-only tabs flush-tabs" aria-label="${t('received.stages')}"><ul>${columns.map(
        ({ status, total }) =>
          html`<li><a href="#stage-${status}">${statusName('received', status)} <span class="count${status === 'pending' && total > 0 && ' hot'}">${total}</span></a></li>`,
      )}</ul></nav>
<div class="stages">${columns.map((column) => renderStage(page, form, column, now))}</div>
<p class="small soft gap-top">${t('received.email_note')} <a href="/employer/applications?sort=applied_at:desc">${t('received.as_list')}</a></p>`
}`
}

function renderStage(page: PageContext, form: Form, { status, total, items }: ColumnOfBoard, now: Date): Html {
  const name = statusName('received', status)
  return html`<section class="stage" id="stage-${status}" data-stage="${status}" aria-labelledby="head-${status}">
<h2 id="head-${status}"><a href="${listPath(form, status)}">${name}</a> <span class="count">${total}</span></h2>
${
  total === 0
    ? html`<p class="none">${t(`received.empty_${status}`)}</p>`
    : html`<ul class="people">${items.map((application) => html`<li>${renderReceivedCard(page, form, application, now)}</li>`)}</ul>`
}
${total > items.length && html`<a class="btn slim quiet full" href="${listPath(form, status)}">${t('received.more', { count: total - items.length })}</a>`}
</section>`
}

function renderReceivedCard(page: PageContext, form: Form, application: EmployerApplication, now: Date): Html {
  const { id, candidate, job, applied_at, status, resume } = application
  const name = nameOf(application)
  const allowed = candidate.id === null ? [] : transitions[status]
  const jobId = form.value('job_id')
  const action = `/employer/applications/${id}/move`
  const mayMove = allowed.length > 0 && page.may('POST', action)
  return html`<article class="person"${attributes({ 'data-moves': mayMove ? allowed.join(' ') : undefined })}><div class="row nowrap-row top-line">${logo({ id, name }, 'round small')}<div class="grow"><h3><a href="/employer/applications/${id}">${name}</a></h3>
${candidate.headline && html`<p>${candidate.headline}</p>`}${jobId === '' && html`<p>${job.title}</p>`}</div></div>
<p class="line"><span>${ago(applied_at, now)}</span>${resume && html`<span>${t('received.resume')}</span>`}</p>
${
  mayMove &&
  html`<details class="move"><summary aria-label="${t('received.move_named', { name })}">${t('received.move')}${icon('down')}</summary>
${postForm(page, action, [
  jobId !== '' && html`<input type="hidden" name="job_id" value="${jobId}">`,
  html`<label class="hide" for="move-${id}">${t('received.move_to_named', { name })}</label><select id="move-${id}" name="status">${allowed.map((each) => html`<option value="${each}">${nameOfMove(each)}</option>`)}</select>`,
  button(t('received.move'), { variant: 'secondary', class: 'slim' }),
])}</details>`
}</article>`
}

interface Found {
  items: readonly EmployerApplication[]
  pagination: PageNumbers
}

/** Renders applications as a list. `found` is undefined if the query was invalid. */
export function renderReceivedList(page: PageContext, form: Form, jobs: JobChoices, found: Found | undefined): Html {
  const status = form.value('status')
  const title = Object.hasOwn(transitions, status)
    ? t('received.title_of', { status: statusName('received', status as ApplicationStatus) })
    : t('received.applicants')
  return htmlPage(page, { title })`
<p class="crumbs"><a href="/employer/applications">${t('received.by_stage')}</a></p><h1>${title}</h1>
${form.summary()}
${renderFilter(form, jobs)}
${
  found &&
  dataTable(
    t('received.applications'),
    {
      rows: found.items,
      empty: emptyState(
        t('received.none_found'),
        html`<p><a href="/employer/applications">${t('received.show_all')}</a></p>`,
      ),
    },
    (each) => ({
      [t('received.candidate')]:
        html`<a class="strong" href="/employer/applications/${each.id}">${nameOf(each)}</a>${each.candidate.headline && html`<br><span class="soft small">${each.candidate.headline}</span>`}`,
      [t('received.job')]: each.job.title,
      [t('received.applied')]: day(each.applied_at),
      [t('received.status')]: html`${statusBadge('received', each.status)} ${withdrawnBadge(each.withdrawn_at)}`,
    }),
  )
}
${found && pagination(page, found.pagination)}`
}

interface ReceivedView {
  application: EmployerApplication
  /** Undefined if the job was deleted. */
  questions: readonly CustomQuestion[] | undefined
  /** Undefined if the application is withdrawn. */
  neighbors: Neighbors | undefined
  /** The beginning of the text of the resume. Null until the text is extracted, and if there is none. */
  resumeText: string | null
  /** Statuses that the employer can set. */
  allowed: readonly ApplicationStatus[]
  isErased: boolean
  form: Form
}

export function renderReceivedApplication(page: PageContext, view: ReceivedView): Html {
  const { application, questions, neighbors, allowed, isErased, form } = view
  const { id, candidate, job, cover_letter, status, withdrawn_at, applied_at, status_history } = application
  const { email, phone, location, headline } = candidate
  const name = nameOf(application)
  const contact = [
    email && html`<a href="mailto:${email}">${email}</a>`,
    phone && html`<a href="tel:${phone.replace(/[^+\d]/g, '')}">${phone}</a>`,
  ].filter(Boolean)
  return htmlPage(page, { title: `${name}: ${job.title}` })`
<div class="row apart head-gap"><ol class="crumbs flat"><li><a href="/employer/applications">${t('received.applicants')}</a></li><li><a href="/employer/applications?job_id=${job.id}">${job.title}</a></li></ol>${neighbors && neighbors.total > 1 && renderNeighbors(neighbors)}</div>
<div class="row nowrap-row head-gap top-line">${logo({ id, name }, 'round big')}<div class="grow"><div class="row"><h1>${name}</h1>${statusBadge('received', status)}${withdrawnBadge(withdrawn_at)}</div>
${(headline || location) && html`<p class="soft">${[headline, location].filter(Boolean).join(', ')}</p>`}
<p class="small">${contact.map((each) => html`${each} <span class="soft">·</span> `)}<span class="soft">${rich('received.applied_on', { day: day(applied_at) })}</span></p></div></div>
${form.summary()}
${isErased && message(html`<p>${t('received.erased')}</p>`, 'warn')}
${withdrawn_at && !isErased && message(html`<p>${rich('received.withdrawn_on', { day: day(withdrawn_at) })}</p>`, 'warn')}
<div class="split">
<div class="loose">
${renderResume(page, application, view.resumeText)}
${renderAnswers(t('received.answers'), questions, application.custom_questions)}
${!isErased && card([html`<h2>${t('received.letter')}</h2>`, prose(cover_letter)])}
</div>
<aside class="stick flow" aria-label="${t('received.decision')}">
${allowed.length > 0 && renderStatusForm(page, view)}
${renderHistory(
  t('received.history'),
  status_history
    .toReversed()
    .map(
      ({ status, at, reason }) =>
        html`<p class="row">${statusBadge('received', status)} <span class="soft small">${moment(at)}</span></p>${reason && prose(reason)}`,
    ),
)}
</aside>
</div>
${allowed.length > 0 && page.may('POST', `/employer/applications/${id}`) && html`<div class="apply-bar phone-only" role="region" aria-label="${t('received.decision')}"><a class="btn main" href="#move">${t('received.move_to_more')}</a></div>`}`
}

function renderNeighbors({ position, total, previous, next }: Neighbors): Html {
  const path = '/employer/applications'
  return html`<nav class="row" aria-label="${t('received.applicants')}">${previous && html`<a class="btn slim" href="${path}/${previous}" rel="prev" aria-label="${t('received.previous_applicant')}">${icon('back')}${t('received.previous')}</a>`}<span class="small soft">${t('received.position', { position, total })}</span>${next && html`<a class="btn slim" href="${path}/${next}" rel="next" aria-label="${t('received.next_applicant')}">${t('received.next')}${icon('next')}</a>`}</nav>`
}

function renderResume(page: PageContext, { resume }: EmployerApplication, text: string | null): Html | undefined {
  if (!resume) return undefined
  return card(html`<h2>${t('received.resume')}</h2><div class="row apart"><p><span class="file-name">${resume.filename}</span> <span class="soft">${formatBytes(resume.size_bytes)}</span></p>
${wayTo(page, t('received.download'), `/employer/resumes/${resume.id}`)}</div>
${text?.trim() && html`<details open><summary>${t('received.resume_text')}</summary><div class="sheet-paper">${prose(text)}</div></details>`}`)
}

function renderStatusForm(page: PageContext, { application, allowed, form }: ReceivedView): Html {
  return card(
    [
      html`<h2>${t('received.move_to')}</h2>`,
      postForm(page, `/employer/applications/${application.id}`, [
        editedField(form),
        form.select(
          'status',
          t('received.stage'),
          [
            { value: '', text: t('received.choose_stage') },
            ...allowed.map((value) => ({ value, text: nameOfMove(value) })),
          ],
          { isRequired: true },
        ),
        form.textArea('reason', t('received.reason'), {
          isRequired: false,
          hint: t('received.reason_hint'),
          rows: 2,
          maxlength: 2_000,
        }),
        button(t('received.move'), { class: 'full' }),
      ]),
    ],
    { id: 'move' },
  )
}

function formatBytes(bytes: number): string {
  if (bytes < 1_000) return t('received.bytes', { bytes })
  if (bytes < 1_000_000) return t('received.kilobytes', { amount: formatNumber(Math.round(bytes / 1_000)) })
  return t('received.megabytes', { amount: formatDecimal(bytes / 1_000_000) })
}
