/** Webhook receivers that speak real TLS on loopback and fail on demand. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls'
import { generate } from 'selfsigned'
import type { WebhookClient } from '../../src/features/webhooks/webhooks.client.ts'

export interface Certificate {
  key: string
  cert: string
}

/** Creates a certificate for names and IP addresses, signed by an authority or self-signed. */
export async function makeCertificate(
  names: readonly string[],
  {
    authority,
    isAuthority = false,
    notAfterDate,
  }: { authority?: Certificate; isAuthority?: boolean; notAfterDate?: Date } = {},
): Promise<Certificate> {
  const altNames = names.map((name) =>
    /^[\d.]+$|:/.test(name) ? ({ type: 7, ip: name } as const) : ({ type: 2, value: name } as const),
  )
  const made = await generate([{ name: 'commonName', value: names[0]! }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ...(notAfterDate && { notAfterDate, notBeforeDate: new Date(notAfterDate.getTime() - 86_400_000) }),
    extensions: [
      { name: 'basicConstraints', cA: isAuthority, critical: true },
      ...(altNames.length > 0 ? [{ name: 'subjectAltName', altNames } as const] : []),
    ],
    ...(authority && { ca: authority }),
  })
  return { key: made.private, cert: made.cert }
}

export interface Received {
  headers: IncomingMessage['headers']
  rawBody: string
  path: string
}

/** Receivers and clients that each test closes at its end. */
export class Receivers {
  readonly #open: { server: Server; sockets: Set<Socket> }[] = []
  readonly #clients: WebhookClient[] = []
  certificate!: Certificate

  async #listen<S extends Server>(server: S) {
    const sockets = new Set<Socket>()
    this.#open.push({ server, sockets })
    let connections = 0
    server.on('connection', (socket: Socket) => {
      connections++
      sockets.add(socket.on('error', () => {}))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return { server, port: (server.address() as AddressInfo).port, sockets, connections: () => connections }
  }

  /** Starts an HTTPS receiver. `answer` gets each request after its body has arrived. */
  async https(
    answer: (response: ServerResponse, received: Received) => void = (response) => response.end(),
    tls: TlsOptions = {},
  ) {
    const received: Received[] = []
    const server = createHttpsServer({ ...this.certificate, ...tls }, async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const one = { headers: request.headers, rawBody: Buffer.concat(chunks).toString(), path: request.url! }
      received.push(one)
      answer(response, one)
    })
    return { ...(await this.#listen(server)), https: server, received }
  }

  /** Starts a receiver that responds with raw bytes, to a request or immediately to a connection. */
  async tls(
    onRequest: (socket: TLSSocket) => void,
    onConnection?: (socket: TLSSocket) => void,
    options: TlsOptions = {},
  ) {
    const server = createTlsServer({ ...this.certificate, ...options }, (socket) => {
      socket.on('error', () => {})
      onConnection?.(socket)
      socket.once('data', () => onRequest(socket))
    })
    return this.#listen(server)
  }

  async tcp(onConnection: (socket: Socket) => void) {
    return this.#listen(createTcpServer(onConnection))
  }

  closing(client: WebhookClient): WebhookClient {
    this.#clients.push(client)
    return client
  }

  async close(): Promise<void> {
    for (const client of this.#clients.splice(0)) await client.close()
    for (const { server, sockets } of this.#open.splice(0)) {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  }
}
