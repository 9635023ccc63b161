/**
 * Connections to receivers: TLS always verified, to judged addresses only, kept for the next delivery to the same origin.
 *
 * Not undici's own pool: that takes the headers before it has a connection, and the time of a signature must be the time
 * of writing. Here a request begins on a connection that stands.
 */
import { constants } from 'node:crypto'
import type { LookupAddress } from 'node:dns'
import { isIP, type TcpNetConnectOpts } from 'node:net'
import tls, { type ConnectionOptions, type SecureContext, type TLSSocket } from 'node:tls'
import { Client } from 'undici'
import { type Guard, hostOf, portOf } from './guard.ts'

export type ErrorClass = 'dns' | 'blocked_address' | 'connect' | 'tls' | 'timeout' | 'reset' | 'http_status'

/** Why an attempt failed: its class and a sentence of ours. */
export class Failure extends Error {
  readonly errorClass: ErrorClass

  constructor(errorClass: ErrorClass, reason: string) {
    super(reason)
    this.errorClass = errorClass
  }
}

export interface Connection {
  origin: string
  client: Client
  socket: TLSSocket
  /** The address of the other side. */
  address: string
}

const IDLE_MS = 30_000

/** Idle ones to all origins: each holds a file descriptor. */
const IDLE_MAX = 512

interface ConnectionsOptions {
  guard: Guard
  /** Certificate authorities in PEM to trust besides the usual ones. */
  ca: string | undefined
  connectMs: number
}

export class Connections {
  readonly #guard: Guard
  readonly #secureContext: SecureContext
  readonly #connectMs: number
  readonly #idle = new Map<string, Connection[]>()
  /** The same, the longest idle first. */
  readonly #idleByAge = new Set<Connection>()
  readonly #open = new Set<Connection>()
  #isClosed = false

  constructor({ guard, ca, connectMs }: ConnectionsOptions) {
    this.#guard = guard
    this.#connectMs = connectMs
    // Made once: reading all authorities anew would cost milliseconds a connection.
    const authorities = ca === undefined ? {} : { ca: [...tls.getCACertificates('default'), ca] }
    this.#secureContext = tls.createSecureContext({
      minVersion: 'TLSv1.2',
      // A receiver could ask for a handshake after the other for as long as an attempt may take.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      ...authorities,
    })
  }

  /** An idle connection to the origin, the last used first. */
  takeIdle(origin: string): Connection | undefined {
    const connection = this.#idle.get(origin)?.at(-1)
    if (connection) this.#forget(connection)
    return connection
  }

  /** Keeps a connection whose last answer was read to its end. */
  keep(connection: Connection): void {
    if (this.#isClosed || connection.socket.destroyed) {
      this.drop(connection)
      return
    }
    const { origin } = connection
    this.#idle.set(origin, [...(this.#idle.get(origin) ?? []), connection])
    this.#idleByAge.add(connection)
    const [oldest] = this.#idleByAge
    if (this.#idleByAge.size > IDLE_MAX) this.drop(oldest!)
  }

  drop(connection: Connection): void {
    this.#forget(connection)
    this.#open.delete(connection)
    void connection.client.destroy()
    connection.socket.destroy()
  }

  close(): void {
    this.#isClosed = true
    for (const connection of this.#open) this.drop(connection)
  }

  #forget(connection: Connection): void {
    if (!this.#idleByAge.delete(connection)) return
    const others = this.#idle.get(connection.origin)!.filter((one) => one !== connection)
    if (others.length > 0) this.#idle.set(connection.origin, others)
    else this.#idle.delete(connection.origin)
  }

  /** A new connection; fails with a `Failure`. */
  async open(url: URL, signal: AbortSignal): Promise<Connection> {
    const socket = await this.#connect(url, signal)
    let isTaken = false
    const client = new Client(url.origin, {
      allowH2: false,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      // The attempt has one timer for all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, done) => {
        const given = isTaken
        isTaken = true
        // Not at once: undici does not expect that and would wait for ever.
        queueMicrotask(() => (given ? done(new Error('The connection has ended'), null) : done(null, socket)))
      },
    })
    const connection = { origin: url.origin, client, socket, address: socket.remoteAddress ?? '' }
    this.#open.add(connection)
    socket.once('close', () => this.drop(connection))
    return connection
  }

  async #connect(url: URL, signal: AbortSignal): Promise<TLSSocket> {
    const host = hostOf(url)
    const isLiteral = isIP(host) !== 0
    // Node looks no literal up.
    if (isLiteral && this.#guard.isBlocked(host)) throw blocked()
    if (!this.#guard.isPortAllowed(portOf(url))) throw new Failure('blocked_address', 'The port is not allowed.')
    const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
    let stage: 'connect' | 'tls' = 'connect'
    const options: ConnectionOptions & TcpNetConnectOpts = {
      host,
      port: portOf(url),
      servername: isLiteral ? '' : host,
      autoSelectFamily: true,
      lookup: (name, _options, done) => void this.#lookup(name).then((found) => done(...found)),
      secureContext: this.#secureContext,
      // Said outright: NODE_TLS_REJECT_UNAUTHORIZED must not turn it off.
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
      noDelay: true,
    }
    const socket = tls.connect(options)
    const timer = setTimeout(
      () => socket.destroy(new Failure('timeout', 'There was no connection in time.')),
      this.#connectMs,
    )
    const abort = () => socket.destroy(new Failure('timeout', 'There was no connection in time.'))
    signal.addEventListener('abort', abort)
    socket.once('connect', () => {
      stage = 'tls'
      // Whatever was looked up: this is where it led.
      if (this.#guard.isBlocked(socket.remoteAddress ?? '')) socket.destroy(blocked())
    })
    socket.once('secureConnect', () => resolve(socket))
    // Stays for good: an idle connection may end with an error, too.
    socket.on('error', (error) => reject(error instanceof Failure ? error : failureAt(stage, error)))
    socket.once('close', () => reject(failureAt(stage)))
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }

  /** All addresses of a name once every one of them is judged. */
  async #lookup(name: string): Promise<[error: Failure | null, addresses: LookupAddress[]]> {
    const addresses = await this.#guard.lookup(name).catch(() => [])
    if (addresses.length === 0) return [new Failure('dns', 'The host name has no address.'), []]
    if (addresses.some(({ address }) => this.#guard.isBlocked(address))) return [blocked(), []]
    return [null, [...addresses]]
  }
}

const blocked = () => new Failure('blocked_address', 'The address is private or reserved.')

/** Named by a code, which is Node's own; messages may quote the other side. */
function failureAt(stage: 'connect' | 'tls', { code }: NodeJS.ErrnoException = new Error()): Failure {
  const sentence = stage === 'tls' ? 'The TLS handshake failed' : 'There was no connection'
  return new Failure(
    code === 'ETIMEDOUT' ? 'timeout' : stage,
    code === undefined ? `${sentence}.` : `${sentence} (${code}).`,
  )
}
