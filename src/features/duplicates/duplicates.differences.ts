/** Finds the words in which two texts differ. */
import { diffArrays } from 'diff'

/** A part of a text. `isOnlyHere` is true if the part has no counterpart in the other text. */
export interface Part {
  text: string
  isOnlyHere: boolean
}

/** Maximum number of differing words and punctuation marks. Finding this many differences takes about 0.1 s. */
const DIFFERENCES_MAX = 1_000

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/** Returns the words and punctuation marks of a text, each with the white space that follows it. */
function tokensOf(text: string): string[] {
  const tokens: string[] = []
  for (const { segment } of segmenter.segment(text)) {
    if (tokens.length > 0 && segment.trim() === '') tokens.push(tokens.pop() + segment)
    else tokens.push(segment)
  }
  return tokens
}

/** Returns the parts of both texts, or undefined if too many words differ. Ignores differences in white space. */
export function findDifferences(first: string, second: string): [Part[], Part[]] | undefined {
  const texts = [first, second].map(tokensOf) as [string[], string[]]
  const [a, b] = texts.map((tokens) => tokens.map((token) => token.trim())) as [string[], string[]]
  const changes = diffArrays(a, b, { maxEditLength: DIFFERENCES_MAX })
  if (!changes) return undefined
  const take = (tokens: string[], skipped: 'added' | 'removed'): Part[] => {
    let at = 0
    return changes.flatMap((change) => {
      if (change[skipped]) return []
      const from = at
      at += change.count
      return [{ text: tokens.slice(from, at).join(''), isOnlyHere: change.added || change.removed }]
    })
  }
  return [take(texts[0], 'added'), take(texts[1], 'removed')]
}
