/** Points in time: RFC 3339 in, UTC with milliseconds out. */

const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:[Zz]|[+-](\d\d):(\d\d))$/
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/

export const DAY_MS = 86_400_000

const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Where the time comes from; tests bring their own. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

let isoMs = Number.NaN
let isoText = ''

/** A time in milliseconds as text, made once for each: the log may ask for it thirty times in one. */
export function isoTime(ms: number): string {
  if (ms !== isoMs) {
    isoMs = ms
    isoText = new Date(ms).toISOString()
  }
  return isoText
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  // Years below 1000 would be read as 19xx by Date.UTC, and no posting is that old.
  if (year < 1000 || month < 1 || month > 12 || day < 1) return false
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** An RFC 3339 date-time with any offset, or undefined. Leap seconds are refused, as JavaScript has none. */
export function parseTimestamp(text: string): Date | undefined {
  const match = TIMESTAMP.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute, second, offsetHour, offsetMinute] = match.slice(1).map(Number) as number[]
  if (!isCalendarDay(year!, month!, day!) || hour! > 23 || minute! > 59 || second! > 59) return undefined
  if ((offsetHour ?? 0) > 23 || (offsetMinute ?? 0) > 59) return undefined
  const time = new Date(text.toUpperCase())
  // An offset can move it to the year 10000, which RFC 3339 cannot write.
  return time.getTime() <= LATEST ? time : undefined
}

/** A bare `YYYY-MM-DD` as the first or the last millisecond of that UTC day, or undefined. */
export function parseDay(text: string, edge: 'start' | 'end'): Date | undefined {
  const match = DATE.exec(text)
  if (!match || !isCalendarDay(Number(match[1]), Number(match[2]), Number(match[3]))) return undefined
  const start = Date.parse(`${text}T00:00:00.000Z`)
  return new Date(edge === 'start' ? start : start + DAY_MS - 1)
}

/** Either of the two forms. */
export function parseTime(text: string, edge: 'start' | 'end'): Date | undefined {
  return parseTimestamp(text) ?? parseDay(text, edge)
}
