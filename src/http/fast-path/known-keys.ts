/** Recognizes the API keys of recent requests by their digests. Never keeps keys in memory in plain text. */
import { hash } from 'node:crypto'
import { hashApiKey } from '../../lib/api-keys.ts'
import type { Actor } from '../../lib/scopes.ts'

/** Returns the actor of a key, given its stored hash, or undefined if the key was not validated recently. */
export type RecallActor = (hash: string) => Actor | undefined

/** Maximum number of known keys. Each uses 200 bytes. */
const KEYS_MAX = 50_000

export class KnownKeys {
  readonly #recallActor: RecallActor
  /**
   * Stored hashes, keyed by a prefix of the digest. The prefix is a number, because V8 adds strings that are looked up
   * in a `Map` to its string table (decision 0026). If two digests share a prefix, the later one replaces the earlier
   * one.
   */
  readonly #byStart = new Map<number, { digest: string; hash: string }>()

  constructor(recallActor: RecallActor) {
    this.#recallActor = recallActor
  }

  /** Returns the actor of a key, or undefined if the key was not validated recently. */
  recall(key: string): Actor | undefined {
    // Encoding the digest with one character per byte takes half as long as hexadecimal.
    const digest = hash('sha256', key, 'latin1')
    const start = startOf(digest)
    const known = this.#byStart.get(start)
    // Compares digests, because comparing keys would leak information through timing.
    if (known?.digest === digest) return this.#recallActor(known.hash)
    const stored = hashApiKey(key)
    const actor = this.#recallActor(stored)
    if (actor) {
      if (this.#byStart.size >= KEYS_MAX) this.#byStart.clear()
      this.#byStart.set(start, { digest, hash: stored })
    }
    return actor
  }
}

/** Returns the first four bytes of a digest as a number. */
const startOf = (digest: string): number =>
  digest.charCodeAt(0) | (digest.charCodeAt(1) << 8) | (digest.charCodeAt(2) << 16) | (digest.charCodeAt(3) << 24)
