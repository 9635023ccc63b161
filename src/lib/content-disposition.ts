/** Parses and formats file names in the Content-Disposition header (RFC 6266). */
import { create, decodeExtended, parse } from 'content-disposition'
import { FILENAME_BYTES_MAX } from './head-limits.ts'

/** Returns the file name in a header, if there is one. `filename*` takes precedence over `filename`. */
export function filenameOf(header: string | undefined): string | undefined {
  // With the semicolon, the parser accepts headers without a disposition type, which some clients send.
  const { parameters } = parse(`;${header ?? ''}`, { extended: false })
  const extended = parameters['filename*'] === undefined ? undefined : decodeExtended(parameters['filename*'])
  return extended ?? (parameters.filename === undefined ? undefined : decodeBytes(parameters.filename))
}

/** Decodes UTF-8, which most clients send, from a header whose characters are single bytes. */
function decodeBytes(value: string): string {
  const text = Buffer.from(value, 'latin1').toString()
  return text.includes('\ufffd') ? value : text
}

/**
 * Returns an `attachment` header value with this file name, both in full and, for old clients, in ASCII. Shortens a
 * name that is too long for a header.
 */
export const attachment = (name: string): string => create(shortened(name))

/** Returns an `inline` header value. Browsers suggest this file name when a reader saves the displayed file. */
export const inline = (name: string): string => create(shortened(name), { type: 'inline' })

/** Shortens a name without splitting characters, and keeps its extension. */
function shortened(name: string): string {
  const [, stem = name, extension = ''] = /^(.+)(\.[\w-]{1,16})$/su.exec(name) ?? []
  const characters = Array.from(stem)
  const fits = () => encodeURIComponent(characters.join('') + extension).length <= FILENAME_BYTES_MAX
  while (characters.length > 1 && !fits()) characters.pop()
  return characters.join('') + extension
}
