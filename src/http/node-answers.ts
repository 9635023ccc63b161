/** Replaces Node's own error responses with problem documents. */
import { randomUUID } from 'node:crypto'
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { AppError, type ErrorCode } from '../lib/errors.ts'
import { PROBLEM_MEDIA_TYPE, problemDocument } from './problem.ts'

/** Our error codes, keyed by Node's error codes. All other errors count as a bad request. */
const parserCodes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

function problemOf(code: ErrorCode): { status: number; body: string; headers: Record<string, string> } {
  const error = new AppError(code)
  const requestId = randomUUID()
  const body = JSON.stringify(problemDocument(error, '/', requestId))
  return {
    status: error.status,
    body,
    headers: {
      'content-type': PROBLEM_MEDIA_TYPE,
      'x-request-id': requestId,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
    },
  }
}

/** Writes an error response directly to a connection, then closes the connection. */
function answerOn(socket: Socket, code: ErrorCode, others: Record<string, string> = {}): void {
  const { status, body, headers } = problemOf(code)
  const lines = Object.entries({ ...headers, ...others }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} Error\r\n${lines.join('')}\r\n${body}`)
}

/** Responds to errors that Node detects while it receives a request, such as invalid HTTP or a timeout. */
export function answerUnparsable(error: Error & { code?: string }, socket: Socket): void {
  // If a response is already being sent, the client would read another response as part of it. Node's own handler makes
  // the same check.
  const isAnswering = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage?.headersSent
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) return void socket.destroy()
  answerOn(socket, parserCodes[error.code ?? ''] ?? 'bad_request')
}

/** Responds to requests that never reach a route: those with an expectation other than 100-continue, and CONNECT. */
export function answerForNode(server: Server): void {
  server.on('checkExpectation', (_request, response) => {
    const { status, body, headers } = problemOf('expectation_failed')
    response.writeHead(status, headers).end(body)
  })
  // The list is empty, because the target of CONNECT is a host and not a resource of this server.
  server.on('connect', (_request, socket) => answerOn(socket as Socket, 'method_not_allowed', { allow: '' }))
}
