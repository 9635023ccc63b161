import { t } from '../../locale/messages.ts'
import {
  actionButton,
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
  privacyNotice,
  prose,
  tabs,
  withQuery,
} from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { attributes, type Content, type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { linkingTo, rich } from '../../pages/text.ts'
import type { Catalogue } from '../catalogue/index.ts'
import { type CustomQuestion, formatSalary, type JobDetail, jobPath, renderJobFacts } from '../jobs/index.ts'
import { type Recognized, type Resume, renderRecognized, renderResumeDrop } from '../resumes/index.ts'
import type { DraftRow } from './application-drafts.queries.ts'
import { renderSteps } from './application-steps.views.ts'
import { statusName } from './applications.present.ts'
import { type Application, type ApplicationListItem, applicationStatuses } from './applications.schemas.ts'
import { renderAnswers, renderHistory, statusBadge, withdrawnBadge } from './applications.views.ts'
import { type Conversation, renderMessages } from './messages.views.ts'

const badgeOf = ({ status, withdrawn_at }: Pick<Application, 'status' | 'withdrawn_at'>) =>
  withdrawnBadge(withdrawn_at) || statusBadge('own', status)

export const renderApplyLink = (jobId: string, source: string | null): Html =>
  html`<a class="btn main big full" href="${withQuery(`/jobs/${jobId}/apply`, { source })}">${t('applications.apply')}</a>`

export const renderStandingLink = (applicationId: string): Html =>
  html`<a class="btn main big full" href="/me/applications/${applicationId}">${t('applications.your_application')}</a>`

interface ToApply {
  job: JobDetail
  questions: readonly CustomQuestion[]
  resumes: readonly Resume[]
  /** The text extracted from the default resume, or the state of the extraction. */
  recognized: Recognized | undefined
  /** Undefined if the API key may not read the profile. */
  profile: Profile | undefined
  /** The draft that the candidate's agent created, if any. */
  draft: Pick<DraftRow, 'expires_at'> | undefined
  form: Form
  now: Date
}

type Profile = Record<'name' | 'email', string> & Record<'phone' | 'location' | 'headline', string | null>

export function renderApply(page: PageContext, catalogue: Catalogue, view: ToApply): Html {
  const { job, questions, draft, form, now } = view
  const { id, title, company, location } = job
  const back = jobPath(job)
  const steps = [
    renderAboutYou(page, view),
    renderResumePart(page, view),
    questions.length > 0 && {
      title: t('applications.questions_from', { company }),
      hint: t('applications.questions_hint'),
      content: html`<div class="flow" id="field-custom_questions">${questions.map((question) => questionField(form, question))}</div>`,
    },
    {
      title: t('applications.letter'),
      hint: t('applications.letter_hint'),
      content: form.textArea('cover_letter', t('applications.cover_letter'), {
        isRequired: true,
        rows: 8,
        maxlength: 20_000,
      }),
    },
  ].filter((step) => step !== false)
  return htmlPage(page, { title: t('applications.apply_title', { title }), modules: ['files.js', 'drop.js'] })`
<ol class="crumbs"><li><a href="${back}">${t('applications.back_to_job')}</a></li></ol>
<div class="split"><div>
<div class="head-gap"><h1>${t('applications.apply_to', { company })}</h1><p class="lead gap-1">${title}, ${location}</p></div>
${form.summary()}
${
  draft &&
  message(
    html`<p><strong>${t('applications.draft_title')}</strong></p><p>${rich('applications.draft_text', { until: moment(draft.expires_at.toISOString()) })}</p>${actionButton(page, { action: `/jobs/${id}/apply/discard`, text: t('applications.draft_discard') })}`,
    'warn',
  )
}
${postForm(
  page,
  `/jobs/${id}/apply`,
  [
    steps.map((step, n) => renderStep(step, n + 1, steps.length)),
    form.value('source') !== '' && html`<input type="hidden" name="source" value="${form.value('source')}">`,
    html`<div class="form-part flow"><p class="small soft">${t('applications.disclosure', { company, answers: String(questions.length > 0) })}</p>
${privacyNotice(page)}
<div class="actions">${button(t('applications.send'), { class: 'big' })}${buttonLink(t('shared.cancel'), back, 'quiet')}</div></div>`,
  ],
  { enctype: 'multipart/form-data', class: 'panel' },
)}</div>
<aside class="stick flow wide-only" aria-label="${t('applications.the_job')}"><div class="panel flow"><div class="row nowrap-row">${logo({ name: company, url: job.company_logo_url })}<div class="grow"><h2 class="h3">${title}</h2><p class="small soft">${company}</p></div></div>${renderJobFacts(catalogue, job, now)}</div></aside>
</div>`
}

/** A numbered section of the form. The number shows candidates their progress. */
interface FormStep {
  title: string
  hint: Content
  content: Content
}

const renderStep = ({ title, hint, content }: FormStep, step: number, steps: number) =>
  html`<div class="form-part"><h2>${t('applications.step', { step, steps, title })}</h2><p class="small">${hint}</p>${content}</div>`

function renderAboutYou(page: PageContext, { profile }: ToApply): FormStep | false {
  if (!profile) return false
  const { name, email, phone, location, headline } = profile
  const change = page.may('GET', '/me/profile') && html` <a href="/me/profile">${t('applications.change_profile')}</a>`
  return {
    title: t('applications.about_you'),
    hint: html`${t('applications.from_profile')}${change}`,
    content: facts([
      [t('shared.name'), name],
      [t('shared.email_address'), email],
      [t('shared.phone'), phone],
      [t('shared.location'), location],
      [t('shared.headline'), headline],
    ]),
  }
}

/** Number of resumes shown at first. Other resumes are collapsed. */
const RESUMES_IN_VIEW = 3
/** Name of the form value with the filename of a resume that was stored although the application was refused. */
export const KEPT_FILE = '_kept_file'

function renderResumePart(page: PageContext, { resumes, recognized, form }: ToApply): FormStep | false {
  const mayUpload = page.actor?.scopes.includes('profile:write')
  if (!mayUpload && resumes.length === 0) return false
  const kept = form.value(KEPT_FILE)
  const chosen = form.value('resume_id')
  const faults = form.faultsOf('resume_id')
  const present = resumes.find(({ is_default }) => is_default)
  const label = t(resumes.length > 0 ? 'applications.add_another_file' : 'applications.add_resume')
  const choices = resumes.map((resume, n) => resumeChoice(resume, n, chosen))
  const others = choices.slice(RESUMES_IN_VIEW)
  return {
    title: t('shared.resume'),
    hint: resumes.length > 0 && t('applications.resume_choose'),
    content: html`<div data-resumes>${kept !== '' && message(html`<p>${t('applications.file_kept', { file: kept })}</p>`, 'good')}
${
  resumes.length > 0 &&
  html`<fieldset class="tight${faults.length > 0 && ' wrong'}"><legend class="hide">${t('applications.resume_to_send')}</legend>
${faults.map((fault) => html`<p class="fault">${fault}</p>`)}
${choices.slice(0, RESUMES_IN_VIEW)}
${others.length > 0 && html`<details${attributes({ open: resumes.slice(RESUMES_IN_VIEW).some(({ id }) => id === chosen) })}><summary>${t('applications.older', { count: others.length })}</summary><div class="tight">${others}</div></details>`}
</fieldset>`
}
${present && recognized && renderRecognized(present.filename, recognized)}
${mayUpload && html`<div class="gap-2">${renderResumeDrop(page, form, { name: '_file', label, isRequired: false })}</div>`}</div>`,
  }
}

function resumeChoice({ id, filename, created_at }: Resume, n: number, chosen: string): Html {
  const own = n === 0 ? 'field-resume_id' : `field-resume_id-${n}`
  return html`<label class="choice" for="${own}"><input${attributes({ type: 'radio', id: own, name: 'resume_id', value: id, checked: id === chosen })}><span class="grow"><b>${filename}</b><br><span class="small soft">${rich('applications.resume_added', { day: day(created_at) })}</span></span></label>`
}

/**
 * Maximum number of options that a required single choice shows as radio buttons. All other single choices are
 * drop-down lists.
 */
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
      return form.choices(name, label, { true: t('shared.yes'), false: t('shared.no') }, { isRequired, type: 'radio' })
    case 'number':
      return form.field(name, label, { isRequired, type: 'number', step: 'any', inputmode: 'decimal' })
    case 'date':
      return form.field(name, label, { isRequired, type: 'date', placeholder: 'YYYY-MM-DD' })
    case 'url':
      return form.field(name, label, { isRequired, type: 'url', placeholder: 'https://', maxlength: 2_048 })
    case 'single_select':
      return offered.length <= IN_VIEW_MAX && required
        ? form.choices(name, label, offered, { isRequired, type: 'radio' })
        : form.select(name, label, [{ value: '', text: t('applications.choose_one') }, ...offered], { isRequired })
    case 'multi_select':
      return form.choices(name, label, offered, { isRequired })
  }
}

