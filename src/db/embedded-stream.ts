/**
 * Connects pg to the embedded database. PGlite's own adapter for pg takes three times as much CPU time for each query.
 * It parses each response a second time, and calls the database separately for each protocol message.
 */
import { Duplex } from 'node:stream'
import type { PGlite } from '@electric-sql/pglite'

type Done = (error?: Error | null) => void

/** Returns the options with which pg connects to the embedded database. */
export const embeddedConnection = (lite: PGlite) => ({
  stream: () => new EmbeddedStream(lite),
  user: 'postgres',
  database: 'postgres',
})

/** A socket whose other end is the embedded database. */
class EmbeddedStream extends Duplex {
  readonly #lite: PGlite

  constructor(lite: PGlite) {
    super()
    this.#lite = lite
  }

  connect(): void {
    process.nextTick(() => this.emit('connect'))
  }

  /** pg calls these methods of sockets. */
  setNoDelay(): void {}
  ref(): void {}
  unref(): void {}

  override _read(): void {}

  override _write(message: Buffer, _encoding: string, done: Done): void {
    const parts: Buffer[] = []
    this.#lite
      .execProtocolRawStream(message, { onRawData: (part) => void parts.push(Buffer.from(part)) })
      .then(() => {
        // Waits for the database to return, because pg may send the next query as soon as it has a response.
        for (const part of parts) this.push(part)
        done()
      })
      .catch(done)
  }

  override _writev(messages: { chunk: Buffer }[], done: Done): void {
    this._write(Buffer.concat(messages.map(({ chunk }) => chunk)), 'buffer', done)
  }

  override _final(done: Done): void {
    this.push(null)
    done()
  }
}
