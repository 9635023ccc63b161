/** Maximum number of results that a cache remembers. */
const RESULTS_MAX = 1_000

/** Returns a cache of results by key, for keys of which few are distinct, such as request headers. */
export function remembering<Result>(): (key: string, compute: () => Result) => Result {
  const results = new Map<string, Result>()
  return (key, compute) => {
    if (results.has(key)) return results.get(key)!
    if (results.size >= RESULTS_MAX) results.clear()
    const result = compute()
    results.set(key, result)
    return result
  }
}
