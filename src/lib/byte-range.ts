/** Parses the Range header (RFC 9110, section 14). Only a single byte range is supported. */

/** The first and the last byte, both inclusive. */
export interface ByteRange {
  first: number
  last: number
}

/**
 * Returns the requested range of content with `size` bytes, or `unsatisfiable` if the range selects no byte. Returns
 * undefined if the header is absent or is not a valid single byte range; the whole content must then be sent.
 */
export function parseByteRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=[ \t]*(?:(\d+)-(\d*)|-(\d+))[ \t]*$/i.exec(header ?? '')
  if (!match) return undefined
  const [, from, to, suffix] = match
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), size)
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 }
  }
  const first = Number(from)
  const last = to ? Number(to) : Number.POSITIVE_INFINITY
  if (last < first) return undefined
  return first >= size ? 'unsatisfiable' : { first, last: Math.min(last, size - 1) }
}
