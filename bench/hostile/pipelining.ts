/** Clients that send many requests on one connection and read no responses (A5). */
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Attack,
  call,
  countStatuses,
  jobBody,
  longQuestions,
  quantile,
  residentOf,
  send,
  type Target,
} from './attack.ts'

const CONNECTIONS = 4
/** Requests per connection: the maximum number that may be pending. */
const PIPELINED = 100
/** Exceeds that maximum, which makes the service close the connection. */
const TOO_MANY = 200
const PROBE_MS = 2_000
const WAIT_MAX_MS = 2_000
/** Maximum growth of resident memory. The responses total 350 MB. */
const GROWTH_MAX_MB = 100
const MIB = 1_048_576

/** Sends a request repeatedly on a separate connection. Without a `data` listener, Node.js does not read the socket. */
function pipeline({ baseUrl, keys }: Target, path: string, times: number): Socket {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname).on('error', () => {})
  socket.write(`GET ${path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${keys.employer}\r\n\r\n`.repeat(times))
  return socket
}

export const attacks: Attack[] = [
  {
    name: 'pipelined requests without reading the responses',
    finding: 'A5',
    async run(target) {
      // Responses for drafts are not cached; each request renders its own.
      const draft = { ...jobBody, custom_questions: longQuestions }
      const path = `/v1/jobs/${(await call(target, 'POST', '/v1/jobs', target.keys.employer, draft)).id}`
      const probe = () => send(target, 'GET', '/v1/jobs', { key: target.keys.candidate })
      for (let n = 0; n < 20; n++) await send(target, 'GET', path, { key: target.keys.employer })
      const before = residentOf(target.pid)
      const sockets = Array.from({ length: CONNECTIONS }, () => pipeline(target, path, PIPELINED))
      const answers = []
      let most = before
      for (const until = performance.now() + PROBE_MS; performance.now() < until && !target.signal.aborted; ) {
        answers.push(await probe())
        most = Math.max(most, residentOf(target.pid))
        await pause(20)
      }
      for (const socket of sockets) socket.destroy()
      const times = answers.map(({ ms }) => ms)
      const slowest = Math.max(...times)
      const grownMb = (most - before) / MIB
      return {
        held: slowest < WAIT_MAX_MS && grownMb < GROWTH_MAX_MB && answers.every(({ status }) => status === 200),
        figures: `memory +${grownMb.toFixed(0)} MB; other clients: ${countStatuses(answers)}, median ${quantile(times, 0.5).toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms`,
      }
    },
  },
  {
    name: 'more pipelined requests than may be pending',
    finding: 'A5',
    async run(target) {
      const socket = pipeline(target, '/v1/me', TOO_MANY)
      const { promise: ended, resolve } = Promise.withResolvers<void>()
      socket.once('close', () => resolve())
      let text = ''
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        text += chunk
      })
      const isEnded = await Promise.race([ended.then(() => true), pause(PROBE_MS, false)])
      socket.destroy()
      const answered = text.split('HTTP/1.1 200 ').length - 1
      return {
        held: isEnded && answered < TOO_MANY,
        figures: `${TOO_MANY} requests, ${answered} answered, connection ${isEnded ? 'closed' : 'still open'}`,
      }
    },
  },
]
