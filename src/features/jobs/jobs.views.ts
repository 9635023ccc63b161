import { payPeriods } from '../../lib/salary.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { SearchMeta } from '../../lists/meta.ts'
import {
  actionButton,
  badge,
  button,
  buttonLink,
  card,
  dataTable,
  day,
  emptyState,
  facts,
  ignoredTerms,
  linkTo,
  message,
  pagination,
  postForm,
  type Tone,
  tabs,
  wayTo,
} from '../../pages/components.ts'
import { editedField } from '../../pages/editing.ts'
import { Form, type Option } from '../../pages/forms.ts'
import { attributes, type Html, html } from '../../pages/html.ts'
import { htmlPage, renderDocument } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { type Catalogue, type NamedSlug, nameOfSlug } from '../catalogue/index.ts'
import { renderJobContent } from './job-content.views.ts'
import { formatSalary } from './jobs.present.ts'
import { experienceLevels, type JobDetail, type JobState, questionTypes } from './jobs.schemas.ts'

export type OwnJob = JobDetail & { application_count: number; state: JobState; removal: Removal | null }

interface Removal {
  at: string
  reason: string
}

const states: Record<JobState, { name: string; tone: Tone }> = {
  active: { name: 'Active', tone: 'good' },
  inactive: { name: 'Draft', tone: 'plain' },
  closed: { name: 'Closed', tone: 'warn' },
  expired: { name: 'Ended', tone: 'plain' },
}

/** A job that ends within these days is marked. */
const SOON_MS = 3 * DAY_MS

/** Renders the state of a job. With its expiry, says whether it ends soon. */
export function stateBadge(state: JobState, expiresAt: Date | null = null, now: Date | null = null): Html {
  const isSoon = state === 'active' && expiresAt && now && expiresAt.getTime() - now.getTime() <= SOON_MS
  return isSoon ? badge('Ends soon', 'warn') : badge(states[state].name, states[state].tone)
}
const removedBadge = badge('Removed', 'bad')

interface Found {
  items: readonly OwnJob[]
  pagination: { total: number; page?: number; pages?: number }
  search?: SearchMeta | undefined
}

export function renderOwnJobs(
  page: PageContext,
  form: Form,
  counts: ReadonlyMap<string, number>,
  found: Found | undefined,
): Html {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const state = form.value('state')
  const tab = (value: string, text: string, count: number) => ({
    href: value === '' ? '/employer/jobs' : `/employer/jobs?state=${value}`,
    text,
    count,
    isHere: value === state,
  })
  const isSearch = form.value('search') !== ''
  return htmlPage(page, { title: 'Your jobs' })`
<div class="row apart page-head"><h1>Your jobs</h1>${wayTo(page, 'Post a job', '/employer/jobs/new', 'primary')}</div>
${form.summary()}
${tabs(page, 'States', [
  tab('', 'All', all),
  ...(Object.keys(states) as JobState[]).map((each) => tab(each, states[each].name, counts.get(each) ?? 0)),
])}
${
  all > 0 &&
  html`<form class="row bottom" action="/employer/jobs" role="search" aria-label="Your jobs">
${state !== '' && html`<input type="hidden" name="state" value="${state}">`}
${form.field('search', 'Search your jobs', { type: 'search', maxlength: 1000 })}
${button('Search', { variant: 'secondary' })}</form>`
}
${ignoredTerms(found?.search)}
${
  found &&
  (found.items.length > 0
    ? renderOwnJobTable(page, found.items)
    : all === 0
      ? emptyState(
          'You have no jobs yet',
          html`<p>Write a draft, preview it as candidates will see it, and post it when it is ready.${page.may('GET', '/employer/profile') && html` Candidates also see your <a href="/employer/profile">company profile</a>.`}</p><p>${wayTo(page, 'Create your first job', '/employer/jobs/new', 'primary')}</p>`,
        )
      : emptyState(
          isSearch ? 'No jobs found' : 'No jobs in this state',
          html`<p><a href="/employer/jobs">Show all your jobs</a></p>`,
        ))
}
${pagination(page, found?.pagination)}`
}

