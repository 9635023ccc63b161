/** A cache that evicts the least recently used entries beyond a number of bytes or of values. */

interface LastUsedLimits {
  bytesMax: number
  countMax?: number
}

export class LastUsed<T> implements Iterable<[key: string, value: T]> {
  readonly #values = new Map<string, T>()
  readonly #bytesOf: (value: T, key: string) => number
  readonly #bytesMax: number
  readonly #countMax: number
  #bytes = 0

  /** The result of `bytesOf` must not change while a value is cached. */
  constructor(
    bytesOf: (value: T, key: string) => number,
    { bytesMax, countMax = Number.POSITIVE_INFINITY }: LastUsedLimits,
  ) {
    this.#bytesOf = bytesOf
    this.#bytesMax = bytesMax
    this.#countMax = countMax
  }

  /** Total bytes of all values. */
  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#values.size
  }

  /** Iterates over all entries, least recently used first, without marking them as used. */
  [Symbol.iterator](): MapIterator<[string, T]> {
    return this.#values.entries()
  }

  /** Returns a value and marks it as used. */
  find(key: string): T | undefined {
    const value = this.#values.get(key)
    if (value === undefined) return undefined
    this.#values.delete(key)
    this.#values.set(key, value)
    return value
  }

  /** Stores a value, replacing the one with that key. A value larger than the cache evicts everything, including itself. */
  keep(key: string, value: T): void {
    this.drop(key)
    this.#values.set(key, value)
    this.#bytes += this.#bytesOf(value, key)
    for (const oldest of this.#values.keys()) {
      if (this.#bytes <= this.#bytesMax && this.#values.size <= this.#countMax) break
      this.drop(oldest)
    }
  }

  drop(key: string): void {
    const value = this.#values.get(key)
    if (value === undefined) return
    this.#values.delete(key)
    this.#bytes -= this.#bytesOf(value, key)
  }

  clear(): void {
    this.#values.clear()
    this.#bytes = 0
  }
}
