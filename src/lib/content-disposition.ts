/** Reads and writes file names in the Content-Disposition header (RFC 6266). */
import { FILENAME_BYTES_MAX } from './head-limits.ts'

const PARAMETER = /;\s*(filename\*?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/gi

/** Returns the file name in a header, if any; `filename*` takes precedence over `filename`. */
export function filenameOf(header: string | undefined): string | undefined {
  let plain: string | undefined
  for (const [, name, quoted, token] of `;${header ?? ''}`.matchAll(PARAMETER)) {
    const value = quoted?.replace(/\\(.)/g, '$1') ?? token!
    if (name === 'filename') plain ??= decodeBytes(value)
    else {
      const extended = decodeExtended(value)
      if (extended !== undefined) return extended
    }
  }
  return plain
}

/** Decodes a header value as UTF-8, which most clients mean. Headers arrive with one character per byte. */
function decodeBytes(value: string): string {
  const bytes = Buffer.from(value, 'latin1')
  const text = bytes.toString()
  return text.includes('\ufffd') ? value : text
}

/** Decodes a value such as `UTF-8''na%C3%AFve.pdf` (RFC 8187). */
function decodeExtended(value: string): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value)?.[1]
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}

/** Returns `attachment` with this name, in ASCII for old clients and exactly. Shortens names too long for the headers. */
export function attachment(name: string): string {
  const filename = shortened(name)
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/gu, '_')
  const exact = encodeURIComponent(filename).replace(
    /['()*!]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${exact}`
}

/** Shortens a name between whole characters, keeping its extension. */
function shortened(name: string): string {
  const [, stem = name, extension = ''] = /^(.+)(\.[\w-]{1,16})$/su.exec(name) ?? []
  const characters = Array.from(stem)
  const fits = () => encodeURIComponent(characters.join('') + extension).length <= FILENAME_BYTES_MAX
  while (characters.length > 1 && !fits()) characters.pop()
  return characters.join('') + extension
}
