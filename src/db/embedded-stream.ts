/**
 * Connects pg to the embedded database. A query takes a third of the CPU time that it takes with PGlite's adapter for
 * pg, which parses responses slowly, and calls the database separately for each message of a query.
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

  /** Methods of sockets that pg calls. */
  setNoDelay(): void {}
  ref(): void {}
  unref(): void {}

  override _read(): void {}

  override _write(message: Buffer, _encoding: string, done: Done): void {
    const parts: Buffer[] = []
    this.#lite
      .execProtocolRawStream(message, { onRawData: (part) => void parts.push(Buffer.from(part)) })
      .then(() => {
        // Only now, because a response may cause the next query, and the database must have returned before.
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
