/** Discards the unread rest of large request bodies. */
import { finished, type Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** Pause between chunks of at most 64 KiB, in milliseconds. A process therefore discards at most 6.6 MB/s. */
const PAUSE_MS = 10
/**
 * Maximum number of bodies being discarded. Each keeps its connection open and uses up to 130 KB in this process and
 * megabytes in the kernel.
 */
const DISCARDED_MAX = 100

/** Bodies being discarded, starting with the oldest. */
const discarded = new Set<Readable>()
/** Paused bodies, in the order in which they resume. */
const waiting: Readable[] = []
let timer: NodeJS.Timeout | undefined

function resumeNext(): void {
  let body = waiting.shift()
  while (body?.destroyed) body = waiting.shift()
  if (body !== undefined) body.resume()
  else {
    clearInterval(timer)
    timer = undefined
  }
}

/**
 * Discards the rest of a body. Bodies take turns, because a client that sends many refused uploads would otherwise slow
 * down all clients. If there are too many bodies, closes the oldest body's connection.
 */
export function discardSlowly(body: Readable): void {
  // After the response, Node reads the rest of a body at full speed, unless the stream has requested more data. The
  // stream does so only when its buffer is nearly empty.
  while (body.read() !== null);
  discarded.add(body)
  finished(body, () => discarded.delete(body))
  if (discarded.size > DISCARDED_MAX) discarded.values().next().value!.destroy()
  body.on('data', () => {
    body.pause()
    waiting.push(body)
    timer ??= setInterval(resumeNext, PAUSE_MS).unref()
  })
  body.resume()
}

/**
 * Slowly discards bodies that are still unread when the response is sent, if they are larger than `bytesMin` or of
 * unknown size.
 */
export function discardRefusedBodies(app: FastifyInstance, bytesMin: number): void {
  app.addHook('onSend', (request, _reply, payload, done) => {
    const { raw } = request
    const isLarge =
      raw.headers['transfer-encoding'] !== undefined || Number(raw.headers['content-length'] ?? 0) > bytesMin
    // After the response, Node would read the rest of the body as fast as it arrives.
    if (isLarge && !raw.complete && raw.readableFlowing === null) discardSlowly(raw)
    done(null, payload)
  })
}
