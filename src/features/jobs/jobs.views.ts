import { currencies, payPeriods } from '../../lib/salary.ts'
import { DAY_MS } from '../../lib/time.ts'
import { workplaces } from '../../lib/workplaces.ts'
import { currencyName, formatDay, languageName } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
import {
  actionButton,
  badge,
  besidePreview,
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
  moment,
  noneFound,
  PREVIEW_MODULE,
  pagination,
  postForm,
  type Tone,
  tabs,
  wayTo,
} from '../../pages/components.ts'
import { editedField } from '../../pages/editing.ts'
import { Form, type Option, optionsFor } from '../../pages/forms.ts'
import { attributes, type Content, type Html, html } from '../../pages/html.ts'
import { htmlPage, renderDocument } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { linkingTo, rich, sentences } from '../../pages/text.ts'
import { stemmedLanguages } from '../../search/text/stems.ts'
import { type Catalogue, type NamedSlug, nameOfSlug, shownName } from '../catalogue/index.ts'
import type { JobCompany } from './job-company.ts'
import { type JobContent, levelName, locationInShort, renderJobContent, workplaceName } from './job-content.views.ts'
import { jobPath } from './job-path.ts'
import type { Placing } from './jobs.columns.ts'
import { formatSalary } from './jobs.present.ts'
import { experienceLevels, type JobDetail, type JobState, questionTypes } from './jobs.schemas.ts'

export type OwnJob = JobDetail & {
  application_count: number
  state: JobState
  removal: { at: string; reason: string } | null
  /** The planned publication, if it is still ahead. */
  plannedFor: string | null
}

const tones: Record<JobState, Tone> = { active: 'good', inactive: 'plain', closed: 'warn', expired: 'plain' }

/** How long before its end a job is marked as ending soon, in milliseconds. */
const SOON_MS = 3 * DAY_MS

/** Renders the state of a job. If `expiresAt` and `now` are given, marks an active job that ends soon. */
export function stateBadge(state: JobState, expiresAt: Date | null = null, now: Date | null = null): Html {
  const isSoon = state === 'active' && expiresAt && now && expiresAt.getTime() - now.getTime() <= SOON_MS
  return isSoon ? badge(t('jobs.ends_soon'), 'warn') : badge(t(`jobs.state_${state}`), tones[state])
}

type BadgedJob = Pick<OwnJob, 'state'> & Partial<Pick<OwnJob, 'removal' | 'plannedFor'>>

function ownBadge({ state, removal, plannedFor }: BadgedJob): Html {
  if (removal) return badge(t('jobs.removed'), 'bad')
  return plannedFor ? badge(t('jobs.planned_for', { day: formatDay(plannedFor) }), 'accent') : stateBadge(state)
}

export function renderOwnJobs(
  page: PageContext,
  form: Form,
  counts: ReadonlyMap<string, number>,
  found: Listed<OwnJob> | undefined,
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
  return htmlPage(page, { title: t('jobs.title') })`
<div class="row apart page-head"><h1>${t('jobs.title')}</h1>${all > 0 && wayTo(page, t('jobs.create'), '/employer/jobs/new', 'primary')}</div>
${form.summary()}
${tabs(page, t('jobs.states'), [
  tab('', t('jobs.all'), all),
  ...(Object.keys(tones) as JobState[]).map((each) => tab(each, t(`jobs.state_${each}`), counts.get(each) ?? 0)),
])}
${
  all > 0 &&
  html`<form class="row bottom" action="/employer/jobs" role="search" aria-label="${t('jobs.title')}">
${state !== '' && html`<input type="hidden" name="state" value="${state}">`}
${form.field('search', t('jobs.search_own'), { type: 'search', maxlength: 1000 })}
${button(t('jobs.search'), { variant: 'secondary' })}</form>`
}
${ignoredTerms(found?.search)}
${
  found &&
  (found.items.length > 0
    ? renderOwnJobTable(page, found.items)
    : all === 0
      ? emptyState(
          t('jobs.none'),
          html`${renderFirstSteps(page)}<p>${wayTo(page, t('jobs.create_first'), '/employer/jobs/new', 'primary')}</p>`,
        )
      : noneFound(t(isSearch ? 'jobs.none_found' : 'jobs.none_in_state'), '/employer/jobs', t('jobs.show_all')))
}
${pagination(page, found?.pagination)}`
}

