/** Renders the service's developer documentation as pages. */
import { readFileSync } from 'node:fs'
import { Marked, marked, type Token } from 'marked'
import { plainTextOf } from '../../lib/markdown.ts'
import type { ExampleLanguage } from '../../lib/request-examples.ts'
import { currentLocale } from '../../locale/locale.ts'
import { t } from '../../locale/messages.ts'
import { inLanguages } from '../../pages/console.ts'
import { Html, html } from '../../pages/html.ts'
import { examplesOf } from './guide-examples.ts'

/** Document names, used in the paths under `/docs/` and as the file names in `docs/`. */
export const guideNames = ['guide', 'webhooks', 'agents', 'errors'] as const
export type GuideName = (typeof guideNames)[number]

export interface Guide {
  title: string
  /** The start of the introduction, as plain text. */
  description: string
  content: Html
  /** Sections of the document, in order. */
  sections: readonly Section[]
}

export interface Section {
  /** Anchor on the document's page. */
  id: string
  /** 2 for chapters, 3 for sections of a chapter. */
  depth: number
  heading: string
  /** Markdown below the heading, up to the next heading. */
  text: string
}

/** Returns a document as Markdown. */
export const guideText = (name: GuideName): string =>
  readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8')

const guides = new Map<string, Guide>()

/** Returns a document in English, with labels in the reader's language. Reads the file only once per language. */
export function readGuide(name: GuideName): Guide {
  const key = `${currentLocale().language} ${name}`
  let guide = guides.get(key)
  if (guide === undefined) {
    const markdown = guideText(name)
    guide = {
      title: /^# (.+)$/m.exec(markdown)?.[1] ?? name,
      description: plainTextOf(markdown.split('\n\n', 2)[1] ?? '', 160),
      content: renderGuide(markdown),
      sections: sectionsOf(markdown),
    }
    guides.set(key, guide)
  }
  return guide
}

/** Returns the anchor of a heading. The anchor is the same as on code hosts, because links in the documents use it. */
const idOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

function sectionsOf(markdown: string): Section[] {
  const sections: Section[] = []
  for (const token of marked.lexer(markdown)) {
    if (token.type === 'heading' && token.depth > 1) {
      sections.push({ id: idOf(token.text), depth: token.depth, heading: token.text.replaceAll('`', ''), text: '' })
    } else if (sections.length > 0) sections.at(-1)!.text += token.raw
  }
  return sections
}

/** A section that contains all search words. */
export interface FoundSection extends Section {
  name: GuideName
  guide: string
}

/**
 * Returns the sections of all documents that contain every search word. Sections with the words in the heading come
 * first.
 */
export function searchGuides(search: string): FoundSection[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const hasAll = (text: string) => words.every((word) => text.toLowerCase().includes(word))
  const sections = guideNames.flatMap((name) => {
    const { title, sections } = readGuide(name)
    return sections.map((section) => ({ ...section, name, guide: title }))
  })
  const [headed, others] = [
    sections.filter(({ heading }) => hasAll(heading)),
    sections.filter(({ heading, text }) => !hasAll(heading) && hasAll(`${heading} ${text}`)),
  ]
  return [...headed, ...others]
}

/** Example languages, by the language names of Markdown code blocks. */
const languages: Readonly<Record<string, ExampleLanguage>> = { sh: 'curl', ts: 'typescript', python: 'python' }

/** A Markdown code block, with the blocks after it that contain the same example in other languages. */
type Code = Token & { text: string; lang?: string; others?: Partial<Record<ExampleLanguage, string>> }

/** Moves the blocks in TypeScript and Python that follow a block of shell commands into that block. */
function groupExamples(tokens: readonly Token[]): Token[] {
  const grouped: Token[] = []
  let shell: Code | undefined
  for (const token of tokens) {
    const language = token.type === 'code' ? languages[(token as Code).lang ?? ''] : undefined
    if (shell && language !== undefined && language !== 'curl') {
      shell.others = { ...shell.others, [language]: (token as Code).text }
      continue
    }
    if (token.type !== 'space') shell = language === 'curl' ? (token as Code) : undefined
    grouped.push(token)
  }
  return grouped
}

/**
 * Renders the service's own Markdown as HTML. Not safe for Markdown from other sources, which can contain harmful
 * markup.
 */
export function renderGuide(markdown: string): Html {
  let examples = 0
  const marked = new Marked({
    hooks: { processAllTokens: (tokens) => groupExamples(tokens) as typeof tokens },
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${idOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const content = new Html(this.parser.parseInline(tokens))
        const target = pathOf(href)
        return String(target === undefined ? content : html`<a href="${target}">${content}</a>`)
      },
      // In wide windows, the table of contents is beside the document.
      list(token) {
        const isContents = token.items.every(({ text }) => /^\[[^\]]+\]\(#[^)]+\)$/.test(text))
        return isContents && `<ul class="phone-only">${token.items.map((item) => this.listitem(item)).join('')}</ul>\n`
      },
      // `tabindex` lets keyboard users scroll wide content.
      code(token) {
        const { text, lang, others } = token as Code
        const sources = lang === 'sh' && (others ? { curl: text, ...others } : examplesOf(text))
        if (sources) return String(inLanguages(`example-${++examples}`, sources))
        return `${html`<pre tabindex="0"><code>${text}</code></pre>`}\n`
      },
      table(token) {
        const cells = (row: typeof token.header, element: string) =>
          row.map(({ tokens }) => `<${element}>${this.parser.parseInline(tokens)}</${element}>`).join('')
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n')
        return `<div class="scroll" tabindex="0" role="group" aria-label="${t('site.table')}"><table>
<thead><tr>${cells(token.header, 'th')}</tr></thead>
<tbody>${rows}</tbody></table></div>\n`
      },
    },
  })
  return new Html(marked.parse(markdown, { async: false }))
}

/** Returns the URL of the page for a link in a document, or undefined if the linked file has no page. */
function pathOf(href: string): string | undefined {
  if (href.startsWith('#') || href.startsWith('https:')) return href
  const name = guideNames.find((one) => `${one}.md` === href.split('#', 1)[0])
  return name && `/docs/${href.replace('.md', '')}`
}