function renderOwnJobTable(page: PageContext, jobs: readonly OwnJob[]): Html {
  return dataTable('Your jobs', { rows: jobs, numbers: ['Applications'] }, (ownJob) => ({
    Job: html`<a class="strong" href="/employer/jobs/${ownJob.id}">${ownJob.title}</a><br><span class="soft small">${ownJob.location}</span>`,
    State: ownJob.removal ? removedBadge : stateBadge(ownJob.state),
    Applications:
      ownJob.application_count === 0 || !page.may('GET', '/employer/applications')
        ? ownJob.application_count
        : html`<a href="/employer/applications?job_id=${ownJob.id}">${ownJob.application_count}</a>`,
    Posted: ownJob.state === 'inactive' ? '–' : day(ownJob.posted_at),
    Ends: ownJob.expires_at ? day(ownJob.expires_at) : '–',
    ...(page.may('GET', '/employer/jobs/:id/edit') && {
      Actions: html`<a href="/employer/jobs/${ownJob.id}/edit">Edit<span class="hide"> ${ownJob.title}</span></a>`,
    }),
  }))
}

export function renderJobHead(
  page: PageContext,
  { id, title, state, removal }: Pick<OwnJob, 'id' | 'title' | 'state'> & Partial<Pick<OwnJob, 'removal'>>,
): Html {
  const links = [
    { href: `/employer/jobs/${id}`, text: 'Overview' },
    { href: `/employer/jobs/${id}/edit`, text: 'Edit' },
    { href: `/employer/jobs/${id}/preview`, text: 'Preview' },
    { href: `/employer/jobs/${id}/statistics`, text: 'Statistics' },
  ]
  return html`<p class="crumbs">${linkTo(page, 'Your jobs', '/employer/jobs')}</p>
<div class="row page-head"><h1>${title}</h1>${removal ? removedBadge : stateBadge(state)}</div>
${tabs(
  page,
  'This job',
  links.filter(({ href }) => page.has(href.replace(id, ':id')) && page.may('GET', href)),
)}
${
  removal &&
  message(
    html`<p><strong>The operator removed this job: ${removal.reason}</strong></p>
<p>Removed on ${day(removal.at)}. Only you can see it. You cannot activate or reopen it until the operator restores it. You can still edit or delete it.</p>`,
    'bad',
  )
}`
}

interface Readiness {
  /** True if the job can be activated now. */
  isReady: boolean
  isFree: boolean
}

export function renderOwnJob(
  page: PageContext,
  catalogue: Catalogue,
  job: OwnJob,
  { readiness, form }: { readiness: Readiness; form: Form },
): Html {
  const { id, title, salary, category, type, location, remote, posted_at, expires_at, state } = job
  const path = `/employer/jobs/${id}`
  const flags = [
    job.is_featured && badge('Featured', 'accent'),
    job.is_urgent && badge('Urgent', 'warn'),
    job.is_highlighted && badge('Highlighted', 'good'),
  ].filter((flag) => flag !== false)
  return htmlPage(page, { title })`${renderJobHead(page, job)}
${form.summary()}
<div class="split">
<div>
${!job.removal && renderNextStep(page, job, readiness, form)}
${card(
  html`<h2>Applications</h2>${
    job.application_count === 0
      ? html`<p class="soft">${state === 'active' ? 'Nobody has applied yet.' : 'No applications.'}</p>`
      : html`<p>${job.application_count === 1 ? 'One application' : `${job.application_count} applications`}</p><p>${wayTo(page, 'View applications', `/employer/applications?job_id=${id}`)}</p>`
  }`,
)}
${
  state === 'active' &&
  !readiness.isFree &&
  page.may('GET', `${path}/pay`) &&
  card(html`<h2>Get more attention</h2><p>Featured jobs have a frame and a label in lists. Urgent and highlighted jobs are marked.</p>
<p>${buttonLink('Buy an upgrade', `${path}/pay`)}</p>`)
}
<h2>More</h2>
<div class="row">
${actionButton(page, { action: `${path}/duplicate`, text: 'Duplicate' })}
${wayTo(page, 'Delete…', `${path}/delete`, 'danger')}
</div>
</div>
<aside>${card(
    facts([
      ['Location', location],
      ['Remote', remote && 'Yes'],
      ['Pay', salary ? formatSalary(salary) : 'Not stated'],
      ['Type', nameOfSlug(catalogue.types, type)],
      ['Category', nameOfSlug(catalogue.categories, category)],
      ['Posted', state !== 'inactive' && day(posted_at)],
      [state === 'expired' ? 'Ended' : 'Ends', expires_at && day(expires_at)],
      ['Upgrades', flags.length > 0 && html`<span class="row">${flags}</span>`],
      ['Questions', job.custom_questions.length > 0 && job.custom_questions.length],
      ['Reference', html`<code>${id}</code>`],
    ]),
  )}</aside>
</div>`
}

