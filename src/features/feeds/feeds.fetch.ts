/** Fetches documents. Connects only to addresses that webhooks may reach, even after redirects. */
import { pipeline, type Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { DAY_MS } from '../../lib/time.ts'
import { type Connections, Failure, retryAfterMs, type UrlGuard } from '../webhooks/index.ts'
import { bounded, TooLarge } from './feeds.documents.ts'
import { formatOf } from './formats/index.ts'
import { wholeText } from './formats/json.ts'
import { BadDocument, type FetchText } from './formats/posting.ts'

export interface Fetching {
  pace: Pace
  connections: Pick<Connections, 'open' | 'drop'>
  guard: Pick<UrlGuard, 'checkUrl'>
  now: () => Date
  /** Extends the run's lease during a fetch. */
  keepLease?(): Promise<void>
}

/** Headers that identify the version of a document. */
export interface Version {
  etag: string | null
  lastModified: string | null
}

interface Fetched {
  /** Undefined if the document has not changed. */
  version: Version | undefined
  /** The other host that responded after redirects, or null if the URL's own host responded. */
  redirectHost: string | null
}

/** Thrown if a document cannot be fetched. */
export class FetchFailure extends Error {
  readonly code: string
  readonly retryAfterMs: number | null
  /** Whether the document is gone: status 404 or 410, or a redirect to another host. */
  readonly isGone: boolean

  constructor(code: string, detail: string, { retryAfterMs = null as number | null, isGone = false } = {}) {
    super(detail)
    this.code = code
    this.retryAfterMs = retryAfterMs
    this.isGone = isGone
  }
}

/** Maximum duration of one request, including the body, in milliseconds. */
const FETCH_MS = 60_000
const REDIRECTS_MAX = 5
/** Time in milliseconds after which no more requests begin for a document that consists of several responses. */
const COLLECT_MS = 1_800_000
/** Maximum size in bytes of each response of a document that consists of several responses. */
const RESPONSE_BYTES_MAX = 8_388_608
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Longest pause between requests to a host, in milliseconds, even if its robots.txt asks for a longer one. */
const DELAY_MAX_MS = 30_000
/** How long a host's robots.txt is cached, in milliseconds. */
const ROBOTS_KEPT_MS = DAY_MS
/** Maximum duration of a request for a robots.txt, in milliseconds. */
const ROBOTS_MS = 10_000
const ROBOTS_BYTES_MAX = 524_288
const AGENT = 'JobMarketplace-Feeds'

/**
 * Returns the pause in milliseconds that a robots.txt requests from this service, at most `DELAY_MAX_MS`. A delay for
 * `AGENT` takes precedence over a delay for `*`.
 */
function crawlDelayMs(robots: string): number {
  const delays = { [AGENT.toLowerCase()]: 0, '*': 0 }
  // Ignores other agents, because a file can name tens of thousands of them.
  const agents = new Set<string>()
  let isGroupOpen = false
  for (const line of robots.split('\n')) {
    const [name = '', value = ''] = line
      .split('#', 1)[0]!
      .split(':', 2)
      .map((part) => part.trim().toLowerCase())
    if (name === 'user-agent') {
      if (!isGroupOpen) agents.clear()
      if (Object.hasOwn(delays, value)) agents.add(value)
      isGroupOpen = true
    } else if (name !== '') {
      isGroupOpen = false
      const seconds = Number(value)
      if (name === 'crawl-delay' && seconds > 0) for (const agent of agents) delays[agent] = seconds
    }
  }
  const seconds = delays[AGENT.toLowerCase()] || delays['*']
  return Math.min(DELAY_MAX_MS, seconds * 1_000)
}

/** Spaces this process's requests to each host by the crawl delay in the host's robots.txt. */
export class Pace {
  readonly #hosts = new LRUCache<string, { delayMs: number; nextAt: number }>({ max: 1_000, ttl: ROBOTS_KEPT_MS })
  readonly #wait: (ms: number) => Promise<unknown>

  constructor(wait: (ms: number) => Promise<unknown> = pause) {
    this.#wait = wait
  }

  /**
   * Waits until the next request to a host is allowed. `readRobots` returns the host's robots.txt, or undefined if it
   * cannot be read.
   */
  async turn(host: string, readRobots: () => Promise<string | undefined>): Promise<void> {
    let known = this.#hosts.get(host)
    if (!known) {
      known = { delayMs: crawlDelayMs((await readRobots()) ?? ''), nextAt: 0 }
      known.nextAt = performance.now() + known.delayMs
      this.#hosts.set(host, known)
    }
    const waitMs = known.nextAt - performance.now()
    known.nextAt = Math.max(known.nextAt, performance.now()) + known.delayMs
    if (waitMs > 0) await this.#wait(waitMs)
  }
}

type Store = (chunks: AsyncIterable<Uint8Array>) => Promise<void>

export const NO_VERSION: Version = { etag: null, lastModified: null }

/**
 * Fetches a document, and passes its chunks to `store`. Returns the document's version, or no version if the document
 * still has the given version. Throws `FetchFailure` if a request fails, and `BadDocument` if one of several responses
 * cannot be read.
 */
export async function fetchDocument(
  fetching: Fetching,
  { format, url, known = NO_VERSION }: { format: string; url: string; known?: Version },
  store: Store,
): Promise<Fetched> {
  const { collect } = formatOf(format)
  if (!collect) return fetchResponse(fetching, url, { known }, store)
  async function* lines() {
    for await (const line of collect!(new URL(url), fetchingText(fetching)))
      yield Buffer.from(`${JSON.stringify(line)}\n`)
  }
  await store(lines())
  return { version: NO_VERSION, redirectHost: null }
}

/** Returns a function that fetches one response per call, always from the host of the first call. */
function fetchingText(fetching: Fetching): FetchText {
  const endsAt = performance.now() + COLLECT_MS
  let host: string | undefined
  return async (url) => {
    const isFirst = host === undefined
    host ??= url.host
    if (performance.now() > endsAt) {
      throw new FetchFailure('timeout', 'Not all responses arrived within 30 minutes.')
    }
    let text: string | undefined
    try {
      await fetchResponse(fetching, url.href, { known: NO_VERSION, host }, async (chunks) => {
        text = await wholeText(bounded(chunks, RESPONSE_BYTES_MAX))
      })
    } catch (error) {
      if (isFirst || !(error instanceof FetchFailure && error.isGone)) throw error
    }
    return text
  }
}

function fetchResponse(
  fetching: Fetching,
  address: string,
  { known, host }: { known: Version; host?: string },
  store: Store,
): Promise<Fetched> {
  const begin = async (url: URL) => {
    await fetching.keepLease?.()
    await fetching.pace.turn(url.host, () => readRobots(fetching, url))
    return AbortSignal.timeout(FETCH_MS)
  }
  return request(fetching, new URL(address), { known, host, begin }, store)
}

/** Returns the robots.txt of a host, or undefined if it cannot be read. */
async function readRobots(fetching: Fetching, page: URL): Promise<string | undefined> {
  let text: string | undefined
  const signal = AbortSignal.timeout(ROBOTS_MS)
  const options = { known: NO_VERSION, host: page.host, begin: async () => signal }
  try {
    await request(fetching, new URL('/robots.txt', page), options, async (chunks) => {
      text = await wholeText(bounded(chunks, ROBOTS_BYTES_MAX))
    })
  } catch (error) {
    if (!(error instanceof FetchFailure || error instanceof BadDocument)) throw error
  }
  return text
}

/** Sends a request, and follows redirects. `begin` waits until a URL may be requested, and returns the time limit. */
async function request(
  fetching: Fetching,
  start: URL,
  { known, host, begin }: { known: Version; host?: string | undefined; begin(url: URL): Promise<AbortSignal> },
  store: Store,
): Promise<Fetched> {
  let url = start
  for (let redirects = 0; ; redirects++) {
    if (host !== undefined && url.host !== host) {
      throw new FetchFailure('other_host', `The host redirects to ${url.host}.`, { isGone: true })
    }
    const fault = fetching.guard.checkUrl(url.href)
    if (fault !== undefined) throw new FetchFailure('blocked_address', fault)
    const signal = await begin(url)
    const result = await exchange(fetching, url, { known, store, signal }).catch((error) => {
      throw failureOf(error, signal)
    })
    if (!('location' in result)) {
      return { version: result.version, redirectHost: url.host === start.host ? null : url.host }
    }
    if (redirects === REDIRECTS_MAX) throw new FetchFailure('redirects', 'The host redirects too often.')
    url = new URL(result.location, url)
  }
}

/** Returns the failure that an error of an exchange means, or the error itself if it is unexpected. */
function failureOf(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof FetchFailure || error instanceof BadDocument) return error
  if (error instanceof TooLarge) return new FetchFailure('too_large', error.message)
  if (signal.aborted) return new FetchFailure('timeout', 'The document did not arrive within 60 seconds.')
  if (error instanceof Failure) return new FetchFailure(error.errorClass, error.message)
  const { code } = error as NodeJS.ErrnoException
  const isNetwork = code?.startsWith('UND_') || code?.startsWith('Z_') || code?.startsWith('E')
  return isNetwork ? new FetchFailure('reset', `The document did not arrive completely (${code}).`) : error
}

