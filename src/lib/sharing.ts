/**
 * Returns a function whose concurrent callers share one call to `ask`. The call starts only after all of these callers
 * have called. Only one call to `ask` runs at a time; callers that arrive during a call share the next one.
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
