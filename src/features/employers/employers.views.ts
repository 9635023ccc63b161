import { formatNumber } from '../../lib/numbers.ts'
import {
  button,
  card,
  checkbox,
  emptyState,
  facts,
  faultSummary,
  field,
  message,
  outsideLink,
  type PageNumbers,
  pagination,
  postForm,
  prose,
  textArea,
  wayTo,
} from '../../pages/components.ts'
import { editedField } from '../../pages/editing.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { renderDocument } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { renderJobCards } from '../board/index.ts'
import type { Catalogue } from '../catalogue/index.ts'
import type { JobListItem } from '../jobs/index.ts'
import type { Employer, EmployerProfile } from './employers.schemas.ts'

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

export function renderEmployerProfile(page: PageContext, { id, open_positions }: EmployerProfile, form: Form): Html {
  const publicPage = page.has('/companies/:id') ? `/companies/${id}` : undefined
  return renderDocument(
    page,
    { title: 'Company', width: 'narrow' },
    html`<h1>Your company</h1>
<p class="lead">Candidates see this profile next to your jobs. You have ${open_positions === 1 ? 'one open job' : `${open_positions} open jobs`}.${publicPage !== undefined && html` <a href="${publicPage}">View public page</a>`}</p>
${faultSummary(form)}
${postForm(page, '/employer/profile', [
  editedField(form),
  card([
    field({
      form,
      name: 'name',
      label: 'Name',
      isRequired: true,
      hint: 'Your jobs on the board change with it.',
      more: { maxlength: 200, autocomplete: 'organization' },
    }),
    textArea({
      form,
      name: 'description',
      label: 'About your company',
      isRequired: false,
      rows: 8,
      more: { maxlength: 20_000 },
    }),
    field({ form, name: 'location', label: 'Location', isRequired: false, more: { maxlength: 200 } }),
    html`<div class="row">${[
      field({ form, name: 'industry', label: 'Industry', isRequired: false, more: { maxlength: 100 } }),
      field({
        form,
        name: 'employee_count',
        label: 'Number of employees',
        isRequired: false,
        more: { inputmode: 'numeric' },
      }),
    ]}</div>`,
    field({
      form,
      name: 'website',
      label: 'Website',
      type: 'url',
      isRequired: false,
      more: { maxlength: 2048, autocomplete: 'url' },
    }),
    field({
      form,
      name: 'logo_url',
      label: 'Logo URL',
      type: 'url',
      isRequired: false,
      hint: 'For other websites that list your jobs.',
      more: { maxlength: 2048 },
    }),
  ]),
  card([
    html`<h2>Emails</h2>`,
    checkbox({ form, name: 'mail_on_application', label: 'Email me about new applications' }),
  ]),
  button('Save'),
])}
${card(html`<h2>Close your account</h2>
<p>Your jobs leave the board immediately, and you can no longer sign in.</p>
<p>${wayTo(page, 'Close account', '/employer/profile/close', 'danger')}</p>`)}`,
  )
}

export function renderClosing(page: PageContext, { name }: EmployerProfile, form: Form): Html {
  return renderDocument(
    page,
    { title: 'Close your account', width: 'narrow' },
    html`<h1>Close your account</h1>
${faultSummary(form)}
${message(html`<p>This cannot be undone.</p>`, 'bad')}
${card(
  postForm(page, '/employer/profile/close', [
    html`<p>Your jobs and your company's page are deleted. Your webhooks, keys and sessions end. Candidates keep their applications. Payments are not refunded.</p>`,
    field({
      form,
      name: 'confirmation',
      label: 'Enter the name of your company to confirm',
      isRequired: true,
      hint: `It is ${name}.`,
      more: { autocomplete: 'off', maxlength: 300, spellcheck: 'false' },
    }),
    html`<div class="actions">${button('Close account for good', { variant: 'danger' })}${wayTo(page, 'Keep account', '/employer/profile', 'quiet')}</div>`,
  ]),
)}`,
  )
}

interface Found<Item> {
  items: readonly Item[]
  meta: { pagination: PageNumbers }
}

const companiesOf = (count: number) => (count === 1 ? 'One company' : `${formatNumber(count)} companies`)
const jobsOf = (count: number) => (count === 1 ? 'One open job' : `${formatNumber(count)} open jobs`)

/** Renders the companies. If the query was invalid, `found` is undefined and the form shows the reason. */
export function renderCompanies(page: PageContext, form: Form, found: Found<Employer> | undefined): Html {
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
  html`<p role="status" class="soft after-search">${companiesOf(found.meta.pagination.total)}</p>
${
  found.items.length > 0
    ? html`<ul class="grid">${found.items.map(renderTile)}</ul>`
    : emptyState('No companies found', html`<p><a href="/companies">Show all companies</a></p>`)
}
${pagination(page, found.meta.pagination)}`
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
  const { total, page: number = 1 } = meta.pagination
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
${pagination(page, meta.pagination)}</div>
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
