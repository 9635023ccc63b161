import { escapeHtml } from './html.ts'

/** Characters that XML forbids even if they are escaped, and control characters that it discourages. */
const IMPOSSIBLE = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu

/** Removes impossible characters, and escapes the text for an XML element or a quoted attribute. */
export function escapeXml(text: string): string {
  return escapeHtml(text.replace(IMPOSSIBLE, ''))
}

/** Returns an XML element with this text, or an empty string if there is no text. */
export function xmlElement(name: string, text: string | null | undefined): string {
  return text === null || text === undefined || text === '' ? '' : `<${name}>${escapeXml(text)}</${name}>`
}

/** Returns an XML element with this text as a CDATA section, or an empty string if there is no text. */
export function cdataElement(name: string, text: string | null | undefined): string {
  if (text === null || text === undefined || text === '') return ''
  const data = text.replace(IMPOSSIBLE, '').replaceAll(']]>', ']]]]><![CDATA[>')
  return `<${name}><![CDATA[${data}]]></${name}>`
}
