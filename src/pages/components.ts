/** Page components. All functions are pure: they convert data to markup. */
import { renderMarkdown } from '../lib/markdown.ts'
import { paragraphsOf } from '../lib/paragraphs.ts'
import { utcDay } from '../lib/time.ts'
import { shownUrl } from '../lib/url.ts'
import type { SearchMeta } from '../lists/meta.ts'
import { formatDay, formatMoment } from '../locale/formats.ts'
import { t } from '../locale/messages.ts'
import { TERMS_MAX } from '../search/text/words.ts'
import type { Form } from './forms.ts'
import { attributes, type Content, Html, html } from './html.ts'
import { type IconName, icon, toneIcons } from './icons.ts'
import { csrfField } from './layout.ts'
import { ONCE_FIELD } from './once.ts'
import type { Listed, PageContext, PageNumbers } from './page.ts'
import { linkingTo, rich } from './text.ts'

type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Renders a POST form that takes effect only once. If the actor may not send the form, disables its content. */
export function postForm(page: PageContext, action: string, content: Content, more: Attributes = {}): Html {
  if (!page.may('POST', action)) {
    const { kind, member, session, key } = page.actor ?? {}
    // A session that did not begin with an API key has its own ID as the ID of its key.
    const isByRole = member !== undefined && key?.id === session?.id
    const reason = isByRole ? t('shared.no_permission_role', { kind: kind! }) : t('shared.no_permission')
    return html`<fieldset class="closed" disabled><p class="hint">${reason}</p>${content}</fieldset>`
  }
  return html`<form method="post"${attributes({ action, ...more })}>${csrfField(page)}<input type="hidden" name="${ONCE_FIELD}" value="${page.onceKey}">${content}</form>`
}

/** Renders the head of a form that phones show over the page. The form needs the class `sheet` and an ID. */
export const sheetHead = (title: string): Html =>
  html`<div class="sheet-head"><b>${title}</b><a class="btn quiet" href="#main">${t('shared.close')}</a></div>`

/** Renders the link that opens a sheet. */
export const sheetLink = (id: string, text: string, name: IconName = 'filter'): Html =>
  html`<a class="chip phone-only" href="#${id}">${icon(name)}${text}</a>`

/** List parameters that are not filters. */
const UNFILTERED = ['sort', 'page', 'cursor', 'limit']

/**
 * Renders a form that filters a list. Phones show the form as a sheet. The link that opens the sheet shows the number
 * of filters in use.
 */
export function filterForm(
  path: string,
  form: Form,
  controls: Content,
  { label = t('shared.filter'), submit = t('shared.apply_filters') } = {},
): Html {
  const title = t('shared.filter')
  const count = form.filled(UNFILTERED)
  return html`${sheetLink('filters', count > 0 ? t('shared.filter_count', { count }) : title)}<form class="row bottom sheet" id="filters" action="${path}" role="search" aria-label="${label}">
${sheetHead(title)}
${controls}
${button(submit, { variant: 'secondary' })}</form>`
}

interface Action {
  action: string
  text: string
  fields?: Record<string, string>
}

/** Renders a form that consists of a button. Returns undefined if the actor may not send the form. */
export function actionButton(
  page: PageContext,
  { action, text, variant = 'secondary', fields = {} }: Action & { variant?: Variant },
): Html | undefined {
  if (!page.may('POST', action)) return undefined
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return postForm(page, action, [hidden, button(text, { variant })], { class: 'inline' })
}

type Variant = 'primary' | 'secondary' | 'danger' | 'quiet'

const variantClasses = { primary: 'btn main', secondary: 'btn', danger: 'btn danger', quiet: 'btn quiet' } as const

export function button(text: Content, { variant = 'primary', ...more }: { variant?: Variant } & Attributes = {}): Html {
  return html`<button${attributes({ type: 'submit', ...more, class: `${variantClasses[variant]} ${more.class ?? ''}`.trim() })}>${text}</button>`
}

/** Renders a button that links to a page. Returns undefined if the actor may not open the page. */
export function wayTo(page: PageContext, text: string, href: string, variant?: Variant): Html | undefined {
  return page.may('GET', href) ? buttonLink(text, href, variant) : undefined
}