export function renderApplications(
  page: PageContext,
  { items: applications, pagination: numbers }: Listed<ApplicationListItem>,
  drafts: readonly DraftRow[],
): Html {
  const isFiltered = page.path.includes('status=')
  return htmlPage(page, { title: t('menu.applications') })`<h1>${t('menu.applications')}</h1>
${drafts.map(({ job_id, title, company }) => message(html`<p>${rich('applications.draft_waits', { company, link: html`<a href="/jobs/${job_id}/apply">${title}</a>` })}</p>`, 'warn'))}
${tabs(page, t('applications.by_status'), [
  { href: '/me/applications', text: t('applications.all') },
  ...applicationStatuses.map((status) => ({
    href: `/me/applications?status=${status}`,
    text: statusName('own', status),
  })),
])}
${
  applications.length > 0
    ? renderApplicationCards(applications, 'h2')
    : emptyState(
        t(isFiltered ? 'applications.none_with_status' : 'applications.none_yet'),
        isFiltered
          ? html`<p><a href="/me/applications">${t('applications.show_all')}</a></p>`
          : html`<p>${rich('applications.appear_here', { link: linkingTo('/jobs') })}</p>`,
      )
}
${pagination(page, numbers)}`
}

export function renderApplicationCards(applications: readonly ApplicationListItem[], heading: 'h2' | 'h3'): Html {
  return html`<ul class="jobs">${applications.map((application) => html`<li>${renderCard(application, heading)}</li>`)}</ul>`
}

