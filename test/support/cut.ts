/** A TCP proxy that simulates a server that hangs, resets connections or refuses them. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/**
 * `hang`: accepts connections and bytes but never responds. `reset`: resets connections. `refuse`: resets connections
 * and stops listening.
 */
export type Cut = 'hang' | 'reset' | 'refuse'

export class Way {
  readonly #to: { host: string; port: number }
  readonly #sockets = new Set<Socket>()
  #server!: Server
  #cut: Cut | undefined
  port = 0

  private constructor(to: { host: string; port: number }) {
    this.#to = to
  }

  static async open(to: { host: string; port: number }): Promise<Way> {
    const way = new Way(to)
    await way.#listen()
    return way
  }

  cut(how: Cut): void {
    this.#cut = how
    if (how === 'refuse') this.#server.close()
    if (how !== 'hang') this.#reset()
  }

  async mend(): Promise<void> {
    const how = this.#cut
    this.#cut = undefined
    this.#reset()
    if (how === 'refuse') await this.#listen()
  }

  async close(): Promise<void> {
    this.#reset()
    if (this.#server.listening) this.#server.close()
  }

  async #listen(): Promise<void> {
    this.#server = createServer((socket) => this.#take(socket)).listen(this.port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.port = (this.#server.address() as AddressInfo).port
  }

  #take(socket: Socket): void {
    this.#keep(socket)
    if (this.#cut === 'reset') socket.resetAndDestroy()
    // Reads and discards the bytes, which hides the failure from TCP.
    if (this.#cut !== undefined) return void socket.resume()
    const server = connect(this.#to)
    this.#keep(server)
    for (const [from, to] of [
      [socket, server],
      [server, socket],
    ] as const) {
      from.on('data', (bytes) => this.#cut === undefined && to.write(bytes))
      from.on('close', () => to.destroy())
    }
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => {})
  }

  #reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }
}
