import {
  button,
  buttonLink,
  card,
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
  tabs,
} from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { attributes, type Content, type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext, PageNumbers } from '../../pages/page.ts'
import type { Catalogue } from '../catalogue/index.ts'
import { type CustomQuestion, formatSalary, type JobDetail, jobPath, renderJobFacts } from '../jobs/index.ts'
import { type Resume, renderResumeField } from '../resumes/index.ts'
import { renderSteps } from './application-steps.views.ts'
import { statusNames } from './applications.present.ts'
import {
  type Application,
  type ApplicationListItem,
  type ApplicationStatus,
  applicationStatuses,
} from './applications.schemas.ts'
import { renderAnswers, renderHistory, statusBadge, withdrawnBadge } from './applications.views.ts'

const badgeOf = ({ status, withdrawn_at }: Pick<Application, 'status' | 'withdrawn_at'>) =>
  withdrawnBadge(withdrawn_at) || statusBadge('own', status)

export const renderApplyLink = (jobId: string): Html =>
  html`<a class="btn main big full" href="/jobs/${jobId}/apply">Apply</a>`

export const renderStandingLink = (applicationId: string): Html =>
  html`<a class="btn main big full" href="/me/applications/${applicationId}">Your application</a>`

interface ToApply {
  job: JobDetail
  questions: readonly CustomQuestion[]
  resumes: readonly Resume[]
  /** Undefined if the API key may not read the profile. */
  profile: Profile | undefined
  form: Form
  now: Date
}

type Profile = Record<'name' | 'email', string> & Record<'phone' | 'location' | 'headline', string | null>

export function renderApply(page: PageContext, catalogue: Catalogue, view: ToApply): Html {
  const { job, questions, form, now } = view
  const { id, title, company, location } = job
  const back = jobPath(job)
  return htmlPage(page, { title: `Apply: ${title}`, modules: ['files.js'] })`
<ol class="crumbs"><li><a href="${back}">Back to the job</a></li></ol>
<div class="split"><div>
<div class="head-gap"><h1>Apply to ${company}</h1><p class="lead gap-1">${title}, ${location}</p></div>
${form.summary()}
${postForm(
  page,
  `/jobs/${id}/apply`,
  [
    renderAboutYou(page, view),
    renderResumePart(page, view),
    questions.length > 0 &&
      part(
        `Questions from ${company}`,
        'They see your answers next to your resume.',
        html`<div class="flow" id="field-custom_questions">${questions.map((question) => questionField(form, question))}</div>`,
      ),
    part(
      'Letter',
      'Say why this job, and why you. Leave a blank line between paragraphs.',
      form.textArea('cover_letter', 'Cover letter', { isRequired: true, rows: 8, maxlength: 20_000 }),
    ),
    html`<div class="form-part"><p class="small soft">${company} receives your name, email address, phone number, location, headline, resume${questions.length > 0 && ', answers'} and letter. You can withdraw until they decide.</p>
<div class="actions">${button('Send application', { class: 'big' })}${buttonLink('Cancel', back, 'quiet')}</div></div>`,
  ],
  { enctype: 'multipart/form-data', class: 'panel' },
)}</div>
<aside class="stick flow wide-only" aria-label="The job"><div class="panel flow"><div class="row nowrap-row">${logo({ id: job.employer_id, name: company, url: job.company_logo_url })}<div class="grow"><h2 class="h3">${title}</h2><p class="small soft">${company}</p></div></div>${renderJobFacts(catalogue, job, now)}</div></aside>
</div>`
}

const part = (title: string, hint: Content, content: Content) =>
  html`<div class="form-part"><h2>${title}</h2><p class="small">${hint}</p>${content}</div>`

function renderAboutYou(page: PageContext, { profile }: ToApply): Html | false {
  if (!profile) return false
  const { name, email, phone, location, headline } = profile
  const change = page.may('GET', '/me/profile') && html` <a href="/me/profile">Change your profile</a>`
  return part(
    'About you',
    html`From your profile.${change}`,
    facts([
      ['Name', name],
      ['Email address', email],
      ['Phone', phone],
      ['Location', location],
      ['Headline', headline],
    ]),
  )
}

/** Resumes that are shown at once. The others unfold. */
const RESUMES_IN_VIEW = 3
/** The hidden field with the name of the file that an earlier attempt added to the resumes. */
export const KEPT_FILE = '_kept_file'

