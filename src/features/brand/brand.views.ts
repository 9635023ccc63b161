import { languageNames, languages } from '../../locale/languages.ts'
import { t } from '../../locale/messages.ts'
import {
  actionButton,
  badge,
  besidePreview,
  button,
  buttonLink,
  confirmedAction,
  day,
  markdown,
  markdownPreview,
  PREVIEW_MODULE,
  postForm,
  previewButton,
} from '../../pages/components.ts'
import { editedField } from '../../pages/editing.ts'
import { type Form, optionsFor } from '../../pages/forms.ts'
import { attributes, type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { htmlPage, renderMark } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { markdownLink } from '../../pages/social.ts'
import { linkingTo, rich } from '../../pages/text.ts'
import { type BoardPage, type CommonPage, commonPages, PAGE_LENGTH_MAX } from './brand.schemas.ts'

export function renderLegalPage(page: PageContext, { slug, title, text, language, updated_at }: BoardPage): Html {
  const lang = language === page.language ? undefined : language
  return htmlPage(page, {
    title,
    width: 'narrow',
    canonical: `/pages/${slug}`,
    head: markdownLink(`/pages/${slug}.md`),
  })`<article${attributes({ lang })}>
<h1>${title}</h1>
${markdown(text)}
</article>
<p class="small soft">${rich('brand.last_changed', { day: day(updated_at) })}</p>`
}

interface SettingsPage {
  form: Form
  pages: readonly { slug: string; title: string }[]
}

export function renderBoardSettings(page: PageContext, { form, pages }: SettingsPage): Html {
  const { logo } = page.brand
  return htmlPage(page, {
    title: t('brand.title'),
  })`<div class="page-head"><div><h1>${t('brand.title')}</h1><p class="soft">${t(page.brand.isSetUp ? 'brand.effect' : 'brand.first_steps')}</p></div></div>
<div class="side-nav"><nav class="stick wide-only" aria-label="${t('brand.settings')}"><ul class="left-nav"><li><a href="#look">${t('brand.look')}</a></li><li><a href="#languages">${t('brand.languages')}</a></li><li><a href="#billing">${t('brand.invoices_and_payment')}</a></li><li><a href="#legal">${t('brand.legal_pages')}</a></li></ul></nav>
<div class="flow">
${form.summary()}
<div class="panel">${postForm(
    page,
    '/desk/board',
    [
      editedField(form),
      html`<section class="form-part" id="look"><h2>${t('brand.look')}</h2><p class="small">${t('brand.look_text')}</p><div class="flow">
${form.field('name', t('brand.name'), { isRequired: true, maxlength: 60, autocomplete: 'off' })}
${form.field('tagline', t('brand.tagline'), { isRequired: false, hint: t('brand.tagline_hint'), maxlength: 160 })}
<div class="pair">
${form.field('_logo', t('brand.logo'), { type: 'file', isRequired: false, hint: t('brand.logo_hint'), accept: '.png,.jpg,.jpeg,.webp' })}
${form.field('accent_color', t('brand.color'), { type: 'color', hint: t('brand.color_hint') })}
</div>
${renderSample(page)}
${form.textArea('description', t('shared.description'), { isRequired: false, hint: t('brand.description_hint'), rows: 3, maxlength: 1000 })}
${form.emailField('contact_email', t('brand.contact_email'), { isRequired: false, hint: t('brand.contact_email_hint') })}
</div></section>`,
      renderLanguages(form),
      renderBilling(form),
      html`<div class="actions">${button(t('brand.save'))}${page.has('/desk') && buttonLink(t('shared.cancel'), '/desk', 'quiet')}</div>`,
    ],
    { enctype: 'multipart/form-data' },
  )}
${logo && html`<div class="gap-2">${actionButton(page, { action: '/desk/board/logo/remove', text: t('brand.remove_logo') })}</div>`}</div>
${renderPageList(page, pages)}
</div></div>`
}

const renderBilling = (form: Form): Html =>
  html`<section class="form-part" id="billing"><h2>${t('brand.invoices_and_payment')}</h2><p class="small">${t('brand.invoices_hint')}</p><div class="flow">
${form.field('seller_name', t('brand.seller_name'), { isRequired: false, maxlength: 200, autocomplete: 'organization' })}
${form.textArea('seller_address', t('brand.seller_address'), { isRequired: false, rows: 4, maxlength: 500, autocomplete: 'street-address' })}
${form.field('seller_vat_id', t('brand.seller_vat_id'), { isRequired: false, maxlength: 40, autocomplete: 'off' })}
${form.field('vat_rate', t('brand.vat_rate'), { isRequired: false, hint: t('brand.vat_rate_hint'), inputmode: 'decimal', autocomplete: 'off' })}
${form.checkbox('prices_include_vat', t('brand.prices_include_vat'))}
<h3>${t('brand.bank_transfer')}</h3><p class="small">${t('brand.bank_hint')}</p>
${form.field('bank_account_name', t('brand.bank_account_name'), { isRequired: false, maxlength: 140, autocomplete: 'off' })}
<div class="pair">
${form.field('bank_iban', 'IBAN', { isRequired: false, maxlength: 60, autocomplete: 'off', autocapitalize: 'characters', spellcheck: 'false' })}
${form.field('bank_bic', 'BIC', { isRequired: false, maxlength: 11, autocomplete: 'off', autocapitalize: 'characters', spellcheck: 'false' })}
</div>
${form.textArea('bank_note', t('brand.bank_note'), { isRequired: false, rows: 3, maxlength: 500, hint: t('brand.bank_note_hint') })}
</div></section>`

const languageChoices = optionsFor(languages, (language) => languageNames[language])

function renderLanguages(form: Form): Html {
  // Sends an empty list if nothing is selected.
  return html`<section class="form-part" id="languages"><h2>${t('brand.languages')}</h2><div class="flow">
<input type="hidden" name="languages[]" value="">
${form.choices('languages[]', t('brand.languages'), languageChoices, { hint: t('brand.languages_hint') })}
${form.select('default_language', t('brand.default_language'), languageChoices, { hint: t('brand.default_language_hint') })}
</div></section>`
}

/** Shows a preview of the saved name, logo and color. */
const renderSample = ({ brand }: PageContext): Html =>
  html`<section class="band tight" aria-labelledby="look-sample"><h3 class="small strong" id="look-sample">${t('brand.sample')}</h3><div class="panel row apart"><span class="brand">${renderMark(brand)}${brand.name}</span><span class="row"><span class="tag featured">${icon('star')}${t('brand.sample_featured')}</span><a href="#look">${t('brand.sample_link')}</a><span class="btn main slim">${t('brand.sample_button')}</span></span></div></section>`

function renderPageList(page: PageContext, written: SettingsPage['pages']): Html {
  const missing = commonPages
    .filter((slug) => !written.some((known) => known.slug === slug))
    .map((slug) => ({ slug, title: t(`brand.page_${slug}`), isMissing: true }))
  const all = [...written.map((known) => ({ ...known, isMissing: false })), ...missing]
  return html`<section class="panel" id="legal"><h2>${t('brand.legal_pages')}</h2><p class="small">${t('brand.legal_text')}</p>
<ul class="rows">${all.map(
    ({ slug, title, isMissing }) =>
      html`<li class="row apart"><span class="grow">${isMissing ? title : html`<a href="/pages/${slug}">${title}</a>`}</span><span class="row">${isMissing ? badge(t('brand.not_written')) : badge(t('brand.published'), 'good')}<a class="btn slim" href="/desk/board/pages/${slug}" aria-label="${t(isMissing ? 'brand.write_named' : 'shared.edit_named', { name: title })}">${t(isMissing ? 'brand.write' : 'shared.edit')}</a></span></li>`,
  )}</ul>
${page.may('GET', '/desk/board/new-page') && html`<a class="btn slim gap-2" href="/desk/board/new-page">${icon('plus')}${t('brand.add_page')}</a>`}</section>`
}

interface PageEditor {
  slug: string
  /** Undefined if the page has not been written yet. */
  stored: BoardPage | undefined
  form: Form
  isPreview: boolean
}

export function renderPageEditor(page: PageContext, { slug, stored, form, isPreview }: PageEditor): Html {
  const title = stored?.title ?? t(`brand.page_${slug as CommonPage}`)
  const remove =
    stored &&
    confirmedAction(page, {
      action: `/desk/board/pages/${slug}/delete`,
      text: t('brand.delete_page'),
      question: html`<p>${rich('brand.delete_question', { title })}</p>`,
    })
  return htmlPage(page, {
    title,
    width: 'narrow',
    modules: ['markdown.js', PREVIEW_MODULE],
  })`<p class="crumbs"><a href="/desk/board">${t('brand.title')}</a></p>
<h1>${title}</h1>
<p class="soft">${rich(stored ? 'brand.published_at' : 'brand.will_be_published', {
    path: `/pages/${slug}`,
    link: linkingTo(`/pages/${slug}`),
  })}</p>
${form.summary()}
${isPreview && markdownPreview(form.value('text'), t('brand.preview_note'))}
${besidePreview(
  `/desk/board/pages/${slug}`,
  html`<div class="panel">${postForm(page, `/desk/board/pages/${slug}`, [editedField(form), pageFields(form), saveButtons()])}</div>${remove}`,
)}`
}

export function renderNewPage(page: PageContext, form: Form, isPreview: boolean): Html {
  return htmlPage(page, {
    title: t('brand.new_page'),
    width: 'narrow',
    modules: ['markdown.js', PREVIEW_MODULE],
  })`<p class="crumbs"><a href="/desk/board">${t('brand.title')}</a></p>
<h1>${t('brand.new_page')}</h1>
${form.summary()}
${isPreview && markdownPreview(form.value('text'), t('brand.preview_note'))}
${besidePreview(
  '/desk/board/new-page',
  html`<div class="panel">${postForm(page, '/desk/board/new-page', [
    form.field('slug', t('brand.address'), {
      isRequired: true,
      hint: t('brand.address_hint'),
      maxlength: 100,
      autocomplete: 'off',
    }),
    pageFields(form),
    saveButtons(),
  ])}</div>`,
)}`
}

const pageFields = (
  form: Form,
): Html => html`${form.field('title', t('brand.page_title'), { isRequired: true, maxlength: 100 })}
${form.markdownArea('text', t('brand.page_text'), {
  isRequired: true,
  rows: 20,
  hint: rich('brand.page_text_hint'),
  maxlength: PAGE_LENGTH_MAX,
})}
${form.field('language', t('brand.page_language'), { isRequired: true, hint: t('brand.page_language_hint'), maxlength: 20, autocapitalize: 'off' })}`

const saveButtons = () =>
  html`<div class="actions">${button(t('brand.publish'))}${previewButton()}${buttonLink(t('shared.cancel'), '/desk/board', 'quiet')}</div>`
