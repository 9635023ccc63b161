/** HTTP pipelining: the requests of one connection are handled one at a time (decision 0062). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Maximum number of waiting requests per connection, at 3 KB each. One more closes the connection. */
const WAITING_MAX = 100

/**
 * Handles a request after the previous response on its connection has been sent. Node delivers all requests of one
 * socket read, up to 2,500. Handled at once, they would stall other connections and accumulate unread responses.
 */
export function oneAtATime(handle: Handler): Handler {
  const lines = new WeakMap<Socket, { last: ServerResponse; waiting: number }>()
  return (request, response) => {
    const { socket } = request
    const line = lines.get(socket)
    if (line === undefined) {
      lines.set(socket, { last: response, waiting: 0 })
      return handle(request, response)
    }
    const before = line.last
    line.last = response
    // Node assigns the socket to the first unfinished response, and to none after a response that closes the
    // connection.
    if (response.socket !== null) return handle(request, response)
    if (++line.waiting > WAITING_MAX) return void socket.destroy()
    before.once('close', () => {
      line.waiting--
      // Lets other connections run first: without I/O in between, one turn of the event loop would handle all of them.
      setImmediate(() => {
        if (response.socket !== null) handle(request, response)
      })
    })
  }
}
