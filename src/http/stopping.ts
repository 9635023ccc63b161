/** Stopping without losing a request that the kernel has accepted (decision 0062). */
import type { Server } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A shorter turn of the event loop did nothing but check for events. */
const QUIET_TURN_MS = 0.2
/** A process that never gets a quiet turn stops listening anyway. */
const QUIET_PATIENCE_MS = 1_000
/** Connections whose last response allowed another request are closed this often once nothing listens. */
const IDLE_CHECK_MS = 100

/** Whether the process is about to stop: it is not ready then, and each connection ends with its next response. */
export class Stopping {
  #isAnnounced = false

  get isAnnounced(): boolean {
    return this.#isAnnounced
  }

  announce(): void {
    this.#isAnnounced = true
  }

  /** Closes the listening socket, and connections as they become idle. */
  async stopListening(server: Server): Promise<void> {
    this.announce()
    await acceptAll(server)
    server.close()
    const closeIdle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS).unref()
    server.once('close', () => clearInterval(closeIdle))
  }
}

/**
 * Resolves in a turn of the event loop in which no connection waited. Closing a listening socket resets the connections in
 * its queue, of which Node accepts one a turn.
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
