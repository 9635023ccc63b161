import { BadDocument, type ForeignPosting, type Format, type Read, readOne, refused, UNREADABLE } from './posting.ts'
import { isMembers, type Members } from './values.ts'

const utf8 = () => new TextDecoder('utf-8', { fatal: true })

/** Returns the whole document as text. Throws `BadDocument` if it is not UTF-8. */
export async function wholeText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = utf8()
  let text = ''
  try {
    for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true })
    return text + decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new BadDocument('invalid_document', 'The document is not valid UTF-8.')
  }
}

/** Maximum nesting depth of a posting. Much deeper values would exhaust the stack. */
const DEPTH_MAX = 32

function isDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === DEPTH_MAX || Object.values(value).some((member) => isDeep(member, depth + 1))
}

/** Parses a response as a JSON object. Throws `BadDocument` if the response is missing or contains anything else. */
export function membersIn(text: string | undefined): Members {
  try {
    const root = JSON.parse(text ?? '')
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
      const text = await wholeText(chunks)
      let root: unknown
      try {
        root = JSON.parse(text)
      } catch {
        throw new BadDocument(
          text.trim() === '' ? 'cut_document' : 'invalid_document',
          'The document is not valid JSON.',
        )
      }
      const list = listIn(root)
      if (!Array.isArray(list)) throw new BadDocument('invalid_document', 'The document has no list of postings.')
      for (const item of list) yield readMembers(item, adapt)
    },
  }
}

function readMembers(item: unknown, adapt: (posting: Members) => ForeignPosting | undefined): Read {
  return readOne(item, (value) => {
    if (!isMembers(value) || isDeep(value)) throw new Error('not an object, or nested too deeply')
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
