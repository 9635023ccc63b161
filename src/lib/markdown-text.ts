/** Writes Markdown for programs that read pages as text. */

/** Media type of Markdown (RFC 7763). */
export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'

/** Returns a text as one line that contains no link, HTML element or code. */
export const plainText = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll(/[[\]\\<`]/g, '\\$&')

/** Returns a list of facts, each with its name. Omits facts without a value. */
export const factsText = (facts: readonly (readonly [name: string, value: unknown])[]): string =>
  listText(facts.flatMap(([name, value]) => (value ? `${name}: ${plainText(String(value))}` : [])))

export const listText = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n')

export const linkText = (text: string, url: string): string =>
  `[${plainText(text)}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`

/** Joins the parts of a document. Omits empty parts. */
export const documentText = (parts: readonly (string | false | null)[]): string =>
  `${parts.filter((part) => part).join('\n\n')}\n`
