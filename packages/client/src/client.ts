import type { Api, Event, EventMessage, Problem, Resume } from './api.ts'
import { JobMarketplaceError } from './errors.ts'
import { nameOfAll, operations } from './operations.ts'

export interface ClientOptions {
  /** The board's URL, without `/v1`. */
  baseUrl: string
  /** Default: none. Calls are then limited to public operations. */
  apiKey?: string | undefined
  /**
   * Timeout of one attempt, in milliseconds. The `wait_seconds` of a request are added to it. A call with retries can
   * take longer: limit it with `signal`. Default: 30,000.
   */
  timeoutMs?: number
  /** Maximum number of retries per call. Default: 3. */
  retries?: number
  /**
   * Maximum pause before the first retry, in milliseconds. Doubles with each further retry. A `Retry-After` can require
   * a longer pause. Default: 500.
   */
  retryDelayMs?: number
  /** Default: the global `fetch`. */
  fetch?: typeof fetch
}

export interface RequestOptions {
  /** Aborts the call, including its retries. */
  signal?: AbortSignal
  /** Overrides the client's `timeoutMs`. */
  timeoutMs?: number
  /** Overrides the client's `retries`. */
  retries?: number
  /** For a POST. Default: a new key for each call, the same for all its retries. */
  idempotencyKey?: string
  /** Additional headers, such as `If-Match`. */
  headers?: Record<string, string>
}

export interface RequestInput extends RequestOptions {
  /** Arrays become repeated parameters. Undefined and null are omitted. */
  query?: object
  /** Sent as JSON, unless it is a `FormData`. */
  body?: object
}

export interface ClientResponse {
  status: number
  headers: Headers
  /** JSON, a file, an event stream, or undefined if the response has no body. */
  body: unknown
}

/** Statuses after which a call retries. A proxy sends 502 or 504 if the service is unreachable or too slow. */
const RETRIED_STATUSES: readonly unknown[] = [429, 502, 503, 504]

/** Maximum pause before a retry, in milliseconds. If the pause would be longer, the call fails immediately. */
const WAIT_MS_MAX = 60_000

const LARGEST_PAGE = 100

export interface JobMarketplace extends Api {}

