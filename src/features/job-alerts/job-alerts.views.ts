import { AppError } from '../../lib/errors.ts'
import { workplaces } from '../../lib/workplaces.ts'
import type { SearchMeta } from '../../lists/meta.ts'
import { languageName } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
import {
  actionButton,
  badge,
  button,
  buttonLink,
  card,
  confirmedAction,
  emptyState,
  ignoredTerms,
  message,
  moment,
  pagination,
  postForm,
  wayTo,
} from '../../pages/components.ts'
import { editedField } from '../../pages/editing.ts'
import { allInWords, problemInWords } from '../../pages/fault-words.ts'
import { type Form, type Option, optionsFor } from '../../pages/forms.ts'
import { type Content, type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { linkingTo, rich } from '../../pages/text.ts'
import { stemmedLanguages } from '../../search/text/stems.ts'
import {
  type BesideJob,
  describeCriteria,
  distanceChoices,
  formatDistance,
  type JobCard,
  renderCards,
} from '../board/index.ts'
import { nameOfSlug, shownName } from '../catalogue/index.ts'
import { experienceLevels, levelName, workplaceName } from '../jobs/index.ts'
import type { Criteria } from './job-alerts.criteria.ts'
import { criteriaNames, frequencies, type JobAlert } from './job-alerts.schemas.ts'

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Values that the description of a search depends on. */
type Words = Parameters<typeof describeCriteria>[1]

interface FormWords extends Words {
  /** The currency of a minimum salary that the candidate enters. */
  currency: string
}

export function nameOfSearch(criteria: Criteria, words: Words): string {
  return [...capital(describeCriteria(criteria, words))].slice(0, 200).join('')
}

export function renderAlerts(
  page: PageContext,
  words: Words,
  { items: alerts, pagination: numbers }: Listed<JobAlert>,
): Html {
  return htmlPage(page, { title: t('job_alerts.title') })`
<div class="row apart"><h1>${t('job_alerts.title')}</h1>${wayTo(page, t('job_alerts.new'), '/me/alerts/new')}</div>
${
  alerts.length > 0
    ? html`<ul class="jobs">${alerts.map((alert) => html`<li>${renderAlertCard(page, words, alert)}</li>`)}</ul>`
    : emptyState(t('job_alerts.none'), html`<p>${rich('job_alerts.none_text', { link: linkingTo('/jobs') })}</p>`)
}
${pagination(page, numbers)}`
}

function renderAlertCard(page: PageContext, words: Words, alert: JobAlert): Html {
  const { id, name, criteria, frequency } = alert
  const at = `/me/alerts/${id}`
  const text = capital(describeCriteria(criteria, words))
  return html`<article class="panel flow">
<div><p class="job-tags">${badge(t(`job_alerts.badge_${frequency}`))}${stateOf(alert)}</p>
<h2 class="h3"><a href="${at}">${name}</a></h2>
${text !== name && html`<p class="soft">${text}</p>`}</div>
<div class="row">${actionsOf(page, alert)}</div>
</article>`
}

const stateOf = ({ is_active }: JobAlert) =>
  is_active ? badge(t('job_alerts.active'), 'good') : badge(t('job_alerts.paused'), 'warn')

function actionsOf(page: PageContext, { id, name, is_active }: JobAlert): Content {
  const at = `/me/alerts/${id}`
  const [action, text] = is_active ? [`${at}/pause`, t('job_alerts.pause')] : [`${at}/resume`, t('job_alerts.resume')]
  return [
    actionButton(page, { action, text }),
    confirmedAction(page, {
      action: `${at}/delete`,
      text: t('shared.delete'),
      question: html`<p>${rich('job_alerts.delete_question', { name })}</p>`,
    }),
  ]
}

export function renderNewAlert(page: PageContext, words: FormWords, form: Form): Html {
  return htmlPage(page, { title: t('job_alerts.new_title'), width: 'narrow' })`<h1>${t('job_alerts.new_title')}</h1>
<p class="lead">${t('job_alerts.new_lead')}</p>
${form.summary()}
${alertForm(page, { words, action: '/me/alerts/new', form, text: t('shared.create_alert') })}`
}

interface Matches {
  items: readonly JobCard[]
  /** Returns the buttons that other features add to a job. */
  beside: BesideJob
  total: number
  search: string
  found: SearchMeta | undefined
}

interface AlertPage {
  words: FormWords
  alert: JobAlert
  form: Form
  /** An error if reading the matching jobs failed. */
  matches: Matches | AppError
}

export function renderAlert(page: PageContext, { words, alert, form, matches }: AlertPage): Html {
  const { id, name, last_run_at, next_run_at } = alert
  return htmlPage(page, { title: t('job_alerts.page_title', { name }), modules: ['in-place.js'] })`<h1>${name}</h1>
<p>${stateOf(alert)} <span class="soft small">${last_run_at && html`${rich('shared.last_check', { time: moment(last_run_at) })} `}${next_run_at && rich('job_alerts.next_check', { time: moment(next_run_at) })}</span></p>
${form.summary()}
<div class="pair roomy">
<div class="flow"><h2>${t('job_alerts.search')}</h2>${alertForm(page, { words, action: `/me/alerts/${id}`, form, text: t('shared.save') })}
<div class="row">${actionsOf(page, alert)}</div></div>
<div class="flow"><h2>${t('job_alerts.matching')}</h2>
${renderMatches(matches)}</div>
</div>`
}

function renderMatches(matches: Matches | AppError): Html {
  if (matches instanceof AppError) {
    const isOver = matches.status === 400
    return message(
      html`<p>${isOver ? t('job_alerts.invalid', { reason: reasonsOf(matches) }) : t('job_alerts.busy')}</p>`,
      'warn',
    )
  }
  const { items, beside, total, search, found } = matches
  if (items.length === 0) return emptyState(t('job_alerts.no_matches'), html`<p>${t('job_alerts.no_matches_text')}</p>`)
  return html`${ignoredTerms(found)}${renderCards(items, beside)}<p class="actions">${buttonLink(t('job_alerts.view_matches', { total }), search)}</p>`
}

function reasonsOf(error: AppError): string {
  const reasons = allInWords(error.options.errors ?? []).map(({ detail }) => detail)
  return reasons.join(' ') || problemInWords(error)
}

/** Criteria that people can edit in the form. The form shows all other criteria as text. */
const fielded: ReadonlySet<string> = new Set([
  'search',
  'location',
  'distance',
  'category',
  'job_type',
  'workplace',
  'salary_min',
  'salary_in',
  'experience_level',
  'language',
])

function distanceOptions(chosen: string, unit: Words['unit']): Option[] {
  const offered = new Set([...distanceChoices(unit), ...(chosen === '' ? [] : [chosen])])
  return optionsFor(offered, (value) => formatDistance(Number(value), unit), t('shared.exact_place'))
}

function languageOptions(chosen: string): Option[] {
  const offered = new Set([...stemmedLanguages, ...(chosen === '' ? [] : [chosen])])
  const nameOf = (tag: string) => (tag === 'und' ? t('jobs.language_other') : languageName(tag))
  return optionsFor(offered, nameOf, t('job_alerts.any'))
}

function alertForm(
  page: PageContext,
  { words, action, form, text }: { words: FormWords; action: string; form: Form; text: string },
): Html {
  const { catalogue, unit } = words
  const at = (name: string) => `criteria[${name}]`
  // If the criteria contain a salary but no currency, the search compares salaries in any currency.
  const isPayLimited = criteriaNames.some((name) => name.startsWith('salary_m') && form.value(at(name)) !== '')
  const currency = form.value(at('salary_in')).toUpperCase() || (isPayLimited ? '' : words.currency)
  // Keeps an unknown slug selected.
  const offered = (name: string, known: readonly { slug: string; name: string }[], anyText: string) => {
    const value = form.value(at(name))
    const isKnown = value === '' || known.some(({ slug }) => slug === value)
    const options = known.map((entry) => ({ value: entry.slug, text: shownName(entry) }))
    return [{ value: '', text: anyText }, ...(isKnown ? [] : [{ value, text: nameOfSlug(known, value) }]), ...options]
  }
  const frequencyTexts = optionsFor(frequencies, (frequency) => t(`job_alerts.frequency_${frequency}`))
  const others = criteriaNames.filter((name) => !fielded.has(name) && form.values(at(name)).length > 0)
  return card(
    postForm(page, action, [
      editedField(form),
      form.field('name', t('job_alerts.name'), { isRequired: true, maxlength: 200 }),
      form.field(at('search'), t('job_alerts.keywords'), {
        isRequired: false,
        placeholder: t('job_alerts.keywords_example'),
        maxlength: 1000,
      }),
      html`<div class="row">
${form.field(at('location'), t('job.location'), { isRequired: false, placeholder: t('job_alerts.location_example'), maxlength: 1000 })}
${form.select(at('distance'), t('shared.distance'), distanceOptions(form.value(at('distance')), unit), { isRequired: false })}
</div><div class="row">
${form.select(at('category'), t('job.category'), offered('category', catalogue.categories, t('job_alerts.any_category')), { isRequired: false })}
${form.select(at('job_type'), t('job.type'), offered('job_type', catalogue.types, t('job_alerts.any_type')), { isRequired: false })}
</div><div class="row">
${form.select(at('workplace'), t('job.workplace'), optionsFor(workplaces, workplaceName, t('job_alerts.any')), { isRequired: false })}
${form.select(at('experience_level'), t('job.experience'), optionsFor(experienceLevels, levelName, t('job_alerts.any')), { isRequired: false })}
${form.select(at('language'), t('layout.language'), languageOptions(form.value(at('language'))), { isRequired: false })}
${form.field(at('salary_min'), currency === '' ? t('job_alerts.salary_min') : t('job_alerts.salary_min_in', { currency }), { isRequired: false, type: 'number', min: 0 })}
${currency !== '' && html`<input type="hidden" name="${at('salary_in')}" value="${currency}">`}
</div>`,
      others.length > 0 &&
        html`<div class="field"><p class="hint">${t('job_alerts.also')}</p><ul>${others.map(
          (name) =>
            html`<li>${describeCriteria({ [name]: form.values(at(name)) }, words)}${form
              .values(at(name))
              .map((value) => html`<input type="hidden" name="${at(name)}" value="${value}">`)}</li>`,
        )}</ul></div>`,
      form.choices('frequency', t('job_alerts.how_often'), frequencyTexts, { type: 'radio', isRequired: true }),
      button(text),
    ]),
  )
}
