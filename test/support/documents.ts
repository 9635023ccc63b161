/** Generates documents of every kind, valid and malicious. */
import { deflateSync } from 'node:zlib'
import { strToU8, Zip, ZipDeflate, zipSync } from 'fflate'

/** Creates a PDF from these objects, numbered from 1. The first object is the catalog. */
export function pdfOf(objects: readonly (string | Buffer)[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
  const offsets: number[] = []
  let length = parts[0]!.length
  const add = (part: Buffer) => {
    parts.push(part)
    length += part.length
  }
  objects.forEach((object, index) => {
    offsets.push(length)
    add(Buffer.from(`${index + 1} 0 obj\n`))
    add(Buffer.isBuffer(object) ? object : Buffer.from(object, 'latin1'))
    add(Buffer.from('\nendobj\n'))
  })
  const xref = length
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  add(Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${entries}`))
  add(Buffer.from(`trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${xref}\n%%EOF\n`, 'latin1'))
  return Buffer.concat(parts)
}

export function pdfStream(content: Buffer | string, dictionary = ''): Buffer {
  const bytes = Buffer.from(content)
  return Buffer.concat([
    Buffer.from(`<< /Length ${bytes.length} ${dictionary} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ])
}

const PDF_FRAME = [
  '<< /Type /Catalog /Pages 2 0 R >>',
  '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
]
const PDF_FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'

/** Creates a PDF with one page and this content stream. */
export function pdfWithContent(content: Buffer, more: readonly string[] = [], trailer = ''): Buffer {
  return pdfOf([...PDF_FRAME, content, PDF_FONT, ...more], trailer)
}

