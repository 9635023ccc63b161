/**
 * Renders emails in the board's design and in the current language, as plain text and as HTML. The only resource that
 * they load is the board's own logo.
 */
import { type Brand, readableColor } from '../lib/brand.ts'
import { escapeHtml } from '../lib/html.ts'
import { shownUrl } from '../lib/url.ts'
import { taglineOf } from '../locale/brand.ts'
import { currentLocale } from '../locale/locale.ts'
import { t } from '../locale/messages.ts'
import type { Message } from './queue.ts'

export interface Footer {
  unsubscribeUrl?: string | undefined
  neverUrl: string
}

/**
 * Returns the text as a single line without direction marks. With line breaks, control characters or direction marks,
 * user-supplied names could imitate the board's own text.
 */
export function oneLine(text: string): string {
  return text
    .replace(/\p{Bidi_Control}+/gu, '')
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
}

/**
 * Returns the message that an unconfirmed email address receives instead of `message`. With `confirmUrl`, the returned
 * message asks the recipient to confirm the email address, and contains this link instead of the link of `message`.
 */
export function neutralMessage(message: Message, confirmUrl: string | undefined): Message {
  const { subject, paragraph } = message.neutral
  const neutral = { ...message, subject, facts: [], items: [], paragraphs: [paragraph] }
  if (confirmUrl === undefined) return neutral
  return {
    ...neutral,
    paragraphs: [paragraph, t('mail.confirm_for_details')],
    reason: t('mail.unconfirmed_reason'),
    link: { text: t('mail.confirm_button'), url: confirmUrl },
  }
}

/** The name, design and links of the board in emails. */
export interface Face extends Pick<Brand, 'name' | 'tagline' | 'logo' | 'accentColor' | 'contactEmail' | 'pages'> {
  /** The service's own origin, which serves the logo and the legal pages. */
  readonly origin: string
}

type Link = readonly [text: string, url: string]

const faceLines = (face: Face): string[] => [face.name, taglineOf(face)].filter((line) => line !== null).map(oneLine)

export function renderText(
  { paragraphs, facts = [], items = [], link, reason }: Message,
  footer: Footer,
  face: Face,
): string {
  const links = [...boardLinks(face), ...footerLinks(footer)]
  const blocks = [
    ...paragraphs.map(oneLine),
    ...(facts.length > 0 ? [facts.map(([label, value]) => labeled(label, oneLine(value))).join('\n')] : []),
    ...items.map(({ title, lines, url }) => [oneLine(title), ...lines.map(oneLine), shownUrl(url)].join('\n')),
    ...(link ? [`${t('mail.labeled_link', { text: link.text })}\n${link.url}`] : []),
    [
      '-- ',
      ...faceLines(face),
      oneLine(reason),
      ...links.map(([text, url]) => labeled(text, url.replace(/^mailto:/, ''))),
    ].join('\n'),
  ]
  return `${blocks.join('\n\n')}\n`
}

const labeled = (label: string, value: string) => t('mail.labeled_value', { label: oneLine(label), value })

const footerLinks = ({ unsubscribeUrl, neverUrl }: Footer): Link[] => [
  ...(unsubscribeUrl === undefined ? [] : [[t('mail.unsubscribe'), unsubscribeUrl] as const]),
  [t('mail.stop_all'), neverUrl],
]

/** Returns links to the contact email address and the legal pages. */
const boardLinks = ({ contactEmail, pages, origin }: Face): Link[] => [
  ...(contactEmail === null ? [] : [[t('mail.contact'), `mailto:${contactEmail}`] as const]),
  ...pages.map(({ slug, title }): Link => [title, `${origin}/pages/${slug}`]),
]

export type Theme = 'light' | 'dark'

/** Light colors are inline, because some email clients drop style sheets. The style sheet only adds the dark theme. */
const darkRules = (accent: string) => `body{background:#121416!important;color:#eceae6!important}
.m{background:#1a1d20!important;border-color:#32373c!important}
.s{color:#abafb4!important}
a{color:${accent}!important}
a.go{background:${accent}!important;color:#000!important}`

