/** Restricts redirects after an action to paths on this host. */
import type { FastifyRequest } from 'fastify'
import { RETURN_TO_BYTES_MAX } from '../lib/head-limits.ts'

const OURS = 'http://ours.invalid'

/** Returns the normalized path and query. Returns undefined for other URLs, and for paths too long for a redirect. */
export function localPath(text: string | undefined): string | undefined {
  // Browsers treat a backslash as a slash, and remove tabs and line breaks.
  if (text === undefined || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text)) return undefined
  if (encodeURIComponent(text).length > RETURN_TO_BYTES_MAX) return undefined
  const url = URL.parse(text, OURS)
  // `/.//host` refers to another host once its dot segment is removed.
  return url?.origin === OURS && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}` : undefined
}

/** Returns the path to return to, from the form field `_return_to` or the query parameter `return_to`. */
export function returnToOf({ query, form }: Pick<FastifyRequest, 'query' | 'form'>): string | undefined {
  const sent = form?.get('_return_to')?.at(-1) ?? (query as Record<string, unknown>).return_to
  return typeof sent === 'string' ? localPath(sent) : undefined
}
