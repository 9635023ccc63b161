import { currencies, payPeriods } from '../../lib/salary.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { SearchMeta } from '../../lists/meta.ts'
import { languageName } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
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
import { attributes, type Content, type Html, html } from '../../pages/html.ts'
import { htmlPage, renderDocument } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { stemmedLanguages } from '../../search/text/stems.ts'
import { type Catalogue, type NamedSlug, nameOfSlug } from '../catalogue/index.ts'
import { renderJobContent } from './job-content.views.ts'
import { jobPath } from './job-path.ts'
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
<div class="row apart page-head"><h1>Your jobs</h1>${wayTo(page, 'Create job', '/employer/jobs/new', 'primary')}</div>
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
  { readiness, isPlaced, form }: { readiness: Readiness; isPlaced: boolean; form: Form },
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
${!isPlaced && renderUnplaced(location)}
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
  card(html`<h2>Get more out of it</h2><p>Make the job easier to find, or keep it on the board for longer.</p>
<p>${buttonLink('Upgrade or extend', `${path}/pay`)}</p>`)
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

/** Warns that searches by distance miss the job. */
const renderUnplaced = (location: string): Html =>
  message(
    html`<p>We couldn’t find “${location}” on the map, so searches by distance don’t find this job. Enter a town and a country, such as “Leeds, United Kingdom”.</p>`,
    'warn',
  )

