/** Functions that read values of varying types from documents. */

export type Members = Readonly<Record<string, unknown>>

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the members of an object. Any other value has none. */
export const membersOf = (value: unknown): Members => (isMembers(value) ? value : {})

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns a text or a number as trimmed text. Returns an empty text for any other value. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim()
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : ''
}

/** Returns the text that `textOf` returns, or undefined if that text is empty. */
export const someText = (value: unknown): string | undefined => textOf(value) || undefined

/** Returns the nonempty texts of a list. */
export const textsOf = (value: unknown): string[] =>
  listOf(value)
    .map(textOf)
    .filter((text) => text !== '')

/** Returns a number, even if it is given as text. Returns undefined for any other value. */
export function numberOf(value: unknown): number | undefined {
  const text = textOf(value)
  const number = text === '' ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : undefined
}

/** Epoch times from this number on are in milliseconds. In seconds, this number would be in the year 5138. */
const MILLISECONDS_FROM = 100_000_000_000
const ISO = /^\d{4}-\d{2}-\d{2}(?:$|[T ])/
const RFC_822 = /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4}(?: |$)/
/** Dates outside this range count as mistakes. */
const EARLIEST = Date.UTC(1990, 0, 1)
const LATEST = Date.UTC(2100, 0, 1)

/**
 * Returns a time given as ISO 8601, RFC 822, `YYYY-MM-DD HH:MM:SS UTC`, a date, or seconds or milliseconds since 1970.
 * Returns undefined for any other value. An ISO 8601 time without a zone is in UTC.
 */
export function timeOf(value: unknown): Date | undefined {
  const time = typeof value === 'number' ? new Date(value < MILLISECONDS_FROM ? value * 1_000 : value) : parsed(value)
  if (time === undefined) return undefined
  return time.getTime() >= EARLIEST && time.getTime() <= LATEST ? time : undefined
}

function parsed(value: unknown): Date | undefined {
  const text = textOf(value)
  if (RFC_822.test(text)) return new Date(text)
  if (!ISO.test(text)) return undefined
  const iso = text.replace(' UTC', 'Z').replace(' ', 'T')
  const hasZone = iso.length === 10 || iso.endsWith('Z') || iso.slice(10).includes('+') || iso.slice(10).includes('-')
  return new Date(hasZone ? iso : `${iso}Z`)
}

/** Returns the last moment of a day that is given as `YYYY-MM-DD`. Reads any other value as `timeOf` does. */
export function deadlineOf(value: unknown): Date | undefined {
  const time = timeOf(value)
  // A number of ten digits is a time in seconds.
  const isDay = typeof value === 'string' && value.trim().length === 10
  return time && isDay ? new Date(time.getTime() + 86_399_999) : time
}

/** Joins the parts of a location, such as city, region and country. Omits empty and repeated parts. */
export const joinPlace = (...parts: unknown[]): string => [...new Set(parts.map(textOf))].filter(Boolean).join(', ')
