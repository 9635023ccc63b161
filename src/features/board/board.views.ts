import { formatNumber } from '../../lib/numbers.ts'
import type { SearchMeta } from '../../lists/meta.ts'
import {
  ago,
  button,
  buttonLink,
  emptyState,
  ignoredTerms,
  logo,
  pagination,
  withQuery,
} from '../../pages/components.ts'
import { Form, type Option } from '../../pages/forms.ts'
import { attributes, type Content, type Html, html } from '../../pages/html.ts'
import { type IconName, icon } from '../../pages/icons.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { type Catalogue, nameOfSlug } from '../catalogue/index.ts'
import { formatSalary, jobPath, levelNames } from '../jobs/index.ts'
import type { MarkedJob } from './board.lists.ts'

export function renderSearchBox(form: Form = Form.of()): Html {
  return html`<form class="search" action="/jobs" role="search">
${renderWhat(form)}
${renderWhere(form)}
<input type="hidden" name="sort" value="relevance">
${button('Search')}</form>`
}

const renderWhat = (form: Form) =>
  html`<div class="suggesting">${form.field('search', 'What', { enterkeyhint: 'search', placeholder: 'Title, skill or company', maxlength: 1000, autocomplete: 'off', 'aria-controls': 'suggestions', 'data-suggest': '/jobs/suggestions' })}<ul class="suggestions" id="suggestions" role="listbox" aria-label="Suggestions" hidden></ul></div>`

const renderWhere = (form: Form) => form.field('location', 'Where', { placeholder: 'City or country', maxlength: 1000 })

export function renderSuggestions(texts: readonly string[]): Html {
  return html`${texts.map((text) => html`<li role="option">${text}</li>`)}`
}

/** A job card in a list. The card is the same for every visitor, unlike the buttons that other features add. */
export interface JobCard
  extends Pick<MarkedJob, 'id' | 'title' | 'application_url' | 'is_featured' | 'is_highlighted'> {
  content: Html
}

/** Returns the buttons that other features add to a job. */
export type BesideJob = (job: Pick<JobCard, 'id' | 'title'>) => Content

export function renderJobCards(catalogue: Catalogue, jobs: readonly MarkedJob[], now: Date): Html {
  return renderCards(jobs.map((job) => jobCard(catalogue, job, now)))
}

/** Renders cards as a vertical list. */
export function renderCards(cards: readonly JobCard[], beside?: BesideJob): Html {
  return html`<ul class="jobs">${cards.map(
    ({ id, title, is_featured, is_highlighted, content }) =>
      html`<li><article id="${id}" class="job${is_featured && ' is-featured'}${is_highlighted && ' is-highlighted'}">
${content}<div class="job-end">${beside?.({ id, title })}</div>
</article></li>`,
  )}</ul>`
}

export function jobCard(catalogue: Catalogue, job: MarkedJob, now: Date): JobCard {
  const { id, title, company, location, salary, type, remote, posted_at, distance_miles } = job
  const { is_featured, is_urgent, is_highlighted, application_url } = job
  const tags = [is_featured && featuredTag, is_urgent && urgentTag].filter((tag) => tag !== false)
  const facts: [IconName, Content][] = [
    ['briefcase', nameOfSlug(catalogue.types, type)],
    ...(remote ? [['globe', 'Remote'] as [IconName, Content]] : []),
    ...(distance_miles === undefined ? [] : [['pin', `${distance_miles} miles`] as [IconName, Content]]),
    ['clock', ago(posted_at, now)],
  ]
  const content = html`${logo({ id: job.employer_id, name: company, url: job.company_logo_url })}
<div>${tags.length > 0 && html`<p class="job-tags">${tags}</p>`}<h3 class="job-title"><a class="job-link" href="${jobPath({ id, title })}">${title}</a></h3>
<p class="job-by"><b>${company}</b><span>${location}</span></p></div>
<div class="job-text"><ul class="meta"><li${salary && html` class="pay"`}>${icon('pay')}${salary ? formatSalary(salary) : 'Pay not stated'}</li>${facts.map(([name, text]) => html`<li>${icon(name)}${text}</li>`)}</ul></div>
`
  return { id, title, application_url, is_featured, is_highlighted, content }
}

