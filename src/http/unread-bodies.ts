/** Reads the rest of large request bodies that no handler wants. */
import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** A chunk has at most 64 KiB, so a connection is read at 1.3 MB/s. */
const PAUSE_MS = 50

/** Discards the rest of a body, slowly: a client that sends refused uploads one after another would slow down others. */
export function discardSlowly(body: Readable): void {
  body.on('data', () => {
    body.pause()
    setTimeout(() => body.resume(), PAUSE_MS).unref()
  })
  body.resume()
}

/** Discards slowly what is left of a body above this size after its request has been refused without reading it. */
export function discardRefusedBodies(app: FastifyInstance, bytesMin: number): void {
  app.addHook('onSend', (request, _reply, payload, done) => {
    const { raw } = request
    const isLarge =
      raw.headers['transfer-encoding'] !== undefined || Number(raw.headers['content-length'] ?? 0) > bytesMin
    // Once the response has been sent, Node would read an unread body as fast as it arrives.
    if (isLarge && !raw.complete && raw.readableFlowing === null) discardSlowly(raw)
    done(null, payload)
  })
}
