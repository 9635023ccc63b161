/** Finds the language and time zone of a request's reader. */
import type { FastifyRequest } from 'fastify'
import type { Brand } from '../lib/brand.ts'
import { isTimeZone } from '../locale/formats.ts'
import { isLanguage, preferredLanguage, splitLanguage } from '../locale/languages.ts'
import type { Locale } from '../locale/locale.ts'
import type { Cookies } from './cookies.ts'

interface Choices {
  cookies: Cookies
  brand: Pick<Brand, 'languages' | 'defaultLanguage'>
  /** For readers whose browser sends none. */
  timeZone: string
}

/** Returns the language of the path, else the chosen one, else the one that the browser prefers. */
export function localeOf(request: FastifyRequest, { cookies, brand, timeZone: otherwise }: Choices): Locale {
  const { languages, defaultLanguage } = brand
  const wanted = [splitLanguage(request.originalUrl).language, cookies.language.read(request)]
  const language = wanted.find((tag) => tag !== undefined && isLanguage(tag) && languages.includes(tag))
  const timeZone = cookies.timeZone.read(request)
  return {
    language:
      (language as Locale['language'] | undefined) ??
      preferredLanguage(request.headers['accept-language'], languages) ??
      defaultLanguage,
    timeZone: timeZone !== undefined && isTimeZone(timeZone) ? timeZone : otherwise,
  }
}
