/** Converts the HTML of postings to Markdown. */
import { type Handler, Parser, type ParserOptions } from 'htmlparser2'

/** A paragraph, a heading or a list item. */
interface Block {
  kind: 'text' | 'heading' | 'item'
  markdown: string
  plain: string
  /** For items: depth of the list, starting at 0. */
  depth: number
  /** Whether the whole block is bold, as headings often are. */
  isBold: boolean
}

const SKIPPED = new Set(
  'script style iframe noscript object embed svg math template head title select button form input textarea video audio canvas'.split(
    ' ',
  ),
)
const BLOCKS = new Set(
  'p div section article aside header footer main nav address figure figcaption blockquote pre table thead tbody tr ul ol li dl dt dd hr h1 h2 h3 h4 h5 h6'.split(
    ' ',
  ),
)
const STRONG = new Set(['strong', 'b'])
const EMPHASIS = new Set(['em', 'i'])
/** Maximum depth of lists and inline markup. Pages show deeper Markdown as plain text. */
const DEPTH_MAX = 4
/** Maximum length of HTML to convert, and approximately of the resulting Markdown, in characters. */
const HTML_LENGTH_MAX = 500_000
/** Maximum length of a link's URL, in characters. Longer links are shown as text. */
const LINK_LENGTH_MAX = 2_048
const BULLETS = new Set(['•', '·', '●', '▪', '◦', '‣', '–'])

/** Maximum depth of elements. The parser's time is quadratic in the depth. */
const NESTING_MAX = 500

/** Creates a parser that ignores the rest of a document after an element that is nested too deeply. */
export function boundedParser(handler: Partial<Handler>, options?: ParserOptions): Parser {
  let depth = 0
  const parser = new Parser(
    {
      ...handler,
      onopentag(...tag) {
        depth += 1
        if (depth > NESTING_MAX) parser.pause()
        else handler.onopentag?.(...tag)
      },
      onclosetag(...tag) {
        depth -= 1
        handler.onclosetag?.(...tag)
      },
    },
    options,
  )
  return parser
}

/** Open inline markup. */
interface Frame {
  tag: string
  href?: string | undefined
  markdown: string
  plain: string
}

/** Returns the blocks of an HTML text. Drops scripts, images, forms and comments. Never throws. */
export function blocksOf(html: string): Block[] {
  const blocks: Block[] = []
  const frames: Frame[] = [{ tag: '', markdown: '', plain: '' }]
  const lists: { isOrdered: boolean; count: number }[] = []
  let skipped = 0
  let kind: Block['kind'] = 'text'
  let length = 0
  const top = () => frames.at(-1)!

  const add = (markdown: string, plain: string) => {
    top().markdown += markdown
    top().plain += plain
  }
  const close = (frame: Frame) => add(marked(frame), frame.plain)
  const flush = () => {
    const open = frames.splice(1)
    // Markup that spans blocks is repeated in the next block.
    const isBold = open.some(({ tag }) => STRONG.has(tag))
    for (const frame of open.toReversed()) {
      const outer = open[open.indexOf(frame) - 1] ?? frames[0]!
      outer.markdown += marked(frame)
      outer.plain += frame.plain
    }
    const { markdown, plain } = frames[0]!
    Object.assign(frames[0]!, { markdown: '', plain: '' })
    frames.push(...open.map(({ tag, href }) => ({ tag, href, markdown: '', plain: '' })))
    for (const [line, text] of splitBullets(tidy(markdown), tidy(plain))) {
      if (text === '') continue
      const isItem = line !== undefined
      const shown = isItem ? line : tidy(markdown)
      length += shown.length
      // A link that spans blocks is repeated in each of them.
      if (length > HTML_LENGTH_MAX) parser.pause()
      blocks.push({
        kind: isItem ? 'item' : kind,
        markdown: shown,
        plain: text,
        depth: Math.max(0, Math.min(lists.length, DEPTH_MAX) - 1),
        isBold: isBold || (shown.startsWith('**') && shown.endsWith('**') && !shown.slice(2, -2).includes('**')),
      })
    }
    if (kind === 'item') kind = 'text'
  }

  const parser = boundedParser(
    {
      onopentag(tag, attributes) {
        if (SKIPPED.has(tag)) skipped += 1
        if (skipped > 0) return
        if (tag === 'br') return add('\n', '\n')
        if (tag === 'td' || tag === 'th') return add(' ', ' ')
        if (BLOCKS.has(tag)) {
          flush()
          if (tag === 'ul' || tag === 'ol') lists.push({ isOrdered: tag === 'ol', count: 0 })
          if (tag === 'li') kind = 'item'
          if (isHeading(tag)) kind = 'heading'
        } else if ((STRONG.has(tag) || EMPHASIS.has(tag) || tag === 'a') && frames.length <= DEPTH_MAX) {
          frames.push({ tag, href: addressOf(attributes.href), markdown: '', plain: '' })
        }
      },
      ontext(text) {
        if (skipped > 0) return
        const spaced = text.replace(/\s/g, ' ')
        add(escapeMarkdown(spaced), spaced)
      },
      onclosetag(tag) {
        if (SKIPPED.has(tag)) {
          skipped -= 1
          return
        }
        if (skipped > 0) return
        if (BLOCKS.has(tag)) {
          flush()
          if (tag === 'ul' || tag === 'ol') lists.pop()
          kind = 'text'
        } else if (frames.length > 1 && top().tag === tag) close(frames.pop()!)
      },
    },
    { lowerCaseTags: true },
  )
  parser.write(html.slice(0, HTML_LENGTH_MAX))
  parser.end()
  flush()
  return blocks
}

