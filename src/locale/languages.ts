/** The languages of pages and emails. */
import Negotiator from 'negotiator'

/** The languages that have a catalog in `locales/`, with their native names. */
export const languageNames = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  ja: '日本語',
} as const

export type Language = keyof typeof languageNames

export const languages = Object.keys(languageNames) as Language[]

export const isLanguage = (tag: string): tag is Language => Object.hasOwn(languageNames, tag)

/**
 * Maximum length of an Accept-Language header, in characters; longer headers are ignored. Browsers send much shorter
 * ones.
 */
const HEADER_LENGTH_MAX = 500

/**
 * Returns the offered language that an Accept-Language header prefers, or undefined if the header names no offered
 * language.
 */
export function preferredLanguage(header: string | undefined, offered: readonly Language[]): Language | undefined {
  if (header === undefined || header.length > HEADER_LENGTH_MAX) return undefined
  const wanted = new Negotiator({ headers: { 'accept-language': header } }).languages()
  for (const tag of wanted) {
    const language = tag.split('-', 1)[0]!.toLowerCase()
    if (isLanguage(language) && offered.includes(language)) return language
  }
  return undefined
}

/** Splits a path such as `/de/jobs` into its language and the rest. */
export function splitLanguage(path: string): { language?: Language; rest: string } {
  const [, tag, rest] = /^\/([a-z]{2})(?=[/?]|$)(.*)$/s.exec(path) ?? []
  if (tag === undefined || !isLanguage(tag)) return { rest: path }
  return { language: tag, rest: rest!.startsWith('/') ? rest! : `/${rest}` }
}
