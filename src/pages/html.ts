/** HTML as a type of its own: what is not `Html` is text, and is escaped wherever it is put (decision 0049). */

import { escapeHtml } from '../lib/html.ts'

/** Markup that is safe to send: only the functions of this module make it. */
export class Html {
  readonly #markup: string

  constructor(markup: string) {
    this.#markup = markup
  }

  toString(): string {
    return this.#markup
  }
}

/** What a template takes: markup as it is, text and numbers escaped, nothing for what is absent or false, lists one by one. */
export type Content = Html | string | number | false | null | undefined | readonly Content[]

function render(content: Content): string {
  if (typeof content === 'string') return escapeHtml(content)
  if (content instanceof Html) return content.toString()
  if (content === null || content === undefined || content === false) return ''
  if (typeof content === 'number') return String(content)
  let markup = ''
  for (const part of content) markup += render(part)
  return markup
}

/** The tag of templates. In attributes a value stands in double quotes. */
export function html(literals: TemplateStringsArray, ...contents: Content[]): Html {
  let markup = literals[0]!
  for (let i = 0; i < contents.length; i++) markup += render(contents[i]) + literals[i + 1]!
  return new Html(markup)
}

/** Attributes after a name of an element, each with the space before it; false, null and undefined are left out, true is bare. */
export function attributes(values: Readonly<Record<string, string | number | boolean | null | undefined>>): Html {
  let markup = ''
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === false) continue
    markup += value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`
  }
  return new Html(markup)
}

/** JSON inside a script element of data: nothing in it can end the element. */
export function jsonScript(type: string, value: unknown): Html {
  const json = JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
  return new Html(`<script type="${escapeHtml(type)}">${json}</script>`)
}
