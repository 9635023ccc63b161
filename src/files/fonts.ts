/**
 * The fonts of PDFs and pictures: Noto Sans for Latin, Greek, Cyrillic and Devanagari, and BIZ UDPGothic for Japanese.
 * Both font packages divide their fonts into files by character range, so that only the needed files are read.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

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
  const files = fontFiles(weight)
  const fontFor = (codePoint: number) => files.find(({ has }) => has(codePoint))
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
