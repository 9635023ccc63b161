/** Fetches documents. Connects only to addresses that webhooks may reach, even after redirects. */

import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type Connections, Failure, type Guard, retryAfterMs } from '../webhooks/index.ts'
import { bounded, TooLarge } from './feeds.documents.ts'

export interface Fetching {
  connections: Pick<Connections, 'open' | 'drop'>
  guard: Pick<Guard, 'checkUrl'>
  now: () => Date
}

/** Headers that identify the version of a document that has been read. */
export interface Version {
  etag: string | null
  lastModified: string | null
}

/** A document could not be fetched. */
export class FetchFailure extends Error {
  readonly code: string
  readonly retryAfterMs: number | null

  constructor(code: string, detail: string, retryAfter: number | null = null) {
    super(detail)
    this.code = code
    this.retryAfterMs = retryAfter
  }
}

/** Maximum duration of a fetch, including its redirects and the body. */
const FETCH_MS = 60_000
const REDIRECTS_MAX = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * Fetches a document, and passes its chunks to `store`. Returns its version, or undefined if the document still has the
 * given version. Throws `FetchFailure`.
 */
export async function fetchDocument(
  fetching: Fetching,
  address: string,
  known: Version,
  store: (chunks: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<Version | undefined> {
  const signal = AbortSignal.timeout(FETCH_MS)
  let url = new URL(address)
  try {
    for (let redirects = 0; ; redirects++) {
      const fault = fetching.guard.checkUrl(url.href)
      if (fault !== undefined) throw new FetchFailure('blocked_address', fault)
      const result = await exchange(fetching, url, known, store, signal)
      if (!('location' in result)) return result.version
      if (redirects === REDIRECTS_MAX) throw new FetchFailure('redirects', 'The host redirects too often.')
      url = new URL(result.location, url)
    }
  } catch (error) {
    if (error instanceof FetchFailure) throw error
    if (error instanceof TooLarge) throw new FetchFailure('too_large', error.message)
    if (signal.aborted) throw new FetchFailure('timeout', 'The document did not arrive within 60 seconds.')
    if (error instanceof Failure) throw new FetchFailure(error.errorClass, error.message)
    const { code } = error as NodeJS.ErrnoException
    const isNetwork = code?.startsWith('UND_') || code?.startsWith('Z_') || code?.startsWith('E')
    if (!isNetwork) throw error
    throw new FetchFailure('reset', `The document did not arrive completely (${code}).`)
  }
}

async function exchange(
  { connections, now }: Fetching,
  url: URL,
  known: Version,
  store: (chunks: AsyncIterable<Uint8Array>) => Promise<void>,
  signal: AbortSignal,
): Promise<{ location: string } | { version: Version | undefined }> {
  const connection = await connections.open(url, signal)
  try {
    const { statusCode, headers, body } = await connection.client.request({
      method: 'GET',
      path: url.pathname + url.search,
      headers: {
        'user-agent': 'JobMarketplace-Feeds/1',
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
      const pause = retryAfterMs(headers['retry-after'], now())
      throw new FetchFailure('http_status', `The host responded with ${statusCode}.`, pause)
    }
    const coding = one('content-encoding')?.toLowerCase() ?? 'identity'
    if (coding !== 'identity' && coding !== 'gzip') {
      throw new FetchFailure('content_coding', 'The host used a content encoding other than gzip.')
    }
    // Both sizes are bounded: that of the received bytes here, and that of the decompressed document in `store`.
    const received = body as Readable
    const chunks = coding === 'gzip' ? pipeline(received, createGunzip(), () => {}) : received
    await store(bounded(chunks as AsyncIterable<Uint8Array>))
    return { version: { etag: one('etag'), lastModified: one('last-modified') } }
  } finally {
    connections.drop(connection)
  }
}
