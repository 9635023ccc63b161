/** Where somebody may be sent back to: a path of ours, whatever was asked for. */

const OURS = 'http://ours.invalid'

/** The path with its query when it is one on this host, else undefined. */
export function localPath(text: string | undefined): string | undefined {
  // Browsers read a backslash as a slash, and leave out tabs and line breaks.
  if (text === undefined || text.length > 2_048 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text)) return undefined
  const url = URL.parse(text, OURS)
  return url?.origin === OURS ? `${url.pathname}${url.search}` : undefined
}
