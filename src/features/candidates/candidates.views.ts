import {
  accountTabs,
  button,
  buttonLink,
  card,
  checkbox,
  faultSummary,
  field,
  linkTo,
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

const names = (form: Form) => html`<div class="row">
${field({ form, name: 'first_name', label: 'First name', isRequired: true, more: { autocomplete: 'given-name', maxlength: 100 } })}
${field({ form, name: 'last_name', label: 'Last name', isRequired: true, more: { autocomplete: 'family-name', maxlength: 100 } })}
</div>`

const email = (form: Form) =>
  field({
    form,
    name: 'email',
    label: 'E-mail address',
    type: 'email',
    isRequired: true,
    hint: 'Links to sign in are sent to it.',
    more: { autocomplete: 'email', maxlength: 254 },
  })

export function renderCandidateRegistration(page: PageContext, form: Form): Html {
  const returnTo = form.value('_return_to')
  return renderDocument(
    page,
    { title: 'Register as a candidate', width: 'narrow' },
    html`<h1>Register as a candidate</h1>
<p class="lead">Save jobs, get mails about new ones, and apply.</p>
${faultSummary(form)}
${card(
  postForm(page, '/register/candidate', [
    returnTo !== '' && html`<input type="hidden" name="_return_to" value="${returnTo}">`,
    names(form),
    email(form),
    button('Register'),
  ]),
)}
<p>Looking for people instead? <a href="/register/employer">Register as an employer</a>.</p>`,
  )
}

export function renderProfile(page: PageContext, form: Form): Html {
  return renderDocument(
    page,
    { title: 'Your profile', width: 'narrow', modules: ['entries.js'] },
    html`<h1>Your profile</h1>
${accountTabs(page)}
${faultSummary(form)}
${postForm(page, '/me/profile', [
  editedField(form),
  card([
    html`<h2>You</h2>`,
    names(form),
    email(form),
    html`<div class="row">
${field({ form, name: 'phone', label: 'Telephone', type: 'tel', isRequired: false, more: { autocomplete: 'tel', maxlength: 50 } })}
${field({ form, name: 'location', label: 'Where you live', isRequired: false, more: { maxlength: 200, placeholder: 'City, country' } })}
</div>`,
  ]),
  card([
    html`<h2>What you do</h2>`,
    field({
      form,
      name: 'headline',
      label: 'Headline',
      isRequired: false,
      hint: 'One line, such as “Battery engineer, eight years in cell testing”.',
      more: { maxlength: 200 },
    }),
    textArea({ form, name: 'summary', label: 'Summary', isRequired: false, rows: 6, more: { maxlength: 5000 } }),
    textArea({
      form,
      name: 'skills[]',
      label: 'Skills',
      isRequired: false,
      hint: 'One a line. Employers search for them.',
    }),
  ]),
  card([html`<h2>Experience</h2>`, entries(form, 'experience', 'position', experienceFields)]),
  card([html`<h2>Education</h2>`, entries(form, 'education', 'entry', educationFields)]),
  card([
    html`<h2>Elsewhere</h2>`,
    ...(
      [
        ['website', 'Website'],
        ['github', 'GitHub'],
        ['linkedin', 'LinkedIn'],
      ] as const
    ).map(([name, label]) =>
      field({
        form,
        name,
        label,
        type: 'url',
        isRequired: false,
        more: { maxlength: 2048, placeholder: 'https://' },
      }),
    ),
  ]),
  card([
    html`<h2>What others see, and what you hear</h2>`,
    checkbox({
      form,
      name: 'is_searchable',
      label: 'Employers may find my profile',
      hint: 'They see your telephone and e-mail address only once you have applied to them.',
    }),
    checkbox({
      form,
      name: 'mail_on_status_change',
      label: 'Send me a mail when the status of an application changes',
    }),
  ]),
  html`<p class="actions">${button('Save')}</p>`,
])}`,
  )
}

type EntryFields = (form: Form, at: (member: string) => string) => readonly Html[]

const months = (form: Form, at: (member: string) => string, isRequired: boolean) => html`<div class="row">
${field({ form, name: at('start_date'), label: 'From', type: 'month', ...(!isRequired && { isRequired }), more: { placeholder: 'YYYY-MM', pattern: '\\d{4}-\\d{2}' } })}
${field({ form, name: at('end_date'), label: 'Until', type: 'month', isRequired: false, more: { placeholder: 'YYYY-MM', pattern: '\\d{4}-\\d{2}' } })}
</div>`

const about = (form: Form, at: (member: string) => string) =>
  textArea({
    form,
    name: at('description'),
    label: 'Description',
    isRequired: false,
    rows: 3,
    more: { maxlength: 5000 },
  })

const experienceFields: EntryFields = (form, at) => [
  html`<div class="row">
${field({ form, name: at('title'), label: 'Title', more: { maxlength: 200 } })}
${field({ form, name: at('company'), label: 'Company', more: { maxlength: 200 } })}
</div>`,
  field({ form, name: at('location'), label: 'Place', isRequired: false, more: { maxlength: 200 } }),
  months(form, at, true),
  about(form, at),
]

const educationFields: EntryFields = (form, at) => [
  field({ form, name: at('institution'), label: 'School or university', more: { maxlength: 200 } }),
  html`<div class="row">
${field({ form, name: at('degree'), label: 'Degree', isRequired: false, more: { maxlength: 200 } })}
${field({ form, name: at('field'), label: 'Field', isRequired: false, more: { maxlength: 200 } })}
</div>`,
  months(form, at, false),
  about(form, at),
]

/** Renders the entries of a list, each with a checkbox to remove it, and a blank entry. A blank entry is not sent. */
function entries(form: Form, name: 'experience' | 'education', what: string, fieldsOf: EntryFields): Html {
  const count = form.count(name)
  const entry = (index: number) => {
    const at = (member: string) => `${name}[${index}][${member}]`
    const isNew = index === count
    return html`<fieldset class="entry"${isNew && html` data-new-entry`}><legend>${isNew ? `Another ${what}` : `${what.charAt(0).toUpperCase()}${what.slice(1)} ${index + 1}`}</legend>
${fieldsOf(form, at)}
${!isNew && html`<div class="field check"><input type="checkbox" id="remove-${name}-${index}" name="_remove" value="${name}[${index}]"><label for="remove-${name}-${index}">Take this ${what} out when saving</label></div>`}
</fieldset>${isNew && html`<button class="button secondary" type="button" data-add-entry hidden>Add another ${what}</button>`}`
  }
  // Sends the list even if it is empty.
  return html`<input type="hidden" name="${name}" value="">
${Array.from({ length: count + 1 }, (_, index) => entry(index))}`
}

export function renderOwnData(page: PageContext): Html {
  return renderDocument(
    page,
    { title: 'Your data', width: 'narrow' },
    html`<h1>Your data</h1>
${accountTabs(page)}
${card(html`<h2>Take it along</h2>
<p>One file with everything that is held of you: profile, resumes with the text read from them, applications, saved jobs, alerts, mails and events. It is JSON, which programs read.</p>
<p>${buttonLink('Download my data', '/me/data/export')}</p>`)}
${card(html`<h2>Erase it</h2>
<p>Your account, with everything in it, goes at once and for good. Applications that are still open are withdrawn; what stays of them with the employers does not tell who you are.</p>
<p>${wayTo(page, 'Erase my account', '/me/data/erase', 'danger')}</p>`)}`,
  )
}

export function renderErasure(page: PageContext, form: Form): Html {
  return renderDocument(
    page,
    { title: 'Erase your account', width: 'narrow' },
    html`<h1>Erase your account</h1>
${faultSummary(form)}
${message(html`<p>This cannot be undone. You may want to ${linkTo(page, 'download your data', '/me/data/export')} first.</p>`, 'bad')}
${card(
  postForm(page, '/me/data/erase', [
    html`<p>Gone are your profile, resumes, saved jobs and alerts. Open applications are withdrawn, and all of them become anonymous.</p>`,
    field({
      form,
      name: 'confirmation',
      label: 'Your e-mail address, to confirm',
      isRequired: true,
      hint: `It is ${page.actor?.email ?? ''}.`,
      more: { autocomplete: 'off', maxlength: 300, spellcheck: 'false' },
    }),
    html`<div class="actions">${button('Erase my account for good', { variant: 'danger' })}${wayTo(page, 'Keep it', '/me/data', 'quiet')}</div>`,
  ]),
)}`,
  )
}
