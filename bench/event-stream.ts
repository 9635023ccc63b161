/**
 * `node bench/event-stream.ts [--url postgres://…] [--readers 1000] [--seconds 30] [--rate 20]`: opens event streams on
 * one process while employers create jobs. Reports the memory per stream, and the time from a job's acknowledgment to
 * its event. Each employer has five streams.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { JobMarketplace } from '../packages/client/src/index.ts'
import { call, row } from './acknowledged.ts'
import { killServers, REPORTING_MEMORY, SERVE, startServer } from './processes.ts'

const { values: options } = parseArgs({
  options: {
    url: { type: 'string' },
    readers: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '30' },
    rate: { type: 'string', default: '20' },
  },
})
const [readers, seconds, rate] = [Number(options.readers), Number(options.seconds), Number(options.rate)]
const STREAMS_EACH = 5
/** Streams per client address, below the service's limit. */
const STREAMS_PER_ADDRESS = 250
const ADMIN_KEY = 'operator-key-of-the-benchmark'

/** Times at which each job's event arrived, one per stream. */
const arrivals = new Map<string, number[]>()

async function openStream(origin: string, key: string, number: number): Promise<IncomingMessage> {
  const localAddress = `127.0.0.${2 + Math.floor(number / STREAMS_PER_ADDRESS)}`
  const request = get(`${origin}/v1/events/stream?after=now`, {
    agent: false,
    localAddress,
    headers: { authorization: `Bearer ${key}` },
  })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`The stream returned ${response.statusCode}`)
  response.setEncoding('utf8').on('error', () => undefined)
  let rest = ''
  response.on('data', (chunk: string) => {
    const now = performance.now()
    const messages = (rest + chunk).split('\n\n')
    rest = messages.pop()!
    for (const message of messages) {
      const id = /"job":\{"id":"(\w+)"/.exec(message)?.[1]
      if (id !== undefined) arrivals.set(id, [...(arrivals.get(id) ?? []), now])
    }
  })
  return response
}

const percentile = (sorted: readonly number[], share: number) => sorted[Math.floor((sorted.length - 1) * share)]!
const milliseconds = (values: readonly number[]) => {
  const sorted = values.toSorted((a, b) => a - b)
  return `p50 ${percentile(sorted, 0.5).toFixed(1)}, p99 ${percentile(sorted, 0.99).toFixed(1)}, max ${sorted.at(-1)!.toFixed(1)} ms`
}
const mebibytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(0)} MiB`

const folder = mkdtempSync(join(tmpdir(), 'event-stream-'))
try {
  const server = await startServer(
    [...REPORTING_MEMORY, ...SERVE],
    { DATA_DIR: folder, ADMIN_API_KEY: ADMIN_KEY, ...(options.url && { DATABASE_URL: options.url }) },
    '/readyz',
  )
  const { origin } = server
  const operator = new JobMarketplace({ baseUrl: origin, apiKey: ADMIN_KEY })
  const keys: string[] = []
  for (let n = 0; n < readers / STREAMS_EACH; n++) {
    const email = `${crypto.randomUUID()}@bench.example`
    const { api_key } = await operator.employers.register({ name: `Employer ${n}`, email })
    keys.push(api_key!)
  }
  const before = await server.memory()
  const streams: IncomingMessage[] = []
  for (let n = 0; n < readers; n++) streams.push(await openStream(origin, keys[n % keys.length]!, n))
  await pause(2_000)
  const open = await server.memory()
  row('streams', streams.length)
  row('resident memory before and with the streams', `${mebibytes(before.rss)}, ${mebibytes(open.rss)}`)
  row('heap per stream', `${((open.heapUsed - before.heapUsed) / readers / 1_024).toFixed(1)} KiB`)

  const acknowledged = new Map<string, number>()
  const responses: number[] = []
  const job = {
    title: 'Engineer',
    description: 'x '.repeat(500),
    location: 'Leipzig',
    category: 'software',
    type: 'full-time',
  }
  const pending: Promise<void>[] = []
  for (let n = 0; n < seconds * rate; n++) {
    pending.push(
      (async () => {
        const from = performance.now()
        const { data } = await call(origin, 'POST', '/jobs', keys[n % keys.length], job)
        acknowledged.set(data.id!, performance.now())
        responses.push(performance.now() - from)
      })(),
    )
    await pause(1_000 / rate)
  }
  await Promise.all(pending)
  await pause(3_000)
  const delays = [...acknowledged].flatMap(([id, at]) => (arrivals.get(id) ?? []).map((arrival) => arrival - at))
  row('jobs, events received', `${acknowledged.size}, ${delays.length} of ${acknowledged.size * STREAMS_EACH}`)
  row('time to create a job', milliseconds(responses))
  row('from the acknowledged job to its event', milliseconds(delays))
  row('resident memory after the load', mebibytes((await server.memory()).rss))
  for (const stream of streams) stream.destroy()
  await pause(1_000)
  row('resident memory after the streams closed', mebibytes((await server.memory()).rss))
  await server.stop()
} finally {
  killServers()
  rmSync(folder, { recursive: true, force: true })
}