const featuredTag = html`<span class="tag featured">${icon('star')}Featured</span>`
const urgentTag = html`<span class="tag urgent">${icon('bolt')}Urgent</span>`

interface Found {
  items: readonly JobCard[]
  meta: {
    pagination: { total: number; page?: number; pages?: number; next_cursor: string | null; prev_cursor: string | null }
    filters_applied: Readonly<Record<string, unknown>>
    facets?: Readonly<Record<string, readonly { value: string | boolean; count: number }[]>>
    search?: SearchMeta
  }
}

/** Parameters with their own field in the search form. */
const FIELDS = ['search', 'location', 'distance', 'category', 'job_type', 'experience_level', 'remote', 'salary_min']

const nameOfValue: Readonly<Record<string, (value: string, catalogue: Catalogue) => string>> = {
  category: (value, { categories }) => nameOfSlug(categories, value),
  job_type: (value, { types }) => nameOfSlug(types, value),
  experience_level: (value) => levelNames[value] ?? value,
  remote: (value) => (value === 'true' ? 'Remote' : 'On site'),
}

export function titleOfList(form: Form): string {
  const [search, location] = [form.value('search'), form.value('location')]
  const what = search === '' ? 'Jobs' : `Jobs for “${search}”`
  return location === '' ? what : `${what} in ${location}`
}

interface JobListView {
  form: Form
  /** Undefined if the form contains faults. */
  found: Found | undefined
  /** Returns the buttons that other features add to each job. */
  beside?: BesideJob | undefined
}

export function renderJobList(page: PageContext, catalogue: Catalogue, { form, found, beside }: JobListView): Html {
  const title = titleOfList(form)
  const query = page.path.split(/\?(.*)/s, 2)[1] ?? ''
  const feedQuery = withQuery(`?${query}`, { page: null, limit: null, cursor: null, facets: null })
  const feeds = [
    ['Atom', '/jobs.atom', 'application/atom+xml'],
    ['RSS', '/jobs.rss', 'application/rss+xml'],
    ['JSON Lines', '/jobs.jsonl', 'application/x-ndjson'],
    ['XML', '/jobs.xml', 'application/xml'],
  ] as const
  const feedPath = (path: string) => `${path}${feedQuery}`
  return htmlPage(page, {
    title,
    description: page.brand.description ?? `Open jobs on ${page.brand.name}.`,
    canonical: withQuery(`/jobs?${query}`, { limit: null, cursor: null, facets: null }),
    modules: ['suggest.js'],
    head: feeds.map(
      ([name, path, type]) =>
        html`<link rel="alternate" type="${type}" title="${title} (${name})" href="${feedPath(path)}">`,
    ),
  })`<h1>${title}</h1>
${form.summary()}
<div class="rail">
${renderFilters(catalogue, form, found)}
<div class="results">${found && renderFound(page, catalogue, { form, found, beside })}
${found && html`<p class="feeds small soft no-print">This list as a feed: ${feeds.map(([name, path], n) => [n > 0 && ' · ', html`<a href="${feedPath(path)}">${name}</a>`])}</p>`}</div>
</div>`
}

