/** "Did you mean": finds the known name with the fewest edits. */

function editDistance(a: string, b: string): number {
  let row = new Uint8Array(b.length + 1).map((_, j) => j)
  let next = new Uint8Array(b.length + 1)
  for (let i = 1; i <= a.length; i++) {
    next[0] = i
    for (let j = 1; j <= b.length; j++) {
      const isSame = a.charCodeAt(i - 1) === b.charCodeAt(j - 1)
      next[j] = Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (isSame ? 0 : 1))
    }
    ;[row, next] = [next, row]
  }
  return row[b.length]!
}

/** Returns the nearest of `known`; undefined if each needs more than two edits and more than a third of the name. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = name.slice(0, 64).toLowerCase()
  let best: string | undefined
  let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1
  for (const candidate of known) {
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue
    const distance = editDistance(wanted, candidate)
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}
