/** Where somebody may be sent back to: a path of ours, whatever was asked for. */
import type { FastifyRequest } from 'fastify'
import { RETURN_TO_BYTES_MAX } from '../lib/head-limits.ts'

const OURS = 'http://ours.invalid'

/** Returns the path with its query if it is on this host and short enough for a redirect, else undefined. */
export function localPath(text: string | undefined): string | undefined {
  // Browsers read a backslash as a slash, and leave out tabs and line breaks.
  if (text === undefined || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text)) return undefined
  if (encodeURIComponent(text).length > RETURN_TO_BYTES_MAX) return undefined
  const url = URL.parse(text, OURS)
  // Without its dots `/.//host` is another host.
  return url?.origin === OURS && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}` : undefined
}

/** Where a request wants to be sent back to: the query's `return_to`, or a form's own field of that name. */
export function returnToOf({ query, form }: Pick<FastifyRequest, 'query' | 'form'>): string | undefined {
  const sent = form?.get('_return_to')?.at(-1) ?? (query as Record<string, unknown>).return_to
  return typeof sent === 'string' ? localPath(sent) : undefined
}
