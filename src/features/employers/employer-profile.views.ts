import {
  button,
  card,
  checkbox,
  faultSummary,
  field,
  message,
  postForm,
  textArea,
  wayTo,
} from '../../pages/components.ts'
import { editedField } from '../../pages/editing.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { renderDocument } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import type { EmployerProfile } from './employers.schemas.ts'

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
