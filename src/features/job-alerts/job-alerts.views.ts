import { AppError } from '../../lib/errors.ts'
import type { SearchMeta } from '../../lists/meta.ts'
import {
  actionButton,
  badge,
  button,
  buttonLink,
  card,
  emptyState,
  ignoredTerms,
  message,
  moment,
  pagination,
  postForm,
  wayTo,
} from '../../pages/components.ts'
import { editedField } from '../../pages/editing.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext, PageNumbers } from '../../pages/page.ts'
import { describeCriteria, type JobCard, renderCards } from '../board/index.ts'
import { nameOfSlug } from '../catalogue/index.ts'
import { experienceLevels } from '../jobs/index.ts'
import type { Criteria } from './job-alerts.criteria.ts'
import { criteriaNames, type Frequency, type JobAlert } from './job-alerts.schemas.ts'

const frequencyTexts: Record<Frequency, string> = {
  instant: 'Immediately',
  daily: 'Once a day',
  weekly: 'Once a week',
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Values that the wording of a search depends on. */
type Words = Parameters<typeof describeCriteria>[1]

export function nameOfSearch(criteria: Criteria, words: Words): string {
  return [...capital(describeCriteria(criteria, words))].slice(0, 200).join('')
}

export function renderAlerts(page: PageContext, words: Words, alerts: readonly JobAlert[], numbers: PageNumbers): Html {
  return htmlPage(page, { title: 'Job alerts' })`
<div class="row apart"><h1>Job alerts</h1>${wayTo(page, 'New alert', '/me/alerts/new')}</div>
${
  alerts.length > 0
    ? html`<ul class="jobs">${alerts.map((alert) => html`<li>${renderAlertCard(page, words, alert)}</li>`)}</ul>`
    : emptyState(
        'No alerts yet',
        html`<p>Search for jobs, then choose “Email me new jobs like these”. <a href="/jobs">Search jobs</a>.</p>`,
      )
}
${pagination(page, numbers)}`
}

function renderAlertCard(page: PageContext, words: Words, alert: JobAlert): Html {
  const { id, name, criteria, frequency, is_active } = alert
  const at = `/me/alerts/${id}`
  const text = capital(describeCriteria(criteria, words))
  return html`<article class="panel flow">
<div><p class="job-tags">${badge(frequency === 'instant' ? 'Immediately' : capital(frequency))}${is_active ? badge('Active', 'good') : badge('Paused', 'warn')}</p>
<h2 class="h3"><a href="${at}">${name}</a></h2>
${text !== name && html`<p class="soft">${text}</p>`}</div>
<div class="row">${actionButton(page, is_active ? { action: `${at}/pause`, text: 'Pause' } : { action: `${at}/resume`, text: 'Resume' })}${actionButton(page, { action: `${at}/delete`, text: 'Delete', variant: 'danger' })}</div>
</article>`
}

export function renderNewAlert(page: PageContext, words: Words, form: Form): Html {
  return htmlPage(page, { title: 'New job alert', width: 'narrow' })`<h1>New job alert</h1>
<p class="lead">We email you only when there are new jobs.</p>
${form.summary()}
${alertForm(page, { words, action: '/me/alerts/new', form, text: 'Create alert' })}`
}

interface Matches {
  items: readonly JobCard[]
  total: number
  search: string
  found: SearchMeta | undefined
}

interface AlertPage {
  words: Words
  alert: JobAlert
  form: Form
  /** An error if the matching jobs could not be read. */
  matches: Matches | AppError
}

export function renderAlert(page: PageContext, { words, alert, form, matches }: AlertPage): Html {
  const { id, name, is_active, last_run_at, next_run_at } = alert
  return htmlPage(page, { title: `Job alert: ${name}` })`<h1>${name}</h1>
<p>${is_active ? badge('Active', 'good') : badge('Paused', 'warn')} <span class="soft small">${last_run_at && html`Last check: ${moment(last_run_at)}. `}${next_run_at && html`Next check: ${moment(next_run_at)}.`}</span></p>
${form.summary()}
<div class="pair">
<div><h2>Search</h2>${alertForm(page, { words, action: `/me/alerts/${id}`, form, text: 'Save' })}
<div class="row">${actionButton(page, is_active ? { action: `/me/alerts/${id}/pause`, text: 'Pause' } : { action: `/me/alerts/${id}/resume`, text: 'Resume' })}${actionButton(page, { action: `/me/alerts/${id}/delete`, text: 'Delete', variant: 'danger' })}</div></div>
<div><h2>Matching jobs</h2>
${renderMatches(matches)}</div>
</div>`
}

function renderMatches(matches: Matches | AppError): Html {
  if (matches instanceof AppError) {
    const isOver = matches.status === 400
    return message(
      html`<p>${isOver ? `This search no longer works: ${matches.message} Change it or delete the alert.` : 'The board is busy. Reload the page in a moment.'}</p>`,
      'warn',
    )
  }
  const { items, total, search, found } = matches
  if (items.length === 0)
    return emptyState('No matching jobs right now', html`<p>We will email you when new jobs match.</p>`)
  const text = total === 1 ? 'View in the list' : `View all ${total.toLocaleString('en')}`
  return html`${ignoredTerms(found)}${renderCards(items)}<p class="actions">${buttonLink(text, search)}</p>`
}

/** Criteria that the form can edit. The form only lists other criteria. */
const fielded: ReadonlySet<string> = new Set([
  'search',
  'location',
  'distance',
  'category',
  'job_type',
  'remote',
  'salary_min',
  'experience_level',
])

function alertForm(
  page: PageContext,
  { words, action, form, text }: { words: Words; action: string; form: Form; text: string },
): Html {
  const { catalogue } = words
  const at = (name: string) => `criteria[${name}]`
  const any = (text: string) => ({ value: '', text })
  // Keeps an unknown slug selected.
  const offered = (name: string, known: readonly { slug: string; name: string }[], anyText: string) => {
    const value = form.value(at(name))
    const isKnown = value === '' || known.some(({ slug }) => slug === value)
    const options = known.map(({ slug, name }) => ({ value: slug, text: name }))
    return [any(anyText), ...(isKnown ? [] : [{ value, text: nameOfSlug(known, value) }]), ...options]
  }
  const others = criteriaNames.filter((name) => !fielded.has(name) && form.values(at(name)).length > 0)
  return card(
    postForm(page, action, [
      editedField(form),
      form.field('name', 'Name', { isRequired: true, maxlength: 200 }),
      form.field(at('search'), 'Keywords', {
        isRequired: false,
        placeholder: 'Title, skill or company',
        maxlength: 1000,
      }),
      html`<div class="row">
${form.field(at('location'), 'Location', { isRequired: false, placeholder: 'City or country', maxlength: 1000 })}
${form.field(at('distance'), 'Distance (miles)', { isRequired: false, type: 'number', min: 0, step: 'any' })}
</div><div class="row">
${form.select(at('category'), 'Category', offered('category', catalogue.categories, 'Any category'), { isRequired: false })}
${form.select(at('job_type'), 'Type', offered('job_type', catalogue.types, 'Any type'), { isRequired: false })}
</div><div class="row">
${form.select(at('remote'), 'Remote', [any('Any'), { value: 'true', text: 'Remote' }, { value: 'false', text: 'On site' }], { isRequired: false })}
${form.select(at('experience_level'), 'Experience', [any('Any'), ...experienceLevels.map((level) => ({ value: level, text: capital(level) }))], { isRequired: false })}
${form.field(at('salary_min'), 'Minimum salary (per year)', { isRequired: false, type: 'number', min: 0 })}
</div>`,
      others.length > 0 &&
        html`<div class="field"><p class="hint">Also:</p><ul>${others.map(
          (name) =>
            html`<li>${describeCriteria({ [name]: form.values(at(name)) }, words)}${form
              .values(at(name))
              .map((value) => html`<input type="hidden" name="${at(name)}" value="${value}">`)}</li>`,
        )}</ul></div>`,
      form.choices('frequency', 'How often', frequencyTexts, { type: 'radio', isRequired: true }),
      button(text),
    ]),
  )
}
