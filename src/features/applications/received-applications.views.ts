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
import type { CustomQuestion } from '../jobs/index.ts'
import { statusName } from './applications.present.ts'
import type { Neighbors } from './applications.queries.ts'
import { type ApplicationStatus, type EmployerApplication, transitions } from './applications.schemas.ts'
import { renderAnswers, renderHistory, statusBadge, withdrawnBadge } from './applications.views.ts'

const nameOf = ({ candidate }: EmployerApplication) => candidate.name ?? 'Deleted candidate'

export const statusNotice = (application: EmployerApplication) =>
  `${nameOf(application)} moved to ${statusName('received', application.status)}.`

type JobChoices = readonly { id: string; title: string }[]

function renderFilter(form: Form, jobs: JobChoices): Html {
  const status = form.value('status')
  return html`<form class="row bottom" action="/employer/applications" aria-label="Filter">
${status !== '' && html`<input type="hidden" name="status" value="${status}">`}
${form.select('job_id', 'Job', [{ value: '', text: 'All jobs' }, ...jobs.map(({ id, title }) => ({ value: id, text: title }))])}
${button('Show', { variant: 'secondary' })}</form>`
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

/** Shown in stages without applicants. */
const emptyStages: Readonly<Record<ApplicationStatus, string>> = {
  pending: 'New applicants appear here.',
  reviewed: 'Move applicants here after a first look.',
  contacted: 'Move applicants here when you write or call.',
  hired: 'Move someone here when the contract is signed.',
  rejected: 'Move applicants here when you decide against them.',
}

export function renderReceivedBoard(page: PageContext, { form, jobs, columns, now }: Board): Html {
  const all = columns.reduce((sum, { total }) => sum + total, 0)
  const fresh = columns.find(({ status }) => status === 'pending')?.total ?? 0
  const count = all === 1 ? 'One person' : `${all} people`
  return htmlPage(page, { title: 'Applicants', modules: ['stages.js'] })`
<div class="page-head head-gap"><div><h1>Applicants</h1>${all > 0 && html`<p class="soft">${count}, ${fresh} of them new</p>`}</div>${(jobs.length > 0 || all > 0) && renderFilter(form, jobs)}</div>
${form.summary()}
${
  all === 0
    ? emptyState(
        'No applicants yet',
        html`<p>People who apply to your jobs appear here. ${linkTo(page, 'Your jobs', '/employer/jobs')}</p>`,
      )
    : html`<nav class="phone-only tabs flush-tabs" aria-label="Stages"><ul>${columns.map(
        ({ status, total }) =>
          html`<li><a href="#stage-${status}">${statusName('received', status)} <span class="count${status === 'pending' && total > 0 && ' hot'}">${total}</span></a></li>`,
      )}</ul></nav>
<div class="stages">${columns.map((column) => renderStage(page, form, column, now))}</div>
<p class="small soft gap-top">Applicants get an email when you move them. <a href="/employer/applications?sort=applied_at:desc">Show all as a list, including withdrawn applications</a></p>`
}`
}

function renderStage(page: PageContext, form: Form, { status, total, items }: ColumnOfBoard, now: Date): Html {
  const name = statusName('received', status)
  return html`<section class="stage" id="stage-${status}" data-stage="${status}" aria-labelledby="head-${status}">
<h2 id="head-${status}"><a href="${listPath(form, status)}">${name}</a> <span class="count">${total}</span></h2>
${
  total === 0
    ? html`<p class="none">${emptyStages[status]}</p>`
    : html`<ul class="people">${items.map((application) => html`<li>${renderReceivedCard(page, form, application, now)}</li>`)}</ul>`
}
${total > items.length && html`<a class="btn slim quiet full" href="${listPath(form, status)}">${total - items.length} more</a>`}
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
<p class="line"><span>${ago(applied_at, now)}</span>${resume && html`<span>Resume</span>`}</p>
${
  mayMove &&
  html`<details class="move"><summary>Move<span class="hide"> ${name}</span>${icon('down')}</summary>
${postForm(page, action, [
  jobId !== '' && html`<input type="hidden" name="job_id" value="${jobId}">`,
  html`<label class="hide" for="move-${id}">Move ${name} to</label><select id="move-${id}" name="status">${allowed.map((each) => html`<option value="${each}">${statusName('received', each)}${each === 'hired' && ' (final)'}</option>`)}</select>`,
  button('Move', { variant: 'secondary', class: 'slim' }),
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
    ? `Applicants: ${statusName('received', status as ApplicationStatus)}`
    : 'Applicants'
  return htmlPage(page, { title })`
<p class="crumbs"><a href="/employer/applications">Applicants by stage</a></p><h1>${title}</h1>
${form.summary()}
${renderFilter(form, jobs)}
${
  found &&
  dataTable(
    'Applications',
    {
      rows: found.items,
      empty: emptyState(
        'No applications found',
        html`<p><a href="/employer/applications">Show all applications</a></p>`,
      ),
    },
    (each) => ({
      Candidate: html`<a class="strong" href="/employer/applications/${each.id}">${nameOf(each)}</a>${each.candidate.headline && html`<br><span class="soft small">${each.candidate.headline}</span>`}`,
      Job: each.job.title,
      Applied: day(each.applied_at),
      Status: html`${statusBadge('received', each.status)} ${withdrawnBadge(each.withdrawn_at)}`,
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
  /** The start of the text in the resume. Null before it was recognized, and if there is none. */
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
<div class="row apart head-gap"><ol class="crumbs flat"><li><a href="/employer/applications">Applicants</a></li><li><a href="/employer/applications?job_id=${job.id}">${job.title}</a></li></ol>${neighbors && neighbors.total > 1 && renderNeighbors(neighbors)}</div>
<div class="row nowrap-row head-gap top-line">${logo({ id, name }, 'round big')}<div class="grow"><div class="row"><h1>${name}</h1>${statusBadge('received', status)}${withdrawnBadge(withdrawn_at)}</div>
${(headline || location) && html`<p class="soft">${[headline, location].filter(Boolean).join(', ')}</p>`}
<p class="small">${contact.map((each) => html`${each} <span class="soft">·</span> `)}<span class="soft">Applied ${day(applied_at)}</span></p></div></div>
${form.summary()}
${isErased && message(html`<p>The candidate erased their account and personal data.</p>`, 'warn')}
${withdrawn_at && !isErased && message(html`<p>The candidate withdrew this application on ${day(withdrawn_at)}.</p>`, 'warn')}
<div class="split">
<div class="loose">
${renderResume(page, application, view.resumeText)}
${renderAnswers('Answers', questions, application.custom_questions)}
${!isErased && card([html`<h2>Letter</h2>`, prose(cover_letter)])}
</div>
<aside class="stick flow" aria-label="Your decision">
${allowed.length > 0 && renderStatusForm(page, view)}
${renderHistory(
  'History',
  status_history
    .toReversed()
    .map(
      ({ status, at, reason }) =>
        html`<p class="row">${statusBadge('received', status)} <span class="soft small">${moment(at)}</span></p>${reason && prose(reason)}`,
    ),
)}
</aside>
</div>
${allowed.length > 0 && page.may('POST', `/employer/applications/${id}`) && html`<div class="apply-bar phone-only" role="region" aria-label="Your decision"><a class="btn main" href="#move">Move to…</a></div>`}`
}

function renderNeighbors({ position, total, previous, next }: Neighbors): Html {
  const path = '/employer/applications'
  return html`<nav class="row" aria-label="Applicants">${previous && html`<a class="btn slim" href="${path}/${previous}" rel="prev">${icon('back')}Previous<span class="hide"> applicant</span></a>`}<span class="small soft">${position} of ${total}</span>${next && html`<a class="btn slim" href="${path}/${next}" rel="next">Next<span class="hide"> applicant</span>${icon('next')}</a>`}</nav>`
}

function renderResume(page: PageContext, { resume }: EmployerApplication, text: string | null): Html | undefined {
  if (!resume) return undefined
  return card(html`<h2>Resume</h2><div class="row apart"><p><span class="file-name">${resume.filename}</span> <span class="soft">${formatBytes(resume.size_bytes)}</span></p>
${wayTo(page, 'Download', `/employer/resumes/${resume.id}`)}</div>
${text?.trim() && html`<details open><summary>Text of the resume</summary><div class="sheet-paper">${prose(text)}</div></details>`}`)
}

function renderStatusForm(page: PageContext, { application, allowed, form }: ReceivedView): Html {
  return card(
    [
      html`<h2>Move to</h2>`,
      postForm(page, `/employer/applications/${application.id}`, [
        editedField(form),
        form.select(
          'status',
          'Stage',
          [
            { value: '', text: 'Choose a stage' },
            ...allowed.map((value) => ({
              value,
              text: `${statusName('received', value)}${value === 'hired' ? ' (final)' : ''}`,
            })),
          ],
          { isRequired: true },
        ),
        form.textArea('reason', 'Reason', {
          isRequired: false,
          hint: 'Only you can see it. The candidate gets an email about the new stage.',
          rows: 2,
          maxlength: 2_000,
        }),
        button('Move', { class: 'full' }),
      ]),
    ],
    { id: 'move' },
  )
}

function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
