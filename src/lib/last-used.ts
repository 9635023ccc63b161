/** What was used last, by key: beyond so many bytes, or so many values, the longest unused goes. */

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

  /** What `bytesOf` tells of a value has to stay the same while it is kept. */
  constructor(
    bytesOf: (value: T, key: string) => number,
    { bytesMax, countMax = Number.POSITIVE_INFINITY }: LastUsedLimits,
  ) {
    this.#bytesOf = bytesOf
    this.#bytesMax = bytesMax
    this.#countMax = countMax
  }

  /** What all values take. */
  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#values.size
  }

  /** All that is kept, the longest unused first; none of it is used by that. */
  [Symbol.iterator](): MapIterator<[string, T]> {
    return this.#values.entries()
  }

  /** Uses a value. */
  find(key: string): T | undefined {
    const value = this.#values.get(key)
    if (value === undefined) return undefined
    this.#values.delete(key)
    this.#values.set(key, value)
    return value
  }

  /** Keeps a value, in place of the one with that key; one that is larger than there is room at all is not. */
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
