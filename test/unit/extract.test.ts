import { deflateSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { extractText } from '../../src/files/extract.ts'
import { type DocumentKind, detectKind, documentKinds } from '../../src/files/kinds.ts'
import {
  doc,
  documents,
  docx,
  docxWithBody,
  lockedPdf,
  odt,
  odtWithContent,
  pdf,
  pdfOf,
  pdfStream,
  pdfWithContent,
  rtf,
  streamedZipOf,
  txt,
  zipOf,
} from '../support/documents.ts'

const MIB = 1_048_576

describe('the text of a document', () => {
  test.each(documentKinds)('is extracted from %s', async (kind) => {
    const text = 'Battery engineer, seven years of cell chemistry'
    expect(await extractText(kind, documents[kind](text))).toEqual({ text })
  })

  test.each(['docx', 'doc', 'odt', 'rtf', 'txt'] as const)(
    'keeps non-Latin and markup characters in %s',
    async (kind) => {
      const text = 'Zoë Łukasz 電池 & <b> {braces} \\ \u{1F697}'
      expect(await extractText(kind, documents[kind](text))).toEqual({ text })
    },
  )

  test('keeps lines separate', async () => {
    for (const [kind, bytes] of [
      ['pdf', pdf('One (1)', 'Two')],
      ['docx', docx('One (1)', 'Two')],
      ['odt', odt('One (1)', 'Two')],
      ['rtf', rtf('One (1)', 'Two')],
      ['txt', txt('One (1)\r\n\r\n  Two ')],
    ] as const) {
      expect(await extractText(kind, bytes), kind).toEqual({ text: 'One (1)\nTwo' })
    }
  })

  test('includes headers and tables of a DOCX, without duplicates or hidden text', async () => {
    const body = `<w:p><w:r><w:instrText>HYPERLINK "x"</w:instrText><w:t>A</w:t><w:tab/><w:t>B</w:t></w:r></w:p>
      <mc:AlternateContent><mc:Choice><w:t>once</w:t></mc:Choice><mc:Fallback><w:t>once</w:t></mc:Fallback></mc:AlternateContent>
      <w:tbl><w:tc><w:p><w:t>C&#233;ll &#x1F697;&lt;</w:t></w:p></w:tc></w:tbl><w:del><w:delText>gone</w:delText></w:del>`
    const header = '<w:hdr><w:p><w:t>Head</w:t></w:p></w:hdr>'
    expect(await extractText('docx', docxWithBody(body, { 'word/header1.xml': header }))).toEqual({
      text: 'A B\nonceCéll \u{1F697}<\nHead',
    })
  })

  test('is read from a streamed ZIP archive', async () => {
    const text = 'Battery engineer '.repeat(5_000).trim()
    const bytes = streamedZipOf({
      '[Content_Types].xml': '<Types/>',
      'word/media.xml': 'PK'.repeat(100),
      'word/document.xml': `<w:document><w:p><w:t>${text}</w:t></w:p></w:document>`,
      'docProps/app.xml': '<x/>',
    })
    expect(detectKind(bytes)).toBe('docx')
    expect(await extractText('docx', bytes)).toEqual({ text })
  })

  test('omits the tracked changes of an ODT', async () => {
    const content =
      '<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:p>a<text:s/>b<text:tab/>c</text:p>'
    expect(await extractText('odt', odtWithContent(content))).toEqual({ text: 'a b c' })
  })

  test('omits the font table and pictures of an RTF, and uses its code page', async () => {
    const source = String.raw`{\rtf1\ansi\ansicpg1251{\fonttbl{\f0 Arial;}}{\*\generator x;}{\pict 0102}\'cf\'f0\'e8 \u8364\'3f{\uc0\u8364}\bin3 {{{x\~y\line z}`
    expect(await extractText('rtf', Buffer.from(source))).toEqual({ text: 'При €€x y\nz' })
  })

  test.each(['utf16le', 'utf-16be'])('is decoded from %s', async (encoding) => {
    const bytes = Buffer.from('\ufeffZoë', 'utf16le')
    expect(await extractText('txt', encoding === 'utf16le' ? bytes : bytes.swap16())).toEqual({ text: 'Zoë' })
  })

  test('is truncated at 100,000 characters, never inside a character', async () => {
    const result = (await extractText('txt', txt(`${'x'.repeat(99_999)}\u{1F697}${'y'.repeat(2_000_000)}`))) as {
      text: string
    }
    expect(result.text).toBe('x'.repeat(99_999))
    const long = (await extractText('docx', docx('word '.repeat(1_000_000)))) as { text: string }
    expect(long.text.length).toBe(100_000)
  })

  test('contains no characters that PostgreSQL rejects', async () => {
    const source = String.raw`{\rtf1 a\u0?b\u-10240?c\u-9216?d\'00e\'07}`
    expect(await extractText('rtf', Buffer.from(source))).toEqual({ text: 'abcde' })
    expect(await extractText('docx', docxWithBody('<w:t>a&#0;b&#xD800;c&#1114112;&unknown;d</w:t>'))).toEqual({
      text: 'abc&unknown;d',
    })
  })
})

describe('a malicious or broken file', () => {
  const refuses = (title: string, kind: DocumentKind, make: () => Buffer, error: string | undefined) =>
    test(`affects only its own extraction: ${title}`, async () => {
      // The timeout is so long that only the intended limit applies, even on a busy machine.
      const timeoutMs = error === 'timeout' ? 1_000 : 60_000
      const outcome = await extractText(kind, make(), { timeoutMs, memoryBytes: 256 * MIB })
      expect(outcome).toEqual(error === undefined ? { text: expect.any(String) } : { error })
    }, 120_000)

  /** A DOCX with more data than the 50 MiB that the service unpacks. */
  let bomb: Buffer
  beforeAll(() => {
    bomb = docxWithBody(`<w:t>${' '.repeat(51 * MIB)}</w:t>`)
  })
  refuses('zip bomb in a DOCX', 'docx', () => bomb, 'too_large')
  refuses(
    'zip bomb in an ODT, spread over parts',
    'odt',
    () => odtWithContent(' '.repeat(26 * MIB), { 'META-INF/manifest.xml': ' '.repeat(26 * MIB) }),
    'too_large',
  )
  refuses(
    'zip bomb with small sizes in its headers',
    'docx',
    () => {
      const bytes = Buffer.from(bomb)
      for (const [signature, at] of [
        ['PK\x03\x04', 22],
        ['PK\x01\x02', 24],
      ] as const) {
        for (let i = bytes.indexOf(signature); i !== -1; i = bytes.indexOf(signature, i + 4))
          bytes.writeUInt32LE(10, i + at)
      }
      return bytes
    },
    'too_large',
  )
  refuses('PDF locked with a password', 'pdf', lockedPdf, 'password')
  refuses('DOC locked with a password', 'doc', () => doc('secret', { flags: 0x0100 }), 'password')
  refuses(
    'ODT locked with a password',
    'odt',
    () => odtWithContent('x', { 'META-INF/manifest.xml': '<manifest:encryption-data/>' }),
    'password',
  )
  refuses(
    'PDF with a bomb as a page',
    'pdf',
    () => {
      const content = deflateSync(deflateSync(Buffer.alloc(400 * MIB, ' '), { level: 1 }))
      return pdfWithContent(pdfStream(content, '/Filter [/FlateDecode /FlateDecode]'))
    },
    'memory',
  )
  refuses(
    'PDF with a circular page tree',
    'pdf',
    () => pdfOf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R] /Count 1 >>']),
    'malformed',
  )
  refuses(
    'PDF with forms that each draw the next form twice, forty deep',
    'pdf',
    () => {
      const dictionary = (next: number) =>
        `/Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> /XObject << /X ${next} 0 R >> >>`
      return pdfOf([
        '<< /Type /Catalog /Pages 2 0 R >>',
        '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>',
        pdfStream('/X Do'),
        ...Array.from({ length: 40 }, (_, i) => pdfStream('BT /F1 1 Tf (a) Tj ET /X Do /X Do', dictionary(i + 6))),
      ])
    },
    'timeout',
  )
  refuses(
    'PDF with nested arrays',
    'pdf',
    () => pdfOf([`<< /Type /Catalog /Pages ${'['.repeat(1_000_000)} >>`]),
    'malformed',
  )
  refuses(
    'PDF with content that never ends',
    'pdf',
    () => pdfWithContent(pdfStream(`BT /F1 1 Tf ${'(a) Tj '.repeat(600_000)}`)),
    undefined,
  )
  refuses('RTF with nested groups', 'rtf', () => Buffer.from(`{\\rtf1 ${'{'.repeat(5 * MIB - 10)}`), 'malformed')
  refuses('DOC with a circular sector chain', 'doc', () => doc('x', { isCircular: true }), 'memory')
  refuses('DOCX with unterminated tags', 'docx', () => docxWithBody('<w:t '.repeat(2_000_000)), undefined)

  test.each(documentKinds)('affects only its own extraction: truncated %s', async (kind) => {
    const whole = documents[kind]('Battery engineer '.repeat(20))
    for (const part of [0.1, 0.5, 0.9]) {
      const outcome = await extractText(kind, whole.subarray(0, Math.ceil(whole.length * part)))
      expect(Object.keys(outcome)).toHaveLength(1)
    }
  })

  test.each(documentKinds)('affects only its own extraction: %s that is empty or repeats one byte', async (kind) => {
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(5_000, 0xa7)]) {
      expect(Object.keys(await extractText(kind, bytes))).toHaveLength(1)
    }
  })

  test.each(documentKinds)('affects only its own extraction: a type other than %s', async (kind) => {
    const other = kind === 'pdf' ? zipOf({ a: 'b' }) : pdf('x')
    expect(Object.keys(await extractText(kind, other))).toHaveLength(1)
  })

  test('leaves the process able to read the next document', async () => {
    expect(await extractText('pdf', pdf('Next'))).toEqual({ text: 'Next' })
  })
})
