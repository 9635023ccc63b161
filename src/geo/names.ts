/** Normalizes place names for comparison, both in the gazetteer file and in user input. */
import { fold } from '../search/text/fold.ts'

const SHORT: Readonly<Record<string, string>> = { saint: 'st', sainte: 'ste', fort: 'ft', mount: 'mt' }

/**
 * Normalizes `Coeur d’Alene` and `St. Louis` to `coeur dalene` and `st louis`. Shortens `Saint`, `Fort` and `Mount`.
 */
export function placeName(text: string): string {
  return fold(text)
    .replace(/['.`]/g, '')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim()
    .replace(/\p{L}+/gu, (word) => SHORT[word] ?? word)
}