/** Renders a link, or plain text if the actor may not open the page. */
export function linkTo(page: PageContext, text: string, href: string): Html {
  return page.may('GET', href) ? html`<a href="${href}">${text}</a>` : html`${text}`
}

export function buttonLink(text: string, href: string, variant: Variant = 'secondary'): Html {
  return html`<a class="${variantClasses[variant]}" href="${href}">${text}</a>`
}

/** Returns the path with changed query parameters. Null removes a parameter. */
export function withQuery(path: string, changes: Readonly<Record<string, string | number | null>>): string {
  const [bare = '/', query = ''] = path.split(/\?(.*)/s, 2)
  const parameters = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) parameters.delete(name)
    else parameters.set(name, String(value))
  }
  // Removes the parameters of a search form's empty fields.
  for (const [name, value] of [...parameters]) if (value === '') parameters.delete(name)
  const text = parameters.toString()
  return text === '' ? bare : `${bare}?${text}`
}

/** Renders links to the first and last page of a list, and to the pages near the current one. */
export function pagination(
  { path }: Pick<PageContext, 'path'>,
  { page = 1, pages = 1 }: Partial<PageNumbers> = {},
): Html | undefined {
  if (pages <= 1) return undefined
  // Parsing the query again for each link would take longer than rendering the links.
  const [first, others] = [withQuery(path, { page: null }), withQuery(path, { page: pages }).split(/(?<=[?&]page=)\d+/)]
  const link = (number: number, text: string, rel?: string) =>
    html`<a${attributes({ href: number === 1 ? first : others.join(String(number)), rel, 'aria-current': rel === undefined && number === page ? 'page' : undefined })}>${text}</a>`
  const near = [...new Set([1, page - 1, page, page + 1, pages])].filter((number) => number >= 1 && number <= pages)
  const numbers = near.map((number, n) => [
    n > 0 && number > near[n - 1]! + 1 && html`<li><span aria-hidden="true">…</span></li>`,
    html`<li>${link(number, String(number))}</li>`,
  ])
  return html`<nav aria-label="${t('shared.pages')}"><ul class="pages">
${page > 1 && html`<li>${link(Math.min(page - 1, pages), t('shared.previous'), 'prev')}</li>`}
${numbers}
${page < pages && html`<li>${link(page + 1, t('shared.next'), 'next')}</li>`}</ul></nav>`
}

interface Rows<Row> {
  rows: readonly Row[]
  /** Titles of the numeric columns. */
  numbers?: readonly string[]
  /** Shown instead of the table if it has no rows. */
  empty?: Html
}

/**
 * Renders a table. `cellsOf` returns a row's cells by column title. All rows must have the same titles. On small
 * screens, each row becomes a block in which each value is labeled with its column title.
 */
export function dataTable<Row>(
  caption: string,
  { rows, numbers = [], empty = html`` }: Rows<Row>,
  cellsOf: (row: Row, index: number) => Readonly<Record<string, Content>>,
): Html {
  const body = rows.map((row, n) => Object.entries(cellsOf(row, n)))
  const [first] = body
  if (!first) return empty
  const numeric = (title: string) => attributes({ class: numbers.includes(title) ? 'num' : undefined })
  return html`<div class="panel flush"><table class="data"><caption class="hide">${caption}</caption>
<thead><tr>${first.map(([title]) => html`<th scope="col"${numeric(title)}>${title}</th>`)}</tr></thead>
<tbody>${body.map(
    (cells) =>
      html`<tr>${cells.map(([title, cell]) => html`<td data-t="${title}"${numeric(title)}>${cell}</td>`)}</tr>`,
  )}</tbody></table></div>`
}

interface ListedRows<Row> extends Omit<Rows<Row>, 'rows'> {
  /** Undefined if the query was invalid. The filter form then shows the faults. */
  found: Listed<Row> | undefined
}

/** Renders a page of a list as a table, with links to the other pages. */
export function listTable<Row>(
  page: PageContext,
  caption: string,
  { found, ...more }: ListedRows<Row>,
  cellsOf: (row: Row) => Readonly<Record<string, Content>>,
): Html {
  return html`${found && dataTable(caption, { rows: found.items, ...more }, cellsOf)}
${pagination(page, found?.pagination)}`
}

export function card(content: Content, more: Attributes = {}): Html {
  return html`<section class="panel"${attributes(more)}>${content}</section>`
}

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'accent'

