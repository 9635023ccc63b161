/**
 * The fonts of PDFs and pictures: Noto Sans for Latin, Greek, Cyrillic and Devanagari, and BIZ UDPGothic for Japanese.
 * Both font packages divide their fonts into files by character range, so that only the needed files are read.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { remembering } from '../lib/remember.ts'

export type Weight = '400' | '700'

export interface FontFile {
  /** Name of the font in the document. */
  name: string
  path: string
  has(codePoint: number): boolean
}

/** Parses ranges such as `U+0100-02BA,U+1E00`. */
function parseRanges(text: string): (codePoint: number) => boolean {
  const ranges = text.split(',').map((range) => {
    const [first = 0, last = first] = range
      .replace('U+', '')
      .split('-')
      .map((hex) => Number.parseInt(hex, 16))
    return [first, last] as const
  })
  return (codePoint) => ranges.some(([first, last]) => codePoint >= first && codePoint <= last)
}

const require = createRequire(import.meta.url)

/** Returns the files of a font family. Its subsets have names such as `latin` or `[12]`. */
function filesOf(family: string, weight: Weight): FontFile[] {
  const table = require.resolve(`@fontsource/${family}/unicode.json`)
  const subsets: Record<string, string> = JSON.parse(readFileSync(table, 'utf8'))
  const rank = (subset: string) => (subset.startsWith('latin') ? 0 : 1)
  return Object.entries(subsets)
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([subset, ranges]) => {
      const name = `${family}-${subset.replace(/[[\]]/g, '')}-${weight}-normal`
      return { name, path: join(dirname(table), 'files', `${name}.woff`), has: parseRanges(ranges) }
    })
}

const known = new Map<Weight, FontFile[]>()

/** Returns the files of both families, Noto Sans first. */
export function fontFiles(weight: Weight): readonly FontFile[] {
  const files = known.get(weight) ?? ['noto-sans', 'biz-udpgothic'].flatMap((family) => filesOf(family, weight))
  known.set(weight, files)
  return files
}

/** Lengths in bytes: WOFF and OpenType files each begin with a header and one entry per table. */
const WOFF_HEADER = 44
const WOFF_ENTRY = 20
const OPENTYPE_HEADER = 12
const OPENTYPE_ENTRY = 16

/**
 * Converts a WOFF file to an OpenType file, whose tables are not compressed, in less than 1 ms. The search fields in
 * the header remain zero, because readers do not need them.
 */
export function unpackWoff(woff: Buffer): Buffer {
  const count = woff.readUInt16BE(12)
  const header = Buffer.alloc(OPENTYPE_HEADER + count * OPENTYPE_ENTRY)
  woff.copy(header, 0, 4, 8)
  header.writeUInt16BE(count, 4)
  const parts: Buffer[] = [header]
  let end = header.length
  for (let index = 0; index < count; index++) {
    const from = WOFF_HEADER + index * WOFF_ENTRY
    const offset = woff.readUInt32BE(from + 4)
    const packedLength = woff.readUInt32BE(from + 8)
    const length = woff.readUInt32BE(from + 12)
    const packed = woff.subarray(offset, offset + packedLength)
    const to = OPENTYPE_HEADER + index * OPENTYPE_ENTRY
    // The tag and the checksum are the first and the last field of an entry in WOFF.
    woff.copy(header, to, from, from + 4)
    woff.copy(header, to + 4, from + 16, from + 20)
    header.writeUInt32BE(end, to + 8)
    header.writeUInt32BE(length, to + 12)
    // Each table begins at a multiple of four bytes.
    const padding = Buffer.alloc(-length & 3)
    parts.push(packedLength < length ? inflateSync(packed) : packed, padding)
    end += length + padding.length
  }
  return Buffer.concat(parts, end)
}

/** The font file of each recent character, because Japanese has more than a hundred files. */
const fontOf = remembering<FontFile | undefined>({ resultsMax: 10_000 })

/** Replaces characters that no font has. */
const MISSING = '□'

/** A section of a text that uses a single font. */
export interface Run {
  text: string
  font: FontFile
}

/**
 * Splits a text into runs of one font each. Characters that no font has, such as Arabic or Korean ones, become boxes.
 * The website and the API still show these characters.
 */
export function runsOf(text: string, weight: Weight): Run[] {
  const fontFor = (codePoint: number) =>
    fontOf(`${weight} ${codePoint}`, () => fontFiles(weight).find(({ has }) => has(codePoint)))
  const runs: Run[] = []
  for (const sent of text.normalize('NFC')) {
    const isKnown = fontFor(sent.codePointAt(0)!) !== undefined
    const character = isKnown ? sent : MISSING
    const codePoint = character.codePointAt(0)!
    const last = runs.at(-1)
    if (last?.font.has(codePoint)) last.text += character
    else runs.push({ text: character, font: fontFor(codePoint)! })
  }
  return runs
}
