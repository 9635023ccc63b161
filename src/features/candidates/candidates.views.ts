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
    label: 'Email address',
    type: 'email',
    isRequired: true,
    hint: 'We send sign-in links to this address.',
    more: { autocomplete: 'email', maxlength: 254 },
  })

export function renderCandidateRegistration(page: PageContext, form: Form): Html {
  const returnTo = form.value('_return_to')
  return renderDocument(
    page,
    { title: 'Register as a candidate', width: 'narrow' },
    html`<h1>Register as a candidate</h1>
<p class="lead">Save jobs, get emails about new ones, and apply.</p>
${faultSummary(form)}
${card(
  postForm(page, '/register/candidate', [
    returnTo !== '' && html`<input type="hidden" name="_return_to" value="${returnTo}">`,
    names(form),
    email(form),
    button('Register'),
  ]),
)}
<p>Hiring instead? <a href="/register/employer">Register as an employer</a>.</p>`,
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
    html`<h2>Personal details</h2>`,
    names(form),
    email(form),
    html`<div class="row">
${field({ form, name: 'phone', label: 'Phone', type: 'tel', isRequired: false, more: { autocomplete: 'tel', maxlength: 50 } })}
${field({ form, name: 'location', label: 'Location', isRequired: false, more: { maxlength: 200, placeholder: 'City, country' } })}
</div>`,
  ]),
  card([
    html`<h2>About you</h2>`,
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
      hint: 'One per line. Employers search for them.',
    }),
  ]),
  card([html`<h2>Experience</h2>`, entries(form, 'experience', 'position', experienceFields)]),
  card([html`<h2>Education</h2>`, entries(form, 'education', 'entry', educationFields)]),
  card([
    html`<h2>Links</h2>`,
    ...Object.entries({ website: 'Website', github: 'GitHub', linkedin: 'LinkedIn' }).map(([name, label]) =>
      field({ form, name, label, type: 'url', isRequired: false, more: { maxlength: 2048, placeholder: 'https://' } }),
    ),
  ]),
  card([
    html`<h2>Privacy and notifications</h2>`,
    checkbox({
      form,
      name: 'is_searchable',
      label: 'Let employers find my profile',
      hint: 'They see your phone number and email address only after you apply to them.',
    }),
    checkbox({ form, name: 'mail_on_status_change', label: 'Email me when the status of an application changes' }),
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
  field({ form, name: at('location'), label: 'Location', isRequired: false, more: { maxlength: 200 } }),
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

/**
 * Renders the entries of a list, each with a checkbox to remove it. Also renders a blank entry for a new one, which is
 * ignored unless filled in.
 */
function entries(form: Form, name: 'experience' | 'education', what: string, fieldsOf: EntryFields): Html {
  const count = form.count(name)
  const entry = (index: number) => {
    const at = (member: string) => `${name}[${index}][${member}]`
    const isNew = index === count
    return html`<fieldset class="entry"${isNew && html` data-new-entry`}><legend>${isNew ? `New ${what}` : `${what.charAt(0).toUpperCase()}${what.slice(1)} ${index + 1}`}</legend>
${fieldsOf(form, at)}
${!isNew && html`<div class="field check"><input type="checkbox" id="remove-${name}-${index}" name="_remove" value="${name}[${index}]"><label for="remove-${name}-${index}">Remove this ${what}</label></div>`}
</fieldset>${isNew && html`<button class="button secondary" type="button" data-add-entry hidden>Add another ${what}</button>`}`
  }
  // Makes the form send an empty list if no entries are left.
  return html`<input type="hidden" name="${name}" value="">
${Array.from({ length: count + 1 }, (_, index) => entry(index))}`
}

export function renderOwnData(page: PageContext): Html {
  return renderDocument(
    page,
    { title: 'Your data', width: 'narrow' },
    html`<h1>Your data</h1>
${accountTabs(page)}
${card(html`<h2>Download your data</h2>
<p>One JSON file with everything that we store about you: your profile, resumes and their text, applications, saved jobs, alerts, emails and events.</p>
<p>${buttonLink('Download my data', '/me/data/export')}</p>`)}
${card(html`<h2>Erase your account</h2>
<p>We delete your account and everything in it immediately and for good. Open applications are withdrawn. Employers keep your applications only in anonymous form.</p>
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
    html`<p>Your profile, resumes, saved jobs and alerts are deleted. Open applications are withdrawn, and all your applications become anonymous.</p>`,
    field({
      form,
      name: 'confirmation',
      label: 'Enter your email address to confirm',
      isRequired: true,
      hint: `Your email address is ${page.actor?.email ?? ''}.`,
      more: { autocomplete: 'off', maxlength: 300, spellcheck: 'false' },
    }),
    html`<div class="actions">${button('Erase my account for good', { variant: 'danger' })}${wayTo(page, 'Keep my account', '/me/data', 'quiet')}</div>`,
  ]),
)}`,
  )
}
