/** Response heads, byte for byte. */
import { connect } from 'node:net'

/** Sends one request on its own connection and returns the response head, including the blank line. */
export function headOf(address: string, request: string): Promise<string> {
  const { hostname, port } = new URL(address)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let text = ''
  const socket = connect(Number(port), hostname, () => socket.write(request, 'latin1')).setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    text += chunk
    const end = text.indexOf('\r\n\r\n')
    if (end === -1) return
    resolve(text.slice(0, end + 4))
    socket.destroy()
  })
  socket.on('error', reject)
  socket.on('close', () => reject(new Error(`No head: ${text.slice(0, 200)}`)))
  return promise
}
