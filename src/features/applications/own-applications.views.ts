import {
  button,
  buttonLink,
  card,
  day,
  emptyState,
  facts,
  linkTo,
  moment,
  pagination,
  postForm,
  prose,
  tabs,
} from '../../pages/components.ts'
import type { Form, Option } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext, PageNumbers } from '../../pages/page.ts'
import { type CustomQuestion, formatSalary, type JobRow } from '../jobs/index.ts'
import { type Resume, renderResumeField } from '../resumes/index.ts'
import { statusNames } from './applications.present.ts'
import { type Application, type ApplicationListItem, applicationStatuses } from './applications.schemas.ts'
import { renderAnswers, renderHistory, statusBadge, withdrawnBadge } from './applications.views.ts'

const badgeOf = ({ status, withdrawn_at }: Pick<Application, 'status' | 'withdrawn_at'>) =>
  withdrawnBadge(withdrawn_at) || statusBadge('own', status)

export const renderApplyLink = (jobId: string): Html => buttonLink('Apply', `/jobs/${jobId}/apply`, 'primary')

export const renderStandingLink = (applicationId: string): Html =>
  buttonLink('Your application', `/me/applications/${applicationId}`, 'primary')

interface ToApply {
  job: Pick<JobRow, 'id' | 'title' | 'company' | 'location'>
  questions: readonly CustomQuestion[]
  resumes: readonly Resume[]
  form: Form
}

export function renderApply(page: PageContext, { job, questions, resumes, form }: ToApply): Html {
  const mayUpload = page.actor?.scopes.includes('profile:write')
  return htmlPage(page, { title: `Apply: ${job.title}`, width: 'narrow', modules: ['files.js'] })`<h1>Apply</h1>
<p class="lead"><a href="/jobs/${job.id}">${job.title}</a> at ${job.company}, ${job.location}</p>
${form.summary()}
${postForm(
  page,
  `/jobs/${job.id}/apply`,
  [
    card([
      html`<h2>Your resume</h2>`,
      resumes.length > 0 && form.choices('resume_id', 'Resume to send', resumes.map(resumeOption), { type: 'radio' }),
      mayUpload &&
        renderResumeField(form, '_file', resumes.length > 0 ? 'Or upload another' : 'Upload a resume', false),
    ]),
    card([
      html`<h2>Your letter</h2>`,
      form.textArea('cover_letter', 'Cover letter', {
        isRequired: true,
        rows: 10,
        hint: 'Why this job, and why you? Leave a blank line between paragraphs.',
        maxlength: 20_000,
      }),
    ]),
    questions.length > 0 &&
      card([
        html`<h2>Questions from ${job.company}</h2>`,
        html`<div id="field-custom_questions">${questions.map((question) => questionField(form, question))}</div>`,
      ]),
    html`<p class="soft">${job.company} also receives your name, email address, phone number, location and headline.</p>`,
    html`<p class="actions">${button('Send application')}${buttonLink('Back to the job', `/jobs/${job.id}`, 'quiet')}</p>`,
  ],
  { enctype: 'multipart/form-data' },
)}`
}

const resumeOption = ({ id, filename, created_at, is_default }: Resume): Option => ({
  value: id,
  text: `${filename}, uploaded ${created_at.slice(0, 10)}${is_default ? ' (default)' : ''}`,
})

/** A required single choice with at most this many options has radio buttons instead of a drop-down list. */
const IN_VIEW_MAX = 6

