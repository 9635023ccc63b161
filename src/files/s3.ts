/** A client for object stores that support the Amazon S3 protocol and path-style URLs. */
import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import type { ObjectStore } from './store.ts'

export interface S3Location {
  url: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

/** Parses a URL such as `https://KEY:SECRET@s3.example.com/bucket?region=eu-1`; returns undefined if it is invalid. */
export function parseS3Url(text: string): S3Location | undefined {
  const url = URL.parse(text)
  const region = url?.searchParams.get('region') || 'us-east-1'
  if (!url || !/^https?:$/.test(url.protocol) || url.hash !== '') return undefined
  if (!/^\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\/?$/.test(url.pathname) || !/^[a-z0-9-]+$/.test(region)) return undefined
  if ([...url.searchParams.keys()].some((name) => name !== 'region')) return undefined
  if (url.username === '' || url.password === '') return undefined
  try {
    return {
      url: `${url.origin}${url.pathname.replace(/\/$/, '')}`,
      region,
      accessKeyId: decodeURIComponent(url.username),
      secretAccessKey: decodeURIComponent(url.password),
    }
  } catch {
    return undefined
  }
}

/**
 * Timeout of a request for up to 5 MiB, in milliseconds. A client is waiting: if the store takes longer, it counts as
 * unavailable.
 */
const TIMEOUT_MS = 15_000

export function createS3(location: S3Location, timeoutMs = TIMEOUT_MS): ObjectStore {
  const { accessKeyId, secretAccessKey, region } = location
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 })

  /** Sends a request and returns the response body. Throws if the status is not one of `statuses`. */
  async function send(key: string, statuses: readonly number[], init: RequestInit): Promise<Buffer> {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await client.fetch(`${location.url}/${key}`, { ...init, redirect: 'manual', signal })
    const body = Buffer.from(await response.arrayBuffer())
    if (statuses.includes(response.status)) return body
    const method = init.method ?? 'GET'
    throw new Error(`${method} ${key}: ${response.status} ${body.subarray(0, 500).toString()}`)
  }

  return {
    async put(key, bytes) {
      // The signature covers this hash, so the store rejects a body that was altered in transit.
      const hash = createHash('sha256').update(bytes).digest('hex')
      const headers = { 'content-type': 'application/octet-stream', 'x-amz-content-sha256': hash }
      await send(key, [200], { method: 'PUT', headers, body: new Uint8Array(bytes) })
    },
    async get(key, { first, last }) {
      const body = await send(key, [206], { method: 'GET', headers: { range: `bytes=${first}-${last}` } })
      if (body.length !== last - first + 1) throw new Error(`GET ${key}: ${body.length} bytes`)
      return body
    },
    async delete(key) {
      await send(key, [200, 204, 404], { method: 'DELETE' })
    },
  }
}
