/** Renders pages that are not part of the website, as plain HTML that works without scripts. */
import type { FastifyReply } from 'fastify'
import { escapeHtml } from '../lib/html.ts'

/**
 * Sends a page that must not be cached or embedded in a frame, and that loads no resources. `formTargets` lists the
 * allowed targets of its forms, including redirects.
 */
export function sendPage(reply: FastifyReply, status: number, html: string, formTargets = "'self'"): FastifyReply {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex')
    .header(
      'content-security-policy',
      `default-src 'none'; style-src 'unsafe-inline'; form-action ${formTargets}; frame-ancestors 'none'; base-uri 'none'`,
    )
    .send(html)
}

/** The website's look for pages that must load nothing and that also exist without the website. */
const STYLE = `:root{color-scheme:light dark;--paper:#f8f7f4;--surface:#fff;--line:#e3e0d9;--ink:#1a1d21;--soft:#575b62;--accent:#0b6472;--on-accent:#fff;--warn:#fdf1d8;--focus:#b54708}
@media (prefers-color-scheme:dark){:root{--paper:#121416;--surface:#1a1d20;--line:#32373c;--ink:#eceae6;--soft:#abafb4;--accent:#6cc5d3;--on-accent:#0b1719;--warn:#33270f;--focus:#ffb454}}
*{box-sizing:border-box}body{margin:0;padding:2rem 1rem;background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",sans-serif;overflow-wrap:break-word}
main{max-width:34rem;margin:0 auto;padding:1.5rem;background:var(--surface);border:1px solid var(--line);border-radius:1rem}
h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.2;letter-spacing:-.02em}a{color:var(--accent)}small{color:var(--soft)}
.test{padding:.75rem 1rem;border-radius:.625rem;background:var(--warn)}
table{width:100%;border-collapse:collapse;margin:1rem 0}th,td{text-align:left;padding:.5rem 0;border-bottom:1px solid var(--line)}td:last-child,th:last-child{text-align:right}
button{min-height:2.75rem;padding:.5rem 1.05rem;border:0;border-radius:.625rem;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;cursor:pointer}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}`

/** Returns the HTML of a page. `body` must be HTML. */
export function renderPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
${STYLE}
</style></head><body><main>${body}</main></body></html>`
}
