/**
 * Encrypts texts at rest with AES-256-GCM. The format is `v2.<key id>.<base64url of nonce, tag and text>`, or
 * `v1.<base64url>` while there is only one key (decision 0068).
 */
import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_ID_LENGTH = 8
const SEALED = /^(?:v1|v2\.([0-9a-f]{8}))\.([\w-]+)$/

/** Prefix of encrypted texts that contain the ID of their key. */
export const NAMED_PREFIX = 'v2.'

/** Returns the ID of a key: a prefix of its hash, which reveals nothing about the key. */
const keyIdOf = (key: Uint8Array): string => hash('sha256', key).slice(0, KEY_ID_LENGTH)

/**
 * Encrypts with the first of its keys and decrypts with any of them. A text is bound to its context, such as the ID of
 * its row, and cannot be decrypted in another context.
 */
export class SecretBox {
  /** Keys by ID. The first key encrypts. */
  readonly #keys: ReadonlyMap<string, Uint8Array>
  /** The IDs of all keys, starting with the encrypting key. */
  readonly keyIds: readonly [string, ...string[]]

  constructor(...keys: readonly [Uint8Array, ...Uint8Array[]]) {
    if (keys.some(({ length }) => length !== KEY_BYTES))
      throw new Error(`An encryption key must have ${KEY_BYTES} bytes`)
    this.#keys = new Map(keys.map((key) => [keyIdOf(key), key]))
    this.keyIds = [...this.#keys.keys()] as [string, ...string[]]
  }

  /** Prefix of texts encrypted with the first key, if there are several keys. */
  get currentPrefix(): string {
    return `${NAMED_PREFIX}${this.keyIds[0]}.`
  }

  seal(text: string | Uint8Array, context: string): string {
    const [keyId] = this.keyIds
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#keys.get(keyId)!, nonce, { authTagLength: TAG_BYTES }).setAAD(
      Buffer.from(context),
    )
    const sealed = Buffer.concat([cipher.update(Buffer.from(text as string)), cipher.final()])
    // With a single key, uses the format that releases without key IDs can read.
    const prefix = this.keyIds.length === 1 ? 'v1.' : this.currentPrefix
    return prefix + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
  }

  /** Decrypts a text. Throws if no key decrypts the text in this context. */
  open(sealed: string, context: string): string {
    return this.openBytes(sealed, context).toString()
  }

  /** Same as `open`, but returns bytes. */
  openBytes(sealed: string, context: string): Buffer {
    return this.#open(sealed, context).opened
  }

  /**
   * Returns the ID of the key that decrypts a text. If no key decrypts the text, returns the key ID in the text, or
   * undefined if the text contains no key ID.
   */
  keyIdOf(sealed: string, context: string): string | undefined {
    try {
      return this.#open(sealed, context).keyId
    } catch {
      return SEALED.exec(sealed)?.[1]
    }
  }

  #open(sealed: string, context: string): { opened: Buffer; keyId: string } {
    const [, named, payload] = SEALED.exec(sealed) ?? []
    const bytes = Buffer.from(payload ?? '', 'base64url')
    if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('Not an encrypted text')
    for (const keyId of named === undefined ? this.keyIds : [named]) {
      const key = this.#keys.get(keyId)
      const opened = key && openWith(key, bytes, context)
      if (opened !== undefined) return { opened, keyId }
    }
    throw new Error('No key decrypts the text')
  }
}

function openWith(key: Uint8Array, bytes: Buffer, context: string): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}
