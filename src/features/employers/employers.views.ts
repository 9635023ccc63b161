import { button, card, faultSummary, field, postForm, textArea } from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { renderDocument } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'

export function renderEmployerRegistration(page: PageContext, form: Form): Html {
  return renderDocument(
    page,
    { title: 'Register as an employer', width: 'narrow' },
    html`<h1>Register as an employer</h1>
<p class="lead">Post jobs and read the applications to them.</p>
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
      label: 'E-mail address',
      type: 'email',
      isRequired: true,
      hint: 'Links to sign in are sent to it.',
      more: { autocomplete: 'email', maxlength: 254 },
    }),
    field({ form, name: 'website', label: 'Website', type: 'url', isRequired: false, more: { autocomplete: 'url' } }),
    field({ form, name: 'location', label: 'Location', isRequired: false, more: { maxlength: 200 } }),
    textArea({ form, name: 'description', label: 'What you do', isRequired: false }),
    button('Register'),
  ]),
)}
<p>Looking for a job instead? <a href="/register/candidate">Register as a candidate</a>.</p>`,
  )
}