/** Explains to an employer without jobs how to post one. */
export function renderFirstSteps(page: PageContext): Html {
  const link = linkingTo('/employer/profile')
  return html`<p>${sentences(t('jobs.none_text'), page.may('GET', '/employer/profile') && rich('jobs.none_profile', { link }))}</p>`
}

function renderOwnJobTable(page: PageContext, jobs: readonly OwnJob[]): Html {
  return dataTable(t('jobs.title'), { rows: jobs, numbers: [t('jobs.applications')] }, (ownJob) => ({
    [t('jobs.column_job')]:
      html`<a class="strong" href="/employer/jobs/${ownJob.id}">${ownJob.title}</a><br><span class="soft small">${locationInShort(ownJob)}</span>`,
    [t('jobs.column_state')]: ownBadge(ownJob),
    [t('jobs.applications')]:
      ownJob.application_count === 0 || !page.may('GET', '/employer/applications')
        ? ownJob.application_count
        : html`<a href="/employer/applications?job_id=${ownJob.id}">${ownJob.application_count}</a>`,
    [t('jobs.posted')]: ownJob.state === 'inactive' ? '–' : day(ownJob.posted_at),
    [t('jobs.ends')]: ownJob.expires_at ? day(ownJob.expires_at) : '–',
    ...(page.may('GET', '/employer/jobs/:id/edit') && {
      [t('jobs.actions')]:
        html`<a href="/employer/jobs/${ownJob.id}/edit" aria-label="${t('jobs.edit_named', { title: ownJob.title })}">${t('jobs.edit')}</a>`,
    }),
  }))
}

export function renderJobHead(page: PageContext, job: Pick<OwnJob, 'id' | 'title'> & BadgedJob): Html {
  const { id, title, removal } = job
  const links = [
    { href: `/employer/jobs/${id}`, text: t('jobs.overview') },
    { href: `/employer/jobs/${id}/edit`, text: t('jobs.edit') },
    { href: `/employer/jobs/${id}/preview`, text: t('jobs.preview') },
    { href: `/employer/jobs/${id}/statistics`, text: t('jobs.statistics') },
  ]
  return html`<p class="crumbs">${linkTo(page, t('jobs.title'), '/employer/jobs')}</p>
<div class="row page-head"><h1>${title}</h1>${ownBadge(job)}</div>
${tabs(
  page,
  t('jobs.this_job'),
  links.filter(({ href }) => page.has(href.replace(id, ':id')) && page.may('GET', href)),
)}
${
  removal &&
  message(
    html`<p><strong>${t('jobs.removed_for', { reason: removal.reason })}</strong></p>
<p>${rich('jobs.removed_text', { day: day(removal.at) })}</p>`,
    'bad',
  )
}`
}

interface Readiness {
  /** True if the job can be posted without another payment. */
  isReady: boolean
  isFree: boolean
}

