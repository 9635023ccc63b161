/** Stops the server without losing requests that the kernel has accepted (decision 0062). */
import type { Server } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A turn of the event loop shorter than this, in milliseconds, only polled for events. */
const QUIET_TURN_MS = 0.2
/** Maximum wait for a quiet turn, in milliseconds; then the process stops listening anyway. */
const QUIET_PATIENCE_MS = 1_000
/** How often connections that became idle are closed after listening stops, in milliseconds. */
const IDLE_CHECK_MS = 100

/**
 * Shutdown state of the process. After the announcement it is not ready, and each connection closes with its next
 * response.
 */
export class Stopping {
  #isAnnounced = false

  get isAnnounced(): boolean {
    return this.#isAnnounced
  }

  announce(): void {
    this.#isAnnounced = true
  }

  /** Closes the listening socket, then connections as they become idle. */
  async stopListening(server: Server): Promise<void> {
    this.announce()
    await acceptAll(server)
    server.close()
    const closeIdle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS).unref()
    server.once('close', () => clearInterval(closeIdle))
  }
}

/**
 * Resolves in a turn of the event loop in which no connection was waiting. Closing a listening socket resets the
 * connections in its queue, and Node accepts one per turn.
 */
async function acceptAll(server: Server): Promise<void> {
  let accepted = 0
  const count = () => accepted++
  server.on('connection', count)
  const deadline = performance.now() + QUIET_PATIENCE_MS
  for (;;) {
    const [before, begun] = [accepted, performance.now()]
    await nextTurn()
    const now = performance.now()
    if (now > deadline || (accepted === before && now - begun < QUIET_TURN_MS)) break
  }
  server.off('connection', count)
}