function renderNextStep(
  page: PageContext,
  { id, state, expires_at }: OwnJob,
  { isReady, isFree }: Readiness,
  form: Form,
): Html {
  const path = `/employer/jobs/${id}`
  const activate = (text: string) => actionButton(page, { action: `${path}/activate`, text, variant: 'primary' })
  const steps: Record<JobState, () => Html> = {
    inactive: () =>
      isReady
        ? html`<h2>${isFree ? 'Ready to post' : 'Paid and ready to post'}</h2><p>Activate the job to show it on the board.</p>${activate('Activate job')}`
        : html`<h2>This is a draft</h2><p>Only you can see it. Check the preview, then pay for the post.</p><div class="row">${wayTo(page, 'Pay and post', `${path}/pay`, 'primary')}${buttonLink('Preview', `${path}/preview`)}</div>`,
    active: () => html`<h2>On the board${expires_at !== null && html` until ${day(expires_at)}`}</h2>
<p><a href="/jobs/${id}">View public page</a></p>
<details${attributes({ open: form.faultsOf('reason').length > 0 })}><summary>Close now</summary>
${postForm(page, `${path}/close`, [
  form.field('reason', 'Reason', { isRequired: false, hint: 'Only you can see it.', maxlength: 500 }),
  button('Close job', { variant: 'danger' }),
])}</details>`,
    closed: () =>
      html`<h2>Closed</h2><p>Nobody can apply. You can reopen the job for the rest of its paid time${
        expires_at !== null && html`, until ${day(expires_at)}`
      }.</p>${actionButton(page, { action: `${path}/reopen`, text: 'Reopen job', variant: 'primary' })}`,
    expired: () =>
      html`<h2>This job has expired</h2>${
        isReady
          ? html`<p>You can post it again.</p>${activate('Activate job again')}`
          : html`<p>Renew the job to post it on the board again.</p>${wayTo(page, 'Renew job', `${path}/pay`, 'primary')}`
      }`,
  }
  return card(steps[state](), { class: 'panel next-step' })
}

export function renderPreview(page: PageContext, catalogue: Catalogue, job: OwnJob, now: Date): Html {
  const { id, title, state } = job
  const notice = message(
    html`<p><strong>${state === 'active' ? 'This is what candidates see.' : 'This is what candidates will see.'}</strong></p>
<p class="row"><a href="/employer/jobs/${id}">Back to the job</a>${page.may('GET', `/employer/jobs/${id}/edit`) && html` <a href="/employer/jobs/${id}/edit">Edit</a>`}</p>`,
  )
  return renderDocument(
    page,
    { title: `Preview: ${title}` },
    renderJobContent(catalogue, { ...job, is_active: true }, { notice, applying: undefined, now }),
  )
}

