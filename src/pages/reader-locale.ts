/** The language and time zone of the person who sent a request. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Brand } from '../lib/brand.ts'
import { remembering } from '../lib/remember.ts'
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

/** Caches the results, because checking a time zone takes about 50 µs. */
const knownZones = remembering<boolean>()

export interface ReaderLocale {
  /** Returns the language of the URL's path, the reader's choice, the browser or the board, in this order. */
  languageOf(url: string, headers: IncomingHttpHeaders): Language
  localeOf(request: Pick<FastifyRequest, 'originalUrl' | 'headers'>): Locale
}

export function createReaderLocale({ origin, brand, timeZone = 'UTC' }: Board): ReaderLocale {
  const { language: chosen, timeZone: sent } = createCookies(origin)
  const languageOf: ReaderLocale['languageOf'] = (url, headers) => {
    const { languages, defaultLanguage } = brand()
    const wanted = [splitLanguage(url).language, chosen.read({ headers })]
    const language = wanted.find((tag) => tag !== undefined && isLanguage(tag) && languages.includes(tag))
    return (
      (language as Language | undefined) ?? preferredLanguage(headers['accept-language'], languages) ?? defaultLanguage
    )
  }
  return {
    languageOf,
    localeOf: ({ originalUrl, headers }) => {
      const own = sent.read({ headers })
      return {
        language: languageOf(originalUrl, headers),
        timeZone: own !== undefined && knownZones(own, () => isTimeZone(own)) ? own : timeZone,
      }
    },
  }
}
