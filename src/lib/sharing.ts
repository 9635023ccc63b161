/**
 * Returns a function whose concurrent callers share the result of one call to `ask`, which starts only after all of
 * them have called. Only one call to `ask` runs at a time. Callers that arrive during a call share the next call.
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
