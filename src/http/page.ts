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

/** Returns the HTML of a page. `body` must be HTML. */
export function renderPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
.test{background:#fff3cd;border:1px solid #b58900;padding:.6rem 1rem}
table{width:100%;border-collapse:collapse;margin:1rem 0}th,td{text-align:left;padding:.4rem 0;border-bottom:1px solid #ddd}
td:last-child,th:last-child{text-align:right}button{font:inherit;padding:.7rem 1.4rem;border:0;background:#0b5cad;color:#fff;cursor:pointer}
button:focus-visible{outline:3px solid #b58900}small{color:#555}
@media (prefers-color-scheme:dark){body{background:#161616;color:#eee}.test{color:#1a1a1a}small{color:#bbb}}
</style></head><body><main>${body}</main></body></html>`
}
