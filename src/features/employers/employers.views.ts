import { t } from '../../locale/messages.ts'
import {
  actionButton,
  button,
  card,
  logo,
  message,
  postForm,
  privacyNotice,
  wayTo,
  withQuery,
} from '../../pages/components.ts'
import { editedField } from '../../pages/editing.ts'
import { Form } from '../../pages/forms.ts'
import { type Content, type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { renderCover } from './directory.views.ts'
import type { PictureKind } from './employers.queries.ts'
import type { EmployerProfile } from './employers.schemas.ts'

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
  { id, name, logo_url, cover_url, open_positions }: EmployerProfile,
  { form, pictures }: { form: Form; pictures: Partial<Record<PictureKind, Form>> },
): Html {
  const publicPage = page.has('/companies/:id') ? `/companies/${id}` : undefined
  return htmlPage(page, { title: 'Company', width: 'narrow' })`<h1>Your company</h1>
<p class="lead">Candidates see this profile next to your jobs. You have ${open_positions === 1 ? 'one open job' : `${open_positions} open jobs`}.${publicPage !== undefined && html` <a href="${publicPage}">View public page</a>`}</p>
${form.summary()}${pictures.logo?.summary()}${pictures.cover?.summary()}
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
  card([
    html`<h2 id="billing">${t('employers.invoices')}</h2><p class="small soft">${t('employers.invoices_hint')}</p>`,
    form.field('billing_name', t('employers.billing_name'), {
      isRequired: false,
      hint: t('employers.billing_name_hint'),
      maxlength: 200,
      autocomplete: 'billing organization',
    }),
    form.textArea('billing_address', t('employers.billing_address'), {
      isRequired: false,
      rows: 4,
      maxlength: 500,
      autocomplete: 'billing street-address',
    }),
    form.field('vat_id', t('employers.vat_id'), { isRequired: false, maxlength: 40, autocomplete: 'off' }),
  ]),
  card([html`<h2>Emails</h2>`, form.checkbox('mail_on_application', 'Email me about new applications')]),
  button('Save'),
])}
${renderPictureForm(page, 'logo', {
  form: pictures.logo,
  shown: logo({ id, name, url: logo_url }, 'big'),
  isSet: logo_url !== null,
})}
${renderPictureForm(page, 'cover', { form: pictures.cover, shown: renderCover(cover_url), isSet: cover_url !== null })}
${card(html`<h2>Close your account</h2>
<p>Your jobs leave the board immediately, and you can no longer sign in.</p>
<p>${wayTo(page, 'Close account', '/employer/profile/close', 'danger')}</p>`)}`
}

const pictureWords = {
  logo: {
    field: 'file',
    title: 'Logo',
    use: 'Shown beside your jobs and on your company page.',
    hint: 'PNG, JPEG or WebP, up to 2 MB. Square logos look best.',
  },
  cover: {
    field: 'cover',
    title: 'Cover',
    use: 'Shown at the top of your company page.',
    hint: 'PNG, JPEG or WebP, up to 2 MB. Wide pictures, such as 1,600 × 300 pixels, look best.',
  },
} as const

/** Renders the form that uploads or removes a picture. */
function renderPictureForm(
  page: PageContext,
  kind: PictureKind,
  { form = Form.of(), shown, isSet }: { form: Form | undefined; shown: Content; isSet: boolean },
): Html {
  const { field, title, use, hint } = pictureWords[kind]
  const action = `/employer/profile/${kind}`
  const isLogo = kind === 'logo'
  return card(html`<h2>${title}</h2>
${isLogo ? html`<div class="row">${shown}<p class="small soft">${use}</p></div>` : html`<p class="small soft">${use}</p>${isSet && shown}`}
${postForm(
  page,
  action,
  [
    form.field(field, `New ${kind}`, { type: 'file', isRequired: true, hint, accept: '.png,.jpg,.jpeg,.webp' }),
    button(`Upload ${kind}`, { variant: 'secondary' }),
  ],
  { enctype: 'multipart/form-data' },
)}
${isSet && html`<div class="gap-2">${actionButton(page, { action: `${action}/remove`, text: `Remove ${kind}` })}</div>`}`)
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
