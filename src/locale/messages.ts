/** The words of pages and emails, from the catalogs in `locales/`: ICU MessageFormat by key. */
import { IntlMessageFormat } from 'intl-messageformat'
import de from '../../locales/de.json' with { type: 'json' }
import en from '../../locales/en.json' with { type: 'json' }
import es from '../../locales/es.json' with { type: 'json' }
import fr from '../../locales/fr.json' with { type: 'json' }
import ja from '../../locales/ja.json' with { type: 'json' }
import type { Language } from './languages.ts'
import { currentLocale } from './locale.ts'

export type MessageKey = keyof typeof en

const catalogs: Readonly<Record<Language, Readonly<Record<MessageKey, string>>>> = { en, de, fr, es, ja }

/** Returns the English text of a message, or undefined if the key has none. */
export const englishOf = (key: string): string | undefined =>
  Object.hasOwn(en, key) ? en[key as MessageKey] : undefined

export const isMessageKey = (text: string): text is MessageKey => Object.hasOwn(en, text)

/** Returns a name that an operator can change: in the reader's language, unless it is no longer the English one. */
export const nameInWords = (key: string, name: string): string =>
  englishOf(key) === name ? t(key as MessageKey) : name

/** Values of a message's placeholders. A number also selects the plural form. */
export type MessageValues = Readonly<Record<string, string | number>>

/** Parsed messages by language. Those without placeholders or tags stay plain text. */
const parsed: Readonly<Record<Language, Map<MessageKey, string | IntlMessageFormat>>> = {
  en: new Map(),
  de: new Map(),
  fr: new Map(),
  es: new Map(),
  ja: new Map(),
}

/** Returns a message in the current language, parsed. */
export function messageOf(key: MessageKey): string | IntlMessageFormat {
  const { language } = currentLocale()
  let found = parsed[language].get(key)
  if (found === undefined) {
    const text = catalogs[language][key]
    found = /[{<']/.test(text) ? new IntlMessageFormat(text, language) : text
    parsed[language].set(key, found)
  }
  return found
}

/** Returns a message in the current language as plain text. Throws if a value is missing. */
export function t(key: MessageKey, values?: MessageValues): string {
  const message = messageOf(key)
  return typeof message === 'string' ? message : (message.format(values) as string)
}
