import { exceededBound } from '../../../lib/json-bounds.ts'
import { BadDocument, type ForeignPosting, type Format, type Read, readOne, refused, UNREADABLE } from './posting.ts'
import { isMembers, type Members } from './values.ts'

const utf8 = () => new TextDecoder('utf-8', { fatal: true })

/** Joins chunks as they arrive, because a host can send millions of chunks of one byte. */
async function wholeBytes(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  let bytes = Buffer.allocUnsafe(65_536)
  let length = 0
  for await (const chunk of chunks) {
    if (length + chunk.length > bytes.length) {
      const grown = Buffer.allocUnsafe(2 * (length + chunk.length))
      grown.set(bytes.subarray(0, length))
      bytes = grown
    }
    bytes.set(chunk, length)
    length += chunk.length
  }
  return bytes.subarray(0, length)
}

/** Returns the whole document as text. Throws `BadDocument` if it is not UTF-8. */
export const wholeText = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => decoded(await wholeBytes(chunks))

function decoded(bytes: Buffer): string {
  try {
    return utf8().decode(bytes)
  } catch {
    throw new BadDocument('invalid_document', 'The document is not valid UTF-8.')
  }
}

/** Limits of JSON that is parsed as a whole. 64 MiB could otherwise be 20 million values, which take more than 1 GB. */
const BOUNDS = { valuesMax: 2_000_000, depthMax: 64 }

/** Parses JSON. Throws `BadDocument` if it exceeds the limits, or is not UTF-8. */
export function parseBounded(bytes: Buffer): unknown {
  if (exceededBound(bytes, BOUNDS)) {
    throw new BadDocument('invalid_document', 'The JSON has more than 2,000,000 values, or is nested too deeply.')
  }
  return JSON.parse(decoded(bytes))
}

/** Maximum nesting depth of a posting. Much deeper values would exhaust the stack. */
const DEPTH_MAX = 32
/** Maximum number of values in a posting. A posting in hundreds of locations has a few thousand. */
const VALUES_MAX = 20_000
/** Maximum total length of the texts in a posting, in characters. */
const LENGTH_MAX = 1_048_576

/** Returns whether a posting is nested too deeply, or has too many values or characters. */
function isExcessive(posting: Members): boolean {
  let [values, length] = [0, 0]
  const exceeds = (value: unknown, depth: number): boolean => {
    if (typeof value === 'string') length += value.length
    if (++values > VALUES_MAX || length > LENGTH_MAX) return true
    if (typeof value !== 'object' || value === null) return false
    return depth === DEPTH_MAX || Object.values(value).some((member) => exceeds(member, depth + 1))
  }
  return exceeds(posting, 0)
}

/** Parses a response as a JSON object. Throws `BadDocument` if the response is missing or contains anything else. */
export function membersIn(text: string | undefined): Members {
  try {
    const root = parseBounded(Buffer.from(text ?? ''))
    if (isMembers(root)) return root
  } catch {}
  throw new BadDocument('invalid_document', 'A response from the host is missing or not a JSON object.')
}

/**
 * Returns a `read` for JSON documents. `listIn` returns a document's list of postings, or any other value if the
 * document has no such list. A document has at most 64 MiB, so it is parsed as a whole.
 */
export function jsonFormat(
  listIn: (root: unknown) => unknown,
  adapt: (posting: Members) => ForeignPosting | undefined,
): Pick<Format, 'read'> {
  return {
    async *read(chunks) {
      const bytes = await wholeBytes(chunks)
      let root: unknown
      try {
        root = parseBounded(bytes)
      } catch (error) {
        if (error instanceof BadDocument) throw error
        const isEmpty = decoded(bytes).trim() === ''
        throw new BadDocument(isEmpty ? 'cut_document' : 'invalid_document', 'The document is not valid JSON.')
      }
      const list = listIn(root)
      if (!Array.isArray(list)) throw new BadDocument('invalid_document', 'The document has no list of postings.')
      for (const item of list) yield readMembers(item, adapt)
    },
  }
}

function readMembers(item: unknown, adapt: (posting: Members) => ForeignPosting | undefined): Read {
  return readOne(item, (value) => {
    if (!isMembers(value) || isExcessive(value)) throw new Error('not an object, or too large')
    return adapt(value)
  })
}

/** Maximum length of an NDJSON line, in bytes. */
const LINE_BYTES_MAX = 1_048_576
const NEWLINE = 0x0a

/**
 * A line. `text` is undefined if the line is overlong or not UTF-8. `isEnded` is false only for a last line without a
 * line break.
 */
interface Line {
  text: string | undefined
  isEnded: boolean
}

/** Returns a `read` for documents with one posting per line. */
export function linesFormat(adapt: (posting: Members) => ForeignPosting | undefined): Pick<Format, 'read'> {
  return {
    async *read(chunks) {
      let isFirst = true
      for await (const { text, isEnded } of linesOf(chunks)) {
        if (text?.trim() === '') continue
        let value: unknown
        try {
          value = JSON.parse(text ?? '')
        } catch {
          if (isFirst) {
            const detail = 'The first line is not valid JSON in UTF-8, or is longer than 1 MiB.'
            throw new BadDocument('invalid_document', detail)
          }
          if (!isEnded) {
            const detail = 'The last line is cut off, not valid JSON in UTF-8, or longer than 1 MiB.'
            throw new BadDocument('cut_document', detail)
          }
          yield refused(UNREADABLE, 'A line is not valid JSON in UTF-8, or is longer than 1 MiB.')
          continue
        }
        isFirst = false
        yield readMembers(value, adapt)
      }
    },
  }
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = utf8()
  let parts: Uint8Array[] = []
  let length = 0
  const add = (part: Uint8Array) => {
    length += part.length
    if (length <= LINE_BYTES_MAX) parts.push(part)
    else parts = []
  }
  const take = (isEnded: boolean): Line => {
    const line = length > LINE_BYTES_MAX ? undefined : Buffer.concat(parts)
    parts = []
    length = 0
    try {
      return { text: line && decoder.decode(line), isEnded }
    } catch {
      return { text: undefined, isEnded }
    }
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end))
      yield take(true)
      start = end + 1
    }
    if (start < chunk.length) add(chunk.subarray(start))
  }
  if (length > 0) yield take(false)
}
