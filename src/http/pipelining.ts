/** Supports HTTP pipelining by handling the requests of a connection one at a time (decision 0062). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The last response of a connection, and the number of waiting requests. */
interface Line {
  last: ServerResponse | undefined
  waiting: number
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Maximum number of waiting requests per connection; each uses 3 KB. Further requests close the connection. */
const WAITING_MAX = 100

/**
 * Wraps a handler so that each request is handled after the previous response on its connection has been sent. Node
 * delivers all requests that it reads from a socket at once, up to 2,500. Handling them all immediately would stall
 * other connections and accumulate unread responses.
 */
export function oneAtATime(handle: Handler): Handler {
  const lines = new WeakMap<Socket, Line>()
  return (request, response) => {
    const { socket } = request
    let line = lines.get(socket)
    if (line === undefined) {
      line = { last: undefined, waiting: 0 }
      lines.set(socket, line)
    }
    const before = line.last
    line.last = response
    forgetAfter(response, line)
    // Node assigns the socket to the first unfinished response. After a response that closes the connection, further
    // responses get no socket.
    if (response.socket !== null) return handle(request, response)
    if (before === undefined) return
    if (++line.waiting > WAITING_MAX) return void socket.destroy()
    before.once('close', () => {
      line.waiting--
      // Lets other connections proceed first. Without I/O in between, one turn of the event loop would handle all
      // waiting requests.
      setImmediate(() => {
        if (response.socket !== null) handle(request, response)
      })
    })
  }
}

/**
 * Drops the line's reference to a response after the response has been sent. An idle connection would otherwise keep
 * the response and its request in memory, including an uploaded body of up to 8 MiB. The request cannot identify the
 * line, because Node removes the socket from a partially read request.
 */
function forgetAfter(response: ServerResponse, line: Line): void {
  response.once('close', () => {
    if (line.last === response) line.last = undefined
  })
}
