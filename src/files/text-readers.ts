/** Extracts the text of documents. Runs only in a resource-limited worker, because documents may be malicious. */
import { Unzip, UnzipInflate } from 'fflate'
import { type DocumentKind, decodeText, WORD_BODY } from './kinds.ts'

export type ExtractionFault = 'password' | 'malformed' | 'too_large' | 'timeout' | 'memory'

export class UnreadableDocument extends Error {
  readonly fault: ExtractionFault

  constructor(fault: ExtractionFault, cause?: unknown) {
    super(fault, { cause })
    this.fault = fault
  }
}

/**
 * Maximum length of a text, in characters. Longer texts are truncated. A typical resume has a few thousand characters.
 */
export const TEXT_LENGTH_MAX = 100_000

/** Maximum length before `tidy`, which may shorten the text. */
const RAW_LENGTH_MAX = 4 * TEXT_LENGTH_MAX

/**
 * Maximum total size of the entries unpacked from a package, in bytes. A thousand pages of text correspond to about ten
 * megabytes of XML.
 */
const UNPACKED_BYTES_MAX = 50 * 1_048_576

/** Number of compressed bytes to process at a time. A compressed byte can expand to a thousand bytes. */
const PIECE_BYTES = 4_096

const readers: Record<DocumentKind, (bytes: Uint8Array) => string | Promise<string>> = {
  pdf: readPdf,
  docx: readDocx,
  doc: readDoc,
  odt: readOdt,
  rtf: readRtf,
  txt: (bytes) => decodeText(bytes) ?? '',
}

/**
 * Returns a document's text without characters that PostgreSQL cannot store. Throws `UnreadableDocument` or any error
 * from a library.
 */
export async function readText(kind: DocumentKind, bytes: Uint8Array): Promise<string> {
  return tidy(await readers[kind](bytes))
}

function tidy(text: string): string {
  return text
    .slice(0, RAW_LENGTH_MAX)
    .replace(/\r\n?|[\u2028\u2029\f\v]/g, '\n')
    .replace(/[\p{Cc}\p{Cs}\p{Co}\p{Cn}]/gu, (character) => (character === '\n' || character === '\t' ? character : ''))
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim()
    .slice(0, TEXT_LENGTH_MAX)
    .replace(/\p{Cs}$/u, '')
}

async function readPdf(bytes: Uint8Array): Promise<string> {
  const { getDocumentProxy } = await import('unpdf')
  const document = await getDocumentProxy(bytes, { verbosity: 0 }).catch((error: Error) => {
    throw new UnreadableDocument(error.name === 'PasswordException' ? 'password' : 'malformed', error)
  })
  let text = ''
  for (let number = 1; number <= document.numPages && text.length < RAW_LENGTH_MAX; number++) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    for (const item of items) if ('str' in item) text += item.hasEOL ? `${item.str}\n` : item.str
    text += '\n'
    page.cleanup()
  }
  return text
}

/** Unpacks entries with matching names. Works piece by piece, because the sizes in the headers are untrusted. */
function unpack(bytes: Uint8Array, isWanted: (name: string) => boolean): Map<string, string> {
  const parts = new Map<string, Uint8Array[]>()
  let total = 0
  const unzip = new Unzip((file) => {
    if (!isWanted(file.name)) return
    const chunks: Uint8Array[] = []
    parts.set(file.name, chunks)
    file.ondata = (error, chunk) => {
      // Errors thrown below arrive in this callback.
      if (error) throw error instanceof UnreadableDocument ? error : new UnreadableDocument('malformed', error)
      total += chunk.length
      if (total > UNPACKED_BYTES_MAX) throw new UnreadableDocument('too_large')
      chunks.push(chunk)
    }
    file.start()
  })
  unzip.register(UnzipInflate)
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    unzip.push(bytes.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES >= bytes.length)
  }
  return new Map([...parts].map(([name, chunks]) => [name, new TextDecoder().decode(Buffer.concat(chunks))]))
}

/**
 * Matches an element's tag, other markup, or text. No match extends past the next `<`, so matching takes linear time.
 */
const XML = /<(\/?)([\w:.-]+)(?![\w:.-])[^<>]*>|<[^<>]*>?|[^<]+/g
const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/gi
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decodeEntities(text: string): string {
  return text.replace(ENTITY, (_whole, name: string | undefined, decimal: string | undefined, hex: string) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? ''
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0x10ffff ? '' : String.fromCodePoint(code)
  })
}

interface XmlText {
  /** The element to extract text from. Absent: the whole document. */
  within?: string
  skipped: readonly string[]
  /** Text to insert at the end of an element, by element name. */
  marks: Readonly<Record<string, string>>
}

function readXml(xml: string, { within, skipped, marks }: XmlText): string {
  let text = ''
  let isWithin = within === undefined
  let skippedBy: string | undefined
  for (const [whole, slash, name] of xml.matchAll(XML)) {
    if (text.length >= RAW_LENGTH_MAX) break
    if (name === undefined) {
      if (isWithin && skippedBy === undefined && !whole.startsWith('<')) text += decodeEntities(whole)
      continue
    }
    const isEnd = slash === '/'
    const isEmpty = whole.endsWith('/>')
    if (skippedBy !== undefined) {
      if (isEnd && name === skippedBy) skippedBy = undefined
    } else if (skipped.includes(name)) {
      if (!isEnd && !isEmpty) skippedBy = name
    } else if (name === within) isWithin = !isEnd && !isEmpty
    else if (isEnd || isEmpty) text += marks[name] ?? ''
  }
  return text
}

