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
<p class="lead">What candidates read of you beside your jobs: ${open_positions === 1 ? 'one is' : `${open_positions} are`} open now.${publicPage !== undefined && html` <a href="${publicPage}">Look at it as they do</a>`}</p>
${faultSummary(form)}
${postForm(page, '/employer/profile', [
  editedField(form),
  card([
    field({
      form,
      name: 'name',
      label: 'Name',
      isRequired: true,
      hint: 'Jobs that are on the board get it as well.',
      more: { maxlength: 200, autocomplete: 'organization' },
    }),
    textArea({
      form,
      name: 'description',
      label: 'What you do',
      isRequired: false,
      rows: 8,
      more: { maxlength: 20_000 },
    }),
    field({ form, name: 'location', label: 'Place', isRequired: false, more: { maxlength: 200 } }),
    html`<div class="row">${[
      field({ form, name: 'industry', label: 'Industry', isRequired: false, more: { maxlength: 100 } }),
      field({
        form,
        name: 'employee_count',
        label: 'People who work there',
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
      label: 'Address of your logo',
      type: 'url',
      isRequired: false,
      hint: 'For those who show the board elsewhere.',
      more: { maxlength: 2048 },
    }),
  ]),
  card([
    html`<h2>Mails</h2>`,
    checkbox({ form, name: 'mail_on_application', label: 'Tell me of new applications by e-mail' }),
  ]),
  button('Save'),
])}
${card(html`<h2>Close the account</h2>
<p>Your jobs leave the board at once, and everything that signs you in ends.</p>
<p>${wayTo(page, 'Close the account', '/employer/profile/close', 'danger')}</p>`)}`,
  )
}

export function renderClosing(page: PageContext, { name }: EmployerProfile, form: Form): Html {
  return renderDocument(
    page,
    { title: 'Close the account', width: 'narrow' },
    html`<h1>Close the account</h1>
${faultSummary(form)}
${message(html`<p>This cannot be undone.</p>`, 'bad')}
${card(
  postForm(page, '/employer/profile/close', [
    html`<p>Your jobs and your company's page are deleted. Your webhooks, keys and sessions end. Candidates keep their applications. Payments are not refunded.</p>`,
    field({
      form,
      name: 'confirmation',
      label: 'The name of your company, to confirm',
      isRequired: true,
      hint: `It is ${name}.`,
      more: { autocomplete: 'off', maxlength: 300, spellcheck: 'false' },
    }),
    html`<div class="actions">${button('Close the account for good', { variant: 'danger' })}${wayTo(page, 'Keep it', '/employer/profile', 'quiet')}</div>`,
  ]),
)}`,
  )
}
