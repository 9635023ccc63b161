/** Where somebody may be sent back to: a path of ours, whatever was asked for. */
import type { FastifyRequest } from 'fastify'

const OURS = 'http://ours.invalid'

/** The path with its query when it is one on this host, else undefined. */
export function localPath(text: string | undefined): string | undefined {
  // Browsers read a backslash as a slash, and leave out tabs and line breaks.
  if (text === undefined || text.length > 2_048 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text)) return undefined
  const url = URL.parse(text, OURS)
  // Without its dots `/.//host` is another host.
  return url?.origin === OURS && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}` : undefined
}

/** Where a request wants to be sent back to: the query's `return_to`, or a form's own field of that name. */
export function returnToOf({ query, form }: Pick<FastifyRequest, 'query' | 'form'>): string | undefined {
  const sent = form?.get('_return_to')?.at(-1) ?? (query as Record<string, unknown>).return_to
  return typeof sent === 'string' ? localPath(sent) : undefined
}
