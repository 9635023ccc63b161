import { t } from '../../locale/messages.ts'
import {
  actionButton,
  besidePreview,
  button,
  card,
  logo,
  message,
  PREVIEW_MODULE,
  postForm,
  previewButton,
  privacyNotice,
  wayTo,
  withQuery,
} from '../../pages/components.ts'
import { editedField } from '../../pages/editing.ts'
import { Form } from '../../pages/forms.ts'
import { type Content, type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { linkingTo, rich, sentences } from '../../pages/text.ts'
import { type CompanyDraft, renderCompanyPreview, renderCover } from './directory.views.ts'
import type { PictureKind } from './employers.queries.ts'
import type { EmployerProfile } from './employers.schemas.ts'

const emailField = (form: Form) =>
  form.emailField('email', t('employers.email'), {
    isRequired: true,
    hint: t('employers.email_hint'),
    autocomplete: 'email',
  })

export function renderEmployerRegistration(page: PageContext, form: Form): Html {
  const returnTo = form.value('_return_to')
  return htmlPage(page, { title: t('employers.register'), width: 'narrow' })`<h1>${t('employers.register')}</h1>
<p class="lead">${t('employers.register_lead')}</p>
${form.summary()}
${card(
  postForm(page, '/register/employer', [
    returnTo !== '' && html`<input type="hidden" name="_return_to" value="${returnTo}">`,
    form.field('name', t('employers.company'), { isRequired: true, autocomplete: 'organization', maxlength: 200 }),
    emailField(form),
    form.field('website', t('employers.website'), { type: 'url', isRequired: false, autocomplete: 'url' }),
    form.field('location', t('employers.location'), { isRequired: false, maxlength: 200 }),
    form.textArea('description', t('employers.about'), { isRequired: false }),
    privacyNotice(page),
    button(t('employers.do_register')),
  ]),
)}
<p>${rich('site.registered', { link: linkingTo(withQuery('/sign-in', { return_to: returnTo })) })}</p>
<p>${rich('employers.candidate_instead', { link: linkingTo(withQuery('/register/candidate', { return_to: returnTo })) })}</p>`
}

export function renderEmployerProfile(
  page: PageContext,
  { id, name, logo_url, cover_url, open_positions, verified_domain }: EmployerProfile,
  {
    form,
    pictures,
    isPreview = false,
  }: { form: Form; pictures: Partial<Record<PictureKind, Form>>; isPreview?: boolean },
): Html {
  const publicPage = page.has('/companies/:id') ? `/companies/${id}` : undefined
  return htmlPage(page, {
    title: t('employers.title'),
    width: 'narrow',
    modules: ['markdown.js', PREVIEW_MODULE],
  })`<h1>${t('employers.your_company')}</h1>
<p class="lead">${sentences(t('employers.profile_lead', { count: open_positions }), publicPage !== undefined && html`<a href="${publicPage}">${t('employers.view_public')}</a>`)}</p>
${form.summary()}${pictures.logo?.summary()}${pictures.cover?.summary()}
${isPreview && renderCompanyPreview(draftOf(form, { id, logo_url, cover_url }), t('employers.preview_note'))}
${besidePreview(
  '/employer/profile',
  html`${postForm(page, '/employer/profile', profileFields(form))}
${renderPictureForm(page, 'logo', {
  form: pictures.logo,
  shown: logo({ name, url: logo_url }, 'big'),
  isSet: logo_url !== null,
})}
${renderPictureForm(page, 'cover', { form: pictures.cover, shown: renderCover(cover_url), isSet: cover_url !== null })}
${
  page.has('/employer/verification') &&
  card(html`<h2>${t('claims.title')}</h2>
<p>${verified_domain === null ? t('claims.lead') : t('claims.is_verified', { domain: verified_domain })}</p>
<p>${wayTo(page, t(verified_domain === null ? 'claims.verify' : 'claims.view'), '/employer/verification')}</p>`)
}
${card(html`<h2>${t('employers.close_title')}</h2>
<p>${t('employers.close_text')}</p>
<p>${wayTo(page, t('employers.close'), '/employer/profile/close', 'danger')}</p>`)}`,
)}`
}

/** Returns the company with the values in the form. Invalid values remain as entered. */
function draftOf(form: Form, stored: Pick<CompanyDraft, 'id' | 'logo_url' | 'cover_url'>): CompanyDraft {
  const value = (name: string) => form.value(name).replaceAll('\r\n', '\n').trim() || null
  const [location, website, description] = [value('location'), value('website'), value('description')]
  const [industry, employees] = [value('industry'), value('employee_count')]
  const employee_count = Number.isInteger(Number(employees ?? Number.NaN)) ? Number(employees) : employees
  return { ...stored, name: form.value('name'), location, website, description, industry, employee_count }
}

const profileFields = (form: Form): Html[] => [
  editedField(form),
  card([
    form.field('name', t('employers.name'), {
      isRequired: true,
      hint: t('employers.name_hint'),
      maxlength: 200,
      autocomplete: 'organization',
    }),
    form.markdownArea('description', t('employers.about'), {
      isRequired: false,
      hint: t('jobs.description_field_hint'),
      rows: 8,
      maxlength: 20_000,
    }),
    form.field('location', t('employers.location'), { isRequired: false, maxlength: 200 }),
    html`<div class="row">${[
      form.field('industry', t('employers.industry'), { isRequired: false, maxlength: 100 }),
      form.field('employee_count', t('employers.employee_count'), { isRequired: false, inputmode: 'numeric' }),
    ]}</div>`,
    form.field('website', t('employers.website'), {
      type: 'url',
      isRequired: false,
      maxlength: 2048,
      autocomplete: 'url',
    }),
    form.field('logo_url', t('employers.logo_url'), {
      type: 'url',
      isRequired: false,
      hint: t('employers.logo_url_hint'),
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
  card([
    html`<h2>${t('employers.emails')}</h2>`,
    emailField(form),
    form.checkbox('mail_on_application', t('employers.mail_on_application')),
  ]),
  html`<div class="actions">${button(t('employers.save'))}${previewButton()}</div>`,
]

const pictureFields = { logo: 'file', cover: 'cover' } as const

/** Renders the form for uploading or removing a picture. */
function renderPictureForm(
  page: PageContext,
  kind: PictureKind,
  { form = Form.of(), shown, isSet }: { form: Form | undefined; shown: Content; isSet: boolean },
): Html {
  const action = `/employer/profile/${kind}`
  const isLogo = kind === 'logo'
  const use = html`<p class="small soft">${t(`employers.${kind}_use`)}</p>`
  return card(html`<h2>${t(`employers.${kind}`)}</h2>
${isLogo ? html`<div class="row">${shown}${use}</div>` : [use, isSet && shown]}
${postForm(
  page,
  action,
  [
    form.field(pictureFields[kind], t(`employers.${kind}_new`), {
      type: 'file',
      isRequired: true,
      hint: t(`employers.${kind}_hint`),
      accept: '.png,.jpg,.jpeg,.webp',
    }),
    button(t(`employers.${kind}_upload`), { variant: 'secondary' }),
  ],
  { enctype: 'multipart/form-data' },
)}
${isSet && html`<div class="gap-2">${actionButton(page, { action: `${action}/remove`, text: t(`employers.${kind}_remove`) })}</div>`}`)
}

export function renderClosing(page: PageContext, { name }: EmployerProfile, form: Form): Html {
  return htmlPage(page, { title: t('employers.close_title'), width: 'narrow' })`<h1>${t('employers.close_title')}</h1>
${form.summary()}
${message(html`<p>${t('employers.close_final')}</p>`, 'bad')}
${card(
  postForm(page, '/employer/profile/close', [
    html`<p>${t('employers.close_what')}</p>`,
    form.field('confirmation', t('employers.confirm'), {
      isRequired: true,
      hint: t('employers.confirm_hint', { name }),
      autocomplete: 'off',
      maxlength: 300,
      spellcheck: 'false',
    }),
    html`<div class="actions">${button(t('employers.close_for_good'), { variant: 'danger' })}${wayTo(page, t('employers.keep'), '/employer/profile', 'quiet')}</div>`,
  ]),
)}`
}