function renderResumePart(page: PageContext, { resumes, form }: ToApply): Html | false {
  const mayUpload = page.actor?.scopes.includes('profile:write')
  if (!mayUpload && resumes.length === 0) return false
  const kept = form.value(KEPT_FILE)
  const chosen = form.value('resume_id')
  const faults = form.faultsOf('resume_id')
  const choices = resumes.map((resume, n) => resumeChoice(resume, n, chosen))
  const others = choices.slice(RESUMES_IN_VIEW)
  return part(
    'Resume',
    resumes.length === 0 ? 'PDF, Word, OpenDocument, RTF or text.' : 'Choose one you have, or add a new one.',
    html`${kept !== '' && message(html`<p>Your file ${kept} was saved to your resumes and is chosen below. You don’t have to add it again.</p>`, 'good')}
${
  resumes.length > 0 &&
  html`<fieldset class="tight${faults.length > 0 && ' wrong'}"><legend class="hide">Resume to send</legend>
${faults.map((fault) => html`<p class="fault">${fault}</p>`)}
${choices.slice(0, RESUMES_IN_VIEW)}
${others.length > 0 && html`<details${attributes({ open: resumes.slice(RESUMES_IN_VIEW).some(({ id }) => id === chosen) })}><summary>${others.length} older</summary><div class="tight">${others}</div></details>`}
</fieldset>`
}
${mayUpload && html`<div class="drop gap-2">${renderResumeField(form, '_file', resumes.length > 0 ? 'Or add another file' : 'Add a resume', false)}</div>`}`,
  )
}

function resumeChoice({ id, filename, created_at }: Resume, n: number, chosen: string): Html {
  const own = n === 0 ? 'field-resume_id' : `field-resume_id-${n}`
  return html`<label class="choice" for="${own}"><input${attributes({ type: 'radio', id: own, name: 'resume_id', value: id, checked: id === chosen })}><span class="grow"><b>${filename}</b><br><span class="small soft">Added ${day(created_at)}</span></span></label>`
}

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
  return htmlPage(page, { title: 'Applications' })`<h1>Applications</h1>
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
  return html`<ul class="jobs">${applications.map((application) => html`<li>${renderCard(application)}</li>`)}</ul>`
}

function renderCard(application: ApplicationListItem): Html {
  const { id, job, applied_at } = application
  return html`<article class="panel flow"><div class="row top-line nowrap-row">${logo({ id: job.company, name: job.company })}<div class="grow"><h3><a href="/me/applications/${id}">${job.title}</a></h3>
<p class="small soft">${job.company}, ${job.location}</p></div><span class="wide-only">${badgeOf(application)}</span></div>
${renderSteps(application)}
<p class="small soft">Sent ${day(applied_at)}</p></article>`
}

interface OwnView {
  application: Application
  /** Undefined if the job was deleted. */
  questions: readonly CustomQuestion[] | undefined
  mayWithdraw: boolean
  form: Form
}

export function renderApplication(page: PageContext, view: OwnView): Html {
  const { application, questions, form } = view
  const { job, cover_letter, resume, custom_questions, applied_at } = application
  return htmlPage(page, { title: `Application: ${job.title}` })`
<ol class="crumbs"><li><a href="/me/applications">Applications</a></li></ol>
<div class="page-head"><div><h1>${job.title}</h1><p class="soft">${job.company}, ${job.location}</p></div>${badgeOf(application)}</div>
${form.summary()}
<div class="split">
<div>
${card(renderSteps(application))}
${card([html`<h2>Your letter</h2>`, prose(cover_letter)])}
${renderAnswers('Your answers', questions, custom_questions)}
${renderWithdrawal(page, view)}
</div>
<aside class="flow">
${renderHistory('History', historyOf(application))}
${card(
  facts([
    ['Sent', day(applied_at)],
    ['Resume', resume && linkTo(page, resume.filename, `/me/resumes/${resume.id}`)],
    ['Pay', job.salary && formatSalary(job.salary)],
    ['Job', questions && html`<a href="${jobPath(job)}">View job</a>`],
  ]),
)}
</aside>
</div>`
}

/** Returns the changes of an application, the latest first. */
function historyOf({ status_history, withdrawn_at, job: { company } }: Application): Html[] {
  const sentences: Record<ApplicationStatus, string> = {
    pending: `You applied to ${company}.`,
    reviewed: `${company} reviewed your application.`,
    contacted: `${company} is in touch with you, or plans to be.`,
    rejected: `${company} decided not to continue with your application.`,
    hired: `${company} marked you as hired.`,
  }
  const changes = status_history.map(({ status, at }) => ({
    name: statusNames.own[status],
    at,
    text: sentences[status],
  }))
  if (withdrawn_at !== null) {
    changes.push({ name: 'Withdrawn', at: withdrawn_at, text: 'You withdrew your application.' })
  }
  return changes.toReversed().map(({ name, at, text }) => html`<b>${name}</b><p>${text}<br>${moment(at)}</p>`)
}

function renderWithdrawal(page: PageContext, { application: { id }, mayWithdraw, form }: OwnView): Content {
  if (!mayWithdraw) return undefined
  return html`<details class="panel confirm no-print"${form.faults.length > 0 && html` open`}><summary class="link">Withdraw this application</summary>
${postForm(page, `/me/applications/${id}/withdraw`, [
  html`<p>The employer sees that you withdrew. You can apply again while the job is open.</p>`,
  form.textArea('reason', 'Reason', { isRequired: false, rows: 3, hint: 'Only you can see it.', maxlength: 2_000 }),
  button('Withdraw application', { variant: 'danger' }),
])}</details>`
}
