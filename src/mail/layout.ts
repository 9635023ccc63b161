/** Renders emails as plain text and as HTML without style sheets, images or scripts. */
import type { Brand } from '../lib/brand.ts'
import { escapeHtml } from '../lib/html.ts'
import { shownUrl } from '../lib/url.ts'
import type { Message } from './queue.ts'

export interface Footer {
  unsubscribeUrl?: string | undefined
  neverUrl: string
}

/**
 * Returns the text as a single line without changes of text direction. Line breaks, control characters and direction
 * marks in user-supplied names could make their content look like ours.
 */
export function oneLine(text: string): string {
  return text
    .replace(/\p{Bidi_Control}+/gu, '')
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
}

/** The board's name and tagline. */
type Face = Pick<Brand, 'name' | 'tagline'>

const faceLines = ({ name, tagline }: Face): string[] => [name, ...(tagline === null ? [] : [tagline])].map(oneLine)

export function renderText({ paragraphs, items = [], link, reason }: Message, footer: Footer, face: Face): string {
  const blocks = [
    ...paragraphs.map(oneLine),
    ...items.map(({ title, lines, url }) => [oneLine(title), ...lines.map(oneLine), shownUrl(url)].join('\n')),
    ...(link ? [`${link.text}:\n${link.url}`] : []),
    ['-- ', ...faceLines(face), oneLine(reason), ...footerLinks(footer).map(([text, url]) => `${text}: ${url}`)].join(
      '\n',
    ),
  ]
  return `${blocks.join('\n\n')}\n`
}

const footerLinks = ({ unsubscribeUrl, neverUrl }: Footer): [text: string, url: string][] => [
  ...(unsubscribeUrl === undefined ? [] : [['Unsubscribe', unsubscribeUrl] as [string, string]]),
  ['Stop all emails to this address', neverUrl],
]

export function renderHtml(message: Message, footer: Footer, face: Face): string {
  const { subject, paragraphs, items = [], link, reason } = message
  const [name, tagline] = faceLines(face).map(escapeHtml)
  const anchor = (url: string, text: string) =>
    `<a href="${escapeHtml(url)}" style="color:#0b5cad">${escapeHtml(text)}</a>`
  const listed = items.map(
    ({ title, lines, url }) =>
      `<li style="margin:0 0 1em"><b>${anchor(shownUrl(url), oneLine(title))}</b>${lines
        .map((line) => `<br>${escapeHtml(oneLine(line))}`)
        .join('')}</li>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(oneLine(subject))}</title></head>
<body style="font:16px/1.5 sans-serif;color:#1a1a1a;background:#fff;max-width:36em;margin:0 auto;padding:1em">
<p style="border-bottom:1px solid #ddd;padding-bottom:1em"><b style="font-size:18px">${name}</b>${tagline === undefined ? '' : `<br><span style="color:#555;font-size:14px">${tagline}</span>`}</p>
${paragraphs.map((text) => `<p>${escapeHtml(oneLine(text))}</p>`).join('\n')}
${listed.length > 0 ? `<ul style="padding:0;list-style:none">\n${listed.join('\n')}\n</ul>` : ''}
${link ? `<p>${anchor(link.url, link.text)}</p>` : ''}
<p style="color:#555;font-size:14px;border-top:1px solid #ddd;padding-top:1em">${escapeHtml(oneLine(reason))}${footerLinks(
    footer,
  )
    .map(([text, url]) => `<br>${anchor(url, text)}`)
    .join('')}</p>
</body></html>
`
}
