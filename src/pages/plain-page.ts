/**
 * Renders plain pages that look like the website but are not part of it. Their HTML loads only the logo and needs no
 * script.
 */
import { type Brand, readableColor } from '../lib/brand.ts'
import { escapeHtml } from '../lib/html.ts'
import { currentLocale } from '../locale/locale.ts'
import { t } from '../locale/messages.ts'
import { type Html, html } from './html.ts'
import { legalLinks, renderMark } from './layout.ts'

/**
 * Styles like those of the website, for pages that must not load style sheets and that also exist without the website.
 */
const STYLE = `:root{color-scheme:light dark;--paper:#f8f7f4;--surface:#fff;--line:#e3e0d9;--ink:#1a1d21;--soft:#575b62;--on-accent:#fff;--focus:#b54708}
@media (prefers-color-scheme:dark){:root{--paper:#121416;--surface:#1a1d20;--line:#32373c;--ink:#eceae6;--soft:#abafb4;--on-accent:#000;--focus:#ffb454}}
*{box-sizing:border-box}body{margin:0;padding:2rem 1rem;background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",sans-serif;overflow-wrap:break-word}
.top,.foot{max-width:34rem;margin:0 auto}
.brand{display:inline-flex;align-items:center;gap:.6rem;margin-bottom:1rem;color:var(--ink);font-weight:700;font-size:1.125rem;letter-spacing:-.02em;text-decoration:none}
.brand svg,.brand img{flex:none;width:auto;max-width:10rem;height:1.9rem;object-fit:contain}.brand-mark{fill:var(--accent)}.brand-cut{fill:var(--on-accent)}
.sheet{max-width:34rem;margin:0 auto;padding:1.5rem;background:var(--surface);border:1px solid var(--line);border-radius:1rem}
h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.2;letter-spacing:-.02em}a{color:var(--accent)}small{color:var(--soft)}
.foot ul{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin:1.5rem 0 0;padding:0;list-style:none;font-size:.875rem}.foot a{display:inline-block;padding-block:.25rem;color:var(--soft)}
button{min-height:2.75rem;padding:.5rem 1.05rem;border:0;border-radius:.625rem;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;cursor:pointer}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}`

/** The board's data that pages outside the website show. */
export interface BoardFace {
  brand: Brand
  /** If false, these pages link neither to the board nor to its legal pages. */
  hasWebsite: boolean
}

interface PlainPage {
  title: string
  /** Content of the main element. */
  body: Html
  /** Content above the header. */
  banner?: Html | undefined
  /** Class of the main element. */
  main?: string
  /** Additional CSS rules. */
  style?: string
}

/** Returns the HTML of a page with the board's logo, name, color, legal pages and contact. */
export function renderPage(face: BoardFace, { title, body, banner, main = 'sheet', style = '' }: PlainPage): string {
  const { brand } = face
  return `<!doctype html>
<html lang="${currentLocale().language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · ${escapeHtml(brand.name)}</title>
<style>
${STYLE}
:root{--accent:${readableColor(brand, 'light')}}
@media (prefers-color-scheme:dark){:root{--accent:${readableColor(brand, 'dark')}}}
${style}
</style></head><body>${banner ?? ''}${renderHeader(face)}<main class="${main}">${body}</main>${renderFooter(face)}</body></html>`
}

function renderHeader({ brand, hasWebsite }: BoardFace): Html {
  const content = html`${renderMark(brand)}${brand.name}`
  const name = hasWebsite ? html`<a class="brand" href="/">${content}</a>` : html`<span class="brand">${content}</span>`
  return html`<header class="top">${name}</header>`
}

function renderFooter({ brand, hasWebsite }: BoardFace): Html {
  const home = hasWebsite ? [{ href: '/', text: t('shared.back_to_board', { board: brand.name }) }] : []
  const links = [...home, ...legalLinks(hasWebsite ? brand : { ...brand, pages: [] })]
  return html`${links.length > 0 && html`<footer class="foot"><ul>${links.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}</ul></footer>`}`
}
