/** Building blocks of pages. All functions are pure: they turn data into markup. */

import { paragraphsOf } from '../lib/paragraphs.ts'
import { shownUrl } from '../lib/url.ts'
import type { SearchMeta } from '../lists/meta.ts'
import { TERMS_MAX } from '../search/text/words.ts'
import { type Form, fieldId } from './forms.ts'
import { attributes, type Content, type Html, html } from './html.ts'
import { csrfField } from './layout.ts'
import { ONCE_FIELD } from './once.ts'
import type { PageContext } from './page.ts'

type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>

/**
 * Renders a form that sends a POST request. The form contains a token that proves the form's origin, and takes effect
 * only once. If the actor may not send the form, its content is disabled.
 */
export function postForm(page: PageContext, action: string, content: Content, more: Attributes = {}): Html {
  if (!page.may('POST', action)) {
    return html`<fieldset class="closed" disabled><p class="hint">Your API key does not have permission to change this.</p>${content}</fieldset>`
  }
  return html`<form method="post"${attributes({ action, ...more })}>${csrfField(page)}<input type="hidden" name="${ONCE_FIELD}" value="${page.onceKey}">${content}</form>`
}

/**
 * Renders a form that consists of a button, for example to close a job. Returns undefined if the actor may not send it.
 */
export function actionButton(
  page: PageContext,
  {
    action,
    text,
    variant = 'secondary',
    fields = {},
  }: { action: string; text: string; variant?: Variant; fields?: Record<string, string> },
): Html | undefined {
  if (!page.may('POST', action)) return undefined
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return postForm(page, action, [hidden, button(text, { variant })], { class: 'inline' })
}

type Variant = 'primary' | 'secondary' | 'danger' | 'quiet'

export function button(text: string, { variant = 'primary', ...more }: { variant?: Variant } & Attributes = {}): Html {
  return html`<button${attributes({ type: 'submit', ...more, class: `button ${variant} ${more.class ?? ''}`.trim() })}>${text}</button>`
}

/** Renders a button that links to a page. Returns undefined if the actor may not open the page. */
export function wayTo(page: PageContext, text: string, href: string, variant?: Variant): Html | undefined {
  return page.may('GET', href) ? buttonLink(text, href, variant) : undefined
}

/** Renders a link, or plain text if the actor may not open the page. */
export function linkTo(page: PageContext, text: string, href: string): Html {
  return page.may('GET', href) ? html`<a href="${href}">${text}</a>` : html`${text}`
}

/** Renders a link that looks like a button. */
export function buttonLink(text: string, href: string, variant: Variant = 'secondary'): Html {
  return html`<a class="button ${variant}" href="${href}">${text}</a>`
}

interface FieldOptions {
  form: Form
  /** Field name in the format described in `forms.ts`, such as `salary[min]`. */
  name: string
  label: string
  hint?: Content
  isRequired?: boolean
}

/** Returns the attributes that connect an element to its hint and its faults. */
function describe({ form, name, hint }: FieldOptions) {
  const id = fieldId(name)
  const faults = form.faultsOf(name)
  const ids = [...(hint ? [`${id}-hint`] : []), ...(faults.length > 0 ? [`${id}-fault`] : [])]
  return {
    id,
    faults,
    aria: {
      'aria-describedby': ids.length > 0 ? ids.join(' ') : undefined,
      'aria-invalid': faults.length > 0 ? 'true' : undefined,
    },
  }
}

function wrapField(
  { label, hint, isRequired }: FieldOptions,
  id: string,
  faults: readonly string[],
  element: Html,
): Html {
  return html`<div class="field${faults.length > 0 && ' has-fault'}">
<label for="${id}">${label}${isRequired === false && html` <span class="optional">(optional)</span>`}</label>
${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${faults.length > 0 && html`<p class="fault" id="${id}-fault">${faults.join(' ')}</p>`}
${element}</div>`
}

/** Renders a single-line field. */
export function field(options: FieldOptions & { type?: string } & { more?: Attributes }): Html {
  const { form, name, type = 'text', isRequired, more = {} } = options
  const { id, faults, aria } = describe(options)
  const value = type === 'password' || type === 'file' ? undefined : form.value(name)
  return wrapField(
    options,
    id,
    faults,
    html`<input${attributes({ id, name, type, value, required: isRequired === true, ...aria, ...more })}>`,
  )
}