function renderFilters(catalogue: Catalogue, form: Form, found: Found | undefined): Html {
  /** Returns the options with their job counts, always including the selected value. */
  const facet = (name: string, any: string): Option[] => {
    const nameOf = (value: string) => nameOfValue[name]!(value, catalogue)
    const counted = found?.meta.facets?.[name] ?? []
    const options = counted.map(({ value, count }) => ({
      value: String(value),
      text: `${nameOf(String(value))} (${formatNumber(count)})`,
    }))
    const chosen = form.value(name)
    if (chosen !== '' && !options.some(({ value }) => value === chosen)) {
      options.push({ value: chosen, text: nameOf(chosen) })
    }
    return [{ value: '', text: any }, ...options]
  }
  const others = Object.keys(found?.meta.filters_applied ?? {}).filter((name) => !FIELDS.includes(name))
  const isSearch = form.value('search') !== ''
  const sort = form.value('sort') || (isSearch ? 'date_posted' : 'relevance')
  const more = FIELDS.slice(2).some((name) => form.value(name) !== '')
  return html`<form class="filters" action="/jobs" role="search" aria-label="Jobs">
${renderWhat(form)}
${renderWhere(form)}
<details${attributes({ open: more })}><summary>Filters and sorting</summary>
${form.select('distance', 'Distance', [
  { value: '', text: 'Exact place' },
  ...withChosen(['10', '25', '50', '100', '250'], form.value('distance')).map((miles) => ({
    value: miles,
    text: `Within ${miles} miles`,
  })),
])}
${form.select('category', 'Category', facet('category', 'Any category'))}
${form.select('job_type', 'Type', facet('job_type', 'Any type'))}
${form.select('experience_level', 'Experience', facet('experience_level', 'Any experience'))}
${form.select('remote', 'Remote', facet('remote', 'Any'))}
${form.field('salary_min', 'Minimum salary (per year)', { inputmode: 'numeric' })}
${(Form.of({ sort })).select('sort', 'Sort by', [
  { value: 'relevance', text: 'Best match' },
  { value: 'date_posted', text: 'Newest first' },
  { value: 'salary', text: 'Highest pay first' },
  { value: 'distance:asc', text: 'Nearest first' },
  ...(['relevance', 'date_posted', 'salary', 'distance:asc'].includes(sort) ? [] : [{ value: sort, text: sort }]),
])}
</details>
${others.map((name) => html`<input type="hidden" name="${name}" value="${form.values(name).join(',')}">`)}
${button('Search', { class: 'full' })}
</form>`
}

function withChosen(values: readonly string[], chosen: string): readonly string[] {
  return chosen === '' || values.includes(chosen) ? values : [...values, chosen]
}

function renderFound(
  page: PageContext,
  catalogue: Catalogue,
  { form, found: { items, meta }, beside }: JobListView & { found: Found },
): Html {
  const { total, page: number, pages = 1, next_cursor, prev_cursor } = meta.pagination
  const applied = Object.keys(meta.filters_applied).filter((name) => name !== 'search')
  const corrected = meta.search?.corrected
  return html`${alertLink(page)}
<p role="status" class="soft">${total === 1 ? 'One job' : `${formatNumber(total)} jobs`}${corrected && ` for “${corrected}”, similar to your search`}</p>
${
  applied.length > 0 &&
  html`<ul class="chips" aria-label="Filters">${applied.map((name) => {
    const text = form.values(name).map((value) => nameOfValue[name]?.(value, catalogue) ?? value)
    const label = name.replaceAll('_', ' ')
    return html`<li><a class="chip" href="${withQuery(page.path, { [name]: null, page: null, cursor: null })}"><span class="hide">Remove filter: </span>${label}: ${text.join(', ')} <span aria-hidden="true">×</span></a></li>`
  })}</ul>`
}
${ignoredTerms(meta.search)}
${
  items.length > 0
    ? renderCards(items, beside)
    : emptyState(
        'No jobs found',
        html`<p>Try fewer filters or a larger distance, or <a href="/jobs">show all jobs</a>.</p>`,
      )
}
${
  number === undefined
    ? (prev_cursor ?? next_cursor) !== null &&
      html`<nav class="pages" aria-label="Pages"><ul>
${prev_cursor && html`<li><a rel="prev" href="${withQuery(page.path, { cursor: prev_cursor })}">Previous</a></li>`}
${next_cursor && html`<li><a rel="next" href="${withQuery(page.path, { cursor: next_cursor })}">Next</a></li>`}</ul></nav>`
    : pagination(page, { total, page: number, pages })
}`
}

function alertLink({ path, has, may }: PageContext): Html | undefined {
  if (!has('/me/alerts/new') || !may('GET', '/me/alerts/new')) return undefined
  const search = withQuery(path, { page: null, cursor: null, limit: null, sort: null, order: null, facets: null })
  const href = search.replace(/^[^?]*/, '/me/alerts/new')
  return html`<p class="no-print">${buttonLink('Email me new jobs like these', href)}</p>`
}