/** Creates a PDF with one page and these lines. */
export function pdf(...lines: string[]): Buffer {
  const shown = lines.map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`).join('\n')
  return pdfWithContent(pdfStream(`BT /F1 12 Tf 14 TL 72 720 Td\n${shown}\nET`))
}

/** Creates a PDF without text that takes minutes to read: 1,000 pages share 800,000 operators that compress to 2 KB. */
export function slowPdf(pages = 1_000): Buffer {
  const content = pdfStream(deflateSync(Buffer.from('q Q\n'.repeat(400_000))), '/Filter /FlateDecode')
  const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 3 0 R >>'
  const kids = Array.from({ length: pages }, (_, index) => `${index + 4} 0 R`).join(' ')
  const tree = `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`
  return pdfOf(['<< /Type /Catalog /Pages 2 0 R >>', tree, content, ...Array.from({ length: pages }, () => page)])
}

/** Creates a PDF that requires a password. */
export function lockedPdf(): Buffer {
  const key = `<${'5a'.repeat(32)}>`
  const encryption = `<< /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -44 >>`
  const content = pdfStream('BT /F1 12 Tf (secret) Tj ET')
  return pdfWithContent(content, [encryption], '/Encrypt 6 0 R /ID [<00> <00>]')
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

type Parts = Record<string, string | Uint8Array>

export function zipOf(parts: Parts, stored: readonly string[] = []): Buffer {
  const files = Object.entries(parts).map(([name, part]) => {
    const bytes = typeof part === 'string' ? strToU8(part) : part
    return [name, [bytes, { level: stored.includes(name) ? 0 : 6 }]] as const
  })
  return Buffer.from(zipSync(Object.fromEntries(files) as Parameters<typeof zipSync>[0]))
}

/** Creates a ZIP archive as a stream would: sizes follow the parts instead of preceding them. */
export function streamedZipOf(parts: Record<string, string>): Buffer {
  const chunks: Uint8Array[] = []
  const zip = new Zip((_error, chunk) => void chunks.push(chunk))
  for (const [name, text] of Object.entries(parts)) {
    const part = new ZipDeflate(name)
    zip.add(part)
    part.push(strToU8(text), true)
  }
  zip.end()
  return Buffer.concat(chunks)
}

const CONTENT_TYPES =
  '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'

/** Creates a DOCX with this XML as its body. */
export function docxWithBody(body: string, more: Parts = {}): Buffer {
  const document = `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="urn:w"><w:body>${body}</w:body></w:document>`
  return zipOf({ '[Content_Types].xml': CONTENT_TYPES, 'word/document.xml': document, ...more })
}

export function docx(...lines: string[]): Buffer {
  return docxWithBody(
    lines.map((line) => `<w:p><w:r><w:t xml:space="preserve">${escapeXml(line)}</w:t></w:r></w:p>`).join(''),
  )
}

export function odtWithContent(content: string, more: Parts = {}): Buffer {
  const xml = `<?xml version="1.0"?><office:document-content xmlns:office="urn:o" xmlns:text="urn:t"><office:body><office:text>${content}</office:text></office:body></office:document-content>`
  return zipOf({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': xml, ...more }, ['mimetype'])
}

export function odt(...lines: string[]): Buffer {
  return odtWithContent(lines.map((line) => `<text:p>${escapeXml(line)}</text:p>`).join(''))
}

export function rtf(...lines: string[]): Buffer {
  const body = lines.map((line) => [...line].map(escapeRtf).join('')).join('\\par\n')
  return Buffer.from(`{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}\\f0 ${body}}`, 'latin1')
}

function escapeRtf(character: string): string {
  if (/[\\{}]/.test(character)) return `\\${character}`
  if (character <= '~') return character
  return character
    .split('')
    .map((unit) => `\\u${(unit.charCodeAt(0) << 16) >> 16}?`)
    .join('')
}

export const txt = (text: string): Buffer => Buffer.from(text)

const SECTOR = 512
const STREAM_SECTORS = 8
const END_OF_CHAIN = -2

interface DocOptions {
  flags?: number
  /** Makes the allocation table circular. */
  isCircular?: boolean
  streamName?: string
}

/** Creates an OLE container with a Word document of at most 1,500 characters. */
export function doc(
  text: string,
  { flags = 0, isCircular = false, streamName = 'WordDocument' }: DocOptions = {},
): Buffer {
  const stream = Buffer.alloc(STREAM_SECTORS * SECTOR)
  stream.writeUInt16LE(0xa5ec, 0)
  stream.writeUInt16LE(0x00c1, 2)
  stream.writeUInt16LE(flags, 10)
  stream.writeUInt32LE(text.length, 0x4c)
  stream.write(text, 1_024, 'utf16le')
  // The piece table: one piece of UTF-16 that begins at 1,024.
  const table = Buffer.alloc(STREAM_SECTORS * SECTOR)
  table.writeUInt8(2, 0)
  table.writeUInt32LE(16, 1)
  table.writeUInt32LE(0, 5)
  table.writeUInt32LE(text.length, 9)
  table.writeUInt32LE(1_024, 15)

  const allocation = Buffer.alloc(SECTOR, 0xff)
  const next = [-3, END_OF_CHAIN]
  for (const first of [2, 2 + STREAM_SECTORS]) {
    for (let i = 1; i < STREAM_SECTORS; i++) next.push(first + i)
    next.push(isCircular ? first : END_OF_CHAIN)
  }
  for (const [index, sector] of next.entries()) allocation.writeInt32LE(sector, index * 4)

  const directory = Buffer.alloc(SECTOR)
  const entry = (
    index: number,
    name: string,
    type: number,
    child: number,
    right: number,
    sector: number,
    size: number,
  ) => {
    const at = index * 128
    directory.write(name, at, 'utf16le')
    directory.writeUInt16LE((name.length + 1) * 2, at + 64)
    directory.writeUInt8(type, at + 66)
    directory.writeInt32LE(-1, at + 68)
    directory.writeInt32LE(right, at + 72)
    directory.writeInt32LE(child, at + 76)
    directory.writeInt32LE(sector, at + 116)
    directory.writeInt32LE(size, at + 120)
  }
  entry(0, 'Root Entry', 5, 1, -1, END_OF_CHAIN, 0)
  entry(1, streamName, 2, -1, 2, 2, stream.length)
  entry(2, '0Table', 2, -1, -1, 2 + STREAM_SECTORS, table.length)

  const header = Buffer.alloc(SECTOR, 0xff)
  header.fill(0, 0, 76)
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header)
  header.writeUInt16LE(9, 30)
  header.writeUInt16LE(6, 32)
  header.writeInt32LE(1, 44)
  header.writeInt32LE(1, 48)
  header.writeInt32LE(4_096, 56)
  header.writeInt32LE(END_OF_CHAIN, 60)
  header.writeInt32LE(END_OF_CHAIN, 68)
  header.writeInt32LE(0, 76)
  return Buffer.concat([header, allocation, directory, stream, table])
}

/** Functions that create a document with the given text, by kind. */
export const documents = { pdf, docx, doc: (text: string) => doc(text), odt, rtf, txt }
