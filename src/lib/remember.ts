/** Maximum number of results that a function remembers. */
const RESULTS_MAX = 1_000

/** Returns a function that remembers the results for recent texts, such as request headers, of which few are distinct. */
export function remembering<Result>(compute: (text: string) => Result): (text: string) => Result {
  const results = new Map<string, Result>()
  return (text) => {
    if (results.has(text)) return results.get(text)!
    if (results.size >= RESULTS_MAX) results.clear()
    const result = compute(text)
    results.set(text, result)
    return result
  }
}
