/** Language tags (BCP 47) of texts. */

/** Matches a language with an optional script, region and variants. Extensions are not allowed. */
export const LANGUAGE_TAG =
  '^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*$'
export const LANGUAGE_TAG_MAX = 35

const languageTag = new RegExp(LANGUAGE_TAG)

export const isLanguageTag = (text: string): boolean => text.length <= LANGUAGE_TAG_MAX && languageTag.test(text)

/** Returns the first subtag of a language tag in lowercase, such as `de` for `de-AT`. */
export function primaryLanguage(tag: string): string {
  const end = tag.indexOf('-')
  return (end < 0 ? tag : tag.slice(0, end)).toLowerCase()
}