export function renderOwnJob(
  page: PageContext,
  catalogue: Catalogue,
  job: OwnJob,
  { readiness, placing, warning, form }: { readiness: Readiness; placing: Placing; warning: Content; form: Form },
): Html {
  const { id, title, salary, category, type, location, remote, workplace, posted_at, expires_at, state } = job
  const path = `/employer/jobs/${id}`
  const flags = [
    job.is_featured && badge(t('jobs.featured'), 'accent'),
    job.is_urgent && badge(t('jobs.urgent'), 'warn'),
    job.is_highlighted && badge(t('jobs.highlighted'), 'good'),
  ].filter((flag) => flag !== false)
  return htmlPage(page, { title })`${renderJobHead(page, job)}
${form.summary()}
${warning}
${!remote && !placing.isKnown && renderUnplaced(location)}
${state === 'inactive' && !job.removal && !remote && placing.namesakes.length > 0 && renderPlaceForm(page, job, placing)}
<div class="split">
<div>
${!job.removal && renderNextStep(page, job, readiness, form)}
${card(
  html`<h2>${t('jobs.applications')}</h2>${
    job.application_count === 0
      ? html`<p class="soft">${t(state === 'active' ? 'jobs.nobody_applied' : 'jobs.no_applications')}</p>`
      : html`<p>${t('jobs.applications_count', { count: job.application_count })}</p><p>${wayTo(page, t('jobs.view_applications'), `/employer/applications?job_id=${id}`)}</p>`
  }`,
)}
${
  state === 'active' &&
  !readiness.isFree &&
  page.may('GET', `${path}/pay`) &&
  card(html`<h2>${t('jobs.more_out_of_it')}</h2><p>${t('jobs.more_out_of_it_text')}</p>
<p>${buttonLink(t('jobs.upgrade'), `${path}/pay`)}</p>`)
}
<h2>${t('jobs.more')}</h2>
<div class="row">
${actionButton(page, { action: `${path}/duplicate`, text: t('jobs.duplicate') })}
${wayTo(page, t('jobs.delete_more'), `${path}/delete`, 'danger')}
</div>
</div>
<aside>${card(
    facts([
      [t('jobs.location'), job.locations.join('; ')],
      [t('job.workplace'), workplaceName(workplace)],
      [t('jobs.pay'), salary ? formatSalary(salary) : t('jobs.not_stated')],
      [t('jobs.type'), nameOfSlug(catalogue.types, type)],
      [t('jobs.category'), nameOfSlug(catalogue.categories, category)],
      [t('jobs.posted'), state !== 'inactive' && day(posted_at)],
      [t(state === 'expired' ? 'jobs.ended' : 'jobs.ends'), expires_at && day(expires_at)],
      [t('jobs.upgrades'), flags.length > 0 && html`<span class="row">${flags}</span>`],
      [t('jobs.questions'), job.custom_questions.length > 0 && job.custom_questions.length],
      [t('jobs.reference'), html`<code>${id}</code>`],
    ]),
  )}</aside>
</div>`
}

/** Warns that searches by distance do not find the job. */
const renderUnplaced = (location: string): Html => message(html`<p>${t('jobs.unplaced', { location })}</p>`, 'warn')

/** Names of the fields for the town that the employer means, and for the location for which the choice was offered. */
export const [PLACE, PLACE_OF] = ['_place', '_place_of']

/** Asks which of the towns that share a location's name the employer means. */
function renderWhichPlace(form: Form, location: string, namesakes: readonly string[], isRequired?: true): Html {
  const options = optionsFor(namesakes, (label) => label)
  const hint = t('jobs.which_place_hint', { place: namesakes[0]! })
  return html`<input type="hidden" name="${PLACE_OF}" value="${location}">${form.choices(PLACE, t('jobs.which_place', { place: location }), options, { type: 'radio', hint, isRequired })}`
}

/** Warns if a location is unknown. If several towns share its name, asks which one the employer means. */
function renderPlacing(form: Form, placingOf: Editor['placingOf']): Html | undefined {
  const location = form.value('location').trim()
  if (location === '') return undefined
  const { isKnown, namesakes } = placingOf(location)
  if (!isKnown) return renderUnplaced(location)
  return namesakes.length > 0 ? renderWhichPlace(form, location, namesakes) : undefined
}

/** Renders a form that replaces the location of a draft. */
const renderPlaceForm = (page: PageContext, { id, location }: OwnJob, { namesakes }: Placing): Html =>
  card(
    postForm(page, `/employer/jobs/${id}/edit`, [
      html`<input type="hidden" name="location" value="${location}">`,
      renderWhichPlace(Form.of(), location, namesakes, true),
      button(t('jobs.save_location'), { variant: 'secondary' }),
    ]),
  )

