/** Sends load over 16 connections and records the responses. */
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import autocannon from 'autocannon'
import { randomFrom } from './make-jobs.ts'

export const CONNECTIONS = 16

export interface Target {
  origin: string
  headers: Record<string, string>
  method: 'GET' | 'POST' | 'PUT'
  /** Paths of GET requests. Other requests combine each path with each body. */
  paths: readonly string[]
  bodies: readonly string[]
  /** Creates each request, if a request can succeed only once. Replaces `paths` and `bodies`. */
  next?: (() => { path: string; body?: string; headers?: Record<string, string> }) | undefined
}

export interface Sample {
  /** Latencies of the responses that arrived within `seconds`, in milliseconds. */
  latencies: number[]
  seconds: number
  /** Number of all responses, including those that arrived later, for which the server also spent processor time. */
  responses: number
}

/** Number of request orders used so far, which is the seed of the next one. */
let orders = 0

/**
 * Sends requests for `seconds`. Every connection of every run uses a different order: if each turn of a comparison
 * began with the same URLs, a slow turn would find all of them in the caches, and a fast one would not. Throws unless
 * every response is 2xx.
 */
export async function load(target: Target, seconds: number): Promise<Sample> {
  const { origin, headers, method, paths, bodies, next } = target
  const each = next && [{ setupRequest: (request: autocannon.Request) => ({ ...request, ...next() }) }]
  const requests: autocannon.Request[] =
    each ?? paths.flatMap((path) => (method === 'GET' ? [{ path }] : bodies.map((body) => ({ path, body }))))
  const latencies: number[] = []
  const faults = new Map<number, number>()
  let responses = 0
  let begun = performance.now()
  const finished = Promise.withResolvers<autocannon.Result>()
  const instance = autocannon(
    {
      ...{ url: origin, connections: CONNECTIONS, duration: seconds, timeout: 60, method, headers, requests },
      setupClient: (client) => client.setRequests(shuffled(requests, orders++)),
    },
    (error, result) => (error ? finished.reject(error) : finished.resolve(result)),
  )
  instance.on('start', () => {
    begun = performance.now()
  })
  instance.on('response', (_client, status, _bytes, milliseconds) => {
    responses++
    if (status < 200 || status > 299) faults.set(status, (faults.get(status) ?? 0) + 1)
    // autocannon stops only at the next full second, so responses after `seconds` do not count.
    else if (performance.now() - begun <= seconds * 1000) latencies.push(milliseconds)
  })
  const { errors, timeouts } = await finished.promise
  if (faults.size > 0 || errors + timeouts > 0) {
    const statuses = [...faults].map(([status, count]) => `${count} × ${status}`).join(', ')
    throw new Error(
      `${origin}${paths[0]}: ${statuses || 'no unexpected status'}, ${errors} errors, ${timeouts} timeouts`,
    )
  }
  return { latencies, seconds, responses }
}

/** Whether `wrk` (https://github.com/wg/wrk, a Debian package) is installed. */
export const hasWrk = spawnSync('wrk', ['-v']).error === undefined

/** Sends load to one URL with `wrk`, which does not decode bodies. */
export async function loadByWrk({ origin, headers, paths }: Target, seconds: number): Promise<Figure> {
  const sent = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const wrk = ['-t1', `-c${CONNECTIONS}`, `-d${Math.ceil(seconds)}s`, '--latency', ...sent, origin + paths[0]]
  const { stdout: report } = await promisify(execFile)('wrk', wrk)
  if (/Non-2xx|Socket errors/.test(report)) throw new Error(`${origin}${paths[0]}: ${report}`)
  const quantile = (name: string) => {
    const [, value, unit] = new RegExp(`${name}%\\s+([\\d.]+)(us|ms|s)`).exec(report)!
    return Number(value) * { us: 0.001, ms: 1, s: 1_000 }[unit as 'us' | 'ms' | 's']
  }
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(report)![1])
  return { perSecond, p50: quantile('50'), p99: quantile('99') }
}

/** Returns the means of several runs, and their highest p99. */
export function meanOf(figures: readonly Figure[]): Figure {
  const mean = (name: keyof Figure) => figures.reduce((sum, figure) => sum + figure[name], 0) / figures.length
  return { perSecond: mean('perSecond'), p50: mean('p50'), p99: Math.max(...figures.map(({ p99 }) => p99)) }
}

/** Requests each path once. Uses the largest number of connections that divides the paths evenly. */
export async function askOnce({ origin, headers, method, paths }: Target): Promise<Sample> {
  let connections = CONNECTIONS
  while (paths.length % connections !== 0) connections--
  const share = paths.length / connections
  const latencies: number[] = []
  let connection = 0
  const begun = performance.now()
  const finished = Promise.withResolvers<autocannon.Result>()
  const instance = autocannon(
    {
      ...{ url: origin, connections, amount: paths.length, timeout: 60, method, headers },
      setupClient(client) {
        const first = share * connection++
        client.setRequests(paths.slice(first, first + share).map((path) => ({ path })))
      },
    },
    (error, result) => (error ? finished.reject(error) : finished.resolve(result)),
  )
  let answeredAt = begun
  instance.on('response', (_client, _status, _bytes, milliseconds) => {
    latencies.push(milliseconds)
    answeredAt = performance.now()
  })
  const result = await finished.promise
  if (result['2xx'] !== paths.length)
    throw new Error(`${origin}${paths[0]}: ${result['2xx']} of ${paths.length} answered`)
  return { latencies, seconds: (answeredAt - begun) / 1_000, responses: latencies.length }
}

function shuffled<T>(items: readonly T[], seed: number): T[] {
  const { below } = randomFrom(seed + 1)
  const mixed = [...items]
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = below(i + 1)
    const kept = mixed[i]!
    mixed[i] = mixed[j]!
    mixed[j] = kept
  }
  return mixed
}

export interface Figure {
  perSecond: number
  p50: number
  p99: number
}

export function figureOf(samples: readonly Omit<Sample, 'responses'>[]): Figure {
  const latencies = samples.flatMap((sample) => sample.latencies).sort((a, b) => a - b)
  const seconds = samples.reduce((sum, sample) => sum + sample.seconds, 0)
  const quantile = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return { perSecond: latencies.length / seconds, p50: quantile(0.5), p99: quantile(0.99) }
}
