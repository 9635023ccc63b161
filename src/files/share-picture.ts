/**
 * Draws the pictures for shared links, and the board's icons. Draws texts as outlines of bundled fonts, because texts
 * would otherwise be missing on machines without system fonts (decision 0096).
 */
import { readFileSync } from 'node:fs'
import { LRUCache } from 'lru-cache'
import opentype, { type Font } from 'opentype.js'
import { type Brand, DEFAULT_COLOR, iconColors, initialOf, readableColor } from '../lib/brand.ts'
import { SHARE_HEIGHT, SHARE_WIDTH, type ShareContent } from '../lib/share-picture.ts'
import { Turns } from '../lib/turns.ts'
import { fontFiles, type Weight } from './fonts.ts'
import { loadSharp } from './picture.ts'

/** Draws one picture at a time; each takes about 0.1 s. Accounts take turns. */
const turns = new Turns({ atOnce: 1, waitingMax: 50, waitingMaxEach: 4 })

/** Maximum number of cached font files. A parsed file takes about 1 MB; Japanese has more than a hundred per weight. */
const FONTS_MAX = 40
const fonts = new LRUCache<string, Font>({
  max: FONTS_MAX,
  memoMethod: (path) => opentype.parse(new Uint8Array(readFileSync(path)).buffer),
})

/**
 * Returns a font that contains a character, or undefined. Never returns a Devanagari font, because its glyphs need
 * layout rules that `drawLine` does not apply.
 */
function fontWith(character: string, weight: Weight): Font | undefined {
  const codePoint = character.codePointAt(0)!
  for (const file of fontFiles(weight)) {
    if (!file.has(codePoint) || file.name.includes('devanagari')) continue
    const font = fonts.memo(file.path)
    if (font.charToGlyphIndex(character) > 0) return font
  }
  return undefined
}

/** Characters that can be omitted: emoji, and the invisible characters between them. */
const ORNAMENTS = /[\p{Extended_Pictographic}\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}]+/gu

/** Returns the text as it can be drawn, or undefined if it is empty or the fonts lack one of its characters. */
function drawable(text: string | null, weight: Weight): string | undefined {
  const plain = (text ?? '').normalize('NFC').replace(ORNAMENTS, ' ').replace(/\s+/g, ' ').trim()
  const isComplete = [...plain].every((character) => fontWith(character, weight) !== undefined)
  return plain !== '' && isComplete ? plain : undefined
}

interface Style {
  size: number
  weight: Weight
  color: string
}

const glyphsOf = (text: string, { weight, size }: Style) =>
  [...text].map((character) => {
    const font = fontWith(character, weight)!
    const glyph = font.charToGlyph(character)
    const scale = size / font.unitsPerEm
    return { font, glyph, scale, width: (glyph.advanceWidth ?? 0) * scale }
  })

const widthOf = (text: string, style: Style): number => glyphsOf(text, style).reduce((sum, { width }) => sum + width, 0)

/**
 * Draws a line of text as outlines. Draws each glyph separately, because opentype.js does not support some layout
 * rules of the fonts. Uses the font's units, in which coordinates are multiples of 0.5. opentype.js writes these
 * correctly, but rounds some other fractions to NaN.
 */
function drawLine(text: string, style: Style, x: number, y: number): string {
  let at = x
  const paths = glyphsOf(text, style).map(({ font, glyph, scale, width }) => {
    const outline = glyph.getPath(0, 0, font.unitsPerEm).toPathData(1)
    const path = `<path transform="translate(${at} ${y}) scale(${scale})" d="${outline}"/>`
    at += width
    return path
  })
  return `<g fill="${style.color}">${paths.join('')}</g>`
}

/** A part of a text that stays on one line, and the space before it. */
interface Unit {
  text: string
  gap: string
}