/**
 * Renders a multi-line field. A list of texts is shown with one item per line, or with one field per item if items
 * contain line breaks.
 */
export function textArea(options: FieldOptions & { rows?: number; more?: Attributes }): Html {
  const count = options.form.count(options.name.replace(/\[\]$/, ''))
  return count > 0 ? textAreas(options, count) : oneTextArea(options)
}

function textAreas(options: FieldOptions, count: number): Html {
  const { name, label, isRequired } = options
  const bare = name.replace(/\[\]$/, '')
  return html`<fieldset class="field"><legend>${label}${isRequired === false && html` <span class="optional">(optional)</span>`}</legend>
${Array.from({ length: count }, (_, n) =>
  oneTextArea({
    form: options.form,
    name: `${bare}[${n}]`,
    label: `${label}, ${n + 1}`,
    hint: n === 0 && 'Clear the field to remove it.',
    rows: 3,
  }),
)}
${oneTextArea({ form: options.form, name, label: 'More', hint: 'One per line.', isRequired: false, rows: 3 })}</fieldset>`
}

function oneTextArea(options: FieldOptions & { rows?: number; more?: Attributes }): Html {
  const { form, name, isRequired, rows = 5, more = {} } = options
  const { id, faults, aria } = describe(options)
  // Browsers ignore a line break directly after the tag.
  return wrapField(
    options,
    id,
    faults,
    html`<textarea${attributes({ id, name, rows, required: isRequired === true, ...aria, ...more })}>
${form.values(name).join('\n')}</textarea>`,
  )
}

export interface Option {
  value: string
  text: string
}

/** Renders a drop-down list. An option with an empty value means that nothing is selected. */
export function select(options: FieldOptions & { options: readonly Option[]; more?: Attributes }): Html {
  const { form, name, isRequired, more = {} } = options
  const { id, faults, aria } = describe(options)
  const chosen = form.value(name)
  const listed = options.options.map(
    ({ value, text }) => html`<option${attributes({ value, selected: value === chosen })}>${text}</option>`,
  )
  return wrapField(
    options,
    id,
    faults,
    html`<select${attributes({ id, name, required: isRequired === true, ...aria, ...more })}>${listed}</select>`,
  )
}

/** Renders a checkbox. If the checkbox is not checked, the form sends false. */
export function checkbox(options: FieldOptions): Html {
  const { form, name, label, hint } = options
  const { id, faults, aria } = describe(options)
  const checked = form.value(name) === 'true'
  return html`<div class="field check${faults.length > 0 && ' has-fault'}">
<input type="hidden" name="${name}" value="false">
<input${attributes({ id, name, type: 'checkbox', value: 'true', checked, ...aria })}>
<label for="${id}">${label}</label>
${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${faults.length > 0 && html`<p class="fault" id="${id}-fault">${faults.join(' ')}</p>`}</div>`
}

/** Renders checkboxes, or radio buttons with `type: 'radio'`. */
export function choices(options: FieldOptions & { options: readonly Option[]; type?: 'checkbox' | 'radio' }): Html {
  const { form, name, label, hint, type = 'checkbox', isRequired } = options
  const { id, faults, aria } = describe(options)
  const chosen = form.values(name)
  const listed = options.options.map(({ value, text }, n) => {
    const own = n === 0 ? id : `${id}-${n}`
    const checked = chosen.includes(value)
    return html`<div class="check"><input${attributes({ id: own, type, name, value, checked, required: type === 'radio' && isRequired === true })}><label for="${own}">${text}</label></div>`
  })
  return html`<fieldset class="field${faults.length > 0 && ' has-fault'}"${attributes({ 'aria-describedby': aria['aria-describedby'] })}>
<legend>${label}${isRequired === false && html` <span class="optional">(optional)</span>`}</legend>
${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${faults.length > 0 && html`<p class="fault" id="${id}-fault">${faults.join(' ')}</p>`}
${listed}</fieldset>`
}

