/**
 * The language and time zone of the reader of a page or email. They apply to everything that runs within `inLocale`, so
 * rendering functions need no parameter for them.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Language } from './languages.ts'

export interface Locale {
  readonly language: Language
  /** IANA name, such as `Europe/Berlin`. */
  readonly timeZone: string
}

const storage = new AsyncLocalStorage<Locale>()

/** The locale of text without a reader, such as log lines. */
const nobody: Locale = { language: 'en', timeZone: 'UTC' }

export const currentLocale = (): Locale => storage.getStore() ?? nobody

/** Runs a function, and everything that it awaits, in a locale. */
export const inLocale = <Result>(locale: Locale, run: () => Result): Result => storage.run(locale, run)
