import {
  badge,
  button,
  buttonLink,
  card,
  day,
  emptyState,
  facts,
  faultSummary,
  field,
  message,
  outsideLink,
  type PageNumbers,
  pagination,
  prose,
  select,
  withQuery,
} from '../../pages/components.ts'
import { Form } from '../../pages/forms.ts'
import { type Content, type Html, html } from '../../pages/html.ts'
import { renderDocument } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { configuredCategories, configuredTypes, type NamedSlug } from './jobs.catalogue.ts'
import type { JobDetail, JobListItem } from './jobs.schemas.ts'

type Salary = NonNullable<JobListItem['salary']>

/** `50,000–70,000 EUR a year` */
export function formatSalary({ min, max, currency, period }: Salary): string {
  const amount = (value: number) => value.toLocaleString('en')
  const range =
    min !== null && max !== null
      ? min === max
        ? amount(min)
        : `${amount(min)}–${amount(max)}`
      : min !== null
        ? `from ${amount(min)}`
        : `up to ${amount(max ?? 0)}`
  return `${range} ${currency} ${period === 'hour' ? 'an' : 'a'} ${period}`
}

/** The name of a slug; one that is not configured is made readable. */
export function nameOfSlug(known: readonly NamedSlug[], slug: string): string {
  const name = known.find((entry) => entry.slug === slug)?.name ?? slug.replaceAll('-', ' ')
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** The box that every search begins with. */
export function renderSearchBox(form: Form = Form.of()): Html {
  return html`<form class="search-box" action="/jobs" role="search">
${field({ form, name: 'search', label: 'What', type: 'search', more: { placeholder: 'Title, skill or company', maxlength: 1000 } })}
${field({ form, name: 'location', label: 'Where', more: { placeholder: 'City or country', maxlength: 1000 } })}
${button('Search')}</form>`
}

/** What stands with a job, by its id: buttons of other features. */
export type BesideJob = (id: string) => Content

export function renderJobCards(jobs: readonly JobListItem[], beside?: BesideJob): Html {
  return html`<ul class="job-list">${jobs.map((job) => html`<li>${renderJobCard(job, beside?.(job.id))}</li>`)}</ul>`
}

export function renderJobCard(job: JobListItem, beside?: Content): Html {
  const { id, title, company, location, salary, type, remote, is_featured, posted_at, distance_miles } = job
  return html`<article class="job-card${is_featured && ' featured'}">
<h3><a href="/jobs/${id}">${title}</a></h3>
<p>${company}</p>
<p class="meta"><span>${location}${distance_miles !== undefined && ` · ${distance_miles} miles`}</span>${salary && html`<span>${formatSalary(salary)}</span>`}<span>Posted ${day(posted_at)}</span></p>
<p class="badges">${is_featured && badge('Featured', 'accent')}${badge(nameOfSlug(configuredTypes, type))}${remote && badge('Remote', 'good')}</p>
${beside}
</article>`
}

interface Choices {
  categories: readonly (NamedSlug & { job_count: number })[]
  types: readonly (NamedSlug & { job_count: number })[]
}

interface Found {
  items: readonly JobListItem[]
  meta: { pagination: { total: number; page?: number; pages?: number } }
}

/** The list; without `found` the query was not one, and the form says why. */
export function renderJobList(
  page: PageContext,
  form: Form,
  { categories, types }: Choices,
  found: Found | undefined,
  beside?: BesideJob,
): Html {
  const any = (text: string) => ({ value: '', text })
  const offered = (entries: Choices['categories']) =>
    entries
      .filter(({ job_count }) => job_count > 0)
      .map(({ slug, name, job_count }) => ({ value: slug, text: `${name} (${job_count})` }))
  const { total = 0, page: number = 1, pages = 1 } = found?.meta.pagination ?? {}
  return renderDocument(
    page,
    { title: 'Jobs', description: 'Open jobs in the automotive and technology sector.', canonical: '/jobs' },
    html`<h1>Jobs</h1>
${faultSummary(form)}
<div class="columns side-left">
<form action="/jobs" role="search" aria-label="Jobs">
${field({ form, name: 'search', label: 'What', type: 'search', more: { placeholder: 'Title, skill or company' } })}
${field({ form, name: 'location', label: 'Where', more: { placeholder: 'City or country' } })}
${select({ form, name: 'category', label: 'Category', options: [any('Any category'), ...offered(categories)] })}
${select({ form, name: 'job_type', label: 'Type', options: [any('Any type'), ...offered(types)] })}
${select({
  form,
  name: 'remote',
  label: 'Remote',
  options: [any('Remote or not'), { value: 'true', text: 'Remote' }, { value: 'false', text: 'On site' }],
})}
${button('Search')}
</form>
<div>
${found && alertLink(page)}
${
  found &&
  html`<p role="status" class="soft">${total === 1 ? 'One job' : `${total.toLocaleString('en')} jobs`}</p>
${
  found.items.length > 0
    ? renderJobCards(found.items, beside)
    : emptyState('No job matches', html`<p>Fewer words or filters find more. <a href="/jobs">Show all jobs</a>.</p>`)
}
${pagination(page, { total, page: number, pages } satisfies PageNumbers)}`
}
</div></div>`,
  )
}

/** To a mail for whatever comes that the search at hand finds. */
function alertLink(page: PageContext): Html | undefined {
  const isForThem = page.actor === undefined || page.actor.kind === 'candidate'
  if (!isForThem || !page.has('/me/alerts/new')) return undefined
  const search = withQuery(page.path, { page: null, cursor: null, limit: null, sort: null, order: null, facets: null })
  const href = search.replace(/^[^?]*/, '/me/alerts/new')
  return html`<p>${buttonLink('Mail me new jobs like these', href)}</p>`
}

/** `actions`: what can be done with it. */
export function renderJob(page: PageContext, job: JobDetail, actions?: Content): Html {
  const { id, title, company, location, salary, type, category, remote, posted_at, expires_at } = job
  return renderDocument(
    page,
    { title: `${title} at ${company}`, description: job.description.slice(0, 160), canonical: `/jobs/${id}` },
    html`<h1>${title}</h1>
<p class="lead">${company} · ${location}</p>
${!job.is_active && message('This job is not open any more.', 'warn')}
<div class="columns side-right">
<div>
${prose(job.description)}
${job.requirements.length > 0 && html`<h2>Requirements</h2><ul>${job.requirements.map((text) => html`<li>${text}</li>`)}</ul>`}
${job.benefits.length > 0 && html`<h2>Benefits</h2><ul>${job.benefits.map((text) => html`<li>${text}</li>`)}</ul>`}
</div>
<aside>${card([
      actions && html`<div class="job-actions">${actions}</div>`,
      facts([
        ['Pay', salary && formatSalary(salary)],
        ['Place', location],
        ['Remote', remote && 'Yes'],
        ['Type', nameOfSlug(configuredTypes, type)],
        ['Category', nameOfSlug(configuredCategories, category)],
        ['Posted', day(posted_at)],
        ['Open until', expires_at && day(expires_at)],
        ['Website', job.company_website && outsideLink(job.company_website, company)],
      ]),
    ])}</aside>
</div>`,
  )
}
