/** A NATS server with JetStream, with a stream that stores the published events. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { freePort } from './process.ts'

const STREAM = 'EVENTS'

/** The path of the server. Undefined if it is not installed. */
export const natsServer = [
  process.env.NATS_SERVER_PATH,
  ...(process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'nats-server')),
].find((path) => {
  try {
    accessSync(path ?? '', constants.X_OK)
    return path
  } catch {
    return false
  }
})

export class Nats {
  readonly url: string
  readonly #folder: string
  readonly #port: number
  #server: ReturnType<typeof spawn> | undefined

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.#port = port
    this.url = `nats://board:quiet@127.0.0.1:${port}`
  }

  static async start(folder: string): Promise<Nats> {
    const nats = new Nats(folder, await freePort())
    await nats.restart()
    return nats
  }

  /** Starts the server on the stored data. */
  async restart(): Promise<void> {
    const options = ['--addr', '127.0.0.1', '--port', String(this.#port), '--user', 'board', '--pass', 'quiet']
    this.#server = spawn(natsServer!, [...options, '--jetstream', '--store_dir', this.#folder], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let log = ''
    for await (const text of this.#server.stderr!.setEncoding('utf8')) {
      log += text
      if (log.includes('Server is ready')) break
    }
    this.#server.stderr!.resume()
  }

  async kill(): Promise<void> {
    if (this.#server?.exitCode !== null || this.#server.signalCode !== null) return
    this.#server.kill('SIGKILL')
    await once(this.#server, 'exit')
  }

  async #connect() {
    return connect({ servers: `127.0.0.1:${this.#port}`, user: 'board', pass: 'quiet' })
  }

  async createStream(): Promise<void> {
    const connection = await this.#connect()
    const manager = await jetstreamManager(connection)
    await manager.streams.add({ name: STREAM, subjects: ['job-marketplace.>'] })
    await connection.close()
  }

  /** Returns all stored messages, in order. */
  async stored(): Promise<{ subject: string; id: string; body: string }[]> {
    const connection = await this.#connect()
    const { state } = await (await jetstreamManager(connection)).streams.info(STREAM)
    const messages: Awaited<ReturnType<Nats['stored']>> = []
    if (state.messages > 0) {
      const consumer = await jetstream(connection).consumers.get(STREAM)
      for await (const message of await consumer.fetch({ max_messages: state.messages })) {
        messages.push({ subject: message.subject, id: message.headers!.get('Nats-Msg-Id'), body: message.string() })
      }
    }
    await connection.close()
    return messages
  }
}
