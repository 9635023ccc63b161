import { currentLocale } from '../../locale/locale.ts'
import { t } from '../../locale/messages.ts'
import { button, buttonLink, card, message, postForm, privacyNotice, wayTo, withQuery } from '../../pages/components.ts'
import { editedField } from '../../pages/editing.ts'
import type { Form } from '../../pages/forms.ts'
import { attributes, type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { linkingTo, rich } from '../../pages/text.ts'

const EXPORT_PATH = '/me/data/export'

/** Renders the fields for the name. In Japanese, the family name comes first. */
function names(form: Form): Html {
  const more = { isRequired: true, maxlength: 100 }
  const fields = [
    form.field('first_name', t('candidates.first_name'), { ...more, autocomplete: 'given-name' }),
    form.field('last_name', t('candidates.last_name'), { ...more, autocomplete: 'family-name' }),
  ]
  return html`<div class="row">${currentLocale().language === 'ja' ? fields.reverse() : fields}</div>`
}

const email = (form: Form) =>
  form.emailField('email', t('shared.email_address'), {
    isRequired: true,
    hint: t('candidates.email_hint'),
    autocomplete: 'email',
  })

export function renderCandidateRegistration(page: PageContext, form: Form): Html {
  const returnTo = form.value('_return_to')
  return htmlPage(page, {
    title: t('candidates.register_title'),
    width: 'narrow',
  })`<h1>${t('candidates.register_title')}</h1>
<p class="lead">${t(/^\/jobs\/[^/?]+\/apply(?:\?|$)/.test(returnTo) ? 'candidates.register_to_apply' : 'candidates.register_lead')}</p>
${form.summary()}
${card(
  postForm(page, '/register/candidate', [
    returnTo !== '' && html`<input type="hidden" name="_return_to" value="${returnTo}">`,
    names(form),
    email(form),
    privacyNotice(page),
    button(t('shared.register')),
  ]),
)}
<p>${rich('site.registered', { link: linkingTo(withQuery('/sign-in', { return_to: returnTo })) })}</p>
<p>${rich('candidates.hiring_instead', { link: linkingTo(withQuery('/register/employer', { return_to: returnTo })) })}</p>`
}

export function renderProfile(page: PageContext, form: Form): Html {
  return htmlPage(page, {
    title: t('candidates.profile_title'),
    width: 'narrow',
    modules: ['entries.js'],
  })`<h1>${t('candidates.profile_title')}</h1>
${form.summary()}
${postForm(page, '/me/profile', [
  editedField(form),
  card([
    html`<h2>${t('candidates.personal_details')}</h2>`,
    names(form),
    email(form),
    html`<div class="row">
${form.field('phone', t('shared.phone'), { type: 'tel', isRequired: false, autocomplete: 'tel', maxlength: 50 })}
${form.field('location', t('shared.location'), { isRequired: false, maxlength: 200, placeholder: t('candidates.location_example') })}
</div>`,
  ]),
  card([
    html`<h2>${t('candidates.about_you')}</h2>`,
    form.field('headline', t('shared.headline'), {
      isRequired: false,
      hint: t('candidates.headline_hint'),
      maxlength: 200,
    }),
    form.textArea('summary', t('candidates.summary'), { isRequired: false, rows: 6, maxlength: 5000 }),
    form.textArea('skills[]', t('shared.skills'), { isRequired: false, hint: t('candidates.skills_hint') }),
  ]),
  card([html`<h2>${t('shared.experience')}</h2>`, entries(form, 'experience', experienceFields)]),
  card([html`<h2>${t('shared.education')}</h2>`, entries(form, 'education', educationFields)]),
  card([
    html`<h2>${t('shared.links')}</h2>`,
    ...Object.entries({ website: t('shared.website'), github: 'GitHub', linkedin: 'LinkedIn' }).map(([name, label]) =>
      form.field(name, label, { type: 'url', isRequired: false, maxlength: 2048, placeholder: 'https://' }),
    ),
  ]),
  card([
    html`<h2>${t('candidates.privacy')}</h2>`,
    form.checkbox('is_searchable', t('candidates.searchable'), t('candidates.searchable_hint')),
    form.checkbox('mail_on_status_change', t('candidates.mail_on_status')),
  ]),
  html`<p class="actions">${button(t('shared.save'))}</p>`,
])}`
}

type EntryFields = (form: Form, at: (member: string) => string) => readonly Html[]

const months = (form: Form, at: (member: string) => string, isRequired: boolean) => html`<div class="row">
${form.field(at('start_date'), t('candidates.from'), { type: 'month', ...(!isRequired && { isRequired }), placeholder: 'YYYY-MM', pattern: '\\d{4}-\\d{2}' })}
${form.field(at('end_date'), t('candidates.until'), { type: 'month', isRequired: false, placeholder: 'YYYY-MM', pattern: '\\d{4}-\\d{2}' })}
</div>`

const about = (form: Form, at: (member: string) => string) =>
  form.textArea(at('description'), t('candidates.description'), { isRequired: false, rows: 3, maxlength: 5000 })

const experienceFields: EntryFields = (form, at) => [
  html`<div class="row">
${form.field(at('title'), t('candidates.job_title'), { maxlength: 200 })}
${form.field(at('company'), t('candidates.company'), { maxlength: 200 })}
</div>`,
  form.field(at('location'), t('shared.location'), { isRequired: false, maxlength: 200 }),
  months(form, at, true),
  about(form, at),
]

const educationFields: EntryFields = (form, at) => [
  form.field(at('institution'), t('candidates.institution'), { maxlength: 200 }),
  html`<div class="row">
${form.field(at('degree'), t('candidates.degree'), { isRequired: false, maxlength: 200 })}
${form.field(at('field'), t('candidates.field'), { isRequired: false, maxlength: 200 })}
</div>`,
  months(form, at, false),
  about(form, at),
]

/**
 * Renders a list's entries, each with a checkbox that removes it, followed by a blank entry. The blank entry is ignored
 * unless it is filled in.
 */
function entries(form: Form, name: 'experience' | 'education', fieldsOf: EntryFields): Html {
  const count = form.count(name)
  const entry = (index: number) => {
    const at = (member: string) => `${name}[${index}][${member}]`
    const isNew = index === count
    return html`<fieldset class="entry"${attributes({ 'data-new-entry': isNew })}><legend>${isNew ? t(`candidates.new_${name}`) : t(`candidates.${name}_number`, { number: index + 1 })}</legend>
${fieldsOf(form, at)}
${!isNew && html`<div class="field check"><input type="checkbox" id="remove-${name}-${index}" name="_remove" value="${name}[${index}]"><label for="remove-${name}-${index}">${t(`candidates.remove_${name}`)}</label></div>`}
</fieldset>${isNew && html`<button class="btn" type="button" data-add-entry hidden>${t(`candidates.add_${name}`)}</button>`}`
  }
  // Sends an empty list if no entry is left.
  return html`<input type="hidden" name="${name}" value="">
${Array.from({ length: count + 1 }, (_, index) => entry(index))}`
}

export function renderOwnData(page: PageContext): Html {
  return htmlPage(page, { title: t('menu.your_data'), width: 'narrow' })`<h1>${t('menu.your_data')}</h1>
${card(html`<h2>${t('candidates.download_title')}</h2>
<p>${t('candidates.download_explained')}</p>
<p>${buttonLink(t('candidates.download'), EXPORT_PATH)}</p>`)}
${card(html`<h2>${t('candidates.erase_title')}</h2>
<p>${t('candidates.erase_explained')}</p>
<p>${wayTo(page, t('candidates.erase'), '/me/data/erase', 'danger')}</p>`)}`
}

export function renderErasure(page: PageContext, form: Form): Html {
  const exportLink = (text: Html) => (page.may('GET', EXPORT_PATH) ? html`<a href="${EXPORT_PATH}">${text}</a>` : text)
  return htmlPage(page, { title: t('candidates.erase_title'), width: 'narrow' })`<h1>${t('candidates.erase_title')}</h1>
${form.summary()}
${message(html`<p>${rich('candidates.erase_warning', { link: exportLink })}</p>`, 'bad')}
${card(
  postForm(page, '/me/data/erase', [
    html`<p>${t('candidates.erase_contents')}</p>`,
    form.field('confirmation', t('candidates.confirm_email'), {
      isRequired: true,
      hint: t('candidates.confirm_email_hint', { email: page.actor?.email ?? '' }),
      autocomplete: 'off',
      maxlength: 300,
      spellcheck: 'false',
    }),
    html`<div class="actions">${button(t('candidates.erase_for_good'), { variant: 'danger' })}${wayTo(page, t('candidates.keep_account'), '/me/data', 'quiet')}</div>`,
  ]),
)}`
}