const isHeading = (tag: string) => tag.length === 2 && tag.startsWith('h') && tag !== 'hr'

export function markdownOf(blocks: readonly Block[]): string {
  let text = ''
  blocks.forEach(({ kind, markdown, plain, depth }, index) => {
    const isListed = kind === 'item' && blocks[index - 1]?.kind === 'item'
    text += index === 0 ? '' : isListed ? '\n' : '\n\n'
    if (kind === 'heading') text += `### ${plain}`
    else if (kind === 'item') text += `${'  '.repeat(depth)}- ${markdown.replaceAll('\n', ' ')}`
    else text += markdown
  })
  return text
}

/** Returns each line as an item if most lines begin with a bullet. Otherwise, returns the text as a whole. */
function splitBullets(markdown: string, plain: string): [item: string | undefined, plain: string][] {
  const lines = plain.split('\n')
  const isBulleted = lines.length > 1 && lines.filter((line) => BULLETS.has(line[0] ?? '')).length * 2 > lines.length
  if (!isBulleted) return [[undefined, plain]]
  const shown = markdown.split('\n')
  const withoutBullet = (line: string) => (BULLETS.has(line[0] ?? '') ? line.slice(1).trim() : line)
  return lines.map((line, index) => [withoutBullet(shown[index] ?? line), withoutBullet(line)])
}

/** Trims every line, and collapses repeated spaces and blank lines. */
const tidy = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.split(' ').filter(Boolean).join(' '))
    .filter((line, index, lines) => line !== '' || (lines[index - 1] ?? '') !== '')
    .join('\n')
    .trim()

/**
 * Returns a frame's text with its Markdown marks directly around the words, because marks next to spaces have no
 * effect.
 */
function marked({ tag, href, markdown }: Frame): string {
  const words = markdown.trim()
  if (words === '') return markdown === '' ? '' : ' '
  const mark = STRONG.has(tag) ? '**' : EMPHASIS.has(tag) ? '*' : ''
  const before = markdown.startsWith(' ') ? ' ' : ''
  const after = markdown.endsWith(' ') ? ' ' : ''
  if (tag === 'a') return `${before}${linkOf(words, href)}${after}`
  // A mark cannot span lines, and a nested mark of the same kind would end the outer one.
  const isPlain = words.includes('\n') || words.includes(mark || '\n')
  return isPlain ? markdown : `${before}${mark}${words}${mark}${after}`
}

const linkOf = (words: string, href: string | undefined): string =>
  href === undefined || words.includes('\n') || words.includes('](') ? words : `[${words}](${href})`

