/** The HTML document around the content of a page. */
import { type Brand, initialOf } from '../lib/brand.ts'
import { taglineOf } from '../locale/brand.ts'
import { languageNames } from '../locale/languages.ts'
import { type MessageKey, t } from '../locale/messages.ts'
import { accentPath } from './assets.ts'
import { attributes, type Content, type Html, html } from './html.ts'
import { icon, toneIcons } from './icons.ts'
import type { Menu, NavigationEntry, PageContext } from './page.ts'

export interface Document {
  /** Title of the page, to which the board's name is appended. Absent: only the board's name. */
  title?: string
  /** Description for search engines, in one sentence. */
  description?: string
  /** The canonical path of the page. If absent, search engines must not index the page. */
  canonical?: string
  /** The style sheet. Default: `app.css`. */
  style?: string
  /** Scripts in `assets/`. */
  modules?: readonly string[]
  /** Further elements in the head. */
  head?: Content
  /** Content above the page's columns, across the whole window. */
  banner?: Content
  /** `wide` for lists and tables, `narrow` for texts and forms. */
  width?: 'wide' | 'narrow'
}

/** Returns the template tag of a complete page. The template must contain the page's only h1. */
export const htmlPage =
  (page: PageContext, document: Document) =>
  (literals: TemplateStringsArray, ...contents: Content[]): Html =>
    renderDocument(page, document, html(literals, ...contents))

/**
 * Renders a complete page. `content` must contain the page's only h1. Browsers that support `rel="expect"` draw the
 * page only after all of it has arrived. Otherwise, each further row could change the widths of a table's columns.
 */
export function renderDocument(page: PageContext, document: Document, content: Html): Html {
  const { title, description, canonical, style = 'app.css', modules = [], head, banner, width = 'wide' } = document
  const { name } = page.brand
  const fullTitle = title === undefined ? name : `${title} · ${name}`
  return html`<!doctype html>
<html lang="${page.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${fullTitle}</title>
${description !== undefined && html`<meta name="description" content="${description}">`}
${
  canonical === undefined
    ? html`<meta name="robots" content="noindex">`
    : [
        html`<link rel="canonical" href="${page.origin}${page.inLanguage(page.language, canonical)}">`,
        renderAlternates(page, canonical),
      ]
}
<meta name="color-scheme" content="light dark">
<link rel="expect" href="#footer" blocking="render">
<link rel="stylesheet" href="${page.asset(style)}">
${renderBrandLinks(page)}
${['site.js', ...modules].map((file) => html`<script type="module" src="${page.asset(file)}"></script>`)}
${head}
</head>
<body>
<a class="skip" href="#main">${t('layout.skip')}</a>
<header class="top"><div class="wrap">
<a class="brand" href="/">${renderMark(page.brand)}${name}</a>
<nav class="top-nav" aria-label="${t('layout.main')}">${mainLinks(page).map((link) => renderLink(page, link))}</nav>
<div class="top-end">${page.actor ? renderAccountMenu(page, page.actor.name) : renderEntrance(page)}</div>
</div></header>
${renderAreaNav(page)}
<main id="main" tabindex="-1">${banner}<div class="wrap ${width}">
${renderNotices(page)}
${content}
</div></main>
<footer class="foot" id="footer"><div class="wrap">
<ul>${footerLinks(page).map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}</ul>
<p>${taglineOf(page.brand)}</p>${renderLanguages(page)}
</div></footer>
</body>
</html>`
}

/** Renders links to this page in all of the board's languages, for search engines. */
function renderAlternates({ origin, brand, inLanguage }: PageContext, path: string): Content {
  if (brand.languages.length < 2) return undefined
  const link = (hreflang: string, href: string) => html`
<link rel="alternate" hreflang="${hreflang}" href="${origin}${href}">`
  return [
    brand.languages.map((language) => link(language, inLanguage(language, path))),
    link('x-default', inLanguage(brand.defaultLanguage, path)),
  ]
}

/** Renders links to this page in the board's other languages. */
function renderLanguages({ brand, language, path }: PageContext): Content {
  const others = brand.languages.filter((other) => other !== language)
  // The paths of the API have no language.
  if (others.length === 0 || path.startsWith('/v1/')) return undefined
  return html`<nav aria-label="${t('layout.language')}"><ul>${others.map(
    (other) =>
      // Includes the prefix even for the default language, because only such a URL changes the reader's language.
      html`<li><a href="/${other}${path}" lang="${other}" hreflang="${other}" rel="nofollow">${languageNames[other]}</a></li>`,
  )}</ul></nav>`
}

