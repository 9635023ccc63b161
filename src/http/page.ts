/** Sends pages that are not part of the website. */
import type { FastifyReply } from 'fastify'

/**
 * Sends a page that must not be cached or embedded in a frame, and that loads only our own pictures. `formTargets`
 * lists the allowed targets of its forms, including redirects.
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
      `default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; form-action ${formTargets}; frame-ancestors 'none'; base-uri 'none'`,
    )
    .send(html)
}