/** Renders the button that posts a job, or the link to the order if the job must be paid for first. */
function renderPosting(page: PageContext, { id, state, plannedFor }: OwnJob, { isReady }: Readiness): Html | undefined {
  const path = `/employer/jobs/${id}`
  const planned = isReady ? 'jobs.publish_now' : 'jobs.pay_short'
  const draft = isReady ? 'jobs.activate' : 'jobs.pay_and_post'
  const text = t(state === 'expired' ? 'jobs.post_again' : plannedFor === null ? draft : planned)
  return isReady
    ? actionButton(page, { action: `${path}/activate`, text, variant: 'primary' })
    : wayTo(page, text, `${path}/pay`, 'primary')
}

function renderNextStep(page: PageContext, job: OwnJob, readiness: Readiness, form: Form): Html {
  const { id, title, state, expires_at, plannedFor } = job
  const { isReady, isFree } = readiness
  const path = `/employer/jobs/${id}`
  const posting = renderPosting(page, job, readiness)
  const preview = buttonLink(t('jobs.preview'), `${path}/preview`)
  const ways = isReady ? posting : html`<div class="row">${posting}${preview}</div>`
  const steps: Record<JobState, () => Html> = {
    inactive: () =>
      plannedFor !== null
        ? html`<h2>${rich('jobs.planned_for', { day: moment(plannedFor) })}</h2><p>${t(`jobs.planned_${isFree ? 'free' : isReady ? 'paid' : 'unpaid'}`)}</p>${ways}`
        : isReady
          ? html`<h2>${t(isFree ? 'jobs.ready' : 'jobs.ready_paid')}</h2><p>${t('jobs.ready_text')}</p>${ways}`
          : html`<h2>${t('jobs.is_draft')}</h2><p>${t('jobs.is_draft_text')}</p>${ways}`,
    active:
      () => html`<h2>${expires_at === null ? t('jobs.on_board') : rich('jobs.on_board_until', { day: day(expires_at) })}</h2>
<p><a href="${jobPath({ id, title })}">${t('jobs.view_public')}</a></p>
<details${attributes({ open: form.faultsOf('reason').length > 0 })}><summary>${t('jobs.close_now')}</summary>
${postForm(page, `${path}/close`, [
  form.field('reason', t('jobs.reason'), { isRequired: false, hint: t('jobs.only_you'), maxlength: 500 }),
  button(t('jobs.close'), { variant: 'danger' }),
])}</details>`,
    closed: () =>
      html`<h2>${t('jobs.closed')}</h2><p>${
        expires_at === null ? t('jobs.closed_text') : rich('jobs.closed_until', { day: day(expires_at) })
      }</p>${actionButton(page, { action: `${path}/reopen`, text: t('jobs.reopen'), variant: 'primary' })}`,
    expired: () =>
      html`<h2>${t('jobs.has_ended')}</h2><p>${t(isReady ? 'jobs.post_again_text' : 'jobs.post_again_paid')}</p>${posting}`,
  }
  return card(steps[state](), { class: 'panel next-step' })
}

export function renderPreview(
  page: PageContext,
  catalogue: Catalogue,
  job: OwnJob,
  view: { company: JobCompany | undefined; readiness: Readiness; warning: Content; now: Date },
): Html {
  const { company, readiness, warning, now } = view
  const { id, title, state } = job
  const mayBePosted = (state === 'inactive' || state === 'expired') && !job.removal
  const notice = html`${warning}${message(
    html`<p><strong>${t(state === 'active' ? 'jobs.is_seen' : 'jobs.will_be_seen')}</strong></p>
<div class="row">${mayBePosted && renderPosting(page, job, readiness)}<a href="/employer/jobs/${id}">${t('jobs.back')}</a>${page.may('GET', `/employer/jobs/${id}/edit`) && html` <a href="/employer/jobs/${id}/edit">${t('jobs.edit')}</a>`}</div>`,
  )}`
  return renderDocument(
    page,
    { title: t('jobs.preview_title', { title }) },
    renderAsCandidatesSee(catalogue, job, { notice, company, now }),
  )
}

