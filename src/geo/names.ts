/** The one form in which names of places are compared, in the gazetteer's file and in what people write. */
import { fold } from '../lib/fold.ts'

const SHORT: Readonly<Record<string, string>> = { saint: 'st', sainte: 'ste', fort: 'ft', mount: 'mt' }

/** `Coeur d’Alene` and `St. Louis` as `coeur dalene` and `st louis`; `Saint`, `Fort` and `Mount` are shortened. */
export function placeName(text: string): string {
  return fold(text)
    .replace(/['.`]/g, '')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim()
    .replace(/\p{L}+/gu, (word) => SHORT[word] ?? word)
}
