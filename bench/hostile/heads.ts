/** Long URLs that responses repeat in their heads. If a head exceeds 4 KB, nginx responds with 502 (B1). */
import { connect } from 'node:net'
import { type Attack, Browser, type Target } from './attack.ts'

const HEAD_BYTES_MAX = 3_072
const HEAD_MS = 10_000

/** Sends one request on a separate connection and returns the head of its response, including the blank line. */
function headOf({ baseUrl }: Target, path: string, headers: Record<string, string>): Promise<string> {
  const { hostname, port } = new URL(baseUrl)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let text = ''
  const socket = connect(Number(port), hostname).setEncoding('latin1').setTimeout(HEAD_MS)
  const lines = Object.entries({ host: 'bench', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  socket.on('data', (chunk: string) => {
    text += chunk
    const end = text.indexOf('\r\n\r\n')
    if (end === -1) return
    resolve(text.slice(0, end + 4))
    socket.destroy()
  })
  socket.on('timeout', () => socket.destroy())
  socket.on('error', reject)
  socket.on('close', () => reject(new Error(`No response head for ${path.slice(0, 60)}`)))
  return promise
}

const paths = [
  ...['/v1/jobs', '/v1/employers', '/v1/candidates/jobs/saved', '/v1/candidates/applications', '/v1/nothing'],
  ...['/', '/jobs', '/companies', '/me/saved-jobs', '/me/applications', '/employer/jobs', '/desk/payments', '/sign-in'],
  ...['/docs', '/unsubscribe/x', '/confirm-email/x', '/checkout/x', '/sign-in/link', '/console/events', '/nowhere'],
]
/** Pages that redirect to the sign-in page, whose URL contains the original URL. */
const pathsOfMembers = ['/me/saved-jobs', '/employer/jobs', '/console/events', '/desk/payments']
const queries = ['page=1&search=', 'cursor=', 'location=&search=', 'return_to=/jobs?search=']
/** Lengths around each limit. */
const lengths = [300, 900, 1_900, 2_700, 7_000]
const LONG_ID = 'r'.repeat(128)

const longAddresses = (routes: readonly string[]): string[] =>
  routes.flatMap((path) =>
    queries.flatMap((query) => lengths.map((length) => `${path}?${query}${'%C3%A9'.repeat(length / 6)}`)),
  )

export const attacks: Attack[] = [
  {
    name: 'long URLs, cursors and redirects',
    finding: 'B1',
    async run(target) {
      const { cookie } = await new Browser(target).signIn(target.keys.candidate)
      const signedIn = { cookie, authorization: `Bearer ${target.keys.candidate}` }
      const heads: { path: string; head: string }[] = []
      const ask = async (path: string, headers: Record<string, string>) => {
        heads.push({ path, head: await headOf(target, path, { 'x-request-id': LONG_ID, ...headers }) })
      }
      for (const path of longAddresses(paths)) await ask(path, signedIn)
      for (const path of longAddresses(pathsOfMembers)) await ask(path, {})
      const longest = heads.reduce((one, other) => (other.head.length > one.head.length ? other : one))
      const redirects = heads.filter(({ head }) => /^location: .{200}/im.test(head)).length
      return {
        held: longest.head.length <= HEAD_BYTES_MAX && redirects > 0,
        figures: `${heads.length} requests, ${redirects} long redirects; the longest head has ${longest.head.length} bytes, at ${longest.path.slice(0, 40)}…`,
      }
    },
  },
]
