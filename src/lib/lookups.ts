/** Looks up many keys with few queries: while a query runs, new keys are collected for the next query. */

/** Maximum number of keys per query. */
const KEYS_MAX = 500

export class Lookups<V> {
  readonly #readMany: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>
  readonly #waiting = new Map<string, PromiseWithResolvers<V | undefined>>()
  #isReading = false

  constructor(readMany: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>) {
    this.#readMany = readMany
  }

  /** Returns the value of a key, if any. The query for the value never starts before this call. */
  find(key: string): Promise<V | undefined> {
    const asked = this.#waiting.get(key) ?? Promise.withResolvers<V | undefined>()
    this.#waiting.set(key, asked)
    if (!this.#isReading) void this.#readAll()
    return asked.promise
  }

  async #readAll(): Promise<void> {
    this.#isReading = true
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting].slice(0, KEYS_MAX)
      for (const [key] of batch) this.#waiting.delete(key)
      try {
        const found = await this.#readMany(batch.map(([key]) => key))
        for (const [key, { resolve }] of batch) resolve(found.get(key))
      } catch (error) {
        for (const [, { reject }] of batch) reject(error)
      }
    }
    this.#isReading = false
  }
}
