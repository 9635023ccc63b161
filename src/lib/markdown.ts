/**
 * Renders Markdown that people wrote: CommonMark without raw HTML, images or first-level headings (decisions 0089 and
 * 0092).
 */
import { LRUCache } from 'lru-cache'
import { Marked } from 'marked'
import sanitizeHtml from 'sanitize-html'
import { escapeHtml } from './html.ts'
import { paragraphsOf } from './paragraphs.ts'

const marked = new Marked({
  gfm: false,
  renderer: {
    // Each page has its own first-level heading.
    heading({ tokens, depth }) {
      const element = `h${Math.max(depth, 2)}`
      return `<${element}>${this.parser.parseInline(tokens)}</${element}>\n`
    },
    // Shows raw HTML as text: authors see what they wrote, and browsers never parse it.
    html: ({ text }) => escapeHtml(text),
    image: ({ text }) => escapeHtml(text),
    // Keeps single line breaks, because people who do not know Markdown expect them.
    text(token) {
      if ('tokens' in token && token.tokens) return this.parser.parseInline(token.tokens)
      const shown = 'escaped' in token && token.escaped ? token.text : escapeHtml(token.text)
      return shown.replaceAll('\n', '<br>')
    },
  },
  tokenizer: {
    // Treats indented lines as text, not as code, because people paste indented lists.
    code: () => undefined,
    // Ignores underlined headings in list items, because each line would search the rest of the item for the underline.
    lheading() {
      return this.lexer.state.top ? false : undefined
    },
  },
})

const LINK = /^(?:https?:\/\/|mailto:)[^\s]/i

/** Options for sanitizing the rendered HTML again, with a separate HTML parser. */
const allowed: sanitizeHtml.IOptions = {
  allowedTags: [
    ...['p', 'br', 'hr', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'code'],
    ...['ul', 'ol', 'li', 'strong', 'em', 'a'],
  ],
  allowedAttributes: { a: ['href', 'rel'], ol: ['start'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  disallowedTagsMode: 'escape',
  transformTags: {
    a: (tagName, { href = '' }) => ({
      tagName,
      attribs: LINK.test(href) ? { href, rel: 'noopener noreferrer nofollow ugc' } : ({} as sanitizeHtml.Attributes),
    }),
  },
  // Keeps only the text of links without an allowed URL.
  exclusiveFilter: ({ tag, attribs }) => (tag === 'a' && attribs.href === undefined ? 'excludeTag' : false),
}

/** Container markers at the start of a line: quotes and list items. */
const CONTAINERS = /^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))*/
/** Maximum depth of quotes and lists. The parser is recursive, and takes time quadratic in the depth. */
const DEPTH_MAX = 8
/** Inline marks, and the starts of list items and quotes. Parsing them takes time. */
const MARKS = /[*_`[\]<&\\]|^[ \t]*(?:[-+>]|\d+[.)])/gm
/**
 * Maximum number of marks in a text. For some marks, parsing takes time quadratic in their number: 16,000 asterisks
 * take 5 s and overflow the stack.
 */
const MARKS_MAX = 1_000
/** Maximum number of lines in a text. In nested lists, 25,000 lines take a second. */
const LINES_MAX = 2_000

/** Characters and line starts that have a meaning in Markdown. */
const MARKDOWN = /[*_`[\]<>&\\#~]|^[ \t]*(?:[-+=]|\d+[.)])| {2}$/m
/** Cache of rendered texts, up to 8 million characters of text and HTML, because some texts are slow to render. */
const rendered = new LRUCache<string, string>({
  maxSize: 8_000_000,
  sizeCalculation: (html, text) => html.length + text.length + 1,
  memoMethod(text) {
    const lines = text.split('\n')
    const isPlain = lines.length > LINES_MAX || hasManyMarks(text) || lines.some(isDeep)
    return isPlain ? renderPlain(text) : sanitizeHtml(marked.parse(text, { async: false }), allowed)
  },
})

/**
 * Returns the text as HTML that is safe on any page. Renders a text with too many marks, lines or levels as plain paragraphs.
 */
export const renderMarkdown = (text: string): string => (MARKDOWN.test(text) ? rendered.memo(text) : renderPlain(text))

/** Returns the start of the text without Markdown marks, for page descriptions. A cut text ends with an ellipsis. */
export function plainTextOf(text: string, lengthMax: number): string {
  // Cuts the text first, because the processing time must not depend on the length of the text. Marks usually make up
  // less than half of a text.
  const read = text.slice(0, 2 * lengthMax)
  return shortened(wordsOf(renderMarkdown(read.toWellFormed())), lengthMax, read.length < text.length)
}

/** Cuts a text after its last complete word, if the text is too long or has already been cut. */
function shortened(text: string, lengthMax: number, isBeginning = false): string {
  if (text.length <= lengthMax && !isBeginning) return text
  const cut = text.slice(0, lengthMax - 1)
  const end = cut.lastIndexOf(' ')
  // Japanese has no spaces between words. The cut must not leave half of a surrogate pair.
  return `${end < cut.length / 2 ? cut.replace(/[\ud800-\udbff]$/, '') : cut.slice(0, end)}…`
}

/** Returns the words of rendered Markdown, separated by single spaces. */
function wordsOf(html: string): string {
  const words = html.replace(/<[^>]*>/g, (tag) => (/^<\/?(?:a|em|strong|code)\b/.test(tag) ? '' : ' '))
  return unescapeHtml(words).replace(/\s+/g, ' ').trim()
}

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })

/** Returns the first sentence of the first paragraph without Markdown marks. A long sentence ends with an ellipsis. */
export function firstSentenceOf(text: string, lengthMax: number): string {
  // Headings may precede the first paragraph. A text without a paragraph, such as a single list, counts as
  // one paragraph.
  const html = renderMarkdown(text.slice(0, 8 * lengthMax).toWellFormed())
  const start = html.indexOf('<p>')
  const paragraph = start === -1 ? html : html.slice(start, html.indexOf('</p>', start))
  const [first] = sentences.segment(wordsOf(paragraph))
  return shortened(first?.segment.trim() ?? '', lengthMax)
}

const unescapeHtml = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

function isDeep(line: string): boolean {
  const markers = CONTAINERS.exec(line)![0].replace(/[ \t\d]/g, '')
  const indent = /^[ \t]*/.exec(line)![0].replaceAll('\t', '    ')
  return markers.length > DEPTH_MAX || indent.length > 4 * DEPTH_MAX
}

const hasManyMarks = (text: string): boolean => (text.match(MARKS)?.length ?? 0) > MARKS_MAX

const renderPlain = (text: string): string =>
  paragraphsOf(text)
    .map((lines) => `<p>${lines.map(escapeHtml).join('<br />')}</p>`)
    .join('\n')
