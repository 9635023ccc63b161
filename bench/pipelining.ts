/**
 * `node bench/pipelining.ts [--jobs 20000] [--url postgres://…] [--seconds 5] [--connections 4]`: measures how long a
 * client waits while `--connections` other clients each have 100 pending requests. Measures the wait with other clients
 * that read the responses, and with others that do not. The waiting client requests /healthz every 5 ms.
 */
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { employer } from './acknowledged.ts'
import { withLoadedBoard } from './loaded-board.ts'
import { figureOf } from './measure.ts'
import { SERVE, startServer } from './processes.ts'
import { filteredLists } from './workload.ts'

const { values: options } = parseArgs({
  options: {
    jobs: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '4' },
    url: { type: 'string' },
  },
})
const seconds = Number(options.seconds)
const PROBE_MS = 5
/** Pending requests per client. */
const BATCH = 100
const STATUS_LINE = 'HTTP/1.1 200 OK'

/**
 * Sends a batch of requests, and another batch once all responses to the previous batch have arrived. A client that
 * does not read sends only one batch.
 */
function pipeline(origin: string, key: string, paths: readonly string[], isRead: boolean): Socket {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname).setEncoding('latin1')
  let at = Math.floor(Math.random() * paths.length)
  let answered = 0
  let end = ''
  const write = () => {
    const requests = Array.from({ length: BATCH }, () => {
      at = (at + 1) % paths.length
      return `GET ${paths[at]} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${key}\r\n\r\n`
    })
    socket.write(requests.join(''))
  }
  const read = (chunk: string) => {
    const text = end + chunk
    answered += text.split(STATUS_LINE).length - 1
    end = text.slice(-STATUS_LINE.length + 1)
    if (answered < BATCH) return
    answered -= BATCH
    write()
  }
  socket.on('error', () => {}).once('connect', write)
  if (isRead) socket.on('data', read)
  return socket
}

/** Returns the latencies of a client on a separate connection. */
async function probe(origin: string): Promise<number[]> {
  const latencies: number[] = []
  for (const until = performance.now() + seconds * 1_000; performance.now() < until; await pause(PROBE_MS)) {
    const begun = performance.now()
    await (await fetch(`${origin}/healthz`)).text()
    latencies.push(performance.now() - begun)
  }
  return latencies
}

await withLoadedBoard(Number(options.jobs), options.url, async (url) => {
  const server = await startServer(
    [...SERVE, '--only', 'http'],
    { DATABASE_URL: url, RATE_LIMIT: 'off', LOG_LEVEL: 'fatal' },
    '/readyz',
  )
  const key = await employer(server.origin)
  const cases: [name: string, paths: readonly string[] | undefined, isRead: boolean][] = [
    ['no other clients', undefined, true],
    ['page 1, read', ['/v1/jobs'], true],
    ['page 1, unread', ['/v1/jobs'], false],
    ['lists, 1 to 3 filters, read', filteredLists(2_400), true],
    ['lists, 1 to 3 filters, unread', filteredLists(2_400), false],
    ['one profile, read', ['/v1/employers/profile'], true],
    ['one profile, unread', ['/v1/employers/profile'], false],
  ]
  for (const [name, paths, isRead] of cases) {
    const sockets = paths
      ? Array.from({ length: Number(options.connections) }, () => pipeline(server.origin, key, paths, isRead))
      : []
    const latencies = await probe(server.origin)
    for (const socket of sockets) socket.destroy()
    const { p50, p99 } = figureOf([{ latencies, seconds }])
    const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))![1]) / 1_024
    const figures = `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, longest ${Math.max(...latencies).toFixed(0)} ms`
    console.log(`${name.padEnd(32)}${figures}, ${latencies.length} requests, ${rss.toFixed(0)} MB resident`)
    await pause(2_000)
  }
  await server.stop()
})