export function renderDeletion(page: PageContext, { id, title, application_count }: OwnJob): Html {
  return htmlPage(page, { title: 'Delete job', width: 'narrow' })`
<p class="crumbs">${linkTo(page, title, `/employer/jobs/${id}`)}</p><h1>Delete this job?</h1>
<p>“${title}” will be removed from the board and from your jobs for good. Payments are not refunded.${
    application_count > 0 && ' Its applications are kept.'
  }</p>
<div class="actions">${actionButton(page, { action: `/employer/jobs/${id}/delete`, text: 'Delete job', variant: 'danger' })}${wayTo(page, 'Keep job', `/employer/jobs/${id}`)}</div>`
}

/** Target URL and context of the editor form. */
export interface Editor {
  catalogue: Catalogue
  action: string
  /** Undefined for a new job. */
  job: OwnJob | undefined
  currency: string
}

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Renders the fields that describe the job. */
function renderDescription(form: Form, catalogue: Editor['catalogue']): Html {
  const none = (text: string): Option => ({ value: '', text })
  const slugs = (known: readonly NamedSlug[], present: string): Option[] => {
    const isOther = present !== '' && !known.some(({ slug }) => slug === present)
    const own = isOther ? [{ value: present, text: nameOfSlug(known, present) }] : []
    return [...known.map(({ slug, name }) => ({ value: slug, text: name })), ...own]
  }
  return card([
    html`<h2>The job</h2>`,
    form.field('title', 'Title', { isRequired: true, maxlength: 200 }),
    html`<div class="row">${[
      form.field('location', 'Location', {
        hint: 'City and country. Candidates can search for either.',
        isRequired: true,
        maxlength: 200,
      }),
      form.select('type', 'Type', slugs(catalogue.types, form.value('type')), { isRequired: true }),
    ]}</div>`,
    form.checkbox('remote', 'Remote work is possible'),
    html`<div class="row">${[
      form.select(
        'category',
        'Category',
        [none('Choose one'), ...slugs(catalogue.categories, form.value('category'))],
        { isRequired: true },
      ),
      form.select(
        'experience_level',
        'Experience',
        [none('Not stated'), ...experienceLevels.map((level) => ({ value: level, text: upper(level) }))],
        { isRequired: false },
      ),
    ]}</div>`,
    form.textArea('description', 'Description', {
      hint: 'Leave an empty line to start a new paragraph.',
      isRequired: true,
      rows: 12,
      maxlength: 50_000,
    }),
    html`<div class="row">${[
      form.textArea('requirements', 'Requirements', { hint: 'One per line.', isRequired: false }),
      form.textArea('benefits', 'Benefits', { hint: 'One per line.', isRequired: false }),
    ]}</div>`,
    form.textArea('skills', 'Skills', { hint: 'One per line.', isRequired: false, rows: 3 }),
  ])
}

const renderPay = (form: Form, currency: string): Html =>
  card([
    html`<h2>Pay</h2><p class="soft">Only jobs that state their pay appear when candidates search by pay.</p>`,
    html`<div class="row">${[
      form.field('salary[min]', 'From', { isRequired: false, inputmode: 'numeric' }),
      form.field('salary[max]', 'To', { isRequired: false, inputmode: 'numeric' }),
      form.field('salary[currency]', 'Currency', {
        isRequired: false,
        maxlength: 3,
        placeholder: currency,
        autocapitalize: 'characters',
        spellcheck: 'false',
      }),
      (form.value('salary[period]') === '' ? Form.of({ salary: { period: 'year' } }) : form).select(
        'salary[period]',
        'Per',
        payPeriods.map((period) => ({ value: period, text: period })),
      ),
    ]}</div>`,
  ])

const renderHowToApply = (form: Form, job: OwnJob | undefined): Html =>
  card([
    html`<h2>How to apply</h2>`,
    html`<div class="row">${[
      form.field('expires_at', 'Open until', {
        type: 'date',
        isRequired: job?.state === 'active',
        hint: 'Leave empty to keep the job open for the whole period you paid for.',
      }),
      form.field('contact_email', 'Contact email', {
        type: 'email',
        isRequired: false,
        hint: 'Everyone can see it.',
        maxlength: 254,
      }),
    ]}</div>`,
    form.field('application_url', 'External application link', {
      type: 'url',
      isRequired: false,
      hint: 'Leave empty to receive applications on this board.',
      maxlength: 2048,
    }),
  ])

