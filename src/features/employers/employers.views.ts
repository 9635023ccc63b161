import { formatNumber } from '../../lib/numbers.ts'
import {
  button,
  card,
  emptyState,
  facts,
  faultSummary,
  field,
  outsideLink,
  pagination,
  postForm,
  prose,
  textArea,
} from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { renderDocument } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { renderJobCards } from '../board/index.ts'
import type { Catalogue } from '../catalogue/index.ts'
import type { JobListItem } from '../jobs/index.ts'
import type { Employer } from './employers.schemas.ts'

export function renderEmployerRegistration(page: PageContext, form: Form): Html {
  return renderDocument(
    page,
    { title: 'Register as an employer', width: 'narrow' },
    html`<h1>Register as an employer</h1>
<p class="lead">Post jobs and manage applications.</p>
${faultSummary(form)}
${card(
  postForm(page, '/register/employer', [
    field({
      form,
      name: 'name',
      label: 'Company',
      isRequired: true,
      more: { autocomplete: 'organization', maxlength: 200 },
    }),
    field({
      form,
      name: 'email',
      label: 'Email address',
      type: 'email',
      isRequired: true,
      hint: 'We send sign-in links to this address.',
      more: { autocomplete: 'email', maxlength: 254 },
    }),
    field({ form, name: 'website', label: 'Website', type: 'url', isRequired: false, more: { autocomplete: 'url' } }),
    field({ form, name: 'location', label: 'Location', isRequired: false, more: { maxlength: 200 } }),
    textArea({ form, name: 'description', label: 'About your company', isRequired: false }),
    button('Register'),
  ]),
)}
<p>Looking for a job instead? <a href="/register/candidate">Register as a candidate</a>.</p>`,
  )
}

interface Found<Item> {
  items: readonly Item[]
  meta: { pagination: { total: number; page?: number; pages?: number } }
}

const jobsOf = (count: number) => (count === 1 ? 'One open job' : `${formatNumber(count)} open jobs`)

/** Renders the companies. If the query was invalid, `found` is undefined and the form shows the reason. */
export function renderCompanies(page: PageContext, form: Form, found: Found<Employer> | undefined): Html {
  const { total = 0, page: number = 1, pages = 1 } = found?.meta.pagination ?? {}
  return renderDocument(
    page,
    {
      title: 'Companies',
      description: 'Companies that are hiring, with their open jobs.',
      canonical: '/companies',
    },
    html`<h1>Companies</h1>
${faultSummary(form)}
<form class="search-box" action="/companies" role="search">
${field({ form, name: 'name', label: 'Name', hint: 'Full name of the company', more: { maxlength: 1000 } })}
${field({ form, name: 'location', label: 'Where', hint: 'City or country', more: { maxlength: 1000 } })}
${button('Search')}</form>
${
  found &&
  html`<p role="status" class="soft after-search">${total === 1 ? 'One company' : `${formatNumber(total)} companies`}</p>
${
  found.items.length > 0
    ? html`<ul class="grid">${found.items.map(renderTile)}</ul>`
    : emptyState('No companies found', html`<p><a href="/companies">Show all companies</a></p>`)
}
${pagination(page, { total, page: number, pages })}`
}`,
  )
}

function renderTile({ id, name, location, industry, open_positions }: Employer): Html {
  return html`<li class="job-card"><h2><a href="/companies/${id}">${name}</a></h2>
<p class="soft">${[industry, location].filter((text) => text !== null).join(' · ')}</p><p>${jobsOf(open_positions)}</p></li>`
}

export function renderCompany(
  page: PageContext,
  catalogue: Catalogue,
  company: Employer,
  { items, meta }: Found<JobListItem>,
): Html {
  const { id, name, location, website, description, industry, employee_count } = company
  const { total, page: number = 1, pages = 1 } = meta.pagination
  const about = `${name}${location === null ? '' : `, ${location}`}: ${jobsOf(total).toLowerCase()}.`
  return renderDocument(
    page,
    { title: name, description: about, canonical: `/companies/${id}${number > 1 ? `?page=${number}` : ''}` },
    html`<nav class="crumbs small" aria-label="Breadcrumb"><a href="/companies">Companies</a></nav>
<h1>${name}</h1>
<div class="columns side-right">
<div>${description !== null && prose(description)}
<h2>${jobsOf(total)}</h2>
${items.length > 0 ? renderJobCards(catalogue, items) : emptyState('No open jobs right now')}
${pagination(page, { total, page: number, pages })}</div>
<aside>${card(
      facts([
        ['Industry', industry],
        ['Location', location],
        ['Employees', employee_count && formatNumber(employee_count)],
        ['Website', website && outsideLink(website)],
        ['Open jobs', formatNumber(total)],
      ]),
    )}</aside>
</div>`,
  )
}
