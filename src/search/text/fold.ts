/** Folds texts. Sorting, comparison and search then ignore case and accents, on any version of the database. */

/** Marks on Latin, Greek and Cyrillic letters. Marks in other scripts distinguish words and are kept. */
const MARKS =
  '\\u0300-\\u036f\\u0483-\\u0489\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\u2de0-\\u2dff\\ua66f-\\ua672' +
  '\\ua674-\\ua67d\\ua69e\\ua69f\\ufe20-\\ufe2f'

/** Matches the marks and invisible characters (soft hyphens, joiners, selectors) that folding removes. */
const DROPPED = new RegExp(`[${MARKS}\\p{Default_Ignorable_Code_Point}]+`, 'gu')

/** Matches signs that compatibility decomposition would turn into letters of the preceding word, as in `Java™`. */
const TRADE_SIGNS = /[™℠]/g

/** Letters and typographic signs that Unicode does not decompose, with their plain equivalents. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
  ĸ: 'k',
  ı: 'i',
  ς: 'σ',
  '‘': "'",
  '’': "'",
  ʼ: "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '‐': '-',
  '‒': '-',
  '–': '-',
  '−': '-',
}
const UNDECOMPOSED = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g')

/** Matches runs of white space and control characters, except a single plain space. */
const SPACES = /[^\S ][\s\p{Cc}]*|\p{Cc}[\s\p{Cc}]*| [\s\p{Cc}]+/gu

const NOT_ASCII = /[^\0-\x7f]/

/** Returns whether a text is ASCII. Most texts are, and need no Unicode tables, which are slower. */
export function isAscii(text: string): boolean {
  return !NOT_ASCII.test(text)
}

/**
 * Normalizes compatibility forms, removes accents and case, and replaces white space and control characters with single
 * spaces between words. Folding is idempotent. Folded text contains no NUL and no unpaired surrogate.
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase().replace(SPACES, ' ').trim()
  return text
    .toWellFormed()
    .replace(TRADE_SIGNS, '')
    .normalize('NFKD')
    .replace(DROPPED, '')
    .toLowerCase()
    .replace(UNDECOMPOSED, (character) => PLAIN[character]!)
    .normalize('NFC') // recomposes Hangul syllables and kana with dakuten
    .replace(SPACES, ' ')
    .trim()
}
