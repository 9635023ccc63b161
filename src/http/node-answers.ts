/** What Node would answer on its own, as problem documents. */
import { randomUUID } from 'node:crypto'
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { AppError, type ErrorCode } from '../lib/errors.ts'
import { PROBLEM_MEDIA_TYPE, problemDocument } from './problem.ts'

/** Errors of Node's parser; any other is what cannot be understood. */
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

/** Writes an answer to a connection on which Node has read no request, and ends it. */
function answerOn(socket: Socket, code: ErrorCode): void {
  const { status, body, headers } = problemOf(code)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} Error\r\n${lines.join('')}\r\n${body}`)
}

/** What is not even HTTP gets the shortest honest answer. */
export function answerUnparsable(error: Error & { code?: string }, socket: Socket): void {
  // Part of an answer is under way already: another would be read as more of it. Node's own handler asks the same.
  const isAnswering = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage?.headersSent
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) return void socket.destroy()
  answerOn(socket, parserCodes[error.code ?? ''] ?? 'bad_request')
}

/** Answers what never reaches a route: expectations other than 100-continue, and CONNECT. */
export function answerForNode(server: Server): void {
  server.on('checkExpectation', (_request, response) => {
    const { status, body, headers } = problemOf('expectation_failed')
    response.writeHead(status, headers).end(body)
  })
  server.on('connect', (_request, socket) => answerOn(socket as Socket, 'method_not_allowed'))
}