/** Returns the URL of a link without tracking parameters, for Markdown. */
function addressOf(href = ''): string | undefined {
  const url = href.length > LINK_LENGTH_MAX ? null : URL.parse(href)
  // Keeps only the words of relative links, which would lead nowhere here, and of links such as `mailto:`.
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined
  const kept = [...url.searchParams].filter(([name]) => !isTracking(name))
  if (kept.length < url.searchParams.size) url.search = String(new URLSearchParams(kept))
  return url.href.replaceAll('(', '%28').replaceAll(')', '%29')
}

const isTracking = (name: string) => name.startsWith('utm_') || name === 'gclid' || name === 'fbclid'

const SPECIAL = /[\\*`[]/g
const escapeMarkdown = (text: string) => text.replace(SPECIAL, '\\$&')

const ENTITIES: readonly [string, string][] = [
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&#x27;', "'"],
  ['&nbsp;', ' '],
  // Last, so that an entity is decoded only once.
  ['&amp;', '&'],
]

export const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Returns whether HTML is still escaped: it contains escaped tags, but no tags. */
export const isEscaped = (html: string): boolean =>
  (html.includes('&lt;') || html.includes('&amp;lt;')) && !html.includes('<')

/** Decodes escaped HTML, repeatedly if it was escaped more than once. */
export function unescapeHtml(html: string): string {
  const decoded = ENTITIES.reduce((text, [entity, character]) => text.replaceAll(entity, character), html)
  return isEscaped(decoded) ? unescapeHtml(decoded) : decoded
}

/** Prefixes of the headings above lists of requirements and benefits, without accents. */
const REQUIREMENTS =
  'requirements|qualifications|your profile|what you bring|what you need|who you are|about you|skills|must have|minimum qualifications|basic qualifications|your qualifications|what we are looking for|what were looking for|anforderungen|dein profil|ihr profil|das bringst du mit|was du mitbringst|das bringen sie mit|profil recherche|votre profil|ton profil|profil|requisitos|tu perfil|応募資格|必須'.split(
    '|',
  )
const BENEFITS =
  'benefits|our benefits|perks|what we offer|we offer|our offer|what you get|why join us|wir bieten|was wir bieten|das bieten wir|unser angebot|deine benefits|avantages|nous offrons|ce que nous offrons|beneficios|ofrecemos|que ofrecemos|lo que ofrecemos|福利厚生'.split(
    '|',
  )
/** Maximum length of a heading in characters. Longer texts in bold are usually sentences. */
const HEADING_LENGTH_MAX = 60
export const ITEMS_MAX = 50
export const ITEM_LENGTH_MAX = 500

/** Separates the lists of requirements and benefits from the other blocks, if their headings are clear. */
export function takeLists(blocks: readonly Block[]): { requirements: string[]; benefits: string[]; rest: Block[] } {
  const taken = { requirements: [] as string[], benefits: [] as string[] }
  const rest: Block[] = []
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index]!
    const name = listNamed(block)
    let end = index + 1
    while (name !== undefined && blocks[end]?.kind === 'item') end += 1
    const items = blocks.slice(index + 1, end)
    const isClear =
      name !== undefined &&
      taken[name].length === 0 &&
      items.length > 0 &&
      items.length <= ITEMS_MAX &&
      items.every(({ plain, depth }) => depth === 0 && plain.length <= ITEM_LENGTH_MAX)
    if (isClear) {
      taken[name].push(...items.map(({ plain }) => plain.replaceAll('\n', ' ')))
      index = end - 1
    } else rest.push(block)
  }
  return { ...taken, rest }
}

function listNamed({ kind, plain, isBold }: Block): 'requirements' | 'benefits' | undefined {
  const isTitle = kind === 'heading' || (kind === 'text' && (isBold || plain.endsWith(':')))
  if (!isTitle || plain.length > HEADING_LENGTH_MAX) return undefined
  const words = plain
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} ]/gu, '')
    .trim()
  if (REQUIREMENTS.some((name) => words.startsWith(name.normalize('NFKD')))) return 'requirements'
  if (BENEFITS.some((name) => words.startsWith(name.normalize('NFKD')))) return 'benefits'
  return undefined
}