/** A client for one board. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor creates the methods that the interface lists.
export class JobMarketplace {
  readonly #options: Required<Omit<ClientOptions, 'apiKey' | 'fetch'>> & Pick<ClientOptions, 'apiKey' | 'fetch'>

  constructor(options: ClientOptions) {
    this.#options = { timeoutMs: 30_000, retries: 3, retryDelayMs: 500, ...options }
    for (const [resource, methods] of Object.entries(operations)) {
      const all = Object.entries(methods).flatMap(([name, operation]) => this.#methods(name, operation))
      Object.assign(this, { [resource]: Object.fromEntries(all) })
    }
  }

  /** Uploads a resume. In Node, `new File([bytes], 'resume.pdf')` creates a file. */
  uploadResume(file: Blob, options?: RequestOptions): Promise<Resume> {
    return this.resumes.upload(file, options)
  }

  /**
   * Sends any request. Use it to read response headers, and for operations that are newer than this client. Retries a
   * POST with the same `Idempotency-Key`, so it takes effect only once.
   */
  async request(method: string, path: string, input: RequestInput = {}): Promise<ClientResponse> {
    const { retries, retryDelayMs } = this.#options
    const send = this.#prepare(method, path, input)
    /** Whether a failed attempt may have taken effect. */
    let isUncertain = false
    for (let attempt = 0; ; attempt++) {
      try {
        return await send()
      } catch (error) {
        if (!(error instanceof JobMarketplaceError)) throw error
        // An earlier attempt has probably deleted the resource.
        if (method === 'DELETE' && error.status === 404 && isUncertain) {
          return { status: 204, headers: new Headers(), body: undefined }
        }
        const isLost = error.code === 'connection_failed' || error.code === 'timeout'
        isUncertain ||= isLost || error.status === 502 || error.status === 504
        // The service is still working on an earlier attempt.
        const isRunning = error.code === 'idempotency_in_progress'
        const canRetry = isLost || isRunning || RETRIED_STATUSES.includes(error.status)
        const backoffMs = retryDelayMs * 2 ** attempt * (0.5 + Math.random() / 2)
        const waitMs = Math.max(backoffMs, error.retryAfterMs ?? 0)
        if (!canRetry || attempt >= (input.retries ?? retries) || waitMs > WAIT_MS_MAX) throw error
        await wait(waitMs, input.signal)
      }
    }
  }

  /** Returns a function that sends the request once. Each attempt sends the same headers and body. */
  #prepare(method: string, path: string, { query, body, ...options }: RequestInput): () => Promise<ClientResponse> {
    const { baseUrl, apiKey, fetch: send = fetch } = this.#options
    const url = new URL(`v1${path}`, baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`)
    for (const [name, value] of Object.entries(query ?? {})) {
      for (const item of [value].flat()) {
        if (item != null) url.searchParams.append(name, item instanceof Date ? item.toISOString() : String(item))
      }
    }
    const headers = new Headers(options.headers)
    if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`)
    if (method === 'POST') headers.set('idempotency-key', options.idempotencyKey ?? randomKey())
    const isForm = body instanceof FormData
    if (body && !isForm) headers.set('content-type', 'application/json')
    const content = body && (isForm ? body : JSON.stringify(body))
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs
    // The service may wait this long before it responds.
    const waitMs = 1_000 * Number(url.searchParams.get('wait_seconds'))
    return async () => {
      const timeout = AbortSignal.timeout(timeoutMs + waitMs)
      const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout
      let response: Response
      let result: unknown
      try {
        // Following a redirect could turn a POST into a GET.
        response = await send(url, { method, headers, signal, redirect: 'error', ...(content && { body: content }) })
        result = await read(response)
      } catch (cause) {
        options.signal?.throwIfAborted()
        const code = timeout.aborted ? 'timeout' : 'connection_failed'
        const message = `No response to ${method} ${url.origin}${url.pathname}${timeout.aborted ? ' in time' : ''}.`
        throw new JobMarketplaceError(message, { code, cause })
      }
      return accept(response, result)
    }
  }

  /**
   * Yields the messages of a stream. Reconnects when a connection ends. The timeout limits the duration of each
   * connection.
   */
  async *#stream(path: string, { after }: { after?: string }, options?: RequestOptions): AsyncGenerator<EventMessage> {
    let last = after
    if (after === 'now') {
      // Resolves `now` first, because a connection may break before its first message.
      const { body } = await this.request('GET', '/events', { ...options, query: { after } })
      last = (body as { meta: { next: string } }).meta.next
    }
    for (;;) {
      const { body } = await this.request('GET', path, { ...options, query: { after: last } })
      try {
        for await (const { id, data } of messagesOf(body as ReadableStream<Uint8Array<ArrayBuffer>>)) {
          last = id ?? last
          if (id !== undefined && data !== undefined) yield { iterator: id, event: JSON.parse(data) as Event }
        }
      } catch {
        options?.signal?.throwIfAborted()
      }
      await wait(this.#options.retryDelayMs, options?.signal)
    }
  }

  async #poll(path: string, { after, ...query }: { after?: string }, options?: RequestOptions): Promise<unknown> {
    // Without `after`, the response would be a page of the list.
    return (await this.request('GET', path, { ...options, query: { ...query, after: after ?? '' } })).body
  }

  /** Returns a method and, for a list with pages, the method that reads all pages. */
  #methods(name: string, operation: string): [name: string, method: (...args: never[]) => unknown][] {
    const [verb, path, kind] = operation.split(' ') as [
      string,
      string,
      ('query' | 'body' | 'file' | 'poll' | 'stream')?,
    ]
    if (kind === 'stream') return [[name, (query = {}, options) => this.#stream(path, query, options)]]
    if (kind === 'poll') return [[name, (query = {}, options) => this.#poll(path, query, options)]]
    const idCount = path.split('{').length - 1
    const call = async (ids: unknown[], input: unknown, options?: RequestOptions) => {
      const { body } = await this.request(verb, fill(path, ids), {
        ...options,
        ...(kind === 'file' ? { body: formOf(input) } : kind && input ? { [kind]: input } : {}),
      })
      const hasData = typeof body === 'object' && body !== null && 'data' in body
      return hasData && kind !== 'query' ? body.data : body
    }
    const one = (...args: unknown[]) => {
      const [input, options] = kind ? args.slice(idCount) : [undefined, args[idCount]]
      return call(args.slice(0, idCount), input, options as RequestOptions | undefined)
    }
    if (kind !== 'query') return [[name, one]]
    async function* all(...args: unknown[]) {
      const [query, options] = args.slice(idCount) as [object?, RequestOptions?]
      // An empty cursor means the start of the list.
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await call(args.slice(0, idCount), { limit: LARGEST_PAGE, ...query, cursor }, options)
        const { data, meta } = page as { data: unknown[]; meta: { pagination: { next_cursor: string | null } } }
        yield* data
        cursor = meta.pagination.next_cursor
      }
    }
    return [
      [name, one],
      [nameOfAll(name), all],
    ]
  }
}

/** Fills in the parameters of a path. Throws if a value would lead to a different path. */
function fill(path: string, ids: readonly unknown[]): string {
  let index = 0
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[index++]
    if (typeof id !== 'string' || ['', '.', '..'].includes(id)) throw new TypeError(`Invalid ${name}: ${String(id)}`)
    return encodeURIComponent(id)
  })
}

