/**
 * The one case- and accent-insensitive form of a text, used for sorting, equality and search. It is computed here
 * rather than by the database, so that every database, whatever its version or collation, gives the same answers.
 */

/** Marks on Latin, Greek and Cyrillic letters. Marks of other scripts (dakuten, vowel signs) tell words apart. */
const MARKS =
  '\\u0300-\\u036f\\u0483-\\u0489\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\u2de0-\\u2dff\\ua66f-\\ua672' +
  '\\ua674-\\ua67d\\ua69e\\ua69f\\ufe20-\\ufe2f'

/** What the folded form leaves out: those marks, and characters nobody sees (soft hyphens, joiners, selectors). */
const DROPPED = new RegExp(`[${MARKS}\\p{Default_Ignorable_Code_Point}]+`, 'gu')

/** Signs that compatibility decomposition would glue to the word before them, as in `Java™`. */
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

/** Any white space or control character but a single plain space. */
const SPACES = /[^\S ][\s\p{Cc}]*|\p{Cc}[\s\p{Cc}]*| [\s\p{Cc}]+/gu

const NOT_ASCII = /[^\0-\x7f]/

/** Whether nothing in it needs Unicode's tables: most texts here, and a short way for them. */
export function isAscii(text: string): boolean {
  return !NOT_ASCII.test(text)
}

/**
 * Folds a text: compatibility forms become ordinary ones, accents and case disappear, white space (and control
 * characters) becomes single spaces between words. Folding twice gives the same as folding once, and the result never
 * holds a NUL or half a surrogate pair.
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
    .normalize('NFC') // puts Hangul syllables and kana with their dakuten together again
    .replace(SPACES, ' ')
    .trim()
}
