/** Renders the service's developer documentation as pages. */
import { readFileSync } from 'node:fs'
import { Marked } from 'marked'
import { Html, html } from '../../pages/html.ts'

/** Document names, used in the paths under `/docs/` and as the file names in `docs/`. */
export const guideNames = ['guide', 'webhooks'] as const
export type GuideName = (typeof guideNames)[number]

export interface Guide {
  title: string
  content: Html
}

const guides = new Map<GuideName, Guide>()

/** Returns a document. Reads it from disk only once. */
export function readGuide(name: GuideName): Guide {
  let guide = guides.get(name)
  if (guide === undefined) {
    const markdown = readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8')
    guide = { title: /^# (.+)$/m.exec(markdown)?.[1] ?? name, content: renderGuide(markdown) }
    guides.set(name, guide)
  }
  return guide
}

/**
 * Renders the service's own Markdown as HTML. Not safe for Markdown from other sources, which could contain harmful
 * markup.
 */
export function renderGuide(markdown: string): Html {
  const marked = new Marked({
    renderer: {
      // Generates the same heading ids as code hosts do, because links in the documents use those ids.
      heading({ tokens, depth, text }) {
        const id = text
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
          .replaceAll(/\s/g, '-')
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const content = new Html(this.parser.parseInline(tokens))
        const target = pathOf(href)
        return String(target === undefined ? content : html`<a href="${target}">${content}</a>`)
      },
      // `tabindex` lets keyboard users scroll wide content.
      code({ text }) {
        return `${html`<pre tabindex="0"><code>${text}</code></pre>`}\n`
      },
      table(token) {
        const cells = (row: typeof token.header, element: string) =>
          row.map(({ tokens }) => `<${element}>${this.parser.parseInline(tokens)}</${element}>`).join('')
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n')
        return `<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>
<thead><tr>${cells(token.header, 'th')}</tr></thead>
<tbody>${rows}</tbody></table></div>\n`
      },
    },
  })
  return new Html(marked.parse(markdown, { async: false }))
}

/** Returns the page URL for a document link, or undefined if the linked file has no page. */
function pathOf(href: string): string | undefined {
  if (href.startsWith('#') || href.startsWith('https:')) return href
  const name = guideNames.find((one) => `${one}.md` === href.split('#', 1)[0])
  return name && `/docs/${href.replace('.md', '')}`
}
