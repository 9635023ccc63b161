import { t } from '../../locale/messages.ts'
import {
  actionButton,
  badge,
  button,
  buttonLink,
  confirmedAction,
  day,
  emptyState,
  markdown,
  postForm,
} from '../../pages/components.ts'
import { editedField } from '../../pages/editing.ts'
import type { Form } from '../../pages/forms.ts'
import { attributes, type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { htmlPage, renderMark } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { type BoardPage, commonPages, LANGUAGE, PAGE_LENGTH_MAX } from './brand.schemas.ts'

export function renderLegalPage(page: PageContext, { slug, title, text, language, updated_at }: BoardPage): Html {
  const lang = language === LANGUAGE ? undefined : language
  return htmlPage(page, { title, width: 'narrow', canonical: `/pages/${slug}` })`<article${attributes({ lang })}>
<h1>${title}</h1>
${markdown(text)}
</article>
<p class="small soft">Last changed ${day(updated_at)}</p>`
}

interface SettingsPage {
  form: Form
  pages: readonly { slug: string; title: string }[]
}

export function renderBoardSettings(page: PageContext, { form, pages }: SettingsPage): Html {
  const { logo } = page.brand
  return htmlPage(page, {
    title: 'Your board',
  })`<div class="page-head"><div><h1>Your board</h1><p class="soft">${page.brand.isSetUp ? 'Takes effect within two seconds of saving, on every page.' : 'Give your board a name and a look. These are suggestions; change what you like.'}</p></div></div>
<div class="side-nav"><nav class="stick wide-only" aria-label="Settings"><ul class="left-nav"><li><a href="#look">Name and look</a></li><li><a href="#billing">${t('brand.invoices_and_payment')}</a></li><li><a href="#legal">Legal pages</a></li></ul></nav>
<div class="flow">
${form.summary()}
<div class="panel">${postForm(
    page,
    '/desk/board',
    [
      editedField(form),
      html`<section class="form-part" id="look"><h2>Name and look</h2><p class="small">What visitors see at the top of every page and in every email.</p><div class="flow">
${form.field('name', 'Name of the board', { isRequired: true, maxlength: 60, autocomplete: 'off' })}
${form.field('tagline', 'In one sentence', { isRequired: false, hint: 'Shown on the home page, in the footer and below the name in emails.', maxlength: 160 })}
<div class="pair">
${form.field('_logo', 'Logo', { type: 'file', isRequired: false, hint: 'PNG, JPEG or WebP, up to 1 MB.', accept: '.png,.jpg,.jpeg,.webp' })}
${form.field('accent_color', 'Color', { type: 'color', hint: 'We darken or lighten it where text would be hard to read.' })}
</div>
${renderSample(page)}
${form.textArea('description', 'Description', { isRequired: false, hint: 'For search engines.', rows: 3, maxlength: 1000 })}
${form.field('contact_email', 'Contact email', { type: 'email', isRequired: false, hint: 'Linked in the footer of every page.', maxlength: 254 })}
</div></section>`,
      renderBilling(form),
      html`<div class="actions">${button('Save settings')}${page.has('/desk') && buttonLink('Cancel', '/desk', 'quiet')}</div>`,
    ],
    { enctype: 'multipart/form-data' },
  )}
${logo && html`<div class="gap-2">${actionButton(page, { action: '/desk/board/logo/remove', text: 'Remove logo' })}</div>`}</div>
${renderPageList(page, pages)}
</div></div>`
}

/** The seller, VAT and bank details. */
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

/** Shows the saved name, logo and color. */
const renderSample = ({ brand }: PageContext): Html =>
  html`<section class="band tight" aria-labelledby="look-sample"><h3 class="small strong" id="look-sample">How it looks now</h3><div class="panel row apart"><span class="brand">${renderMark(brand)}${brand.name}</span><span class="row"><span class="tag featured">${icon('star')}Featured</span><a href="#look">A link</a><span class="btn main slim">A button</span></span></div></section>`

function renderPageList(page: PageContext, written: SettingsPage['pages']): Html {
  const missing = Object.entries(commonPages)
    .filter(([slug]) => !written.some((known) => known.slug === slug))
    .map(([slug, title]) => ({ slug, title, isMissing: true }))
  const all = [...written.map((known) => ({ ...known, isMissing: false })), ...missing]
  return html`<section class="panel" id="legal"><h2>Legal pages</h2><p class="small">Linked in the footer of every page. Many countries require an imprint and a privacy notice. The privacy notice is also linked where people register and apply.</p>
<ul class="rows">${all.map(
    ({ slug, title, isMissing }) =>
      html`<li class="row apart"><span class="grow">${isMissing ? title : html`<a href="/pages/${slug}">${title}</a>`}</span>${isMissing ? badge('Not written') : badge('Published', 'good')}<a class="btn slim" href="/desk/board/pages/${slug}">${isMissing ? 'Write' : 'Edit'}<span class="hide"> ${title}</span></a></li>`,
  )}</ul>
${page.may('GET', '/desk/board/new-page') && html`<a class="btn slim gap-2" href="/desk/board/new-page">${icon('plus')}Add page</a>`}</section>`
}

interface PageEditor {
  slug: string
  /** Undefined if the page is not written yet. */
  stored: BoardPage | undefined
  form: Form
  isPreview: boolean
}

export function renderPageEditor(page: PageContext, { slug, stored, form, isPreview }: PageEditor): Html {
  const title = stored?.title ?? commonPages[slug as keyof typeof commonPages]
  const remove =
    stored &&
    confirmedAction(page, {
      action: `/desk/board/pages/${slug}/delete`,
      text: 'Delete page',
      question: html`<p>Delete <b>${title}</b>? Links to it will no longer work.</p>`,
    })
  return htmlPage(page, { title, width: 'narrow' })`<p class="crumbs"><a href="/desk/board">Your board</a></p>
<h1>${title}</h1>
<p class="soft">${stored ? html`Published at <a href="/pages/${slug}">${`/pages/${slug}`}</a>` : html`Will be published at <code>/pages/${slug}</code>`}</p>
${form.summary()}
${isPreview && renderPreview(form)}
<div class="panel">${postForm(page, `/desk/board/pages/${slug}`, [editedField(form), pageFields(form), saveButtons])}</div>
${remove}`
}

export function renderNewPage(page: PageContext, form: Form, isPreview: boolean): Html {
  return htmlPage(page, {
    title: 'New page',
    width: 'narrow',
  })`<p class="crumbs"><a href="/desk/board">Your board</a></p>
<h1>New page</h1>
${form.summary()}
${isPreview && renderPreview(form)}
<div class="panel">${postForm(page, '/desk/board/new-page', [
    form.field('slug', 'Address', {
      isRequired: true,
      hint: 'Lowercase letters, digits and hyphens, such as “about-us” for /pages/about-us. You cannot change it later.',
      maxlength: 100,
      autocomplete: 'off',
    }),
    pageFields(form),
    saveButtons,
  ])}</div>`
}

const pageFields = (form: Form): Html => html`${form.field('title', 'Title', { isRequired: true, maxlength: 100 })}
${form.textArea('text', 'Text', {
  isRequired: true,
  rows: 20,
  hint: html`Markdown: <code>## Heading</code>, <code>**bold**</code>, <code>- list</code>, <code>[link](https://…)</code>. Leave a blank line between paragraphs.`,
  maxlength: PAGE_LENGTH_MAX,
})}
${form.field('language', 'Language', { isRequired: true, hint: 'A language tag, such as en or de.', maxlength: 20, autocapitalize: 'off' })}`

const saveButtons = html`<div class="actions">${button('Publish')}${button('Preview', { variant: 'secondary', name: '_preview', value: 'true' })}${buttonLink('Cancel', '/desk/board', 'quiet')}</div>`

function renderPreview(form: Form): Html {
  const text = form.value('text')
  const content = text.trim() === '' ? emptyState('Nothing to preview yet') : markdown(text.replaceAll('\r\n', '\n'))
  return html`<section class="panel" aria-labelledby="preview"><h2 id="preview">Preview</h2><p class="small soft">Not published yet.</p>${content}</section>`
}
