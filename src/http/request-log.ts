/** Reports answered requests: a line in the log, and a count in the metrics. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyContextConfig } from 'fastify'
import type { Registry } from 'prom-client'
import { isoTime } from '../lib/time.ts'
import type { RequestOrigin } from './client-address.ts'
import { createRequestMetrics } from './request-metrics.ts'

/** A line with its end, or what becomes one when it is written. */
export type Line = string | { toString(): string }

export interface LineSink {
  write(line: Line): void
}

/** Writes the address of a request's client; undefined where it is not known. */
export type FormatClient = (request: RequestOrigin) => string | undefined

export interface Answered {
  requestId: string
  method: string
  status: number
  /** From the head of the request to the end of the answer. */
  ms: number
  accountId: string | undefined
  /** The header Location, which names what a request created. */
  location?: unknown
}

/** What is known of a route. */
export interface LoggedRoute {
  /** Its pattern; undefined for what is not there. */
  url: string | undefined
  operation: string | undefined
  config: Pick<FastifyContextConfig, 'isLasting'>
}

/** Reports an answered request to one route. */
export type NoteAnswered = (request: IncomingMessage, answered: Answered) => void

/** Our ids, in a path or at its end after the words of a title. Other parameters may be secret: tokens of links. */
const RESOURCE_ID = /(?<![a-z0-9])[a-z]{2,8}_[0-9a-hjkmnp-tv-z]{26}(?![^/?#])/
/** https://www.w3.org/TR/trace-context/#traceparent-header: only later versions than 00 may have more members. */
const TRACEPARENT = /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/

/** Returns the id that a path names in the place of a route's `:id`. */
function resourceIn(path: string, route: string | undefined): string | undefined {
  return route?.includes('/:id') ? RESOURCE_ID.exec(path)?.[0] : undefined
}

function traceIn(headers: IncomingHttpHeaders): string | undefined {
  const { traceparent } = headers
  return typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined
}

/** Describes a request for the log: the resource in its path, its trace, its client. Every value is plain text for JSON. */
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

/** Writes a member of a line, of text that JSON does not escape. */
const member = (name: string, text: string | undefined) => (text === undefined ? '' : `"${name}":"${text}",`)

/** Without a sink nothing is logged. */
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
 * The text is put together from what has no character that JSON escapes: pino, which looks at every value, takes four
 * times as long. And it is put together when it is written, with many others: one at a time, between answers that leave
 * nothing in the processor's cache, it cost page 1 of the board 2 to 4 % (twice three processes, in turns).
 */
class RequestLine {
  readonly #at = Date.now()
  readonly #route: { url: string | undefined; members: string }
  readonly #answered: Answered
  readonly #url: string
  readonly #headers: IncomingHttpHeaders
  /** Read now: once the connection has ended there is none. */
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
