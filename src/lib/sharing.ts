/**
 * Lets many share one answer that must be newer than each of their questions: asks once at a time, and everybody who comes
 * while it is asked gets the next answer.
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
