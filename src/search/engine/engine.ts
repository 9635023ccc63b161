/**
 * The search engine: an OpenSearch cluster, reached through its client. Only boards with `SEARCH_URL` load this module.
 */
import { Client, errors } from '@opensearch-project/opensearch'
import { AppError } from '../../lib/errors.ts'

/** The engine's URLs and credentials, from `SEARCH_URL` and the related settings. */
export interface EngineSettings {
  /** URLs of one or more nodes of a cluster. */
  urls: readonly URL[]
  /** Prefix of the names of all indexes. */
  index: string
  /** Certificates of the CAs that sign the nodes' certificates, in PEM format. */
  ca?: string | undefined
  /** Replaces the password in the URLs. */
  password?: string | undefined
}

/** How long the engine keeps a point in time after its last use. */
export const KEPT = '5m'
/** Number of retries if a node is unreachable or slow, or responds with 502, 503 or 504. */
const RETRIES = 2
/**
 * Timeout of each attempt of a read, in milliseconds. A search takes a few milliseconds, so an engine that exceeds the
 * timeout is overloaded or unreachable.
 */
const READ_MAX_MS = 2_000
/** Timeout of each attempt of a write, in milliseconds. A write can wait for copies on other nodes. */
const WRITE_MAX_MS = 30_000

export interface EngineRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'
  path: string
  body?: object | string
  /** The lines of a bulk request, as objects or as JSON. */
  bulkBody?: readonly (object | string)[]
  querystring?: Record<string, string | number | boolean>
}

/** A search in a point in time. */
export type SearchBody = Readonly<Record<string, unknown>>

/** The response members that searches use. */
export interface Found {
  timed_out?: boolean
  _shards?: { total: number }
  hits?: {
    total?: { value: number }
    hits?: { sort?: (string | number)[]; fields?: Record<string, (string | number)[]> }[]
  }
  // biome-ignore lint/suspicious/noExplicitAny: the shape depends on the aggregations
  aggregations?: Record<string, any>
  // biome-ignore lint/suspicious/noExplicitAny: the shape depends on the suggestions
  suggest?: Record<string, any>
  error?: { type?: string; reason?: string }
  status?: number
}

/** The response members to request. All others are omitted, because they take most of the bytes. */
const READ_MEMBERS = [
  'timed_out',
  '_shards.total',
  'hits.total',
  'hits.hits.sort',
  'hits.hits.fields',
  'aggregations',
  'suggest',
  'error',
  'status',
]
const FILTER_PATH = READ_MEMBERS.map((member) => `responses.${member}`).join(',')

export class Engine {
  readonly index: string
  readonly #client: Client

  constructor({ urls, index, ca, password }: EngineSettings) {
    this.index = index
    const username = decodeURIComponent(urls[0]!.username)
    this.#client = new Client({
      nodes: urls.map(({ origin, pathname }) => origin + pathname),
      ...(username && { auth: { username, password: password ?? decodeURIComponent(urls[0]!.password) } }),
      ...(ca && { ssl: { ca } }),
      maxRetries: RETRIES,
    })
  }

  /** Sends a read. Throws `EngineUnavailable` if a later attempt can succeed. */
  read<T>(request: EngineRequest): Promise<T> {
    return this.#send(request, READ_MAX_MS)
  }

  /**
   * Runs searches in one point in time. Throws `EngineUnavailable` if a search times out or the engine is overloaded,
   * and `PointLost` if the engine can no longer search the point in time. Never returns partial results.
   */
  async search(pit: string, bodies: readonly SearchBody[]): Promise<Found[]> {
    const { responses } = await this.read<{ responses: Found[] }>({
      method: 'POST',
      path: '/_msearch',
      querystring: { filter_path: FILTER_PATH },
      bulkBody: bodies.flatMap((body) => [
        { allow_partial_search_results: false },
        { pit: { id: pit, keep_alive: KEPT }, timeout: `${READ_MAX_MS}ms`, stored_fields: '_none_', ...body },
      ]),
    })
    for (const { error, status = 200, timed_out } of responses) {
      if (timed_out || status === 429) throw new EngineUnavailable(new Error(JSON.stringify(error)))
      // After the loss of a node, the other copies of its shards can serve only a new point in time.
      if (status === 404 || status >= 500) throw new PointLost(JSON.stringify(error))
      if (error) throw new Error(`The search engine refused a query: ${JSON.stringify(error)}`)
    }
    return responses
  }

  /** Sends a request that may take a long time. Throws the same errors as `read`. */
  write<T>(request: EngineRequest): Promise<T> {
    return this.#send(request, WRITE_MAX_MS)
  }

  async #send<T>({ bulkBody, ...request }: EngineRequest, requestTimeout: number): Promise<T> {
    const lines =
      bulkBody && `${bulkBody.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')}\n`
    try {
      const { body } = await this.#client.transport.request(
        { ...request, ...(lines && { bulkBody: lines }) },
        { requestTimeout },
      )
      return body as T
    } catch (error) {
      throw isForLater(error) ? new EngineUnavailable(error) : error
    }
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}

/** The engine no longer has a point in time, for example because a node failed or restarted. */
export class PointLost extends Error {}

/** The engine cannot serve a request now, but may later. */
export class EngineUnavailable extends AppError {
  constructor(cause: unknown) {
    super('unavailable', { cause, headers: { 'retry-after': '2' } })
  }
}

/**
 * Returns whether a request can succeed later: the engine is unreachable, slow or overloaded, or has an internal error.
 */
function isForLater(error: unknown): boolean {
  if (!(error instanceof errors.ResponseError)) return error instanceof errors.OpenSearchClientError
  return error.statusCode === 429 || error.statusCode! >= 500
}

/** Returns whether a request failed because the engine lacks the named resource. */
export const isMissing = (error: unknown): boolean => error instanceof errors.ResponseError && error.statusCode === 404
