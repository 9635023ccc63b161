/** Escapes HTML in pages that use no template engine. */

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const ESCAPED = /[&<>"']/
const ALL_ESCAPED = /[&<>"']/g

/** Escapes text for an HTML element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return ESCAPED.test(text) ? text.replace(ALL_ESCAPED, (character) => escapes[character]!) : text
}
