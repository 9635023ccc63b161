/** The language and time zone of the person who sent a request. */
import type { FastifyRequest } from 'fastify'
import type { Brand } from '../lib/brand.ts'
import { isTimeZone } from '../locale/formats.ts'
import { isLanguage, type Language, preferredLanguage, splitLanguage } from '../locale/languages.ts'
import type { Locale } from '../locale/locale.ts'
import { createCookies } from './cookies.ts'

interface Board {
  origin: string
  brand: () => Pick<Brand, 'languages' | 'defaultLanguage'>
  /** IANA name of the time zone to use if the reader's own is unknown. */
  timeZone?: string
}

/**
 * Returns a function that finds a reader's language: first from the path, then from the reader's choice, then from the
 * browser.
 */
export function createReaderLocale({ origin, brand, timeZone = 'UTC' }: Board): (request: FastifyRequest) => Locale {
  const { language: chosen, timeZone: sent } = createCookies(origin)
  return (request) => {
    const { languages, defaultLanguage } = brand()
    const wanted = [splitLanguage(request.originalUrl).language, chosen.read(request)]
    const language = wanted.find((tag) => tag !== undefined && isLanguage(tag) && languages.includes(tag))
    const own = sent.read(request)
    return {
      language:
        (language as Language | undefined) ??
        preferredLanguage(request.headers['accept-language'], languages) ??
        defaultLanguage,
      timeZone: own !== undefined && isTimeZone(own) ? own : timeZone,
    }
  }
}
