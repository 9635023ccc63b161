/** Parses RFC 3339 times and formats them in UTC with milliseconds. */

const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:[Zz]|[+-](\d\d):(\d\d))$/
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/

export const DAY_MS = 86_400_000

/** Returns the number of the UTC day that contains a time. */
export const utcDay = (time: Date): number => Math.floor(time.getTime() / DAY_MS)

const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Source of the current time. Tests use their own clock. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

let isoMs = Number.NaN
let isoText = ''

/**
 * Formats a time, given in epoch milliseconds. Caches the last result, because the log formats the same millisecond up
 * to thirty times.
 */
export function isoTime(ms: number): string {
  if (ms !== isoMs) {
    isoMs = ms
    isoText = new Date(ms).toISOString()
  }
  return isoText
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  // Rejects years before 1000, because Date.UTC treats years below 100 as 19xx.
  if (year < 1000 || month < 1 || month > 12 || day < 1) return false
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/**
 * Parses an RFC 3339 date-time with any offset, or returns undefined. Leap seconds are refused, because JavaScript
 * cannot represent them.
 */
export function parseTimestamp(text: string): Date | undefined {
  const match = TIMESTAMP.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute, second, offsetHour, offsetMinute] = match.slice(1).map(Number) as number[]
  if (!isCalendarDay(year!, month!, day!) || hour! > 23 || minute! > 59 || second! > 59) return undefined
  if ((offsetHour ?? 0) > 23 || (offsetMinute ?? 0) > 59) return undefined
  const time = new Date(text.toUpperCase())
  // The offset can move the time into the year 10000, which RFC 3339 cannot express.
  return time.getTime() <= LATEST ? time : undefined
}

/** Parses a date (`YYYY-MM-DD`) and returns its first or last millisecond in UTC, or undefined. */
export function parseDay(text: string, edge: 'start' | 'end'): Date | undefined {
  const match = DATE.exec(text)
  if (!match || !isCalendarDay(Number(match[1]), Number(match[2]), Number(match[3]))) return undefined
  const start = Date.parse(`${text}T00:00:00.000Z`)
  return new Date(edge === 'start' ? start : start + DAY_MS - 1)
}

/** Parses a timestamp or a date. `edge` selects the first or the last millisecond of a date. */
export function parseTime(text: string, edge: 'start' | 'end'): Date | undefined {
  return parseTimestamp(text) ?? parseDay(text, edge)
}
