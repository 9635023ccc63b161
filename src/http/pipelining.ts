/** HTTP pipelining: the requests of one connection are handled one after the other (decision 0062). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Requests that may wait on one connection, at 3 KB each. One more ends the connection. */
const WAITING_MAX = 100

/**
 * Handles a request when the response before it on its connection has left the process. Node hands over every request that
 * one read from a socket holds, up to 2,500: handled at once, they would stall everybody else, and pile up unread responses.
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
    // Node assigns the socket to the first response that is not finished, and to none after one that ends the connection.
    if (response.socket !== null) return handle(request, response)
    if (++line.waiting > WAITING_MAX) return void socket.destroy()
    before.once('close', () => {
      line.waiting--
      // Other connections first: without I/O in between, all that wait would be handled in one turn of the event loop.
      setImmediate(() => {
        if (response.socket !== null) handle(request, response)
      })
    })
  }
}
