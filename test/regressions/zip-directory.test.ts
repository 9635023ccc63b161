/** The entry count of a ZIP directory was trusted: a file of 400 bytes blocked the whole service. */
import { expect, test } from 'vitest'
import { detectKind } from '../../src/files/kinds.ts'
import { zipOf } from '../support/documents.ts'

/** Creates a DOCX whose zip64 records claim this many entries. */
function docxClaiming(entries: number): Buffer {
  const sound = zipOf({ '[Content_Types].xml': '<x/>', 'word/document.xml': '<w:document/>' })
  const end = sound.subarray(-22)
  const start = sound.subarray(0, -22)
  const record = Buffer.alloc(56)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeUInt32LE(entries, 32)
  record.writeUInt32LE(end.readUInt32LE(16), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeUInt32LE(start.length, 8)
  return Buffer.concat([start, record, locator, end])
}

test('a DOCX that claims more entries than a document can have is rejected', () => {
  expect(detectKind(docxClaiming(2))).toBe('docx')
  expect(detectKind(docxClaiming(4_294_967_295))).toBeUndefined()
})