/** Renders a job as on its public page, with its questions, even before the job is posted. */
const renderAsCandidatesSee = (
  catalogue: Catalogue,
  job: JobDetail,
  view: { level?: 2; notice?: Html; company?: JobContent['company']; now: Date },
): Html =>
  html`${renderJobContent(catalogue, { ...job, is_active: true }, { notice: undefined, applying: undefined, company: undefined, ...view })}${renderAsked(job)}`

/** Renders the parts that the editor's script updates: the notices about the location, and the preview of the job. */
export function renderLivePreview(
  editor: Pick<Editor, 'catalogue' | 'placingOf'>,
  form: Form,
  job: JobDetail,
  now: Date,
) {
  const shown = { ...job, title: job.title || t('jobs.job_title') }
  return html`<div data-placing>${renderPlacing(form, editor.placingOf)}</div><div data-preview>${renderAsCandidatesSee(editor.catalogue, shown, { level: 2, now })}</div>`
}

/** Renders the questions as applicants will read them. */
function renderAsked({ custom_questions: questions }: JobDetail): Html | undefined {
  if (questions.length === 0) return undefined
  return card([
    html`<h2>${t('jobs.asked')}</h2>`,
    html`<ol class="rows">${questions.map(
      ({ label, type, required, options = [] }) =>
        html`<li><b>${label}</b>${!required && html` <span class="opt">${t('jobs.optional')}</span>`}<p class="small soft">${options.length > 0 ? t('shared.labeled', { label: t(`jobs.question_${type}`), text: options.join(', ') }) : t(`jobs.question_${type}`)}</p></li>`,
    )}</ol>`,
  ])
}

export function renderDeletion(page: PageContext, { id, title, application_count }: OwnJob): Html {
  return htmlPage(page, { title: t('jobs.delete_title'), width: 'narrow' })`
<p class="crumbs">${linkTo(page, title, `/employer/jobs/${id}`)}</p><h1>${t('jobs.delete_question')}</h1>
<p>${sentences(t('jobs.delete_text', { title }), application_count > 0 && t('jobs.delete_kept'))}</p>
<div class="actions">${actionButton(page, { action: `/employer/jobs/${id}/delete`, text: t('jobs.delete_title'), variant: 'danger' })}${wayTo(page, t('jobs.keep'), `/employer/jobs/${id}`)}</div>`
}

export const PREVIEW_PATH = '/employer/jobs/preview'

/** Target URL and context of the editor form. */
export interface Editor {
  catalogue: Catalogue
  action: string
  /** Undefined for a new job. */
  job: OwnJob | undefined
  currency: string
  placingOf: (location: string) => Placing
  /** Shown above the form. */
  warning?: Content
}

const part = (title: string, hint: string, content: Content): Html =>
  html`<div class="form-part"><h2>${title}</h2><p class="small">${hint}</p><div class="flow">${content}</div></div>`

function slugOptions(known: readonly NamedSlug[], present: string): Option[] {
  const isOther = present !== '' && !known.some(({ slug }) => slug === present)
  const own = isOther ? [{ value: present, text: nameOfSlug(known, present) }] : []
  return [...known.map((each) => ({ value: each.slug, text: shownName(each) })), ...own]
}

function renderFacts(form: Form, { catalogue, placingOf }: Editor): Html {
  return part(t('jobs.the_job'), t('jobs.the_job_hint'), [
    form.field('title', t('jobs.job_title'), { isRequired: true, maxlength: 200 }),
    html`<div class="pair">${[
      form.select('type', t('jobs.type'), slugOptions(catalogue.types, form.value('type')), { isRequired: true }),
      form.select(
        'category',
        t('jobs.category'),
        [{ value: '', text: t('jobs.choose') }, ...slugOptions(catalogue.categories, form.value('category'))],
        { isRequired: true },
      ),
    ]}</div>`,
    form.field('location', t('jobs.location'), {
      hint: t('jobs.location_hint'),
      isRequired: true,
      maxlength: 200,
    }),
    html`<div data-placing aria-live="polite">${renderPlacing(form, placingOf)}</div>`,
    form.textArea('locations', t('jobs.other_locations'), {
      hint: t('jobs.one_per_line'),
      isRequired: false,
      rows: 2,
    }),
    form.select('workplace', t('job.workplace'), optionsFor(workplaces, workplaceName), { isRequired: true }),
    form.select(
      'experience_level',
      t('jobs.experience'),
      optionsFor(experienceLevels, levelName, t('jobs.not_stated')),
      { isRequired: false },
    ),
  ])
}

