/** A software authenticator for tests without a browser. Creates passkeys and signs challenges (WebAuthn level 3). */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** The options that the service sends, with only the fields that the authenticator reads. */
export interface Options {
  challenge: string
  rpId?: string
  rp?: { id: string }
  user?: { id: string }
}

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest()

/** Encodes integers, byte strings, texts and maps in CBOR. */
function cbor(value: number | string | Uint8Array | ReadonlyMap<number | string, unknown>): Buffer {
  const head = (major: number, n: number) =>
    n < 24
      ? Buffer.of((major << 5) | n)
      : n < 256
        ? Buffer.of((major << 5) | 24, n)
        : Buffer.of((major << 5) | 25, n >> 8, n & 255)
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  const map = value as ReadonlyMap<number | string, Parameters<typeof cbor>[0]>
  return Buffer.concat([head(5, map.size), ...[...map].flatMap(([key, each]) => [cbor(key), cbor(each)])])
}

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const HAS_PASSKEY = 0x40

export class Authenticator {
  readonly #id = randomBytes(16)
  #key: KeyObject
  readonly #publicKey: Buffer
  #digest: string | null = 'sha256'
  readonly #origin: string
  #user: string | undefined
  counter = 0
  verifiesUser = true

  constructor(origin = 'https://board.example') {
    this.#origin = origin
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x, y } = publicKey.export({ format: 'jwk' }) as { x: string; y: string }
    const [xBytes, yBytes] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
    this.#key = privateKey
    // An ES256 key on the curve P-256.
    this.#publicKey = cbor(new Map<number, number | Buffer>([[1, 2], [3, -7], [-1, 1], [-2, xBytes], [-3, yBytes]])) // biome-ignore format: pairs
  }

  /** Replaces the key with an ML-DSA-44 key, and returns the public key as the service stores it. */
  changeToMlDsa(): Buffer {
    const { privateKey, publicKey } = generateKeyPairSync('ml-dsa-44')
    const { pub } = publicKey.export({ format: 'jwk' }) as { pub: string }
    this.#key = privateKey
    this.#digest = null
    return cbor(new Map<number, number | Buffer>([[1, 7], [3, -48], [-1, Buffer.from(pub, 'base64url')]])) // biome-ignore format: pairs
  }

  #data(domain: string, flags: number, more = Buffer.alloc(0)): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    const verified = this.verifiesUser ? USER_VERIFIED : 0
    return Buffer.concat([sha256(domain), Buffer.of(USER_PRESENT | verified | flags), counter, more])
  }

  #answer(type: 'create' | 'get', challenge: string, response: (clientData: Buffer) => Record<string, string>): string {
    const clientData = Buffer.from(JSON.stringify({ type: `webauthn.${type}`, challenge, origin: this.#origin }))
    const id = this.#id.toString('base64url')
    return JSON.stringify({
      ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
      response: { clientDataJSON: clientData.toString('base64url'), ...response(clientData) },
    })
  }

  /** Creates the passkey. */
  create({ challenge, rp, user }: Options): string {
    this.#user = user!.id
    const length = Buffer.of(0, this.#id.length)
    const passkey = Buffer.concat([Buffer.alloc(16), length, this.#id, this.#publicKey])
    const data = this.#data(rp!.id, HAS_PASSKEY, passkey)
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', data],
    ])
    return this.#answer('create', challenge, () => ({ attestationObject: cbor(attestation).toString('base64url') }))
  }

  /** Increments the counter, and signs a challenge with the passkey. */
  get({ challenge, rpId }: Options, domain = rpId!): string {
    this.counter++
    const data = this.#data(domain, 0)
    return this.#answer('get', challenge, (clientData) => ({
      authenticatorData: data.toString('base64url'),
      signature: sign(this.#digest, Buffer.concat([data, sha256(clientData)]), this.#key).toString('base64url'),
      userHandle: this.#user!,
    }))
  }
}