const JAPANESE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
/** Opening brackets, which must not end a line. */
const OPENING = /[(（「『【〔［《〈]$/
const words = new Intl.Segmenter('ja', { granularity: 'word' })

/**
 * Divides a text at spaces and, in Japanese, also between words. Punctuation stays with the word before it, and opening
 * brackets with the word after them.
 */
function unitsOf(text: string): Unit[] {
  return text.split(' ').flatMap((part) => {
    if (!JAPANESE.test(part)) return [{ text: part, gap: ' ' }]
    const units: Unit[] = []
    for (const { segment, isWordLike } of words.segment(part)) {
      const last = units.at(-1)
      if (last && ((!isWordLike && !OPENING.test(segment)) || OPENING.test(last.text))) last.text += segment
      else units.push({ text: segment, gap: last ? '' : ' ' })
    }
    return units
  })
}

/**
 * Breaks a text into at most `linesMax` lines of this width. An ellipsis replaces the end of a text that is too long,
 * and the end of a word that is wider than a line.
 */
function breakLines(text: string, style: Style, { width, linesMax }: { width: number; linesMax: number }): string[] {
  const lines: string[] = []
  let line = ''
  const fits = (candidate: string) => widthOf(candidate, style) <= width
  for (const unit of unitsOf(text)) {
    const longer = line === '' ? unit.text : line + unit.gap + unit.text
    if (fits(longer)) line = longer
    else {
      if (line !== '') lines.push(line)
      line = fits(unit.text) ? unit.text : cut(unit.text, fits)
    }
    if (lines.length === linesMax) {
      lines[linesMax - 1] = cut(`${lines[linesMax - 1]} `, fits)
      return lines
    }
  }
  return line === '' ? lines : [...lines, line]
}

/** Shortens a text until it fits together with an ellipsis. */
function cut(text: string, fits: (candidate: string) => boolean): string {
  let length = text.length
  while (length > 0 && !fits(`${text.slice(0, length).toWellFormed().trimEnd()}…`)) length--
  return `${text.slice(0, length).toWellFormed().trimEnd()}…`
}

const [INK, SOFT, PAPER] = ['#1a1d21', '#565d66', '#ffffff']
const MARGIN = 80
const WIDTH = SHARE_WIDTH - 2 * MARGIN
const TILE = 112
const MARK = 56

/** Pictures to place on the drawing: the uploaded logos of the company and of the board. */
export interface ShareLogos {
  company: Buffer | undefined
  board: Buffer | undefined
}

/** Returns the picture as PNG. Waits for the account's turn. Throws `unavailable` if too much work is waiting. */
export function drawSharePicture(content: ShareContent, logos: ShareLogos, account: string): Promise<Buffer> {
  return turns.take(account, async () => {
    const sharp = await loadSharp()
    const over = (bytes: Buffer | undefined, side: number, top: number) =>
      bytes === undefined
        ? []
        : sharp(bytes)
            .resize(side, side, { fit: 'contain', background: PAPER })
            .png()
            .toBuffer()
            .then((input) => [{ input, left: MARGIN, top }])
    const composed = await Promise.all(
      content.of === 'board'
        ? [over(logos.board, TILE, MARGIN)]
        : [over(logos.company, TILE, MARGIN), over(logos.board, MARK, SHARE_HEIGHT - MARGIN - MARK)],
    )
    return sharp(Buffer.from(svgOf(content, logos)))
      .composite(composed.flat())
      .png({ palette: composed.flat().length === 0 })
      .toBuffer()
  })
}

function svgOf(content: ShareContent, logos: ShareLogos): string {
  const { brand } = content
  const accent = brand.accentColor ?? DEFAULT_COLOR
  const isOfBoard = content.of === 'board'
  const hasLogo = (isOfBoard ? logos.board : logos.company) !== undefined
  const parts = [
    `<rect width="${SHARE_WIDTH}" height="${SHARE_HEIGHT}" fill="${PAPER}"/>`,
    `<rect width="${SHARE_WIDTH}" height="20" fill="${accent}"/>`,
    ...drawOwner(content, hasLogo),
    ...drawTitle(content),
    ...(isOfBoard ? [] : drawBoard(content, logos.board !== undefined)),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${SHARE_WIDTH}" height="${SHARE_HEIGHT}">${parts.join('')}</svg>`
}

/**
 * Draws the company's name, unless the title is that name. If there is no logo, also draws a tile with the initial of
 * the company or of the title.
 */
function drawOwner({ brand, company, title }: ShareContent, hasLogo: boolean): string[] {
  const style: Style = { size: 36, weight: '700', color: INK }
  const name = drawable(company, '700')
  return [
    ...(hasLogo ? [] : drawInitial(company ?? title, readableColor(brand, 'light'), { side: TILE, top: MARGIN })),
    ...(name === undefined
      ? []
      : breakLines(name, style, { width: WIDTH - TILE - 32, linesMax: 2 }).map((line, n, { length }) =>
          drawLine(line, style, MARGIN + TILE + 32, MARGIN + TILE / 2 + 13 + (n - (length - 1) / 2) * 46),
        )),
  ]
}

/** Draws the first letter of a name on a colored tile, or nothing if the fonts lack the letter. */
function drawInitial(name: string, color: string, { side, top }: { side: number; top: number }): string[] {
  const style: Style = { size: side * 0.58, weight: '700', color: PAPER }
  const initial = drawable(initialOf(name), '700')
  if (initial === undefined) return []
  return [
    `<rect x="${MARGIN}" y="${top}" width="${side}" height="${side}" rx="${side * 0.22}" fill="${color}"/>`,
    drawLine(initial, style, MARGIN + (side - widthOf(initial, style)) / 2, top + side * 0.71),
  ]
}

const titleSizes = [72, 60, 50] as const
const TITLE_LINES = 3

/**
 * Draws the title at the largest size that fits, and the line below it. If the fonts lack characters of the title,
 * draws the name of the company or of the board instead.
 */
function drawTitle({ of, title, company, line, brand }: ShareContent): string[] {
  const text = drawable(title, '700') ?? drawable(company, '700') ?? drawable(brand.name, '700')
  const note = drawable(line, '400')
  const styles = titleSizes.map((size): Style => ({ size, weight: '700', color: INK }))
  const linesIn = (style: Style) =>
    text === undefined ? [] : breakLines(text, style, { width: WIDTH, linesMax: style.size > 60 ? 2 : TITLE_LINES })
  const style = styles.find((each) => !linesIn(each).at(-1)?.endsWith('…')) ?? styles.at(-1)!
  const lines = linesIn(style)
  const step = style.size * 1.15
  // Three lines begin higher, to leave space above the board's name.
  const top = lines.length < 3 ? 290 : 266
  const below: Style = { size: 32, weight: '400', color: SOFT }
  return [
    ...lines.map((each, n) => drawLine(each, style, MARGIN, top + n * step)),
    ...(note === undefined
      ? []
      : breakLines(note, below, { width: WIDTH, linesMax: of === 'board' ? 2 : 1 }).map((each, n) =>
          drawLine(each, below, MARGIN, top + (lines.length - 1) * step + 58 + n * 42),
        )),
  ]
}

/** Draws the board's name and, if the board has no logo, a tile with its initial. */
function drawBoard({ brand }: ShareContent, hasLogo: boolean): string[] {
  const top = SHARE_HEIGHT - MARGIN - MARK
  const style: Style = { size: 32, weight: '700', color: INK }
  const name = drawable(brand.name, '700')
  const mark = hasLogo ? [] : drawInitial(brand.name, readableColor(brand, 'light'), { side: MARK, top })
  return [
    ...mark,
    ...(name === undefined
      ? []
      : breakLines(name, style, { width: WIDTH - MARK - 20, linesMax: 1 }).map((line) =>
          drawLine(line, style, MARGIN + MARK + 20, top + 40),
        )),
  ]
}

/**
 * Returns the board's icon as PNG: its initial on its color, or only the color if the fonts lack the letter. Fills the
 * whole square, because operating systems round the corners themselves.
 */
export function drawBoardIcon(brand: Pick<Brand, 'name' | 'accentColor'>, side: number): Promise<Buffer> {
  return turns.take('board-icon', async () => {
    const { ground, letter } = iconColors(brand)
    const style: Style = { size: side * 0.56, weight: '700', color: letter }
    const initial = drawable(initialOf(brand.name), '700')
    const line = initial === undefined ? '' : drawLine(initial, style, (side - widthOf(initial, style)) / 2, side * 0.7)
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}"><rect width="${side}" height="${side}" fill="${ground}"/>${line}</svg>`
    const sharp = await loadSharp()
    return sharp(Buffer.from(svg)).png({ palette: true }).toBuffer()
  })
}
