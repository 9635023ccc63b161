/**
 * Stems words by the language of a job. The lexemes of German, French and Spanish jobs have marks, because a search
 * must compare each job only with the stem of its own language. For example, Spanish `care` has the stem `car`, but a
 * search for `care` must not find English jobs with `car`. The mark is at the end of a lexeme, so a prefix matches
 * lexemes with and without a mark.
 */
import { stemmer as french } from '@orama/stemmers/french'
import { stemmer as german } from '@orama/stemmers/german'
import { stemmer as spanish } from '@orama/stemmers/spanish'
import { stemmer as english } from 'stemmer'
import { primaryLanguage } from '../../lib/language-tags.ts'

type Stemmer = (word: string) => string

/** The languages whose lexemes are marked. Words in other languages are stemmed like English and have no marks. */
const marked: Readonly<Record<string, Stemmer>> = { de: german, es: spanish, fr: french }
const markedLanguages = Object.keys(marked)

/** The languages with their own word rules. Japanese text is indexed as pairs of characters. */
export const stemmedLanguages: readonly string[] = ['en', ...markedLanguages, 'ja']

/** Separates a lexeme from its mark. No word contains this character. */
const MARK = '/'

/** Matches words that stemmers can process. Other words have no endings: numbers, `c++`, and words in other scripts. */
const STEMMED = /^[a-z]+$/

/** The lexemes of a word in a text. */
export interface WordLexemes {
  stemmed: string
  written: string
}

/** The lexemes that a search for a word compares with jobs in any language. */
export interface SearchedLexemes extends WordLexemes {
  /** The stems in the languages whose lexemes are marked. */
  markedStems: readonly string[]
  /** The word as typed, with the mark that all these languages share. */
  markedWritten: readonly string[]
}

const MAX_CACHED = 50_000

/** Caches the results of a function by word, because most words recur. */
function cached<T>(compute: (word: string) => T): (word: string) => T {
  const results = new Map<string, T>()
  return (word) => {
    let result = results.get(word)
    if (result === undefined) {
      result = compute(word)
      if (results.size >= MAX_CACHED) results.clear()
      results.set(word, result)
    }
    return result
  }
}

const unmarkedLexemes = cached((word): WordLexemes => {
  return { stemmed: STEMMED.test(word) ? english(word) : word, written: word }
})

function markedLexemes(language: string, stem: Stemmer): (word: string) => WordLexemes {
  return cached((word) =>
    STEMMED.test(word)
      ? { stemmed: `${stem(word)}${MARK}${language}`, written: `${word}${MARK}` }
      : { stemmed: word, written: word },
  )
}

const lexemesByLanguage: Readonly<Record<string, (word: string) => WordLexemes>> = Object.fromEntries(
  Object.entries(marked).map(([language, stem]) => [language, markedLexemes(language, stem)]),
)

/** Returns a function that returns the lexemes of a folded word in texts of a language. */
export function lexemesIn(language: string | null): (word: string) => WordLexemes {
  return lexemesByLanguage[primaryLanguage(language ?? '')] ?? unmarkedLexemes
}

/** Returns the lexemes that a search for a folded word compares. */
export const searchedLexemes = cached((word): SearchedLexemes => {
  const unmarked = unmarkedLexemes(word)
  const marked = STEMMED.test(word) ? markedLanguages.map((language) => lexemesByLanguage[language]!(word)) : []
  return {
    ...unmarked,
    markedStems: marked.map(({ stemmed }) => stemmed),
    markedWritten: marked.slice(0, 1).map(({ written }) => written),
  }
})

/** Matches an alternative for marked lexemes. An alternative for unmarked lexemes always precedes it. */
const MARKED_ALTERNATIVE = / \| '[^'/ ]*\/(\w*)'(?::[A-D])?/g

/**
 * Removes from a `tsquery` literal the alternatives that match only languages not in `languages`. Searches of an
 * English board then need no more index lookups than searches in one language.
 */
export function withLanguages(query: string, languages: readonly (string | undefined)[]): string {
  const present = new Set(languages.filter((language) => language !== undefined && language in marked))
  return query.replaceAll(MARKED_ALTERNATIVE, (alternative, language) =>
    (language === '' ? present.size > 0 : present.has(language)) ? alternative : '',
  )
}
