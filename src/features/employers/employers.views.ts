import { formatNumber } from '../../lib/numbers.ts'
import {
  actionButton,
  button,
  card,
  emptyState,
  facts,
  logo,
  markdown,
  message,
  outsideLink,
  pagination,
  postForm,
  privacyNotice,
  wayTo,
  withQuery,
} from '../../pages/components.ts'
import { editedField } from '../../pages/editing.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext, PageNumbers } from '../../pages/page.ts'
import { type MarkedJob, renderJobCards } from '../board/index.ts'
import type { Catalogue } from '../catalogue/index.ts'
import type { Employer, EmployerProfile } from './employers.schemas.ts'

export function renderEmployerRegistration(page: PageContext, form: Form): Html {
  const returnTo = form.value('_return_to')
  return htmlPage(page, { title: 'Register as an employer', width: 'narrow' })`<h1>Register as an employer</h1>
<p class="lead">Post jobs and manage applications.</p>
${form.summary()}
${card(
  postForm(page, '/register/employer', [
    returnTo !== '' && html`<input type="hidden" name="_return_to" value="${returnTo}">`,
    form.field('name', 'Company', { isRequired: true, autocomplete: 'organization', maxlength: 200 }),
    form.field('email', 'Email address', {
      type: 'email',
      isRequired: true,
      hint: 'We send sign-in links to this address.',
      autocomplete: 'email',
      maxlength: 254,
    }),
    form.field('website', 'Website', { type: 'url', isRequired: false, autocomplete: 'url' }),
    form.field('location', 'Location', { isRequired: false, maxlength: 200 }),
    form.textArea('description', 'About your company', { isRequired: false }),
    privacyNotice(page),
    button('Register'),
  ]),
)}
<p>Looking for a job instead? <a href="${withQuery('/register/candidate', { return_to: returnTo })}">Register as a candidate</a>.</p>`
}

export function renderEmployerProfile(
  page: PageContext,
  { id, name, logo_url, open_positions }: EmployerProfile,
  { form, logoForm }: { form: Form; logoForm: Form },
): Html {
  const publicPage = page.has('/companies/:id') ? `/companies/${id}` : undefined
  return htmlPage(page, { title: 'Company', width: 'narrow' })`<h1>Your company</h1>
<p class="lead">Candidates see this profile next to your jobs. You have ${open_positions === 1 ? 'one open job' : `${open_positions} open jobs`}.${publicPage !== undefined && html` <a href="${publicPage}">View public page</a>`}</p>
${form.summary()}${logoForm.summary()}
${postForm(page, '/employer/profile', [
  editedField(form),
  card([
    form.field('name', 'Name', {
      isRequired: true,
      hint: 'Your jobs on the board show this name.',
      maxlength: 200,
      autocomplete: 'organization',
    }),
    form.textArea('description', 'About your company', { isRequired: false, rows: 8, maxlength: 20_000 }),
    form.field('location', 'Location', { isRequired: false, maxlength: 200 }),
    html`<div class="row">${[
      form.field('industry', 'Industry', { isRequired: false, maxlength: 100 }),
      form.field('employee_count', 'Number of employees', { isRequired: false, inputmode: 'numeric' }),
    ]}</div>`,
    form.field('website', 'Website', { type: 'url', isRequired: false, maxlength: 2048, autocomplete: 'url' }),
    form.field('logo_url', 'Logo URL', {
      type: 'url',
      isRequired: false,
      hint: 'Uploading a logo below fills in this field. Our pages show only uploaded logos. The API returns any URL.',
      maxlength: 2048,
    }),
  ]),
  card([html`<h2>Emails</h2>`, form.checkbox('mail_on_application', 'Email me about new applications')]),
  button('Save'),
])}
${card(html`<h2>Logo</h2>
<div class="row">${logo({ id, name, url: logo_url }, 'big')}<p class="small soft">Shown beside your jobs and on your company page.</p></div>
${postForm(
  page,
  '/employer/profile/logo',
  [
    logoForm.field('file', 'New logo', {
      type: 'file',
      isRequired: true,
      hint: 'PNG, JPEG or WebP, up to 2 MB. Square logos look best.',
      accept: '.png,.jpg,.jpeg,.webp',
    }),
    button('Upload logo', { variant: 'secondary' }),
  ],
  { enctype: 'multipart/form-data' },
)}
${logo_url !== null && html`<div class="gap-2">${actionButton(page, { action: '/employer/profile/logo/remove', text: 'Remove logo' })}</div>`}`)}
${card(html`<h2>Close your account</h2>
<p>Your jobs leave the board immediately, and you can no longer sign in.</p>
<p>${wayTo(page, 'Close account', '/employer/profile/close', 'danger')}</p>`)}`
}

