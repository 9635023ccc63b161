/** Detects invisible characters, and characters that make one text look like another (decision 0069). */

/**
 * A name is a single line next to other text, such as a person's name, a company's name or a job's title. A text is
 * prose in its own paragraphs.
 */
export type TextUse = 'name' | 'text'

interface Rule {
  /** Matches a character that is not allowed, or not allowed at its position. */
  pattern: RegExp
  /** Describes the character. */
  what: string
}

/**
 * Scripts that use invisible characters to join or separate letters, and emoji, which use them to form combined emoji.
 */
const JOINED =
  '\\p{scx=Arabic}\\p{scx=Syriac}\\p{scx=Nko}\\p{scx=Mandaic}\\p{scx=Mongolian}\\p{scx=Devanagari}\\p{scx=Bengali}' +
  '\\p{scx=Gurmukhi}\\p{scx=Gujarati}\\p{scx=Oriya}\\p{scx=Tamil}\\p{scx=Telugu}\\p{scx=Kannada}\\p{scx=Malayalam}' +
  '\\p{scx=Sinhala}\\p{scx=Tibetan}\\p{scx=Khmer}\\p{scx=Myanmar}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Javanese}' +
  '\\p{scx=Balinese}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F'

const OVERRIDES: Rule = { pattern: /[\u202d\u202e]/u, what: 'a control character that reverses the direction of text' }
/** Flags such as Scotland's consist of a black flag and at most six tags. */
const TAGS: Rule = {
  pattern: /(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,5})[\u{e0000}-\u{e007f}]/u,
  what: 'an invisible character',
}

const RULES: Readonly<Record<TextUse, readonly Rule[]>> = {
  text: [OVERRIDES, TAGS],
  name: [
    OVERRIDES,
    { pattern: /[\u202a-\u202c\u2066-\u206f]/u, what: 'a control character that changes the direction of text' },
    { pattern: /[\p{Cc}\u2028\u2029]/u, what: 'a line break, a tab or another control character' },
    { pattern: new RegExp(`(?<![${JOINED}])[\\u200b-\\u200d\\u180b-\\u180f]`, 'u'), what: 'an invisible character' },
    // Variation selectors are allowed after symbols and after Chinese characters, which need them in Japanese names.
    {
      pattern: /(?<=^|[\s\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u,
      what: 'an invisible character',
    },
    {
      pattern:
        /[\u034f\u00ad\u115f\u1160\u17b4\u17b5\u2060-\u2065\u3164\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}]/u,
      what: 'an invisible character',
    },
    TAGS,
  ],
}

/** Invisible marks that position punctuation in right-to-left text. They have no purpose in text of other scripts. */
const DIRECTION_MARK = /[\u200e\u200f\u061c]/u
const RIGHT_TO_LEFT = /[\p{scx=Arabic}\p{scx=Hebrew}\p{scx=Syriac}\p{scx=Thaana}\p{scx=Nko}\p{scx=Adlam}]/u

/** Cyrillic and Greek letters that look like Latin letters. Excludes letters used in formulas, such as α and γ. */
const LOOKALIKES = /^[аАВсСеЕһНіІјЈКМоОрРѕЅТуУхХԁԛԝҮӀӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧον]+$/u
const NOT_LATIN = /[\p{sc=Cyrillic}\p{sc=Greek}]+/gu

/**
 * Describes a disallowed character or a disguised word in a text, as the end of a sentence about the text. Returns
 * undefined if there is neither.
 */
export function characterFault(text: string, use: TextUse): string | undefined {
  for (const { pattern, what } of RULES[use]) {
    const [found] = pattern.exec(text) ?? []
    if (found !== undefined) return hidden(found, what)
  }
  if (use === 'text') return undefined
  const [mark] = DIRECTION_MARK.exec(text) ?? []
  if (mark !== undefined && !RIGHT_TO_LEFT.test(text)) return hidden(mark, 'an invisible character')
  const word = text.match(/[\p{L}\p{M}\p{N}]+/gu)?.find(isDisguised)
  if (word === undefined) return undefined
  return `must not mix alphabets in one word: “${word}” has letters that look Latin but are not. Type the word again`
}

const hidden = (found: string, what: string) => {
  const code = found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  return `must not contain U+${code}, ${what}. Type the text again instead of pasting it`
}

/**
 * Returns whether a word imitates a Latin word: it mixes Latin letters with Cyrillic or Greek letters that all look
 * Latin.
 */
function isDisguised(word: string): boolean {
  const others = word.match(NOT_LATIN)
  return others !== null && /\p{sc=Latin}/u.test(word) && LOOKALIKES.test(others.join(''))
}