function styleSheet(accent: string, theme: Theme | undefined): string {
  if (theme === 'light') return ':root{color-scheme:light}'
  if (theme === 'dark') return `:root{color-scheme:dark}\n${darkRules(accent)}`
  return `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
${darkRules(accent)}
}`
}

/** Maximum height of the logo, in pixels. */
const LOGO_HEIGHT = 40

function renderHead(face: Face): string {
  const [name, tagline] = faceLines(face).map(escapeHtml)
  const { logo, origin } = face
  const width = logo && Math.max(1, Math.min(280, Math.round((logo.width * LOGO_HEIGHT) / logo.height)))
  const image =
    logo &&
    `<img src="${escapeHtml(origin + logo.path)}" alt="" width="${width}" style="display:block;max-width:100%;height:auto;max-height:${LOGO_HEIGHT}px;margin:0 0 8px">`
  return `<div style="margin:0 0 16px">${image ?? ''}<b style="font-size:18px">${name}</b>${tagline === undefined ? '' : `<br><span class="s" style="color:#575b62;font-size:14px">${tagline}</span>`}</div>`
}

/**
 * Renders an email as HTML. `theme` is for previews: it selects one theme, and makes links open in another tab. The
 * preview's frame blocks new tabs.
 */
export function renderHtml(message: Message, footer: Footer, face: Face, theme?: Theme): string {
  const { subject, paragraphs, facts = [], items = [], link, reason } = message
  const accent = readableColor(face, 'light')
  const anchor = (url: string, text: string) =>
    `<a href="${escapeHtml(url)}" style="color:${accent}">${escapeHtml(text)}</a>`
  const listed = items.map(
    ({ title, lines, url }) =>
      `<li style="margin:0 0 1em"><b>${anchor(shownUrl(url), oneLine(title))}</b>${lines
        .map((line) => `<br>${escapeHtml(oneLine(line))}`)
        .join('')}</li>`,
  )
  const pairs = facts.map(
    ([label, value]) =>
      `<dt class="s" style="color:#575b62;font-size:14px">${escapeHtml(oneLine(label))}</dt><dd style="margin:0 0 8px;font-weight:600">${escapeHtml(oneLine(value))}</dd>`,
  )
  const button =
    link &&
    `<p style="margin:24px 0 8px"><a class="go" href="${escapeHtml(link.url)}" style="display:inline-block;padding:11px 18px;border-radius:10px;background:${accent};color:#fff;font-weight:600;text-decoration:none">${escapeHtml(link.text)}</a></p>`
  const links = (all: readonly Link[], between: string) =>
    all.map(([text, url]) => anchor(url, oneLine(text))).join(between)
  const ofBoard = links(boardLinks(face), ' · ')
  return `<!doctype html>
<html lang="${currentLocale().language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${escapeHtml(oneLine(subject))}</title>
<style>${styleSheet(readableColor(face, 'dark'), theme)}</style>${theme === undefined ? '' : '<base target="_blank">'}</head>
<body style="margin:0;padding:16px;background:#f8f7f4;color:#1a1d21;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif">
<div style="max-width:36em;margin:0 auto;overflow-wrap:anywhere">
${renderHead(face)}
<div class="m" style="padding:8px 20px 16px;background:#fff;border:1px solid #e3e0d9;border-radius:12px">
${paragraphs.map((text) => `<p>${escapeHtml(oneLine(text))}</p>`).join('\n')}
${pairs.length > 0 ? `<dl>\n${pairs.join('\n')}\n</dl>` : ''}
${listed.length > 0 ? `<ul style="padding:0;list-style:none">\n${listed.join('\n')}\n</ul>` : ''}
${button ?? ''}
</div>
<p class="s" style="color:#575b62;font-size:14px">${escapeHtml(oneLine(reason))}<br>${links(footerLinks(footer), '<br>')}</p>
${ofBoard === '' ? '' : `<p class="s" style="color:#575b62;font-size:14px">${ofBoard}</p>`}
</div></body></html>
`
}