export function renderEditor(page: PageContext, { catalogue, action, job, currency }: Editor, form: Form): Html {
  const saveText = job?.state === 'active' ? 'Save and publish' : job ? 'Save' : 'Save draft'
  const actions = html`<div class="actions">${button(saveText)}${button('Save and preview', { variant: 'secondary', name: '_do', value: 'preview' })}${wayTo(page, 'Cancel', job ? `/employer/jobs/${job.id}` : '/employer/jobs', 'quiet')}</div>`
  return htmlPage(page, { title: job ? `Edit: ${job.title}` : 'New job', modules: ['question-builder.js'] })`
${job ? renderJobHead(page, job) : html`<p class="crumbs">${linkTo(page, 'Your jobs', '/employer/jobs')}</p><h1>New job</h1><p class="lead">Only you can see this draft until you post it.</p>`}
${form.summary()}
${postForm(page, action, [
  job && editedField(form),
  // When the user presses Enter in a field, browsers use the form's first button, which must save the job.
  html`<button class="hide" type="submit" tabindex="-1">${saveText}</button>`,
  renderDescription(form, catalogue),
  renderPay(form, currency),
  renderQuestions(form, action),
  renderHowToApply(form, job),
  actions,
])}`
}

const questionTypeNames: Record<(typeof questionTypes)[number], string> = {
  text: 'Short text',
  textarea: 'Long text',
  boolean: 'Yes or no',
  number: 'Number',
  date: 'Date',
  url: 'Web address',
  single_select: 'Single choice',
  multi_select: 'Multiple choice',
}

/** Renders the question editor. The editor's buttons submit the form, unless the script handles them in the browser. */
function renderQuestions(form: Form, action: string): Html {
  const count = form.count('custom_questions')
  const act = (text: string, value: string, label?: string, isOff = false) =>
    button(text, {
      variant: 'quiet',
      name: '_do',
      value,
      formnovalidate: true,
      formaction: `${action}#questions`,
      'aria-label': label,
      disabled: isOff,
    })
  const rows = Array.from({ length: count }, (_, n) => {
    const name = (member: string) => `custom_questions[${n}][${member}]`
    return html`<li class="question" data-question>
<input type="hidden" name="${name('id')}" value="${form.value(name('id'))}">
<div class="row apart"><h3 data-number>Question ${n + 1}</h3><span class="row">${act('Up', `up-${n}`, `Move question ${n + 1} up`, n === 0)}${act('Down', `down-${n}`, `Move question ${n + 1} down`, n === count - 1)}${act('Remove', `remove-${n}`, `Remove question ${n + 1}`)}</span></div>
${form.field(name('label'), 'Question text', { isRequired: true, maxlength: 500 })}
<div class="row">${[
      form.select(
        name('type'),
        'Answer type',
        questionTypes.map((type) => ({ value: type, text: questionTypeNames[type] })),
      ),
      form.textArea(name('options'), 'Choices', {
        hint: 'For single and multiple choice only. One choice per line.',
        isRequired: false,
        rows: 3,
      }),
    ]}</div>
${form.checkbox(name('required'), 'Answer required')}
</li>`
  })
  return html`<fieldset class="panel questions" id="questions" data-questions tabindex="-1">
<legend><h2>Questions for applicants</h2></legend>
<p class="soft">Applicants answer these questions along with their letter and resume. Existing answers stay with their question, so do not change a question's meaning.</p>
${form.faultsOf('custom_questions').map((fault) => html`<p class="fault" id="field-custom_questions">${fault}</p>`)}
<input type="hidden" name="custom_questions" value="">
<ol class="bare" data-list>${rows}</ol>
${button('Add question', { variant: 'secondary', name: '_do', value: 'add', formnovalidate: true, formaction: `${action}#questions` })}
</fieldset>`
}