/** Renders the links to the board's own color, icon and manifest. */
function renderBrandLinks(page: PageContext): Content {
  const { accentColor } = page.brand
  return [
    accentColor !== null &&
      html`<link rel="stylesheet" href="${accentPath(accentColor)}"><meta name="theme-color" content="${accentColor}">
`,
    page.has('/icon.svg') &&
      html`<link rel="icon" href="/icon.svg" type="image/svg+xml"><link rel="apple-touch-icon" href="/apple-touch-icon.png"><link rel="manifest" href="/site.webmanifest">`,
  ]
}

/** Renders the logo, or a mark with the first letter of the board's name. */
export function renderMark({ logo, name }: Brand): Html {
  if (logo) return html`<img src="${logo.path}" width="${logo.width}" height="${logo.height}" alt="">`
  return html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect class="brand-mark" width="32" height="32" rx="9"/><text class="brand-cut" x="16" y="23" text-anchor="middle" font-size="20">${initialOf(name)}</text></svg>`
}

/** Returns the links of the footer: the menu, the legal pages and the contact email address. */
function footerLinks(page: PageContext): readonly FooterLink[] {
  return [...page.menu('footer').map(({ href, text }) => ({ href, text: t(text) })), ...legalLinks(page.brand)]
}

interface FooterLink {
  href: string
  text: string
}

/** Returns links to the legal pages, and to the contact email address if there is no contact page. */
export function legalLinks({ pages, contactEmail }: Pick<Brand, 'pages' | 'contactEmail'>): readonly FooterLink[] {
  const legal = pages.map(({ slug, title }) => ({ href: `/pages/${slug}`, text: title }))
  const hasContact = contactEmail === null || pages.some(({ slug }) => slug === 'contact')
  return [...legal, ...(hasContact ? [] : [{ href: `mailto:${contactEmail}`, text: t('layout.contact') }])]
}

function renderNotices(page: PageContext): Content {
  const notice = page.takeNotice()
  return [
    page.isStale &&
      html`<div class="notice n-warn" role="status">${icon(toneIcons.warn)}<div class="grow">${t('layout.stale')}</div></div>`,
    notice !== undefined &&
      html`<div class="notice n-${notice.tone}" role="status">${icon(toneIcons[notice.tone])}<div class="grow">${notice.tone !== 'good' && html`<span class="hide">${t(`layout.tone_${notice.tone}`)} </span>`}${notice.text}</div></div>`,
  ]
}

/** Returns the links of the header: the menu `visitor` or, for signed-in users, the menus `board` and `area`. */
export const mainLinks = (page: PageContext): readonly NavigationEntry[] => [
  ...page.menu(page.actor ? 'board' : 'visitor'),
  ...(page.actor ? page.menu('area') : []),
]

export function renderLink(page: PageContext, { href, text }: Pick<NavigationEntry, 'href' | 'text'>): Html {
  return html`<a href="${href}"${attributes({ 'aria-current': isBelow(page, href) ? 'page' : undefined })}>${t(text)}</a>`
}

const bareOf = ({ path }: PageContext) => path.split('?', 1)[0]!

function isBelow(page: PageContext, href: string): boolean {
  const bare = bareOf(page)
  return bare === href || bare.startsWith(`${href}/`)
}

/** The search form that every page of an area shows. */
interface AreaSearch {
  path: string
  label: MessageKey
}

/**
 * The areas of signed-in accounts, keyed by the first segment of their paths. Each has its own menu in the second row
 * of the header.
 */
const areas: Readonly<Record<string, { menu: Menu; label: MessageKey; search?: AreaSearch }>> = {
  me: { menu: 'candidate', label: 'layout.my_jobs' },
  employer: { menu: 'employer', label: 'layout.hiring' },
  desk: { menu: 'desk', label: 'layout.admin_area', search: { path: '/desk/search', label: 'layout.search_desk' } },
  console: { menu: 'console', label: 'layout.developers' },
}

/**
 * Renders the second row of the header in areas of signed-in accounts. If an area has groups of links, a collapsible
 * list replaces the row on phones.
 */
function renderAreaNav(page: PageContext): Html | undefined {
  const name = /^\/(\w+)/.exec(page.path)?.[1] ?? ''
  const area = areas[name]
  if (!area || !page.actor) return undefined
  const entries = page.menu(area.menu)
  // Highlights the link to the area's start page, such as /desk, only on that page. Pages that the menu omits, such as
  // /desk/search, must not highlight this link.
  const here = entries.find(({ href }) => (href === `/${name}` ? bareOf(page) === href : isBelow(page, href)))
  const link = (entry: NavigationEntry) =>
    html`<a href="${entry.href}"${attributes({ 'aria-current': entry === here ? 'page' : undefined })}>${t(entry.text)}</a>`
  const listed = (each: readonly NavigationEntry[]) => each.map((entry) => html`<li>${link(entry)}</li>`)
  const inRow = entries.filter(({ group }) => group === undefined)
  const groups = [...new Set(entries.map(({ group }) => group))]
    .filter((title) => title !== undefined)
    .map((title) => ({ title, entries: entries.filter(({ group }) => group === title) }))
  const lists = groups.map(
    ({ title, entries }) =>
      html`<li><details class="menu" name="area-menu"><summary${attributes({ 'aria-current': here && entries.includes(here) ? 'true' : undefined })}>${t(title)}${icon('down')}</summary><div class="menu-list">${entries.map(link)}</div></details></li>`,
  )
  const label = t(area.label)
  return html`${area.search && renderAreaSearch(page, area.search)}<nav class="sub${groups.length > 0 && ' wide-only'}" aria-label="${label}"><ul class="wrap">${listed(inRow)}${lists}</ul></nav>${
    groups.length > 0 &&
    html`<nav class="drawer phone-only" aria-label="${label}"><details><summary class="wrap">${icon('menu')}${here ? t(here.text) : label}${icon('down')}</summary><ul class="wrap left-nav">${listed(inRow)}${groups.map(({ title, entries }) => html`<li class="group">${t(title)}</li>${listed(entries)}`)}</ul></details></nav>`
  }`
}

/** Renders the search box of an area. On its results page, the box contains the search text. */
function renderAreaSearch(page: PageContext, { path, label }: AreaSearch): Html | undefined {
  if (!page.has(path) || !page.may('GET', path)) return undefined
  const value = isBelow(page, path) ? new URLSearchParams(page.path.split('?')[1]).get('search') : null
  return html`<div class="area-search"><form class="wrap row nowrap-row" action="${path}" role="search" aria-label="${t(label)}">
<input type="search" name="search" maxlength="200" aria-label="${t(label)}" placeholder="${t('layout.search_hint')}"${attributes({ value })}><button class="btn slim" type="submit">${t('shared.search')}</button></form></div>`
}

function renderEntrance(page: PageContext): Html {
  const signIn = withReturn(page, '/sign-in')
  const register = page.isRegistrationOpen && page.has('/register') && withReturn(page, '/register')
  return html`<a href="${signIn}">${t('layout.sign_in')}</a>${register && html`<a class="btn wide-only" href="${register}">${t('layout.create_account')}</a>`}
${menu(
  html`${icon('menu')}<span class="hide">${t('layout.menu')}</span>`,
  html`<nav aria-label="${t('layout.menu')}">${mainLinks(page).map((link) => renderLink(page, link))}${register && html`<hr><a href="${register}">${t('layout.create_account')}</a>`}</nav>`,
  'phone-only',
)}`
}

/**
 * Adds the current page to a path as the page to return to, unless it is the home page. On sign-in and registration
 * pages, copies their query instead.
 */
function withReturn({ path }: PageContext, href: string): string {
  const isEntrance = /^\/(?:sign-in|register)(?:\/|\?|$)/.test(path)
  const query = isEntrance
    ? path.split(/\?(.*)/s, 2)[1]
    : path === '/'
      ? undefined
      : `return_to=${encodeURIComponent(path)}`
  return query ? `${href}?${query}` : href
}

function renderAccountMenu(page: PageContext, name: string): Html {
  const choice = { href: '/account/choose', text: 'layout.switch_account' } as const
  const links = html`${page.menu('account').map((link) => renderLink(page, link))}${page.actor?.session?.hasChoice && renderLink(page, choice)}<hr><form method="post" action="/sign-out">${csrfField(page)}<button type="submit">${t('layout.sign_out')}</button></form>`
  return html`${menu(html`${icon('person')}<span class="account-name">${name}</span>${icon('down')}`, links, 'wide-only')}
${menu(
  html`${icon('menu')}<span class="hide">${t('layout.menu')}</span>`,
  html`<nav aria-label="${t('layout.menu')}">${mainLinks(page).map((link) => renderLink(page, link))}</nav><hr>${links}`,
  'phone-only',
)}`
}

const menu = (summary: Content, list: Content, where: 'wide-only' | 'phone-only') =>
  html`<details class="menu ${where}"><summary>${summary}</summary><div class="menu-list">${list}</div></details>`

export function csrfField(page: PageContext): Html {
  return html`<input type="hidden" name="_csrf" value="${page.csrfToken}">`
}