export function badge(text: string, tone: Tone = 'plain'): Html {
  return html`<span class="tag${tone !== 'plain' && ` t-${tone}`}">${text}</span>`
}

export function message(content: Content, tone: Tone = 'plain'): Html {
  return html`<div class="notice${tone !== 'plain' && ` n-${tone}`}">${icon(toneIcons[tone])}<div class="grow">${content}</div></div>`
}

/** Renders a message with the terms that a search ignored, if any. */
export function ignoredTerms(search: SearchMeta | undefined): Content {
  const ignored = search?.ignored_terms ?? []
  if (ignored.length === 0) return undefined
  const terms = ignored.map((term, n) => [n > 0 && ', ', html`<b>${term}</b>`])
  return message(html`<p>${rich('shared.ignored_terms', { count: TERMS_MAX, terms })}</p>`, 'warn')
}

export function emptyState(title: string, content?: Content): Html {
  return html`<div class="empty"><h2>${title}</h2>${content}</div>`
}

/** Renders the state of a list whose filter finds nothing, with a link to a page that shows more. */
export const noneFound = (title: string, href: string, link: string): Html =>
  emptyState(title, html`<p><a href="${href}">${link}</a></p>`)

/** Renders a description list of terms and values. Omits terms without a value. */
export function facts(items: readonly (readonly [term: string, value: Content])[]): Html {
  const given = items.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
  return html`<dl class="facts">${given.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`
}

/** Renders the filters in use, each with a link that removes it and, if there are several, a link that removes all. */
export function filterChips(chips: readonly { text: string; href: string }[], cleared: string): Html | undefined {
  if (chips.length === 0) return undefined
  const items = chips.map(
    ({ text, href }) =>
      html`<li><a class="chip on" href="${href}">${text} ${icon('close')}<span class="hide">${t('shared.remove_filter')}</span></a></li>`,
  )
  return html`<ul class="chips head-gap" aria-label="${t('shared.filters_in_use')}">${items}${chips.length > 1 && html`<li><a class="small" href="${cleared}">${t('shared.clear_all')}</a></li>`}</ul>`
}

export function tabs(
  { path }: Pick<PageContext, 'path'>,
  label: string,
  items: readonly { href: string; text: string; count?: number; isHere?: boolean }[],
): Html {
  const bare = path.split('?', 1)[0]
  const isAt = (href: string) => (href.includes('?') ? path === href : bare === href)
  return html`<nav class="tabs" aria-label="${label}"><ul>${items.map(
    ({ href, text, count, isHere = isAt(href) }) =>
      html`<li><a href="${href}"${attributes({ 'aria-current': isHere ? 'page' : undefined })}>${text}${count !== undefined && html` <span class="count">${count}</span>`}</a></li>`,
  )}</ul></nav>`
}

/**
 * Returns the path of an uploaded picture, or undefined for other URLs. Without the host, pictures always come from our
 * own host.
 */
export function picturePath(url: string | null): string | undefined {
  return url?.match(/\/pictures\/[0-9a-f]{32}\.webp$/)?.[0]
}

const LOGO_COLORS = 6

/**
 * Renders the logo of a company, or the initials of a company or a person. The name determines the color of the
 * initials. Shows only pictures from our own host, because other hosts could track visitors.
 */
export function logo(
  { name, url = null }: { name: string; url?: string | null },
  size: 'big' | 'small' | 'round small' | 'round big' | '' = '',
): Html {
  const path = picturePath(url)
  if (path !== undefined) {
    return html`<span class="logo ${size}"><img src="${path}" width="48" height="48" alt="" loading="lazy"></span>`
  }
  const color = ([...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % LOGO_COLORS) + 1
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? []
  const initials = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '')
  return html`<span class="logo ${size} m${color}" aria-hidden="true">${initials.join('').toUpperCase()}</span>`
}

export function day(iso: string): Html {
  return html`<time datetime="${iso}">${formatDay(iso)}</time>`
}

/** Renders a time in the reader's time zone. Must not be used on pages that are cached for all readers. */
export function moment(iso: string): Html {
  return html`<time class="moment" datetime="${iso}">${formatMoment(iso)}</time>`
}

/**
 * Renders how many days or weeks ago a moment was, in UTC, or its date if it was 60 or more days ago. The text changes
 * only at midnight UTC, so pages may be cached until then.
 */
