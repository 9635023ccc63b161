import { escapeHtml } from './html.ts'

/** What no XML document may hold, escaped or not. */
const IMPOSSIBLE = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu

/** Text for the inside of an XML element or a quoted attribute. */
export function escapeXml(text: string): string {
  return escapeHtml(text.replace(IMPOSSIBLE, ''))
}

/** An element with text in it; nothing where there is none. */
export function xmlElement(name: string, text: string | null | undefined): string {
  return text === null || text === undefined || text === '' ? '' : `<${name}>${escapeXml(text)}</${name}>`
}