export function renderClosing(page: PageContext, { name }: EmployerProfile, form: Form): Html {
  return htmlPage(page, { title: 'Close your account', width: 'narrow' })`<h1>Close your account</h1>
${form.summary()}
${message(html`<p>This cannot be undone.</p>`, 'bad')}
${card(
  postForm(page, '/employer/profile/close', [
    html`<p>Your jobs, company page, webhooks, keys and sessions are deleted. Candidates keep their applications. Payments are not refunded.</p>`,
    form.field('confirmation', "Enter your company's name to confirm", {
      isRequired: true,
      hint: `Enter ${name}.`,
      autocomplete: 'off',
      maxlength: 300,
      spellcheck: 'false',
    }),
    html`<div class="actions">${button('Close account for good', { variant: 'danger' })}${wayTo(page, 'Keep account', '/employer/profile', 'quiet')}</div>`,
  ]),
)}`
}

interface Found<Item> {
  items: readonly Item[]
  meta: { pagination: PageNumbers }
}

const companiesOf = (count: number) => (count === 1 ? 'One company' : `${formatNumber(count)} companies`)
const jobsOf = (count: number) => (count === 1 ? 'One open job' : `${formatNumber(count)} open jobs`)

/** Renders the companies. If the query was invalid, `found` is undefined and the form shows the reason. */
export function renderCompanies(page: PageContext, form: Form, found: Found<Employer> | undefined): Html {
  return htmlPage(page, {
    title: 'Companies',
    description: 'Companies that are hiring, with their open jobs.',
    canonical: '/companies',
  })`<h1>Companies</h1>
${form.summary()}
<form class="search" action="/companies" role="search">
${form.field('name', 'Name', { hint: 'Full company name', maxlength: 1000 })}
${form.field('location', 'Where', { hint: 'City or country', maxlength: 1000 })}
${button('Search')}</form>
${
  found &&
  html`<p role="status" class="soft">${companiesOf(found.meta.pagination.total)}</p>
${
  found.items.length > 0
    ? html`<ul class="grid bare">${found.items.map(renderTile)}</ul>`
    : emptyState('No companies found', html`<p><a href="/companies">Show all companies</a></p>`)
}
${pagination(page, found.meta.pagination)}`
}`
}

function renderTile({ id, name, location, industry, logo_url, open_positions }: Employer): Html {
  const about = [industry, location].filter((text) => text !== null).join(', ')
  return html`<li><a class="firm" href="/companies/${id}">${logo({ id, name, url: logo_url })}<span class="strong">${name}</span>${about !== '' && html`<span class="small soft">${about}</span>`}<span class="small">${jobsOf(open_positions)}</span></a></li>`
}

export function renderCompany(
  page: PageContext,
  catalogue: Catalogue,
  { company, found, now }: { company: Employer; found: Found<MarkedJob>; now: Date },
): Html {
  const { items, meta } = found
  const { id, name, location, website, description, industry, employee_count } = company
  const { total, page: number = 1 } = meta.pagination
  const about = `${name}${location === null ? '' : `, ${location}`}: ${jobsOf(total).toLowerCase()}.`
  return htmlPage(page, {
    title: name,
    description: about,
    canonical: `/companies/${id}${number > 1 ? `?page=${number}` : ''}`,
  })`<nav class="crumbs small" aria-label="Breadcrumb"><a href="/companies">Companies</a></nav>
<div class="row head-gap nowrap-row">${logo({ id, name, url: company.logo_url }, 'big')}<h1>${name}</h1></div>
<div class="split">
<div>${description !== null && markdown(description)}
<h2>${jobsOf(total)}</h2>
${items.length > 0 ? renderJobCards(catalogue, items, now) : emptyState('No open jobs right now')}
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
</div>`
}