function renderCard(application: ApplicationListItem, heading: 'h2' | 'h3'): Html {
  const { id, job, applied_at } = application
  return html`<article class="panel flow"><div class="row top-line nowrap-row">${logo({ name: job.company })}<div class="grow"><${heading} class="h3"><a href="/me/applications/${id}">${job.title}</a></${heading}>
<p class="small soft">${job.company}, ${job.location}</p></div><span class="wide-only">${badgeOf(application)}</span></div>
${renderSteps(application)}
<p class="small soft">${rich('applications.sent_on', { day: day(applied_at) })}</p></article>`
}

interface OwnView {
  application: Application
  /** Undefined if the job was deleted. */
  questions: readonly CustomQuestion[] | undefined
  mayWithdraw: boolean
  /** The employer's message for each entry of the history. Null for entries without a message. */
  statusMessages: readonly (string | null)[]
  messages: Conversation['messages']
  /** The form for withdrawing the application. */
  form: Form
  /** The form for the next message. */
  reply: Form
}

export function renderApplication(page: PageContext, view: OwnView): Html {
  const { application, questions, statusMessages, messages, form, reply } = view
  const { id, job, cover_letter, resume, custom_questions, applied_at, withdrawn_at } = application
  const conversation = renderMessages(page, {
    side: 'candidate',
    other: job.company,
    messages,
    action: `/me/applications/${id}/messages`,
    isOpen: withdrawn_at === null,
    form: reply,
  })
  return htmlPage(page, { title: t('applications.application_title', { title: job.title }) })`
<ol class="crumbs"><li><a href="/me/applications">${t('menu.applications')}</a></li></ol>
<div class="page-head"><div><h1>${job.title}</h1><p class="soft">${job.company}, ${job.location}</p></div>${badgeOf(application)}</div>
${form.summary()}${reply.summary()}
<div class="split">
<div>
${card(renderSteps(application))}
${conversation}
${card([html`<h2>${t('applications.your_letter')}</h2>`, prose(cover_letter)])}
${renderAnswers(t('applications.your_answers'), questions, custom_questions)}
${renderWithdrawal(page, view)}
</div>
<aside class="flow">
${renderHistory(t('applications.history'), historyOf(application, statusMessages))}
${card(
  facts([
    [t('applications.sent'), day(applied_at)],
    [t('shared.resume'), resume && linkTo(page, resume.filename, `/me/resumes/${resume.id}`)],
    [t('shared.pay'), job.salary && formatSalary(job.salary)],
    [t('shared.job'), questions && html`<a href="${jobPath(job)}">${t('applications.view_job')}</a>`],
  ]),
)}
</aside>
</div>`
}

/** Renders the status changes of an application and its withdrawal, latest first. */
function historyOf(
  { status_history, withdrawn_at, job: { company } }: Application,
  messages: OwnView['statusMessages'],
): Html[] {
  const changes = status_history.map(({ status, at }, n) => ({
    name: statusName('own', status),
    at,
    text: t(`applications.history_${status}`, { company }),
    message: messages[n] ?? null,
  }))
  if (withdrawn_at !== null) {
    changes.push({
      name: t('applications.status_withdrawn'),
      at: withdrawn_at,
      text: t('applications.history_withdrawn'),
      message: null,
    })
  }
  return changes
    .toReversed()
    .map(
      ({ name, at, text, message }) =>
        html`<b>${name}</b><p>${text}<br>${moment(at)}</p>${message && html`<p class="small soft">${t('applications.message_from', { company })}</p>${prose(message)}`}`,
    )
}

function renderWithdrawal(page: PageContext, { application: { id }, mayWithdraw, form }: OwnView): Content {
  if (!mayWithdraw) return undefined
  return html`<details class="panel confirm no-print"${attributes({ open: form.faults.length > 0 })}><summary class="link">${t('applications.withdraw_this')}</summary>
${postForm(page, `/me/applications/${id}/withdraw`, [
  html`<p>${t('applications.withdraw_explained')}</p>`,
  form.textArea('reason', t('shared.reason'), {
    isRequired: false,
    rows: 3,
    hint: t('applications.reason_private'),
    maxlength: 2_000,
  }),
  button(t('applications.withdraw'), { variant: 'danger' }),
])}</details>`
}