const renderDescription = (form: Form): Html =>
  part(t('jobs.description'), t('jobs.description_hint'), [
    form.markdownArea('description', t('jobs.description'), {
      hint: t('jobs.description_field_hint'),
      isRequired: true,
      rows: 12,
      maxlength: 50_000,
    }),
    html`<div class="pair">${[
      form.textArea('requirements', t('jobs.requirements'), { hint: t('jobs.one_per_line'), isRequired: false }),
      form.textArea('benefits', t('jobs.benefits'), { hint: t('jobs.one_per_line'), isRequired: false }),
    ]}</div>`,
    form.textArea('skills', t('jobs.skills'), { hint: t('jobs.one_per_line'), isRequired: false, rows: 3 }),
    form.select('language', t('layout.language'), languageOptions(form.value('language')), {
      hint: t('jobs.language_hint'),
      isRequired: false,
    }),
  ])

function languageOptions(present: string): Option[] {
  const tags = new Set([...stemmedLanguages, ...(present === '' ? [] : [present])])
  return optionsFor(tags, languageName, t('jobs.language_detected'))
}

/** Common currencies. The list shows them directly after the preferred currency. */
const COMMON = ['EUR', 'USD', 'GBP', 'CHF', 'SEK', 'NOK', 'DKK', 'PLN', 'CZK', 'JPY', 'CAD', 'AUD', 'INR']

/** Returns the options of a currency field: the preferred currency, the common currencies, and all others. */
export function currencyOptions(preferred: string): Option[] {
  const all = new Set([preferred, ...COMMON, ...currencies])
  return optionsFor(all, (code) => t('jobs.currency_named', { code, name: currencyName(code) }))
}

function renderPay(form: Form, currency: string): Html {
  const chosen = (name: string, preset: string) =>
    form.value(name) === '' && form.faultsOf(name).length === 0
      ? Form.sent(new Map([[name, [preset]]]), form.faults)
      : form
  return part(t('jobs.pay'), t('jobs.pay_hint'), [
    html`<div class="pay-grid">${[
      form.field('salary[min]', t('jobs.from'), { isRequired: false, inputmode: 'numeric' }),
      form.field('salary[max]', t('jobs.to'), { isRequired: false, inputmode: 'numeric' }),
      chosen('salary[currency]', currency).select('salary[currency]', t('jobs.currency'), currencyOptions(currency)),
      chosen('salary[period]', 'year').select(
        'salary[period]',
        t('jobs.per'),
        optionsFor(payPeriods, (period) => t('jobs.period', { period })),
      ),
    ]}</div>`,
  ])
}

const renderHowToApply = (form: Form, job: OwnJob | undefined): Html =>
  part(t('jobs.how_to_apply'), t('jobs.how_to_apply_hint'), [
    html`<div class="pair">${[
      job?.state !== 'active' &&
        job?.state !== 'closed' &&
        form.field('publish_at', t('jobs.publish_on'), {
          type: 'date',
          isRequired: false,
          hint: t('jobs.publish_on_hint'),
        }),
      form.field('expires_at', t('jobs.open_until'), {
        type: 'date',
        isRequired: job?.state === 'active',
        hint: t('jobs.open_until_hint'),
      }),
    ]}</div>`,
    html`<div class="pair">${[
      form.emailField('contact_email', t('jobs.contact_email'), {
        isRequired: false,
        hint: t('jobs.contact_email_hint'),
      }),
      form.field('application_url', t('jobs.application_url'), {
        type: 'url',
        isRequired: false,
        hint: t('jobs.application_url_hint'),
        maxlength: 2048,
      }),
    ]}</div>`,
  ])