function questionField(form: Form, { id, label, type, required, options = [] }: CustomQuestion): Html {
  const name = `custom_questions[${id}]`
  const isRequired = required
  const offered = options.map((text) => ({ value: text, text }))
  switch (type) {
    case 'text':
      return form.field(name, label, { isRequired, maxlength: 1_000 })
    case 'textarea':
      return form.textArea(name, label, { isRequired, maxlength: 10_000 })
    case 'boolean':
      return form.choices(name, label, { true: 'Yes', false: 'No' }, { isRequired, type: 'radio' })
    case 'number':
      return form.field(name, label, { isRequired, type: 'number', step: 'any', inputmode: 'decimal' })
    case 'date':
      return form.field(name, label, { isRequired, type: 'date', placeholder: 'YYYY-MM-DD' })
    case 'url':
      return form.field(name, label, { isRequired, type: 'url', placeholder: 'https://', maxlength: 2_048 })
    case 'single_select':
      return offered.length <= IN_VIEW_MAX && required
        ? form.choices(name, label, offered, { isRequired, type: 'radio' })
        : form.select(name, label, [{ value: '', text: 'Choose one' }, ...offered], { isRequired })
    case 'multi_select':
      return form.choices(name, label, offered, { isRequired })
  }
}

export function renderApplications(
  page: PageContext,
  applications: readonly ApplicationListItem[],
  numbers: PageNumbers,
): Html {
  const isFiltered = page.path.includes('status=')
  return htmlPage(page, { title: 'Your applications' })`<h1>Your applications</h1>
${tabs(page, 'By status', [
  { href: '/me/applications', text: 'All' },
  ...applicationStatuses.map((status) => ({
    href: `/me/applications?status=${status}`,
    text: statusNames.own[status],
  })),
])}
${
  applications.length > 0
    ? renderApplicationCards(applications)
    : emptyState(
        isFiltered ? 'No applications with this status' : 'No applications yet',
        isFiltered
          ? html`<p><a href="/me/applications">Show all applications</a></p>`
          : html`<p>Your applications and their statuses appear here. <a href="/jobs">Browse jobs</a>.</p>`,
      )
}
${pagination(page, numbers)}`
}

export function renderApplicationCards(applications: readonly ApplicationListItem[]): Html {
  return html`<ul class="jobs">${applications.map(
    (
      application,
    ) => html`<li><article class="panel flow"><div class="row apart top-line"><div><h3><a href="/me/applications/${application.id}">${application.job.title}</a></h3>
<p class="small soft">${application.job.company}, ${application.job.location} · Applied ${day(application.applied_at)}</p></div>${badgeOf(application)}</div>
</article></li>`,
  )}</ul>`
}

interface OwnView {
  application: Application
  /** Undefined if the job was deleted. */
  questions: readonly CustomQuestion[] | undefined
  mayWithdraw: boolean
  form: Form
}

export function renderApplication(page: PageContext, { application, questions, mayWithdraw, form }: OwnView): Html {
  const { id, job, cover_letter, resume, custom_questions, status_history, applied_at, withdrawn_at } = application
  const change = (name: string, at: string) => html`${name}<br><span class="soft small">${moment(at)}</span>`
  return htmlPage(page, { title: `Application: ${job.title}` })`<h1>${job.title}</h1>
<p class="lead">${job.company}, ${job.location}</p>
<p>${badgeOf(application)}</p>
${form.summary()}
<div class="split">
<div>
${card([html`<h2>Your letter</h2>`, prose(cover_letter)])}
${renderAnswers('Your answers', questions, custom_questions)}
${
  mayWithdraw &&
  html`<details class="panel no-print"${form.faults.length > 0 && html` open`}><summary>Withdraw this application</summary>
${postForm(page, `/me/applications/${id}/withdraw`, [
  html`<p>The employer sees that you withdrew. You can apply again while the job is open.</p>`,
  form.textArea('reason', 'Reason', { isRequired: false, rows: 3, hint: 'Only you can see it.', maxlength: 2_000 }),
  button('Withdraw', { variant: 'danger' }),
])}</details>`
}
</div>
<aside>
${renderHistory('Status', [
  ...status_history.map(({ status, at }) => change(statusNames.own[status], at)),
  ...(withdrawn_at === null ? [] : [change('Withdrawn', withdrawn_at)]),
])}
${card(
  facts([
    ['Applied', day(applied_at)],
    ['Resume', resume && linkTo(page, resume.filename, `/me/resumes/${resume.id}`)],
    ['Pay', job.salary && formatSalary(job.salary)],
    ['Job', questions && html`<a href="/jobs/${job.id}">View job</a>`],
  ]),
)}
</aside>
</div>`
}