async function exchange(
  { connections, now }: Fetching,
  url: URL,
  { known, store, signal }: { known: Version; store: Store; signal: AbortSignal },
): Promise<{ location: string } | { version: Version | undefined }> {
  const connection = await connections.open(url, signal)
  try {
    const { statusCode, headers, body } = await connection.client.request({
      method: 'GET',
      path: url.pathname + url.search,
      headers: {
        'user-agent': `${AGENT}/1`,
        accept: 'application/json, application/x-ndjson, application/xml, text/xml, */*;q=0.1',
        'accept-encoding': 'gzip',
        ...(known.etag !== null && { 'if-none-match': known.etag }),
        ...(known.lastModified !== null && { 'if-modified-since': known.lastModified }),
      },
      signal,
    })
    const one = (name: string) => {
      const value = headers[name]
      return typeof value === 'string' ? value.slice(0, 1_000) : null
    }
    if (statusCode === 304) return { version: undefined }
    const location = one('location')
    if (REDIRECTS.has(statusCode) && location !== null && URL.canParse(location, url)) return { location }
    if (statusCode !== 200) {
      throw new FetchFailure('http_status', `The host responded with ${statusCode}.`, {
        retryAfterMs: retryAfterMs(headers['retry-after'], now()),
        isGone: statusCode === 404 || statusCode === 410,
      })
    }
    const coding = one('content-encoding')?.toLowerCase() ?? 'identity'
    if (coding !== 'identity' && coding !== 'gzip') {
      throw new FetchFailure('content_coding', 'The host used a content encoding other than gzip.')
    }
    // Limits the decompressed bytes. `store` can set a lower limit.
    const received = body as Readable
    const chunks = coding === 'gzip' ? pipeline(received, createGunzip(), () => {}) : received
    await store(bounded(chunks as AsyncIterable<Uint8Array>))
    return { version: { etag: one('etag'), lastModified: one('last-modified') } }
  } finally {
    connections.drop(connection)
  }
}
