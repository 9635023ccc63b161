/** The Range header (RFC 9110, section 14), as far as we serve it: one range of bytes. */

/** First and last byte, both included. */
export interface ByteRange {
  first: number
  last: number
}

/**
 * The range of a thing of `size` bytes that a header asks for; undefined when the whole is to be sent, as for anything
 * malformed and for several ranges at once.
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
