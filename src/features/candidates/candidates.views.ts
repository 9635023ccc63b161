import {
  button,
  buttonLink,
  card,
  linkTo,
  message,
  postForm,
  privacyNotice,
  wayTo,
  withQuery,
} from '../../pages/components.ts'
import { editedField } from '../../pages/editing.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'

const names = (form: Form) => html`<div class="row">
${form.field('first_name', 'First name', { isRequired: true, autocomplete: 'given-name', maxlength: 100 })}
${form.field('last_name', 'Last name', { isRequired: true, autocomplete: 'family-name', maxlength: 100 })}
</div>`

const email = (form: Form) =>
  form.field('email', 'Email address', {
    type: 'email',
    isRequired: true,
    hint: 'We send sign-in links to this address.',
    autocomplete: 'email',
    maxlength: 254,
  })

export function renderCandidateRegistration(page: PageContext, form: Form): Html {
  const returnTo = form.value('_return_to')
  return htmlPage(page, { title: 'Register as a candidate', width: 'narrow' })`<h1>Register as a candidate</h1>
<p class="lead">Save jobs, get emails about new jobs, and apply.</p>
${form.summary()}
${card(
  postForm(page, '/register/candidate', [
    returnTo !== '' && html`<input type="hidden" name="_return_to" value="${returnTo}">`,
    names(form),
    email(form),
    privacyNotice(page),
    button('Register'),
  ]),
)}
<p>Hiring instead? <a href="${withQuery('/register/employer', { return_to: returnTo })}">Register as an employer</a>.</p>`
}

export function renderProfile(page: PageContext, form: Form): Html {
  return htmlPage(page, { title: 'Your profile', width: 'narrow', modules: ['entries.js'] })`<h1>Your profile</h1>
${form.summary()}
${postForm(page, '/me/profile', [
  editedField(form),
  card([
    html`<h2>Personal details</h2>`,
    names(form),
    email(form),
    html`<div class="row">
${form.field('phone', 'Phone', { type: 'tel', isRequired: false, autocomplete: 'tel', maxlength: 50 })}
${form.field('location', 'Location', { isRequired: false, maxlength: 200, placeholder: 'City, country' })}
</div>`,
  ]),
  card([
    html`<h2>About you</h2>`,
    form.field('headline', 'Headline', {
      isRequired: false,
      hint: 'One line, such as “Battery engineer, eight years in cell testing”.',
      maxlength: 200,
    }),
    form.textArea('summary', 'Summary', { isRequired: false, rows: 6, maxlength: 5000 }),
    form.textArea('skills[]', 'Skills', { isRequired: false, hint: 'One per line. Employers can search by skill.' }),
  ]),
  card([html`<h2>Experience</h2>`, entries(form, 'experience', 'position', experienceFields)]),
  card([html`<h2>Education</h2>`, entries(form, 'education', 'entry', educationFields)]),
  card([
    html`<h2>Links</h2>`,
    ...Object.entries({ website: 'Website', github: 'GitHub', linkedin: 'LinkedIn' }).map(([name, label]) =>
      form.field(name, label, { type: 'url', isRequired: false, maxlength: 2048, placeholder: 'https://' }),
    ),
  ]),
  card([
    html`<h2>Privacy and notifications</h2>`,
    form.checkbox(
      'is_searchable',
      'Let employers find my profile',
      'Employers see your phone number and email address only after you apply to one of their jobs.',
    ),
    form.checkbox('mail_on_status_change', 'Email me when the status of an application changes'),
  ]),
  html`<p class="actions">${button('Save')}</p>`,
])}`
}

type EntryFields = (form: Form, at: (member: string) => string) => readonly Html[]

const months = (form: Form, at: (member: string) => string, isRequired: boolean) => html`<div class="row">
${form.field(at('start_date'), 'From', { type: 'month', ...(!isRequired && { isRequired }), placeholder: 'YYYY-MM', pattern: '\\d{4}-\\d{2}' })}
${form.field(at('end_date'), 'Until', { type: 'month', isRequired: false, placeholder: 'YYYY-MM', pattern: '\\d{4}-\\d{2}' })}
</div>`

