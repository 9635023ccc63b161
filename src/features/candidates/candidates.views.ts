import { button, card, faultSummary, field, postForm } from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { renderDocument } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'

export function renderCandidateRegistration(page: PageContext, form: Form): Html {
  return renderDocument(
    page,
    { title: 'Register as a candidate', width: 'narrow' },
    html`<h1>Register as a candidate</h1>
<p class="lead">Save jobs, get mails about new ones, and apply.</p>
${faultSummary(form)}
${card(
  postForm(page, '/register/candidate', [
    html`<div class="row">
${field({ form, name: 'first_name', label: 'First name', isRequired: true, more: { autocomplete: 'given-name', maxlength: 100 } })}
${field({ form, name: 'last_name', label: 'Last name', isRequired: true, more: { autocomplete: 'family-name', maxlength: 100 } })}
</div>`,
    field({
      form,
      name: 'email',
      label: 'E-mail address',
      type: 'email',
      isRequired: true,
      hint: 'Links to sign in are sent to it.',
      more: { autocomplete: 'email', maxlength: 254 },
    }),
    button('Register'),
  ]),
)}
<p>Looking for people instead? <a href="/register/employer">Register as an employer</a>.</p>`,
  )
}
