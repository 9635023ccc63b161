import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fontFiles, unpackWoff } from '../../src/files/fonts.ts'

/** Returns the checksum of a table, without the adjustment that the table `head` contains. */
function checksumOf(tag: string, table: Buffer): number {
  let sum = 0
  for (let at = 0; at < table.length; at += 4) {
    if (tag !== 'head' || at !== 8) sum = (sum + table.readUInt32BE(at)) >>> 0
  }
  return sum
}

test('fonts are unpacked to OpenType files whose tables match their checksums', () => {
  const files = [...fontFiles('400'), ...fontFiles('700')]
  for (const { name, path } of files) {
    const packed = readFileSync(path)
    const font = unpackWoff(packed)
    // The header of a WOFF file contains the size of the unpacked file.
    expect(font.length, name).toBe(packed.readUInt32BE(16))
    for (let index = 0; index < font.readUInt16BE(4); index++) {
      const entry = 12 + index * 16
      const tag = font.toString('latin1', entry, entry + 4)
      const [checksum, offset, length] = [4, 8, 12].map((field) => font.readUInt32BE(entry + field))
      const table = font.subarray(offset, offset! + length! + (-length! & 3))
      expect(checksumOf(tag, table), `${name} ${tag}`).toBe(checksum)
    }
  }
})