/** Renders all faults above a form, each linked to its field. */
export function faultSummary({ faults }: Form): Html | undefined {
  if (faults.length === 0) return undefined
  const items = faults.map((fault) => {
    // A fault of the whole body has no field to link to.
    if ('pointer' in fault && fault.pointer === '#') return html`<li>${fault.detail}</li>`
    const id = 'parameter' in fault ? fieldId(fault.parameter) : fieldId(fault.pointer)
    return html`<li><a href="#${id}">${fault.detail}</a></li>`
  })
  return html`<div class="fault-summary" role="alert" tabindex="-1" data-focus>
<h2>${faults.length === 1 ? 'There is a problem' : `There are ${faults.length} problems`}</h2>
<ul>${items}</ul></div>`
}

/** The page numbers of a list's `meta.pagination`. */
export interface PageNumbers {
  total: number
  page?: number
  pages?: number
}

/** Returns the path with some query parameters changed. Null removes one. */
export function withQuery(path: string, changes: Readonly<Record<string, string | number | null>>): string {
  const [bare = '/', query = ''] = path.split(/\?(.*)/s, 2)
  const parameters = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) parameters.delete(name)
    else parameters.set(name, String(value))
  }
  // Removes parameters from empty fields of a search form.
  for (const [name, value] of [...parameters]) if (value === '') parameters.delete(name)
  const text = parameters.toString()
  return text === '' ? bare : `${bare}?${text}`
}

/** Renders links to the pages of a list near the current one. */
export function pagination({ path }: PageContext, { page = 1, pages = 1 }: PageNumbers): Html | undefined {
  if (pages <= 1) return undefined
  const link = (number: number, text: string, rel?: string) =>
    html`<a${attributes({ href: withQuery(path, { page: number === 1 ? null : number }), rel, 'aria-current': rel === undefined && number === page ? 'page' : undefined })}>${text}</a>`
  const near = [...new Set([1, page - 1, page, page + 1, pages])].filter((number) => number >= 1 && number <= pages)
  const numbers = near.map((number, n) => [
    n > 0 && number > near[n - 1]! + 1 && html`<li class="gap" aria-hidden="true">…</li>`,
    html`<li>${link(number, String(number))}</li>`,
  ])
  return html`<nav class="pagination" aria-label="Pages"><ul>
${page > 1 && html`<li>${link(Math.min(page - 1, pages), 'Previous', 'prev')}</li>`}
${numbers}
${page < pages && html`<li>${link(page + 1, 'Next', 'next')}</li>`}</ul></nav>`
}

export interface Column<Row> {
  title: string
  cell: (row: Row) => Content
  isNumber?: boolean
}

/** Renders a table. On a small screen, each row becomes a block that labels each value with its column title. */
export function table<Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[]): Html {
  const numeric = (column: Column<Row>) => attributes({ class: column.isNumber ? 'number' : undefined })
  return html`<table class="data"><caption class="visually-hidden">${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col"${numeric(column)}>${column.title}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row) =>
      html`<tr>${columns.map((column) => html`<td data-title="${column.title}"${numeric(column)}>${column.cell(row)}</td>`)}</tr>`,
  )}</tbody></table>`
}

export function card(content: Content, more: Attributes = {}): Html {
  return html`<section class="card"${attributes(more)}>${content}</section>`
}

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'accent'

export function badge(text: string, tone: Tone = 'plain'): Html {
  return html`<span class="badge ${tone}">${text}</span>`
}

/** Renders a message inside a page. */
export function message(content: Content, tone: Tone = 'plain'): Html {
  return html`<div class="message ${tone}">${content}</div>`
}

/** Renders a message with the terms that a search ignored, if any. */
export function ignoredTerms(search: SearchMeta | undefined): Content {
  const ignored = search?.ignored_terms ?? []
  if (ignored.length === 0) return undefined
  const terms = ignored.map((term, n) => [n > 0 && ', ', html`<b>${term}</b>`])
  return message(html`<p>We searched for the first ${TERMS_MAX} terms and ignored the rest: ${terms}.</p>`, 'warn')
}

/** Renders the message of an empty list, with a suggested next step. */
export function emptyState(title: string, content?: Content): Html {
  return html`<div class="empty"><h2>${title}</h2>${content}</div>`
}

