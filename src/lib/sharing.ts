/**
 * Lets concurrent callers share a result, which must be newer than each call. Only one call of `ask` runs at a time.
 * Callers that arrive while it runs share the result of the next call.
 */
export function sharing<T>(ask: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | undefined
  return () => {
    if (next === undefined) {
      next = last.then(() => {
        next = undefined
        return ask()
      })
      last = next.catch(() => {})
    }
    return next
  }
}