function renderNextStep(
  page: PageContext,
  { id, title, state, expires_at }: OwnJob,
  { isReady, isFree }: Readiness,
  form: Form,
): Html {
  const path = `/employer/jobs/${id}`
  const activate = (text: string) => actionButton(page, { action: `${path}/activate`, text, variant: 'primary' })
  const steps: Record<JobState, () => Html> = {
    inactive: () =>
      isReady
        ? html`<h2>${isFree ? 'Ready to post' : 'Paid and ready to post'}</h2><p>Activate the job to show it on the board.</p>${activate('Activate job')}`
        : html`<h2>This is a draft</h2><p>Only you can see it. We publish it as soon as you pay.</p><div class="row">${wayTo(page, 'Pay and post', `${path}/pay`, 'primary')}${buttonLink('Preview', `${path}/preview`)}</div>`,
    active: () => html`<h2>On the board${expires_at !== null && html` until ${day(expires_at)}`}</h2>
<p><a href="${jobPath({ id, title })}">View public page</a></p>
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
      html`<h2>This job has ended</h2>${
        isReady
          ? html`<p>You can post it again.</p>${activate('Post again')}`
          : html`<p>We publish it again as soon as you pay.</p>${wayTo(page, 'Post again', `${path}/pay`, 'primary')}`
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
    html`${renderJobContent(catalogue, { ...job, is_active: true }, { notice, applying: undefined, now })}${renderAsked(job)}`,
  )
}

/** Renders the questions as applicants will read them. */
function renderAsked({ custom_questions: questions }: OwnJob): Html | undefined {
  if (questions.length === 0) return undefined
  return card([
    html`<h2>Questions for applicants</h2>`,
    html`<ol class="rows">${questions.map(
      ({ label, type, required, options = [] }) =>
        html`<li><b>${label}</b>${!required && html` <span class="opt">(optional)</span>`}<p class="small soft">${questionTypeNames[type]}${options.length > 0 && `: ${options.join(', ')}`}</p></li>`,
    )}</ol>`,
  ])
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
  /** Returns whether a location can be found on the map. */
  isPlace: (location: string) => boolean
}

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const none = (text: string): Option => ({ value: '', text })

const part = (title: string, hint: string, content: Content): Html =>
  html`<div class="form-part"><h2>${title}</h2><p class="small">${hint}</p><div class="flow">${content}</div></div>`

function slugOptions(known: readonly NamedSlug[], present: string): Option[] {
  const isOther = present !== '' && !known.some(({ slug }) => slug === present)
  const own = isOther ? [{ value: present, text: nameOfSlug(known, present) }] : []
  return [...known.map(({ slug, name }) => ({ value: slug, text: name })), ...own]
}

function renderFacts(form: Form, { catalogue, isPlace }: Editor): Html {
  const location = form.value('location').trim()
  return part('The job', 'People decide on the title. Leave out codes and exclamation marks.', [
    form.field('title', 'Title', { isRequired: true, maxlength: 200 }),
    html`<div class="pair">${[
      form.select('type', 'Type', slugOptions(catalogue.types, form.value('type')), { isRequired: true }),
      form.select(
        'category',
        'Category',
        [none('Choose one'), ...slugOptions(catalogue.categories, form.value('category'))],
        { isRequired: true },
      ),
    ]}</div>`,
    form.field('location', 'Location', {
      hint: 'Town and country. Candidates can search for either.',
      isRequired: true,
      maxlength: 200,
    }),
    location !== '' && !isPlace(location) && renderUnplaced(location),
    form.checkbox('remote', 'Remote work is possible'),
    form.select(
      'experience_level',
      'Experience',
      [none('Not stated'), ...experienceLevels.map((level) => ({ value: level, text: upper(level) }))],
      { isRequired: false },
    ),
  ])
}

const renderDescription = (form: Form): Html =>
  part('Description', 'Start with what the person will do.', [
    form.textArea('description', 'Description', {
      hint: 'An empty line starts a new paragraph. Markdown works: **bold**, “- ” for lists, and “## ” for headings.',
      isRequired: true,
      rows: 12,
      maxlength: 50_000,
    }),
    html`<div class="pair">${[
      form.textArea('requirements', 'Requirements', { hint: 'One per line.', isRequired: false }),
      form.textArea('benefits', 'Benefits', { hint: 'One per line.', isRequired: false }),
    ]}</div>`,
    form.textArea('skills', 'Skills', { hint: 'One per line.', isRequired: false, rows: 3 }),
    form.select('language', t('layout.language'), languageOptions(form.value('language')), {
      hint: t('jobs.language_hint'),
      isRequired: false,
    }),
  ])

function languageOptions(present: string): Option[] {
  const tags = new Set([...stemmedLanguages, ...(present === '' ? [] : [present])])
  return [none(t('jobs.language_detected')), ...[...tags].map((tag) => ({ value: tag, text: languageName(tag) }))]
}

/** Currencies that come first in the list. */
const COMMON = ['EUR', 'USD', 'GBP', 'CHF', 'SEK', 'NOK', 'DKK', 'PLN', 'CZK', 'JPY', 'CAD', 'AUD', 'INR']
const currencyNames = new Intl.DisplayNames('en', { type: 'currency' })

function currencyOptions(preferred: string): Option[] {
  const all = new Set([preferred, ...COMMON, ...currencies])
  return [...all].map((code) => ({ value: code, text: `${code} (${currencyNames.of(code)})` }))
}

function renderPay(form: Form, currency: string): Html {
  const chosen = (name: string, preset: string) =>
    form.value(name) === '' && form.faultsOf(name).length === 0
      ? Form.sent(new Map([[name, [preset]]]), form.faults)
      : form
  return part('Pay', 'Jobs that state their pay appear when candidates search by pay.', [
    html`<div class="pay-grid">${[
      form.field('salary[min]', 'From', { isRequired: false, inputmode: 'numeric' }),
      form.field('salary[max]', 'To', { isRequired: false, inputmode: 'numeric' }),
      chosen('salary[currency]', currency).select('salary[currency]', 'Currency', currencyOptions(currency)),
      chosen('salary[period]', 'year').select(
        'salary[period]',
        'Per',
        payPeriods.map((period) => ({ value: period, text: upper(period) })),
      ),
    ]}</div>`,
  ])
}

const renderHowToApply = (form: Form, job: OwnJob | undefined): Html =>
  part('How to apply', 'Without a link, you receive the applications on this board.', [
    html`<div class="pair">${[
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

export function renderEditor(page: PageContext, editor: Editor, form: Form): Html {
  const { action, job, currency } = editor
  const saveText = job?.state === 'active' ? 'Save and publish' : job ? 'Save' : 'Save draft'
  return htmlPage(page, { title: job ? `Edit: ${job.title}` : 'Create job', modules: ['question-builder.js'] })`
${
  job
    ? renderJobHead(page, job)
    : html`<p class="crumbs">${linkTo(page, 'Jobs', '/employer/jobs')}</p><div class="page-head head-gap"><div><h1>Create a job</h1><p class="soft">A draft until you post it. Only you can see it.</p></div></div>`
}
${form.summary()}
${postForm(
  page,
  action,
  [
    job && editedField(form),
    // When the user presses Enter in a field, browsers use the form's first button, which must save the job.
    html`<button class="hide" type="submit" tabindex="-1">${saveText}</button>`,
    renderFacts(form, editor),
    renderDescription(form),
    renderPay(form, currency),
    renderQuestions(form, action),
    renderHowToApply(form, job),
    html`<div class="bar actions">${button(saveText)}${button('Save and preview', { variant: 'secondary', name: '_do', value: 'preview' })}${wayTo(page, 'Cancel', job ? `/employer/jobs/${job.id}` : '/employer/jobs', 'quiet')}</div>`,
  ],
  { class: 'panel' },
)}`
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
    return html`<li class="question card-part" data-question>
<input type="hidden" name="${name('id')}" value="${form.value(name('id'))}">
<div class="row apart"><h3 data-number>Question ${n + 1}</h3><span class="row">${act('Up', `up-${n}`, `Move question ${n + 1} up`, n === 0)}${act('Down', `down-${n}`, `Move question ${n + 1} down`, n === count - 1)}${act('Remove', `remove-${n}`, `Remove question ${n + 1}`)}</span></div>
${form.field(name('label'), 'Question text', { isRequired: true, maxlength: 500 })}
${form.select(
  name('type'),
  'Answer type',
  questionTypes.map((type) => ({ value: type, text: questionTypeNames[type] })),
)}
<div class="of-select">${form.textArea(name('options'), 'Choices', { hint: 'One per line.', isRequired: false, rows: 3 })}</div>
${form.checkbox(name('required'), 'Answer required')}
</li>`
  })
  return html`<fieldset class="form-part questions" id="questions" data-questions tabindex="-1">
<legend class="hide">Questions for applicants</legend><h2>Questions for applicants</h2>
<p class="small">Asked with the application. Existing answers stay with their question, so do not change a question's meaning.</p>
${form.faultsOf('custom_questions').map((fault) => html`<p class="fault" id="field-custom_questions">${fault}</p>`)}
<input type="hidden" name="custom_questions" value="">
<ol class="bare flow" data-list>${rows}</ol>
${button('Add question', { variant: 'secondary', name: '_do', value: 'add', formnovalidate: true, formaction: `${action}#questions` })}
</fieldset>`
}
