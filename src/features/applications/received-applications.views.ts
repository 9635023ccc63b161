import {
  button,
  card,
  dataTable,
  day,
  emptyState,
  facts,
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
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext, PageNumbers } from '../../pages/page.ts'
import type { CustomQuestion } from '../jobs/index.ts'
import { statusNames } from './applications.present.ts'
import type { ApplicationStatus, EmployerApplication } from './applications.schemas.ts'
import { renderAnswers, renderHistory, statusBadge, withdrawnBadge } from './applications.views.ts'

const nameOf = ({ candidate }: EmployerApplication) => candidate.name ?? 'Deleted candidate'

export const statusNotice = (application: EmployerApplication) =>
  `${nameOf(application)} was marked as ${statusNames.received[application.status].toLowerCase()}.`

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

export function renderReceivedBoard(
  page: PageContext,
  form: Form,
  jobs: JobChoices,
  columns: readonly ColumnOfBoard[],
): Html {
  const all = columns.reduce((sum, { total }) => sum + total, 0)
  return htmlPage(page, { title: 'Applications' })`<h1>Applications</h1>
${(jobs.length > 0 || all > 0) && renderFilter(form, jobs)}
${
  all === 0
    ? emptyState(
        'No applications yet',
        html`<p>Applications to your jobs appear here. ${linkTo(page, 'Your jobs', '/employer/jobs')}</p>`,
      )
    : html`<div class="stages">${columns.map(
        ({ status, total, items }) => html`<section class="stage" aria-labelledby="column-${status}">
<h2 id="column-${status}"><a href="${listPath(form, status)}">${statusNames.received[status]}</a> <span class="count">${total}</span></h2>
<ul class="people">${items.map((application) => html`<li>${renderReceivedCard(application)}</li>`)}</ul>
${total > items.length && html`<p class="small"><a href="${listPath(form, status)}">All ${total}</a></p>`}
${total === 0 && html`<p class="none">None</p>`}</section>`,
      )}</div>`
}`
}

function renderReceivedCard(application: EmployerApplication): Html {
  const { id, candidate, job, applied_at, withdrawn_at, resume } = application
  const name = nameOf(application)
  return html`<article class="person"><div class="row nowrap-row top-line">${logo({ id, name }, 'round small')}<div class="grow"><h3><a href="/employer/applications/${id}">${name}</a></h3>
${candidate.headline && html`<p>${candidate.headline}</p>`}<p>${job.title}</p></div></div>
<p class="line"><span>${day(applied_at)}</span>${resume && html`<span>Resume</span>`}${withdrawnBadge(withdrawn_at)}</p></article>`
}

interface Found {
  items: readonly EmployerApplication[]
  pagination: PageNumbers
}

/** Renders applications as a list. `found` is undefined if the query was invalid. */
export function renderReceivedList(page: PageContext, form: Form, jobs: JobChoices, found: Found | undefined): Html {
  const status = form.value('status')
  const title = Object.hasOwn(statusNames.received, status)
    ? `Applications: ${statusNames.received[status as ApplicationStatus].toLowerCase()}`
    : 'Applications'
  return htmlPage(page, { title })`
<p class="crumbs"><a href="/employer/applications">All applications by status</a></p><h1>${title}</h1>
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
  /** Statuses that the employer can set. */
  allowed: readonly ApplicationStatus[]
  isErased: boolean
  form: Form
}

export function renderReceivedApplication(page: PageContext, view: ReceivedView): Html {
  const { application, questions, allowed, isErased, form } = view
  const { candidate, job, cover_letter, resume, status, withdrawn_at, status_history } = application
  const name = nameOf(application)
  return htmlPage(page, { title: `${name}: ${job.title}` })`
<p class="crumbs"><a href="/employer/applications">Applications</a> · ${linkTo(page, job.title, `/employer/jobs/${job.id}`)}</p>
<div class="row page-head"><h1>${name}</h1>${statusBadge('received', status)}${withdrawnBadge(withdrawn_at)}</div>
${candidate.headline && html`<p class="lead">${candidate.headline}</p>`}
${form.summary()}
${isErased && message(html`<p>The candidate erased their account and personal data.</p>`, 'warn')}
${withdrawn_at && !isErased && message(html`<p>The candidate withdrew this application on ${day(withdrawn_at)}.</p>`, 'warn')}
<div class="split">
<div>
${!isErased && card([html`<h2>Letter</h2>`, prose(cover_letter)])}
${renderAnswers('Answers', questions, application.custom_questions)}
${
  resume &&
  card(html`<h2>Resume</h2><p class="row"><span class="file-name">${resume.filename}</span> <span class="soft">${formatBytes(resume.size_bytes)}</span></p>
<p>${wayTo(page, 'Download', `/employer/resumes/${resume.id}`)}</p>`)
}
</div>
<aside>
${allowed.length > 0 && renderStatusForm(page, view)}
${renderContact(application)}
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
</div>`
}

function renderStatusForm(page: PageContext, { application, allowed, form }: ReceivedView): Html {
  return card([
    html`<h2>Change status</h2>`,
    postForm(page, `/employer/applications/${application.id}`, [
      editedField(form),
      form.choices(
        'status',
        'New status',
        allowed.map((value) => ({
          value,
          text: value === 'hired' ? 'Hired (cannot be undone)' : statusNames.received[value],
        })),
        { type: 'radio', isRequired: true },
      ),
      form.textArea('reason', 'Reason', {
        isRequired: false,
        hint: 'Shown in the history. Only you can see it. The candidate is notified of the new status.',
        rows: 3,
        maxlength: 2_000,
      }),
      button('Save'),
    ]),
  ])
}

function renderContact({ candidate: { email, phone, location }, applied_at }: EmployerApplication): Html {
  return card([
    html`<h2>Candidate</h2>`,
    facts([
      ['Email', email && html`<a href="mailto:${email}">${email}</a>`],
      ['Phone', phone && html`<a href="tel:${phone.replace(/[^+\d]/g, '')}">${phone}</a>`],
      ['Location', location],
      ['Applied', moment(applied_at)],
    ]),
  ])
}

function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
