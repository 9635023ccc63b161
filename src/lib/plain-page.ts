/**
 * Renders plain pages outside the website, in the website's look, as HTML that loads no resources and needs no script.
 */
import type { Language } from '../locale/languages.ts'
import { type Brand, readableColor } from './brand.ts'
import { escapeHtml } from './html.ts'

/** The website's look, for pages that must not load resources and that also exist without the website. */
const STYLE = `:root{color-scheme:light dark;--paper:#f8f7f4;--surface:#fff;--line:#e3e0d9;--ink:#1a1d21;--soft:#575b62;--on-accent:#fff;--focus:#b54708}
@media (prefers-color-scheme:dark){:root{--paper:#121416;--surface:#1a1d20;--line:#32373c;--ink:#eceae6;--soft:#abafb4;--on-accent:#000;--focus:#ffb454}}
*{box-sizing:border-box}body{margin:0;padding:2rem 1rem;background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",sans-serif;overflow-wrap:break-word}
.name{max-width:34rem;margin:0 auto 1rem;font-weight:700;font-size:1.125rem}
.sheet{max-width:34rem;margin:0 auto;padding:1.5rem;background:var(--surface);border:1px solid var(--line);border-radius:1rem}
h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.2;letter-spacing:-.02em}a{color:var(--accent)}small{color:var(--soft)}
button{min-height:2.75rem;padding:.5rem 1.05rem;border:0;border-radius:.625rem;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;cursor:pointer}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}`

/** The brand members that pages outside the website show. */
export type PageFace = Pick<Brand, 'name' | 'accentColor'>

interface PlainPage {
  language: Language
  title: string
  /** HTML of the main element. */
  body: string
  /** HTML above the board's name. */
  banner?: string
  /** Class of the main element. */
  main?: string
  /** Additional CSS rules. */
  style?: string
}

/** Returns the HTML of a page with the board's name and color. */
export function renderPage(
  face: PageFace,
  { language, title, body, banner = '', main = 'sheet', style = '' }: PlainPage,
): string {
  const name = escapeHtml(face.name)
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · ${name}</title>
<style>
${STYLE}
:root{--accent:${readableColor(face, 'light')}}
@media (prefers-color-scheme:dark){:root{--accent:${readableColor(face, 'dark')}}}
${style}
</style></head><body>${banner}<header class="name">${name}</header><main class="${main}">${body}</main></body></html>`
}