/** Renders a description list of terms and values. Terms without a value are omitted. */
export function facts(items: readonly (readonly [term: string, value: Content])[]): Html {
  const given = items.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
  return html`<dl class="facts">${given.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`
}

/** Renders links between related pages. */
export function tabs(
  { path }: Pick<PageContext, 'path'>,
  label: string,
  items: readonly { href: string; text: string }[],
): Html {
  const bare = path.split('?', 1)[0]
  const here = (href: string) => (href.includes('?') ? path === href : bare === href)
  return html`<nav class="tabs" aria-label="${label}">${items.map(
    ({ href, text }) =>
      html`<a href="${href}"${attributes({ 'aria-current': here(href) ? 'page' : undefined })}>${text}</a>`,
  )}</nav>`
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const momentFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })

/** Renders the day of a timestamp. */
export function day(iso: string): Html {
  return html`<time datetime="${iso}">${dayFormat.format(new Date(iso))}</time>`
}

/** Renders a time in UTC. */
export function moment(iso: string): Html {
  return html`<time datetime="${iso}">${momentFormat.format(new Date(iso))} UTC</time>`
}

/** Renders a link to another website, or plain text if the URL is not a web URL. */
export function outsideLink(url: string, text: string = shownUrl(url)): Html {
  return /^https?:\/\//i.test(url)
    ? html`<a href="${url}" rel="noopener noreferrer nofollow ugc">${text}</a>`
    : html`${text}`
}

/** Renders a user's text with its paragraphs and line breaks. */
export function prose(text: string): Html {
  const lines = (some: readonly string[]) => some.map((line, n) => [n > 0 && html`<br>`, line])
  return html`<div class="prose">${paragraphsOf(text).map((some) => html`<p>${lines(some)}</p>`)}</div>`
}

/**
 * Renders a chart of counts by day. The label of the chart contains the totals, and the title of each bar contains the
 * count. Pages also show a table beside the chart.
 */
export function barChart(label: string, days: readonly { day: string; count: number }[]): Html {
  const [width, height, gap] = [10, 100, 2]
  const most = Math.max(...days.map(({ count }) => count))
  const sum = days.reduce((total, { count }) => total + count, 0)
  const bars = days.map(({ day, count }, n) => {
    // A count above zero always has a visible bar.
    const tall = count === 0 ? 0 : Math.max(2, Math.round((count / most) * height))
    return html`<rect x="${n * width}" y="${height - tall}" width="${width - gap}" height="${tall}"><title>${day}: ${count}</title></rect>`
  })
  const [first, last] = [days[0]!.day, days.at(-1)!.day]
  return html`<figure class="chart"><p class="small soft">${most === 0 ? 'None in this period' : `${sum} in this period, at most ${most} per day`}</p>
<svg viewBox="0 0 ${days.length * width} ${height + 2}" role="img" aria-label="${label}: ${sum} in total, at most ${most} per day" preserveAspectRatio="none">${bars}<line x1="0" y1="${height + 1}" x2="${days.length * width}" y2="${height + 1}"/></svg>
<figcaption class="small soft"><span>${day(first)}</span><span>${day(last)}</span></figcaption></figure>`
}

/** Renders a button that reveals the button of the action, so that an irreversible action takes two clicks. */
export function confirmedAction(
  page: PageContext,
  {
    action,
    text,
    question,
    fields = {},
  }: { action: string; text: string; question: Content; fields?: Record<string, string> },
): Html | undefined {
  if (!page.may('POST', action)) return undefined
  return html`<details class="confirm"><summary class="button danger">${text}…</summary>
<div class="card">${question}${actionButton(page, { action, text, variant: 'danger', fields })}</div></details>`
}

/** Renders links between the pages that exist for the account's kind. */
export function accountTabs(page: PageContext): Html | undefined {
  const ofCandidate = [
    { href: '/me/profile', text: 'Profile' },
    { href: '/me/resumes', text: 'Resumes' },
    { href: '/me/data', text: 'Your data' },
  ]
  const items =
    page.actor?.kind === 'candidate' ? ofCandidate.filter(({ href }) => page.has(href) && page.may('GET', href)) : []
  if (items.length === 0) return undefined
  return tabs(page, 'Your account', [...items, { href: '/account', text: 'Account' }])
}
