/** Formats dates, numbers and names in the current locale. */
import type { Language } from './languages.ts'
import { currentLocale } from './locale.ts'

/** The BCP 47 tag that determines how dates and numbers are formatted in each language. */
const tags: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de', fr: 'fr', es: 'es', ja: 'ja' }

/** Caches formatters by language and detail, because creating one takes about 50 µs. */
function cached<Formatter>(make: (tag: string, detail: string) => Formatter) {
  const made = new Map<Language, Map<string, Formatter>>()
  return (detail = ''): Formatter => {
    const { language } = currentLocale()
    let ofLanguage = made.get(language)
    if (ofLanguage === undefined) {
      ofLanguage = new Map()
      made.set(language, ofLanguage)
    }
    let found = ofLanguage.get(detail)
    if (found === undefined) {
      found = make(tags[language], detail)
      ofLanguage.set(detail, found)
    }
    return found
  }
}

const days = cached((tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeZone: 'UTC' }))
const months = cached((tag) => new Intl.DateTimeFormat(tag, { month: 'short', year: 'numeric', timeZone: 'UTC' }))
const moments = cached(
  (tag, timeZone) =>
    new Intl.DateTimeFormat(tag, {
      ...{ year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit' },
      ...{ timeZone, timeZoneName: 'short' },
    } as const),
)
const numbers = cached((tag) => new Intl.NumberFormat(tag))
const decimals = cached((tag, digits) => {
  const count = Number(digits)
  return new Intl.NumberFormat(tag, { minimumFractionDigits: count, maximumFractionDigits: count })
})
const regions = cached((tag) => new Intl.DisplayNames(tag, { type: 'region' }))
const currencies = cached((tag) => new Intl.DisplayNames(tag, { type: 'currency' }))
const languages = cached((tag) => new Intl.DisplayNames(tag, { type: 'language' }))
const lists = cached((tag) => new Intl.ListFormat(tag))

/** Formats the UTC day of a time, such as `5 Mar 2027`. */
export const formatDay = (iso: string): string => days().format(new Date(iso))

/** Formats a month (`YYYY-MM`), such as `Mar 2027`. */
export const formatMonth = (month: string): string => months().format(new Date(`${month}-01`))

/** Formats a time with seconds and time zone, in the reader's time zone. */
export const formatMoment = (iso: string): string => moments(currentLocale().timeZone).format(new Date(iso))

/** Formats a number. Uses no formatter for integers from 0 to 999, because they are the same in every language. */
export const formatNumber = (number: number): string =>
  Number.isInteger(number) && number >= 0 && number < 1_000 ? String(number) : numbers().format(number)

/** Formats a number with a fixed number of decimals. */
export const formatDecimal = (number: number, digits = 1): string => decimals(String(digits)).format(number)

/** Returns the name of a country, or its code if it has no name. */
export const regionName = (code: string): string => regions().of(code) ?? code

export const currencyName = (code: string): string => currencies().of(code) ?? code

/** Returns the name of a language, such as `German`, or the text itself if it is not a language tag. */
export function languageName(tag: string): string {
  try {
    return languages().of(tag) ?? tag
  } catch {
    return tag
  }
}

/** Joins texts, such as `one, two and three`. */
export const formatList = (texts: readonly string[]): string => lists().format(texts)

/** Joins texts with commas only, such as `3 jobs, 2 drafts`. */
export const joinWithCommas = (texts: readonly string[]): string =>
  texts.join(currentLocale().language === 'ja' ? '、' : ', ')

/** Returns whether this runtime supports a time zone with this name. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}