export function ago(iso: string, now: Date): Html {
  const days = utcDay(now) - utcDay(new Date(iso))
  if (days >= 60) return day(iso)
  const weeks = Math.floor(days / 7)
  const text = days < 7 ? t('shared.days_ago', { days: Math.max(days, 0) }) : t('shared.weeks_ago', { weeks })
  return html`<time datetime="${iso}" title="${formatDay(iso)}">${text}</time>`
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

/** Renders Markdown that a user wrote. `lang` is the language of the text, or null if unknown. */
export function markdown(text: string, lang: string | null = null): Html {
  return html`<div class="prose"${attributes({ lang: lang ?? undefined })}>${new Html(renderMarkdown(text))}</div>`
}

/** The script of `besidePreview`. */
export const PREVIEW_MODULE = 'preview.js'

/**
 * Renders a form and, beside it, a preview that `preview.js` updates in wide windows. The script sends the form to
 * `path`, together with its preview button if it has one, and shows the `[data-preview]` element of the response.
 */
export function besidePreview(path: string, content: Content): Html {
  return html`<div class="beside"><div class="loose">${content}</div><div class="preview" role="group" aria-label="${t('shared.preview')}" tabindex="0" data-preview="${path}"><p class="soft">${t('shared.preview_appears')}</p></div></div>`
}

/**
 * Renders the button that shows a preview without a script. The style sheet hides the button in wide windows with
 * scripts.
 */
export const previewButton = (): Html =>
  button(t('shared.preview'), { variant: 'secondary', name: '_preview', value: 'true' })

/** Renders a preview of the Markdown in a form's field. `note` states that the changes are not saved. */
export function markdownPreview(text: string, note: string): Html {
  const content = text.trim() === '' ? emptyState(t('shared.preview_empty')) : markdown(text.replaceAll('\r\n', '\n'))
  return card([html`<h2>${t('shared.preview')}</h2><p class="small soft head-gap">${note}</p>`, content], {
    'data-preview': true,
  })
}

/** Renders a link to the privacy notice, if there is one, for forms that ask for personal data. */
export function privacyNotice({ brand }: Pick<PageContext, 'brand'>): Html | undefined {
  const notice = brand.pages.find(({ slug }) => slug === 'privacy')
  return (
    notice &&
    html`<p class="small soft">${rich('shared.privacy_notice', { title: notice.title, link: linkingTo('/pages/privacy') })}</p>`
  )
}

export function barChart(
  label: string,
  days: readonly { day: string; count: number }[],
  format: (count: number) => string = String,
): Html {
  const [width, height, gap] = [10, 100, 2]
  const most = Math.max(...days.map(({ count }) => count))
  const sum = days.reduce((total, { count }) => total + count, 0)
  const bars = days.map(({ day, count }, n) => {
    // Every count above zero has a visible bar.
    const tall = count === 0 ? 0 : Math.max(2, Math.round((count / most) * height))
    return html`<rect x="${n * width}" y="${height - tall}" width="${width - gap}" height="${tall}"><title>${day}: ${format(count)}</title></rect>`
  })
  const [first, last] = [days[0]!.day, days.at(-1)!.day]
  return html`<figure class="chart${most === 0 && ' none'}"><p class="small soft">${most === 0 ? t('shared.none_in_period') : t('shared.in_period', { sum: format(sum), most: format(most) })}</p>
<svg viewBox="0 0 ${days.length * width} ${height + 2}" role="img" aria-label="${t('shared.in_total', { label, sum: format(sum), most: format(most) })}" preserveAspectRatio="none">${bars}<line x1="0" y1="${height + 1}" x2="${days.length * width}" y2="${height + 1}"/></svg>
<figcaption class="small soft"><span>${day(first)}</span><span>${day(last)}</span></figcaption></figure>`
}

/** Renders a button that reveals the button of an irreversible action, which therefore takes two clicks. */
export function confirmedAction(page: PageContext, { question, ...action }: Action & { question: Content }) {
  if (!page.may('POST', action.action)) return undefined
  return html`<details class="confirm"><summary class="btn danger">${t('shared.asks_first', { action: action.text })}</summary>
<div class="panel">${question}${actionButton(page, { ...action, variant: 'danger' })}</div></details>`
}