const about = (form: Form, at: (member: string) => string) =>
  form.textArea(at('description'), 'Description', { isRequired: false, rows: 3, maxlength: 5000 })

const experienceFields: EntryFields = (form, at) => [
  html`<div class="row">
${form.field(at('title'), 'Title', { maxlength: 200 })}
${form.field(at('company'), 'Company', { maxlength: 200 })}
</div>`,
  form.field(at('location'), 'Location', { isRequired: false, maxlength: 200 }),
  months(form, at, true),
  about(form, at),
]

const educationFields: EntryFields = (form, at) => [
  form.field(at('institution'), 'School or university', { maxlength: 200 }),
  html`<div class="row">
${form.field(at('degree'), 'Degree', { isRequired: false, maxlength: 200 })}
${form.field(at('field'), 'Field', { isRequired: false, maxlength: 200 })}
</div>`,
  months(form, at, false),
  about(form, at),
]

/**
 * Renders a list's entries, each with a checkbox to remove it. Also renders a blank entry, which is ignored unless it
 * is filled in.
 */
function entries(form: Form, name: 'experience' | 'education', what: string, fieldsOf: EntryFields): Html {
  const count = form.count(name)
  const entry = (index: number) => {
    const at = (member: string) => `${name}[${index}][${member}]`
    const isNew = index === count
    return html`<fieldset class="entry"${isNew && html` data-new-entry`}><legend>${isNew ? `New ${what}` : `${what.charAt(0).toUpperCase()}${what.slice(1)} ${index + 1}`}</legend>
${fieldsOf(form, at)}
${!isNew && html`<div class="field check"><input type="checkbox" id="remove-${name}-${index}" name="_remove" value="${name}[${index}]"><label for="remove-${name}-${index}">Remove this ${what}</label></div>`}
</fieldset>${isNew && html`<button class="btn" type="button" data-add-entry hidden>Add another ${what}</button>`}`
  }
  // Sends an empty list if no entries are left.
  return html`<input type="hidden" name="${name}" value="">
${Array.from({ length: count + 1 }, (_, index) => entry(index))}`
}

export function renderOwnData(page: PageContext): Html {
  return htmlPage(page, { title: 'Your data', width: 'narrow' })`<h1>Your data</h1>
${card(html`<h2>Download your data</h2>
<p>Get a JSON file with everything that we store about you: your profile, resumes and their text, applications, saved jobs, alerts, emails and events.</p>
<p>${buttonLink('Download my data', '/me/data/export')}</p>`)}
${card(html`<h2>Erase your account</h2>
<p>We delete your account and everything in it immediately and for good. Open applications are withdrawn. Employers keep your applications only in anonymous form.</p>
<p>${wayTo(page, 'Erase my account', '/me/data/erase', 'danger')}</p>`)}`
}

export function renderErasure(page: PageContext, form: Form): Html {
  return htmlPage(page, { title: 'Erase your account', width: 'narrow' })`<h1>Erase your account</h1>
${form.summary()}
${message(html`<p>This cannot be undone. You may want to ${linkTo(page, 'download your data', '/me/data/export')} first.</p>`, 'bad')}
${card(
  postForm(page, '/me/data/erase', [
    html`<p>Your profile, resumes, saved jobs and alerts are deleted. Open applications are withdrawn, and all your applications become anonymous.</p>`,
    form.field('confirmation', 'Enter your email address to confirm', {
      isRequired: true,
      hint: `Your email address is ${page.actor?.email ?? ''}.`,
      autocomplete: 'off',
      maxlength: 300,
      spellcheck: 'false',
    }),
    html`<div class="actions">${button('Erase my account for good', { variant: 'danger' })}${wayTo(page, 'Keep my account', '/me/data', 'quiet')}</div>`,
  ]),
)}`
}
