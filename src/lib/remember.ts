/** Maximum number of results that a cache remembers. */
const RESULTS_MAX = 1_000

/** Maximum length of a remembered key, in characters. Clients choose some keys, which must not fill the memory. */
const KEY_LENGTH_MAX = 1_000

/** Returns a cache of results by key. Suits keys with few distinct values, such as request headers. */
export function remembering<Result>({
  resultsMax = RESULTS_MAX,
  keyLengthMax = KEY_LENGTH_MAX,
} = {}): (key: string, compute: () => Result) => Result {
  const results = new Map<string, Result>()
  return (key, compute) => {
    const known = results.get(key)
    if (known !== undefined || results.has(key)) return known as Result
    if (results.size >= resultsMax) results.clear()
    const result = compute()
    if (key.length <= keyLengthMax) results.set(key, result)
    return result
  }
}
