/**
 * Lets concurrent callers share the result of one call of `ask`, which starts only after each of these callers has
 * asked. Only one call of `ask` runs at a time. Callers that arrive during a call share the result of the next one.
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