function formOf(file: unknown): FormData {
  const form = new FormData()
  form.set('file', file as Blob)
  return form
}

/** Returns a random key. Unlike `randomUUID`, also works on pages without TLS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const isJson = ({ headers }: Response) => /\bjson\b/.test(headers.get('content-type') ?? '')

async function read(response: Response): Promise<unknown> {
  if (response.status === 204 || response.status === 304) return undefined
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) return response.body
  return isJson(response) ? response.json() : response.blob()
}

/** Yields the fields of server-sent events. Each field must be on one line. */
async function* messagesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<{ id?: string; data?: string }> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (let text = ''; ; ) {
      const { done, value } = await reader.read()
      if (done) return
      const messages = (text + value).split('\n\n')
      text = messages.pop()!
      for (const message of messages) {
        yield Object.fromEntries(message.split('\n').map((line) => line.split(/: (.*)/s, 2)))
      }
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

/** Returns a successful response. Throws an error for any other response. */
function accept(response: Response, body: unknown): ClientResponse {
  const { status, headers } = response
  const isPage = headers.get('content-type')?.startsWith('text/html')
  if ((status < 300 && !isPage) || status === 304) return { status, headers, body }
  const problem = isJson(response) ? (body as Problem & Record<string, unknown>) : undefined
  throw new JobMarketplaceError(problem?.detail ?? `The response is not from the API (status ${status}).`, {
    ...{ code: problem?.code ?? 'unexpected_response', status, problem },
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: milliseconds(headers.get('retry-after')),
  })
}

/** Converts `Retry-After` (seconds, or a date from a proxy) to milliseconds from now. */
function milliseconds(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined
  const seconds = Number(retryAfter)
  const ms = Number.isNaN(seconds) ? Date.parse(retryAfter) - Date.now() : seconds * 1_000
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0)
}

/** Waits. If the signal is aborted, immediately throws its reason. */
async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms)
    function done() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    signal?.addEventListener('abort', done)
  })
  signal?.throwIfAborted()
}