export function renderEditor(page: PageContext, editor: Editor, form: Form): Html {
  const { action, job, currency, warning } = editor
  const saveText = t(job?.state === 'active' ? 'jobs.save_and_publish' : job ? 'jobs.save' : 'jobs.save_draft')
  const mayPay = (!job || job.state === 'inactive') && page.may('GET', `/employer/jobs/${job?.id ?? 'new'}/pay`)
  return htmlPage(page, {
    title: job ? t('jobs.edit_title', { title: job.title }) : t('jobs.create'),
    modules: ['markdown.js', 'question-builder.js', PREVIEW_MODULE],
  })`
${
  job
    ? renderJobHead(page, job)
    : html`<p class="crumbs">${linkTo(page, t('jobs.jobs'), '/employer/jobs')}</p><div class="page-head head-gap"><div><h1>${t('jobs.create_title')}</h1><p class="soft">${t('jobs.create_lead')}</p></div></div>`
}
${form.summary()}
${warning}
${besidePreview(
  PREVIEW_PATH,
  postForm(
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
      html`<div class="bar actions">${mayPay && barButton(t('jobs.save_and_pay'), t('jobs.pay_short'), { name: '_do', value: 'pay' })}${barButton(saveText, t('jobs.save'), { variant: mayPay ? 'secondary' : 'primary' })}${barButton(t('jobs.save_and_preview'), t('jobs.preview_short'), { variant: 'secondary', name: '_do', value: 'preview' })}${wayTo(page, t('jobs.cancel'), job ? `/employer/jobs/${job.id}` : '/employer/jobs', 'quiet')}</div>`,
    ],
    { class: 'panel' },
  ),
)}`
}

/** Renders a button of the editor's bar. The button shows the short text if the bar is narrow. */
const barButton = (text: string, short: string, options: Parameters<typeof button>[1]): Html =>
  button(html`<span class="long">${text}</span><span class="short">${short}</span>`, { 'aria-label': text, ...options })

/** Renders the question editor. The editor's buttons submit the form, unless the script handles them in the browser. */
function renderQuestions(form: Form, action: string): Html {
  const count = form.count('custom_questions')
  const act = (text: string, value: string, label: string, isOff = false) =>
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
<div class="row apart"><h3 data-number>${t('jobs.question', { number: n + 1 })}</h3><span class="row">${act(t('jobs.up'), `up-${n}`, t('jobs.up_question', { number: n + 1 }), n === 0)}${act(t('jobs.down'), `down-${n}`, t('jobs.down_question', { number: n + 1 }), n === count - 1)}${act(t('jobs.remove'), `remove-${n}`, t('jobs.remove_question', { number: n + 1 }))}</span></div>
${form.field(name('label'), t('jobs.question_label'), { isRequired: true, maxlength: 500 })}
${form.select(
  name('type'),
  t('jobs.answer_type'),
  optionsFor(questionTypes, (type) => t(`jobs.question_${type}`)),
)}
<div class="of-select">${form.textArea(name('options'), t('jobs.choices'), { hint: t('jobs.one_per_line'), isRequired: false, rows: 3 })}</div>
${form.checkbox(name('required'), t('jobs.answer_required'))}
</li>`
  })
  return html`<fieldset class="form-part questions" id="questions" data-questions tabindex="-1">
<legend class="hide">${t('jobs.asked')}</legend><h2>${t('jobs.asked')}</h2>
<p class="small">${t('jobs.questions_hint')}</p>
${form.faultsOf('custom_questions').map((fault) => html`<p class="fault" id="field-custom_questions">${fault}</p>`)}
<input type="hidden" name="custom_questions" value="">
<ol class="bare flow" data-list>${rows}</ol>
${button(t('jobs.add_question'), { variant: 'secondary', name: '_do', value: 'add', formnovalidate: true, formaction: `${action}#questions` })}
</fieldset>`
}
