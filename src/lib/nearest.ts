/** Finds the known name with the fewest edits, for "Did you mean" hints. */
import { distance } from 'fastest-levenshtein'

/**
 * Returns the name in `known` that is nearest to `name`. Returns undefined if all known names are too different: by
 * more than two edits, and by more than a third of the length of `name`.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = name.slice(0, 64).toLowerCase()
  let best: string | undefined
  let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1
  for (const candidate of known) {
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue
    const edits = distance(wanted, candidate)
    if (edits < bestDistance) [best, bestDistance] = [candidate, edits]
  }
  return best
}

/** Returns a hint with the nearest known name, for the end of a message, or an empty string if no name is near. */
export function nameHint(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known)
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`
}
