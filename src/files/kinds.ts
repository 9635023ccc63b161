/** Detects a document's kind from its content, and cleans its file name. */
import { unzipSync } from 'fflate'

export const documentKinds = ['pdf', 'docx', 'doc', 'odt', 'rtf', 'txt'] as const
export type DocumentKind = (typeof documentKinds)[number]

export const mediaTypes: Record<DocumentKind, string> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  doc: 'application/msword',
  odt: 'application/vnd.oasis.opendocument.text',
  rtf: 'application/rtf',
  txt: 'text/plain',
}

export const kindOfMediaType = (type: string) => documentKinds.find((kind) => mediaTypes[kind] === type)

/** Returns the kind of a document, or undefined if the service does not support it. Decompresses no data. */
export function detectKind(bytes: Uint8Array): DocumentKind | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1_024)).toString('latin1')
  if (start.startsWith('%PDF-')) return 'pdf'
  if (start.startsWith('{\\rtf')) return 'rtf'
  if (start.startsWith('PK\x03\x04')) return kindOfZip(bytes, start)
  if (start.startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) return holdsWordDocument(bytes) ? 'doc' : undefined
  if (decodeText(bytes) !== undefined) return 'txt'
  // The header need not be at the start, because PDF readers skip any bytes before it.
  return start.includes('%PDF-') ? 'pdf' : undefined
}

/** Maximum number of ZIP entries. A document has about a dozen. */
const ZIP_ENTRIES_MAX = 10_000

const ODT_START = `mimetype${mediaTypes.odt}PK`

function kindOfZip(bytes: Uint8Array, start: string): DocumentKind | undefined {
  // The first entry of an OpenDocument file is its media type, uncompressed and without an extra field.
  if (start.startsWith(ODT_START, 30)) return 'odt'
  const names = new Set<string>()
  let entries = 0
  try {
    unzipSync(bytes, {
      filter: ({ name }) => {
        // A file of 400 bytes can declare four billion entries in its directory. Reading them would take half an hour.
        if (++entries > ZIP_ENTRIES_MAX) throw new RangeError('too many entries')
        names.add(name)
        return false
      },
    })
  } catch {
    return undefined
  }
  const isWord = names.has('[Content_Types].xml') && [...names].some((name) => WORD_BODY.test(name))
  // A Word document with macros is a DOCM file, which the service does not support.
  return isWord && !names.has('word/vbaProject.bin') ? 'docx' : undefined
}

/** Matches the main document's name: document.xml in Word, or document2.xml in Word for the web. */
export const WORD_BODY = /^word\/document\d*\.xml$/

/** The name of a Word document's main stream and the length of that name, as stored in its directory entry. */
const WORD_ENTRY = Buffer.alloc(66)
WORD_ENTRY.write('WordDocument', 'utf16le')
WORD_ENTRY.writeUInt16LE(26, 64)

function holdsWordDocument(bytes: Uint8Array): boolean {
  // Directory entries are 128 bytes long and aligned to that size.
  for (let at = 512; at + WORD_ENTRY.length <= bytes.length; at += 128) {
    if (WORD_ENTRY.equals(bytes.subarray(at, at + WORD_ENTRY.length))) return true
  }
  return false
}

/** Marks control characters that do not occur in text: all except tabs, line breaks and page breaks. */
const isControl = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number((byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d].includes(byte)) || byte === 0x7f),
)

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark. Returns undefined if the bytes are neither, or include control
 * characters that do not occur in text.
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const mark = bytes.length < 2 ? 0 : (bytes[0]! << 8) | bytes[1]!
  const encoding = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8'
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    return hasControl(encoding === 'utf-8' ? bytes : Buffer.from(text)) ? undefined : text
  } catch {
    return undefined
  }
}

/** Uses a loop, because a regular expression takes four times as long. */
function hasControl(utf8: Uint8Array): boolean {
  for (let at = 0; at < utf8.length; at++) if (isControl[utf8[at]!] === 1) return true
  return false
}

const NAME_LENGTH_MAX = 255
/** Maximum number of characters to process at the end of a name. Forms can contain names of several megabytes. */
const NAME_READ_MAX = 1_000

/**
 * Returns a name of at most 255 characters that is safe for file systems, headers and readers. Removes the path and
 * all control, invisible and bidirectional characters. The extension matches the document's kind.
 */
export function cleanFilename(given: string | undefined, kind: DocumentKind): string {
  const name = (given ?? '')
    .slice(-NAME_READ_MAX)
    .toWellFormed()
    .replace(/^.*[/\\]/s, '')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, '')
    .normalize('NFC')
    .replace(/[<>:"|?*\ufffd]/g, '_')
    .replace(/\s+/g, ' ')
    .trimEnd()
    .replace(new RegExp(`\\.(?:${documentKinds.join('|')})$`, 'i'), '')
    .replace(/^[. ]+|[. ]+$/g, '')
  const base = [...name].slice(0, NAME_LENGTH_MAX - kind.length - 1)
  return `${base.length > 0 ? base.join('').replace(/[. ]+$/, '') : 'resume'}.${kind}`
}
