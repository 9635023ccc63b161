/** Hand-written HTTP, for requests that no client library would send. */
import { connect } from 'node:net'

export interface RawAnswer {
  status: number
  headers: Headers
  text: string
}

/** Sends these bytes to the board and returns everything received until the connection closes. */
export async function sendRaw(address: string, request: string | Buffer): Promise<RawAnswer> {
  const { hostname, port } = new URL(address)
  const chunks: Buffer[] = []
  await new Promise<void>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('close', () => resolve())
    // A board that stops reading early may reset the connection after its response.
    socket.on('error', (error) => (chunks.length > 0 ? resolve() : reject(error)))
  })
  const answer = Buffer.concat(chunks).toString()
  const end = answer.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = answer.slice(0, end).split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]), headers, text: answer.slice(end + 4) }
}

/** Returns a regular request with `Connection: close`. */
export function rawRequest(method: string, target: string, headers: Record<string, string> = {}, body = ''): string {
  const lines = Object.entries({ host: 'board', connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}
