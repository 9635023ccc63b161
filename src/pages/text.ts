/** Messages that contain markup. */
import { currentLocale } from '../locale/locale.ts'
import { type MessageKey, messageOf } from '../locale/messages.ts'
import { type Content, Html, html } from './html.ts'

/** The value of a placeholder, or a function that renders the content of a tag, such as `<link>…</link>`. */
type RichValue = Content | ((content: Html) => Html)

const always = {
  b: (content: Html) => html`<b>${content}</b>`,
  code: (content: Html) => html`<code>${content}</code>`,
}

/**
 * Returns a message in the current language as markup. Supports the tags `<b>` and `<code>`, and tags for which
 * `values` has a function. Throws if a value is missing.
 */
export function rich(key: MessageKey, values: Readonly<Record<string, RichValue>> = {}): Html {
  const message = messageOf(key)
  if (typeof message === 'string') return html`${message}`
  const given = Object.entries({ ...always, ...values }).map(([name, value]) => [name, asValue(value)])
  const parts = message.formatToParts<Html>(Object.fromEntries(given))
  return html`${parts.map(({ value }) => value as string | Html)}`
}

/** Returns a function that renders the content of a message's tag as a link, for `rich`. */
export const linkingTo =
  (path: string) =>
  (content: Html): Html =>
    html`<a href="${path}">${content}</a>`

/** Joins sentences, and omits false and undefined. Japanese has no spaces between sentences. */
export function sentences(...parts: readonly Content[]): Html {
  const space = currentLocale().language === 'ja' ? '' : ' '
  return html`${parts.filter(Boolean).map((part, n) => [n > 0 && space, part])}`
}

/** Lets a long name break after its dots and underscores, or where `at` matches. */
export const breakable = (name: string, at = /(?<=[._])/): Html =>
  html`${name.split(at).map((word, n) => [n > 0 && html`<wbr>`, word])}`

/** Numbers select the plural form. All other values become markup. */
function asValue(value: RichValue) {
  if (typeof value === 'number') return value
  if (typeof value === 'function') return (parts: (string | Html)[]) => value(html`${parts}`)
  return value instanceof Html ? value : html`${value}`
}
