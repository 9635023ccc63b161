/** A separate type for HTML. Templates treat all other values as text and escape them (decision 0049). */

import { escapeHtml } from '../lib/html.ts'

/** Markup that is safe to send. Outside this module, only rendered Markdown becomes markup without escaping. */
export class Html {
  readonly #markup: string

  constructor(markup: string) {
    this.#markup = markup
  }

  toString(): string {
    return this.#markup
  }
}

/**
 * Values in a template. Templates insert markup and numbers unchanged, escape text, omit absent values and false, and
 * concatenate lists.
 */
export type Content = Html | string | number | false | null | undefined | readonly Content[]

/**
 * Returns the same markup as one string in memory. Templates build trees of strings, which every page that contains the
 * markup would have to walk.
 */
export const flat = (markup: Html): Html => new Html(Buffer.from(markup.toString()).toString())

function render(content: Content): string {
  if (typeof content === 'string') return escapeHtml(content)
  if (content instanceof Html) return content.toString()
  if (content === null || content === undefined || content === false) return ''
  if (typeof content === 'number') return String(content)
  let markup = ''
  for (const part of content) markup += render(part)
  return markup
}

/** Renders a template. Attribute values must be enclosed in double quotes. */
export function html(literals: TemplateStringsArray, ...contents: Content[]): Html {
  let markup = literals[0]!
  for (let i = 0; i < contents.length; i++) markup += render(contents[i]) + literals[i + 1]!
  return new Html(markup)
}

/**
 * Renders attributes, each after a space. Omits attributes with the value false, null or undefined. For true, renders
 * only the name.
 */
export function attributes(values: Readonly<Record<string, string | number | boolean | null | undefined>>): Html {
  let markup = ''
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === false) continue
    markup += value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`
  }
  return new Html(markup)
}

/**
 * Renders JSON as a data block in a script element. Escapes the JSON, because its content must not close the element.
 */
export function jsonScript(type: string, value: unknown): Html {
  const json = JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
  return new Html(`<script type="${escapeHtml(type)}">${json}</script>`)
}
