import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { fontFiles, runsOf, unpackWoff } from '../../src/files/fonts.ts'

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

test('the font of a repeated character is found once', () => {
  const has = fontFiles('400').map((file) => vi.spyOn(file, 'has'))
  expect(runsOf('鰯'.repeat(100), '400')).toHaveLength(1)
  const calls = has.reduce((sum, { mock }) => sum + mock.calls.length, 0)
  vi.restoreAllMocks()
  expect(calls).toBeLessThan(has.length + 100)
})
