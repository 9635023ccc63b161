/** Stops the server without losing connections that the kernel has already accepted (decision 0062). */
import type { Server } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Maximum duration of a turn of the event loop that handled no events, in milliseconds. */
const QUIET_TURN_MS = 0.2
/** Maximum wait for a quiet turn after the last accepted connection, in milliseconds. */
const QUIET_PATIENCE_MS = 1_000
/**
 * Maximum time to accept waiting connections, in milliseconds. Requests run between two accepts: with the embedded
 * database on a busy machine, 50 connections took more than a second.
 */
const ACCEPTING_MAX_MS = 8_000
/** Interval at which idle connections are closed after listening has stopped, in milliseconds. */
const IDLE_CHECK_MS = 100

/**
 * Shutdown state of the process. After shutdown is announced, the process reports that it is not ready, and each
 * connection closes with its next response.
 */
export class Stopping {
  #isAnnounced = false

  get isAnnounced(): boolean {
    return this.#isAnnounced
  }

  announce(): void {
    this.#isAnnounced = true
  }

  /**
   * Announces the shutdown, accepts the waiting connections, and closes the listening socket. Each connection is closed
   * once it is idle.
   */
  async stopListening(server: Server): Promise<void> {
    this.announce()
    await acceptAll(server)
    server.close()
    const closeIdle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS).unref()
    server.once('close', () => clearInterval(closeIdle))
  }
}

/**
 * Waits, for a limited time, until the server has accepted all waiting connections. Closing a listening socket resets
 * the connections in its queue, and Node accepts only one connection per turn of the event loop.
 */
async function acceptAll(server: Server): Promise<void> {
  let accepted = 0
  const count = () => accepted++
  server.on('connection', count)
  const end = performance.now() + ACCEPTING_MAX_MS
  for (let deadline = performance.now() + QUIET_PATIENCE_MS; ; ) {
    const [before, begun] = [accepted, performance.now()]
    await nextTurn()
    const now = performance.now()
    if (accepted > before) deadline = now + QUIET_PATIENCE_MS
    else if (now - begun < QUIET_TURN_MS) break
    if (now > Math.min(deadline, end)) break
  }
  server.off('connection', count)
}
