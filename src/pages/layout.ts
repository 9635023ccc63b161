/** The HTML document around the content of a page. */
import { attributes, type Content, type Html, html } from './html.ts'
import type { NavigationEntry, PageContext } from './page.ts'

export interface Document {
  /** Title of the page. The board's name is appended. */
  title: string
  /** Description for search engines, in one sentence. */
  description?: string
  /** The canonical path of the page. Absent: search engines must not index the page. */
  canonical?: string
  /** Scripts in `assets/`. */
  modules?: readonly string[]
  /** Further elements in the head. */
  head?: Content
  /** `wide` for lists and tables, `narrow` for texts and forms. */
  width?: 'wide' | 'narrow'
}

export const SITE_NAME = 'Job Marketplace'

/** Returns the template tag of a whole page. The template must contain the page's only h1. */
export const htmlPage =
  (page: PageContext, document: Document) =>
  (literals: TemplateStringsArray, ...contents: Content[]): Html =>
    renderDocument(page, document, html(literals, ...contents))

/** Renders a whole page. `content` must contain its only h1. */
export function renderDocument(page: PageContext, document: Document, content: Html): Html {
  const { title, description, canonical, modules = [], head, width = 'wide' } = document
  const { actor } = page
  const notice = page.takeNotice()
  const links = page.menu(actor?.kind ?? 'visitor')
  const fullTitle = title === SITE_NAME ? title : `${title} · ${SITE_NAME}`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${fullTitle}</title>
${description !== undefined && html`<meta name="description" content="${description}">`}
${
  canonical === undefined
    ? html`<meta name="robots" content="noindex">`
    : html`<link rel="canonical" href="${page.origin}${canonical}">`
}
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${page.asset('app.css')}">
<link rel="icon" href="${page.asset('icon.svg')}" type="image/svg+xml">
${['site.js', ...modules].map((name) => html`<script type="module" src="${page.asset(name)}"></script>`)}
${head}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="site-header">
<div class="frame">
<a class="brand" href="/">${SITE_NAME}</a>
<nav class="site-nav" aria-label="Main">${links.map((link) => renderLink(page, link))}</nav>
<div class="account">${actor ? renderAccount(page) : renderEntrance(page)}</div>
</div>
</header>
<main id="main" class="frame ${width}" tabindex="-1">
${
  page.isStale &&
  html`<div class="notice" role="status">Some of this may be a few minutes old, and you can’t sign in or apply right now. Please try again soon.</div>`
}
${notice !== undefined && html`<div class="notice" role="status">${notice}</div>`}
${content}
</main>
<footer class="site-footer">
<div class="frame">
<nav aria-label="About">${page.menu('footer').map(({ href, text }) => html`<a href="${href}">${text}</a>`)}</nav>
<p>Jobs in the automotive and technology sector.</p>
</div>
</footer>
</body>
</html>`
}

function renderLink({ path }: PageContext, { href, text }: NavigationEntry): Html {
  const bare = path.split('?', 1)[0]!
  const isHere = bare === href || bare.startsWith(`${href}/`)
  return html`<a href="${href}"${attributes({ 'aria-current': isHere ? 'page' : undefined })}>${text}</a>`
}

function renderEntrance(page: PageContext): Html {
  return html`<a href="/sign-in">Sign in</a>${
    page.isRegistrationOpen && page.has('/register') && html`<a class="button" href="/register">Register</a>`
  }`
}

function renderAccount(page: PageContext): Html {
  return html`<a href="/account" class="account-name">${page.actor!.name}</a>
<form method="post" action="/sign-out">${csrfField(page)}<button class="button quiet" type="submit">Sign out</button></form>`
}

export function csrfField(page: PageContext): Html {
  return html`<input type="hidden" name="_csrf" value="${page.csrfToken}">`
}
