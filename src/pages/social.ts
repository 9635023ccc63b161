/**
 * Describes pages to programs: Open Graph tags, which other websites use for link previews, and links to Markdown.
 */
import { SHARE_HEIGHT, SHARE_WIDTH, type ShareContent, sharedBoard, sharePath } from '../lib/share-picture.ts'
import { taglineOf } from '../locale/brand.ts'
import { type Html, html } from './html.ts'
import type { PageContext } from './page.ts'

/** Renders a link to the Markdown version of a page. */
export const markdownLink = (path: string): Html => html`<link rel="alternate" type="text/markdown" href="${path}">`

interface SharedPage {
  title: string
  description: string
  /** The canonical path. */
  path: string
  /** Default: the board's picture. */
  picture?: ShareContent
}

export function socialTags(page: PageContext, shared: SharedPage): Html {
  const { title, description, path, picture = sharedBoard(page.brand, taglineOf(page.brand)) } = shared
  const { name } = page.brand
  const url = page.origin + page.inLanguage(page.language, path)
  const hasPicture = page.has('/share/board/:file')
  return html`<meta property="og:type" content="website"><meta property="og:site_name" content="${name}">
<meta property="og:title" content="${title}"><meta property="og:description" content="${description}">
<meta property="og:url" content="${url}"><meta name="twitter:card" content="${hasPicture ? 'summary_large_image' : 'summary'}">
${
  hasPicture &&
  html`<meta property="og:image" content="${page.origin}${sharePath(picture)}"><meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${SHARE_WIDTH}"><meta property="og:image:height" content="${SHARE_HEIGHT}">
<meta property="og:image:alt" content="${[picture.title, picture.company, picture.line, name].filter((text) => text !== null).join(' · ')}">
`
}`
}
