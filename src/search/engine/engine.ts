/** The search engine: an OpenSearch cluster, reached through its client. Only boards with `SEARCH_URL` load it. */
import { Client, errors } from '@opensearch-project/opensearch'
import { AppError } from '../../lib/errors.ts'

/** How to reach the engine. `SEARCH_URL` and the settings beside it provide these values. */
export interface EngineSettings {
  /** One or several nodes of a cluster. */
  urls: readonly URL[]
  /** The beginning of the names of indexes. */
  index: string
  /** Certificates of the authorities that sign the certificates of the nodes, as PEM. */
  ca?: string | undefined
  /** Replaces the password of the URLs. */
  password?: string | undefined
}

/** Timeout of a read. A search takes milliseconds, so a slower engine is overloaded or unreachable. */
const READ_MAX_MS = 2_000
/** Timeout of a write, which can wait for copies on other nodes. */
const WRITE_MAX_MS = 60_000

export interface EngineRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'
  path: string
  body?: object | string
  /** The lines of a request with several parts, as objects or as JSON. */
  bulkBody?: readonly (object | string)[]
  querystring?: Record<string, string | number | boolean>
}

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
      maxRetries: 2,
    })
  }

  /** Sends a read. Throws `unavailable` if the engine does not answer in time, or refuses because of its load. */
  read<T>(request: EngineRequest): Promise<T> {
    return this.#send(request, READ_MAX_MS)
  }

  /** Sends a request that may take long. Throws the same errors as `read`. */
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
      throw isForLater(error) ? new AppError('unavailable', { cause: error, headers: { 'retry-after': '2' } }) : error
    }
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}

/** Returns whether a request can succeed later: the engine is unreachable, slow, or overloaded. */
export function isForLater(error: unknown): boolean {
  if (!(error instanceof errors.ResponseError)) return error instanceof errors.OpenSearchClientError
  return error.statusCode === 429 || error.statusCode! >= 500
}

/** Returns whether the engine does not have what a request names. */
export const isMissing = (error: unknown): boolean => error instanceof errors.ResponseError && error.statusCode === 404
