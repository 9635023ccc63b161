/** Records completed requests in the log and in the metrics. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyContextConfig } from 'fastify'
import type { Registry } from 'prom-client'
import { isoTime } from '../lib/time.ts'
import type { RequestOrigin } from './client-address.ts'
import { createRequestMetrics } from './request-metrics.ts'

/** A line with its line break, or an object that formats it when it is written. */
export type Line = string | { toString(): string }

export interface LineSink {
  write(line: Line): void
}

/** Formats the address of a request's client; returns undefined if it is unknown. */
export type FormatClient = (request: RequestOrigin) => string | undefined

export interface Answered {
  requestId: string
  method: string
  status: number
  /** From the request headers to the end of the response, in milliseconds. */
  ms: number
  accountId: string | undefined
  /** The Location header, which names a created resource. */
  location?: unknown
}

/** The route properties that are logged. */
export interface LoggedRoute {
  /** Its pattern; undefined for unknown paths. */
  url: string | undefined
  operation: string | undefined
  config: Pick<FastifyContextConfig, 'isLasting'>
}

/** Records a completed request of one route. */
export type NoteAnswered = (request: IncomingMessage, answered: Answered) => void

/**
 * Matches our IDs in a path, or at its end after the words of a title. Other parameters, such as tokens in links, can
 * be secret.
 */
const RESOURCE_ID = /(?<![a-z0-9])[a-z]{2,8}_[0-9a-hjkmnp-tv-z]{26}(?![^/?#])/
/** https://www.w3.org/TR/trace-context/#traceparent-header: only versions after 00 may have more members. */
const TRACEPARENT = /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/

/** Returns the ID in a path whose route has `:id`. */
function resourceIn(path: string, route: string | undefined): string | undefined {
  return route?.includes('/:id') ? RESOURCE_ID.exec(path)?.[0] : undefined
}

function traceIn(headers: IncomingHttpHeaders): string | undefined {
  const { traceparent } = headers
  return typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined
}

/** Returns a request's resource ID, trace ID and client for the log. The values need no JSON escaping. */
export function describeOrigin(
  request: RequestOrigin & { url?: string | undefined },
  route: string | undefined,
  formatClient: FormatClient | undefined,
): { resource_id?: string | undefined; trace_id?: string | undefined; client?: string | undefined } {
  return {
    resource_id: resourceIn(request.url ?? '', route),
    trace_id: traceIn(request.headers),
    client: formatClient?.(request),
  }
}

/** Formats one member of a log line. The text must need no JSON escaping. */
const member = (name: string, text: string | undefined) => (text === undefined ? '' : `"${name}":"${text}",`)

/** Without a sink, logs nothing and only counts. */
export function createRequestLog(
  registry: Registry,
  sink: LineSink | undefined,
  formatClient?: FormatClient,
): (route: LoggedRoute) => NoteAnswered {
  const observe = createRequestMetrics(registry)
  return ({ url, operation, config }) => {
    const counted = operation ?? url ?? 'none'
    const route = { url, members: `"route":${JSON.stringify(url ?? null)},${member('operation', operation)}` }
    return (request, answered) => {
      if (!config.isLasting) observe(counted, answered.status, answered.ms)
      sink?.write(new RequestLine(route, request, answered, formatClient))
    }
  }
}

/**
 * A log line built from text that needs no JSON escaping: pino inspects every value and takes four times as long. Lines
 * are formatted in batches when they are written. Formatting each one right after a large response, with a cold processor
 * cache, cost page 1 of the board 2 to 4 %. This was measured twice with three processes, in turns.
 */
class RequestLine {
  readonly #at = Date.now()
  readonly #route: { url: string | undefined; members: string }
  readonly #answered: Answered
  readonly #url: string
  readonly #headers: IncomingHttpHeaders
  /** Read at construction: the socket loses its address when the connection closes. */
  readonly #remoteAddress: string | undefined
  readonly #formatClient: FormatClient | undefined

  constructor(
    route: { url: string | undefined; members: string },
    { url = '', headers, socket }: IncomingMessage,
    answered: Answered,
    formatClient: FormatClient | undefined,
  ) {
    this.#route = route
    this.#answered = answered
    this.#url = url
    this.#headers = headers
    this.#remoteAddress = formatClient && socket.remoteAddress
    this.#formatClient = formatClient
  }

  toString(): string {
    const { url: route, members } = this.#route
    const { requestId, method, status, ms, accountId, location } = this.#answered
    const socket = { remoteAddress: this.#remoteAddress }
    const origin = describeOrigin({ url: this.#url, headers: this.#headers, socket }, route, this.#formatClient)
    const resourceId =
      origin.resource_id ?? (typeof location === 'string' ? RESOURCE_ID.exec(location)?.[0] : undefined)
    const what = `"request_id":"${requestId}","method":"${method}","status":${status},"ms":${Math.round(ms * 10) / 10}`
    const who = member('account_id', accountId) + member('client', origin.client)
    const about = member('resource_id', resourceId) + member('trace_id', origin.trace_id)
    return `{"level":30,"time":"${isoTime(this.#at)}",${members}${what},${who}${about}"msg":"request"}\n`
  }
}