const wordXml: XmlText = {
  within: 'w:t',
  // This element repeats the text for applications that do not support the newer markup.
  skipped: ['mc:Fallback'],
  marks: { 'w:p': '\n', 'w:br': '\n', 'w:cr': '\n', 'w:tab': '\t' },
}
const openDocumentXml: XmlText = {
  skipped: ['text:tracked-changes', 'office:annotation', 'office:automatic-styles'],
  marks: { 'text:p': '\n', 'text:h': '\n', 'text:line-break': '\n', 'text:tab': '\t', 'text:s': ' ' },
}

function readDocx(bytes: Uint8Array): string {
  const parts = unpack(
    bytes,
    (name) => WORD_BODY.test(name) || /^word\/(?:header|footer|footnotes)\d*\.xml$/.test(name),
  )
  if (![...parts.keys()].some((name) => WORD_BODY.test(name))) throw new UnreadableDocument('malformed')
  return [...parts.values()].map((xml) => readXml(xml, wordXml)).join('\n')
}

function readOdt(bytes: Uint8Array): string {
  const parts = unpack(bytes, (name) => name === 'content.xml' || name === 'META-INF/manifest.xml')
  if (parts.get('META-INF/manifest.xml')?.includes('encryption-data')) throw new UnreadableDocument('password')
  const content = parts.get('content.xml')
  if (content === undefined) throw new UnreadableDocument('malformed')
  return readXml(content, openDocumentXml)
}

async function readDoc(bytes: Uint8Array): Promise<string> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (isEncryptedDoc(file)) throw new UnreadableDocument('password')
  const { default: WordExtractor } = await import('word-extractor')
  const document = await new WordExtractor().extract(file)
  return [document.getBody(), document.getHeaders(), document.getFootnotes(), document.getTextboxes()].join('\n')
}

/**
 * Returns whether a Word document is encrypted, according to the header of its main stream. The stream starts at a
 * sector boundary.
 */
function isEncryptedDoc(file: Buffer): boolean {
  for (let at = 512; at + 12 <= file.length; at += 512) {
    if (file.readUInt16LE(at) === 0xa5ec) return (file.readUInt16LE(at + 10) & 0x0100) !== 0
  }
  return false
}

const RTF = /\\([a-z]+)(-?\d{1,10})? ?|\\'([\da-f]{2})|\\([^a-z])|([{}])|[^\\{}\r\n]+/giy
const RTF_GROUPS_MAX = 10_000
const RTF_SKIPPED = new Set(
  'fonttbl colortbl stylesheet info pict object fldinst themedata colorschememapping datastore listtable filetbl revtbl'.split(
    ' ',
  ),
)
const RTF_MARKS: Record<string, string> = {
  ...Object.fromEntries(['par', 'line', 'sect', 'page', 'row', 'cell'].map((word) => [word, '\n'])),
  tab: '\t',
  emdash: '\u2014',
  endash: '\u2013',
  lquote: '\u2018',
  rquote: '\u2019',
  ldblquote: '\u201c',
  rdblquote: '\u201d',
  bullet: '\u2022',
}

function readRtf(bytes: Uint8Array): string {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  let decoder = new TextDecoder('windows-1252')
  let text = ''
  let encoded: number[] = []
  const groups: { isSkipped: boolean; replacements: number }[] = []
  let group = { isSkipped: false, replacements: 1 }
  /** Number of following characters to skip because the preceding `\u` replaces them. */
  let replaced = 0
  const add = (more: string) => {
    if (!group.isSkipped) text += more
  }
  const flush = () => {
    if (encoded.length > 0) add(decoder.decode(Uint8Array.from(encoded)))
    encoded = []
  }
  RTF.lastIndex = 0
  while (RTF.lastIndex < source.length && text.length < RAW_LENGTH_MAX) {
    const at = RTF.lastIndex
    const match = RTF.exec(source)
    if (!match) {
      // Skips a line break, or a backslash at the end of the file.
      RTF.lastIndex = at + 1
      continue
    }
    const [whole, word, parameter, hex, symbol, brace] = match
    if (hex !== undefined) {
      if (replaced > 0) replaced--
      else encoded.push(Number.parseInt(hex, 16))
      continue
    }
    flush()
    if (brace === '{') {
      if (groups.length === RTF_GROUPS_MAX) throw new UnreadableDocument('malformed')
      groups.push(group)
      group = { ...group }
    } else if (brace === '}') group = groups.pop() ?? group
    else if (symbol !== undefined) {
      if (symbol === '*') group.isSkipped = true
      else if (symbol === '~') add(' ')
      else if (symbol === '_') add('-')
      else if (symbol === '\r' || symbol === '\n') add('\n')
      else if ('\\{}'.includes(symbol)) add(symbol)
    } else if (word === undefined) {
      add(whole.slice(replaced))
      replaced = Math.max(0, replaced - whole.length)
    } else if (word === 'u') {
      add(String.fromCharCode(Number(parameter) & 0xffff))
      replaced = group.replacements
    } else if (word === 'uc') group.replacements = Math.min(Math.max(Number(parameter ?? 1), 0), 100)
    else if (word === 'bin') RTF.lastIndex += Math.max(0, Number(parameter ?? 0))
    else if (word === 'ansicpg') decoder = decoderOf(Number(parameter))
    else if (RTF_SKIPPED.has(word)) group.isSkipped = true
    else add(RTF_MARKS[word] ?? '')
  }
  flush()
  return text
}

function decoderOf(codePage: number): TextDecoder {
  const names: Record<number, string> = { 932: 'shift_jis', 936: 'gbk', 949: 'euc-kr', 950: 'big5', 65001: 'utf-8' }
  try {
    return new TextDecoder(names[codePage] ?? `windows-${codePage}`)
  } catch {
    return new TextDecoder('windows-1252')
  }
}
