/** Caches jobs and responses as bytes, and drops stale bytes. */
import { LRUCache } from 'lru-cache'

/** Upgrades that only pages show. The list representation has no members for them. */
export interface JobMarks {
  is_urgent: boolean
  is_highlighted: boolean
}

export interface CachedJob {
  bytes: Buffer
  /** Absent if the bytes are the full resource of a job, which contains the upgrades. */
  marks?: JobMarks
  /** The ETag, if the bytes are a complete response. */
  etag?: string
  /** The employer whose logo and website the bytes contain. */
  employerId: string
}

/**
 * Returns the same bytes outside Node's pool. Each block of the pool (64 KiB since Node 26.3) stays in memory as
 * long as a single job in it is cached.
 */
function outsidePool(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  copy.set(bytes)
  return copy
}

const JOBS_BYTES_MAX = 48 * 1024 * 1024

export class CachedJobs {
  readonly #jobs = new LRUCache<string, CachedJob>({
    maxSize: JOBS_BYTES_MAX,
    sizeCalculation: ({ bytes }) => bytes.length,
  })
  /** Increases whenever cached bytes become stale. */
  #version = 0

  find(id: string): CachedJob | undefined {
    return this.#jobs.get(id)
  }

  /**
   * Reads jobs, and caches them unless a job or an employer changed during the read. `mayKeep` returns whether this
   * process receives notifications of changes to these jobs.
   */
  async read(ask: () => Promise<Map<string, CachedJob>>, mayKeep: () => boolean): Promise<Map<string, CachedJob>> {
    const version = this.#version
    const found = await ask()
    if (version === this.#version && mayKeep()) this.#keep(found)
    return found
  }

  /** Reads changed jobs. The returned function caches them; call it after notifying the listeners of the changes. */
  async ahead(ask: () => Promise<Map<string, CachedJob>>): Promise<() => void> {
    const found = await ask()
    return () => this.#keep(found)
  }

  #keep(jobs: ReadonlyMap<string, CachedJob>): void {
    for (const [id, job] of jobs) this.#jobs.set(id, { ...job, bytes: outsidePool(job.bytes) })
  }

  jobsChanged(ids: readonly string[]): void {
    this.#version++
    for (const id of ids) this.#jobs.delete(id)
  }

  /** Drops the cached jobs of these employers, or of all employers if `ids` is empty. */
  employersChanged(ids: readonly string[]): void {
    this.#version++
    const changed = new Set(ids)
    for (const [id, { employerId }] of [...this.#jobs]) {
      if (changed.size === 0 || changed.has(employerId)) this.#jobs.delete(id)
    }
  }
}

const RESPONSES_BYTES_MAX = 64 * 1024 * 1024
/** Maximum total size of the cached pages, in bytes: enough for 2,700 pages of 36 KB. */
export const PAGES_BYTES_MAX = 96 * 1024 * 1024

export interface CachedResponse {
  body: Buffer
  /** The media type. Default: JSON. */
  type?: string
  link: string | undefined
  /**
   * Time at which the response was last current, in milliseconds of `performance.now()`. Absent if the response is
   * current.
   */
  staleSinceMs?: number | undefined
  /** Set after a second request, which makes compression worthwhile. */
  isAskedAgain?: true
  /** The ETag and compressed bodies, computed on demand. */
  etag?: string
  compressed?: { br?: Promise<Buffer>; gzip?: Promise<Buffer> }
}

export class CachedResponses {
  readonly #responses: LRUCache<string, CachedResponse>
  #revision: number | string = -1

  constructor(bytesMax = RESPONSES_BYTES_MAX) {
    this.#responses = new LRUCache({
      maxSize: bytesMax,
      // Includes URLs and links, because a link contains the URL up to four times.
      sizeCalculation: ({ body, link }, url) => body.length + (link?.length ?? 0) + url.length,
    })
  }

  find(url: string, revision: number | string): CachedResponse | undefined {
    const response = revision === this.#revision ? this.#responses.get(url) : undefined
    if (response) response.isAskedAgain = true
    return response
  }

  keep(url: string, revision: number | string, response: CachedResponse): void {
    if (revision !== this.#revision) this.#responses.clear()
    this.#revision = revision
    response.body = outsidePool(response.body)
    this.#responses.set(url, response)
  }
}

/** Maximum size of recent keys, in characters: 20,000 keys of 100 characters. */
const KEYS_CHARACTERS_MAX = 2_000_000

/** Remembers recent keys. A cache that stores only the values of known keys keeps no values that are used only once. */
export class RecentKeys {
  readonly #keys = new LRUCache<string, true>({
    maxSize: KEYS_CHARACTERS_MAX,
    sizeCalculation: (_known, key) => key.length,
  })

  /** Returns whether the key was known. */
  add(key: string): boolean {
    const isKnown = this.#keys.get(key) === true
    if (!isKnown) this.#keys.set(key, true)
    return isKnown
  }
}
