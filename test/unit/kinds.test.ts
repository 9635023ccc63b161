import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleanFilename, detectKind, documentKinds } from '../../src/files/kinds.ts'
import { attachment, filenameOf } from '../../src/lib/content-disposition.ts'
import { doc, documents, docxWithBody, odtWithContent, pdf, zipOf } from '../support/documents.ts'

describe('detectKind', () => {
  test.each(documentKinds)('detects %s', (kind) => {
    expect(detectKind(documents[kind]('Engineer'))).toBe(kind)
  })

  test('detects a PDF after other bytes, and a DOCX from Word for the web', () => {
    expect(detectKind(Buffer.concat([Buffer.alloc(100), pdf('x')]))).toBe('pdf')
    expect(detectKind(zipOf({ '[Content_Types].xml': 'x', 'word/document2.xml': 'x' }))).toBe('docx')
  })

  test.each<[string, Buffer]>([
    ['an empty archive', Buffer.from(`PK\x05\x06${'\0'.repeat(18)}`, 'latin1')],
    ['an arbitrary archive', zipOf({ a: 'b' })],
    ['an EPUB', zipOf({ mimetype: 'application/epub+zip' }, ['mimetype'])],
    ['a DOCM', docxWithBody('', { 'word/vbaProject.bin': 'x' })],
    ['an XLS spreadsheet', doc('x', { streamName: 'Workbook' })],
    ['an archive with a false directory', odtWithContent('x').subarray(60)],
    ['control characters', Buffer.from('a\u0000')],
    ['noise', Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
  ])('rejects %s', (_what, bytes) => {
    expect(detectKind(bytes)).toBeUndefined()
  })

  test('returns a known kind or undefined for any bytes', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('', 'PK\x03\x04', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', '{\\rtf'),
        fc.uint8Array(),
        (start, rest) => {
          const kind = detectKind(Buffer.concat([Buffer.from(start, 'latin1'), rest]))
          expect(kind === undefined || documentKinds.includes(kind)).toBe(true)
        },
      ),
    )
  })
})

describe('cleanFilename', () => {
  test.each([
    [undefined, 'resume.pdf'],
    ['', 'resume.pdf'],
    ['cv', 'cv.pdf'],
    ['cv.PDF', 'cv.pdf'],
    ['cv.docx', 'cv.pdf'],
    ['cv.v2', 'cv.v2.pdf'],
    ['C:\\Users\\ada\\cv.pdf', 'cv.pdf'],
    ['../../etc/.profile', 'profile.pdf'],
    ['..', 'resume.pdf'],
    ['Lebenslauf  Zoe\u0308.pdf ', 'Lebenslauf Zo\u00eb.pdf'],
    ['a\u202egpj.pdf', 'agpj.pdf'],
    ['a\u2066b\u200bc\ufeff.pdf', 'abc.pdf'],
    ['<a>:"b"|?*.pdf', '_a___b____.pdf'],
    ['\ud800.pdf', '_.pdf'],
    ['履歴書.pdf', '履歴書.pdf'],
  ])('turns %j into %j', (given, expected) => {
    expect(cleanFilename(given, 'pdf')).toBe(expected)
  })

  test('cleans a name of four megabytes', () => {
    expect(cleanFilename(`${'. '.repeat(2_000_000)}x`, 'pdf')).toBe('x.pdf')
  })

  test('returns a safe name that survives a header round trip, for any input', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.string({ unit: 'grapheme', maxLength: 400 }),
    )
    fc.assert(
      fc.property(name, fc.constantFrom(...documentKinds), (given, kind) => {
        const cleaned = cleanFilename(given, kind)
        expect([...cleaned].length).toBeLessThanOrEqual(255)
        expect(cleaned.endsWith(`.${kind}`)).toBe(true)
        expect(cleaned.slice(0, -kind.length - 1)).toMatch(/[^. ]$/)
        expect(cleaned).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}/\\<>:"|?*]/u)
        expect(cleaned).not.toMatch(/^[. ]/)
        expect(cleanFilename(cleaned, kind)).toBe(cleaned)
        // The name survives a round trip in a header.
        const header = attachment(cleaned)
        expect(header).toMatch(/^[\x20-\x7e]*$/)
        expect(filenameOf(header)).toBe(cleaned)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('filenameOf', () => {
  test.each([
    [undefined, undefined],
    ['attachment', undefined],
    ['attachment; filename=cv.pdf', 'cv.pdf'],
    ['attachment; filename="a \\"b\\"; c.pdf"', 'a "b"; c.pdf'],
    ["attachment; filename=x; filename*=utf-8'en'%C3%AB.pdf", '\u00eb.pdf'],
    ["attachment; filename*=UTF-8''%E4; filename=plain.pdf", 'plain.pdf'],
    ["attachment; filename*=iso-8859-1''%EB.pdf", '\u00eb.pdf'],
    [Buffer.from('attachment; filename="Zoë.pdf"').toString('latin1'), 'Zoë.pdf'],
    ['attachment; filename="Zo\u00eb.pdf"', 'Zo\u00eb.pdf'],
    ['filename=alone.pdf', 'alone.pdf'],
  ])('reads %j as %j', (header, name) => {
    expect(filenameOf(header)).toBe(name)
  })
})
