/**
 * Connections to receivers. All connections verify TLS certificates, use only checked addresses, and are reused for
 * deliveries to the same origin.
 *
 * undici's own pool requires the headers of a request before the connection is open, but a signature must be created at
 * the time of sending. This module therefore opens each connection before the client creates a request.
 */
import { constants } from 'node:crypto'
import type { LookupAddress } from 'node:dns'
import { isIP, type TcpNetConnectOpts } from 'node:net'
import tls, { type ConnectionOptions, type SecureContext, type TLSSocket } from 'node:tls'
import { Client } from 'undici'
import { type Guard, hostOf, portOf } from './webhooks.guard.ts'

export type ErrorClass = 'dns' | 'blocked_address' | 'connect' | 'tls' | 'timeout' | 'reset' | 'http_status'

/** The reason for a failed attempt: an error class, and a description written by this service. */
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
  address: string
}

const IDLE_MS = 30_000

/** Maximum number of idle connections to all origins. Each one holds a file descriptor. */
const IDLE_MAX = 512

interface ConnectionsOptions {
  guard: Guard
  /** Additional trusted certificate authorities in PEM. */
  ca: string | undefined
  connectMs: number
}

export class Connections {
  readonly #guard: Guard
  readonly #secureContext: SecureContext
  readonly #connectMs: number
  readonly #idle = new Map<string, Connection[]>()
  /** All idle connections, longest idle first. */
  readonly #idleByAge = new Set<Connection>()
  readonly #open = new Set<Connection>()
  #isClosed = false

  constructor({ guard, ca, connectMs }: ConnectionsOptions) {
    this.#guard = guard
    this.#connectMs = connectMs
    // Created once, because loading all certificate authorities takes milliseconds.
    const authorities = ca === undefined ? {} : { ca: [...tls.getCACertificates('default'), ca] }
    this.#secureContext = tls.createSecureContext({
      minVersion: 'TLSv1.2',
      // Forbids renegotiation, because a receiver could otherwise repeat handshakes for the whole duration of an
      // attempt.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      ...authorities,
    })
  }

  takeIdle(origin: string): Connection | undefined {
    const connection = this.#idle.get(origin)?.at(-1)
    if (connection) this.#forget(connection)
    return connection
  }

  /** Keeps a connection for reuse. Its last response must have been read completely. */
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

  /** Opens a connection. Rejects with a `Failure` if the connection fails. */
  async open(url: URL, signal: AbortSignal): Promise<Connection> {
    const socket = await this.#connect(url, signal)
    let isTaken = false
    const client = new Client(url.origin, {
      allowH2: false,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      // A single timer covers the whole attempt.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, done) => {
        const given = isTaken
        isTaken = true
        // Deferred, because undici expects an asynchronous callback and would otherwise wait indefinitely.
        queueMicrotask(() => (given ? done(new Error('The connection is closed'), null) : done(null, socket)))
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
    // Checks literal addresses here, because Node does not look them up.
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
      // Set explicitly; otherwise, NODE_TLS_REJECT_UNAUTHORIZED could disable the verification.
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
      noDelay: true,
    }
    const socket = tls.connect(options)
    const timer = setTimeout(() => socket.destroy(new Failure('timeout', 'The connection timed out.')), this.#connectMs)
    const abort = () => socket.destroy(new Failure('timeout', 'The connection timed out.'))
    signal.addEventListener('abort', abort)
    socket.once('connect', () => {
      stage = 'tls'
      // Checks the actual remote address, in addition to the looked-up addresses.
      if (this.#guard.isBlocked(socket.remoteAddress ?? '')) socket.destroy(blocked())
    })
    socket.once('secureConnect', () => resolve(socket))
    // Never removes this listener, because an idle connection can also fail.
    socket.on('error', (error) => reject(error instanceof Failure ? error : failureAt(stage, error)))
    socket.once('close', () => reject(failureAt(stage)))
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }

  /** Returns the addresses of a host name. Returns a failure if there are none or any is blocked. */
  async #lookup(name: string): Promise<[error: Failure | null, addresses: LookupAddress[]]> {
    const addresses = await this.#guard.lookup(name).catch(() => [])
    if (addresses.length === 0) return [new Failure('dns', 'The host name could not be resolved to an IP address.'), []]
    if (addresses.some(({ address }) => this.#guard.isBlocked(address))) return [blocked(), []]
    return [null, [...addresses]]
  }
}

const blocked = () => new Failure('blocked_address', 'The address is private or reserved.')

/** Returns a failure with Node's error code. Omits the message, which may quote the receiver. */
function failureAt(stage: 'connect' | 'tls', { code }: NodeJS.ErrnoException = new Error()): Failure {
  const sentence = stage === 'tls' ? 'The TLS handshake failed' : 'The connection failed'
  return new Failure(
    code === 'ETIMEDOUT' ? 'timeout' : stage,
    code === undefined ? `${sentence}.` : `${sentence} (${code}).`,
  )
}
