/** The words of pages and emails, from the catalogs in `locales/`: ICU MessageFormat by key. */
import { type Formatters, IntlMessageFormat } from 'intl-messageformat'
import de from '../../locales/de.json' with { type: 'json' }
import en from '../../locales/en.json' with { type: 'json' }
import es from '../../locales/es.json' with { type: 'json' }
import fr from '../../locales/fr.json' with { type: 'json' }
import ja from '../../locales/ja.json' with { type: 'json' }
import { type Language, languages } from './languages.ts'
import { currentLocale } from './locale.ts'

export type MessageKey = keyof typeof en

const catalogs: Readonly<Record<Language, Readonly<Record<MessageKey, string>>>> = { en, de, fr, es, ja }

/** Returns the English text of a message, or undefined if the key has none. */
export const englishOf = (key: string): string | undefined =>
  Object.hasOwn(en, key) ? en[key as MessageKey] : undefined

export const isMessageKey = (text: string): text is MessageKey => Object.hasOwn(en, text)

/**
 * Returns a name that an operator can change, in the reader's language as long as it is still the default English name.
 */
export const nameInWords = (key: string, name: string): string =>
  englishOf(key) === name ? t(key as MessageKey) : name

/** Values of a message's placeholders. A number also selects the plural form. */
export type MessageValues = Readonly<Record<string, string | number>>

/**
 * Returns the formatters of a language's messages. Looking up the library's own formatters by a JSON key takes longer
 * than formatting.
 */
function formattersOf(language: Language): Formatters {
  const [numbers, plurals] = [new Intl.NumberFormat(language), new Intl.PluralRules(language)]
  return {
    getNumberFormat: (tag, options) => (options ? new Intl.NumberFormat(tag, options) : numbers),
    getDateTimeFormat: (tag, options) => new Intl.DateTimeFormat(tag, options),
    getPluralRules: (tag, options) => (options?.type === 'ordinal' ? new Intl.PluralRules(tag, options) : plurals),
  }
}

/**
 * Parsed messages by language, and their formatters. Messages without placeholders, tags or apostrophes stay plain
 * text.
 */
const parsed = Object.fromEntries(
  languages.map((language) => [
    language,
    { messages: new Map<MessageKey, string | IntlMessageFormat>(), formatters: formattersOf(language) },
  ]),
)

/** Returns a message in the current language, parsed. */
export function messageOf(key: MessageKey): string | IntlMessageFormat {
  const { language } = currentLocale()
  const { messages, formatters } = parsed[language]!
  let found = messages.get(key)
  if (found === undefined) {
    const text = catalogs[language][key]
    found = /[{<']/.test(text) ? new IntlMessageFormat(text, language, undefined, { formatters }) : text
    messages.set(key, found)
  }
  return found
}

/** Returns a message in the current language as plain text. Throws if a value is missing. */
export function t(key: MessageKey, values?: MessageValues): string {
  const message = messageOf(key)
  return typeof message === 'string' ? message : (message.format(values) as string)
}
