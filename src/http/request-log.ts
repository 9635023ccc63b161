/** Records completed requests in the log and in the metrics. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyContextConfig } from 'fastify'
import type { Registry } from 'prom-client'
import { isoTime } from '../lib/time.ts'
import type { RequestOrigin } from './client-address.ts'
import { createRequestMetrics } from './request-metrics.ts'

/** A log line with its line break, or an object that formats the line when it is written. */
export type Line = string | { toString(): string }

export interface LineSink {
  write(line: Line): void
}

/** Formats the client address of a request. Returns undefined if the address is unknown. */
export type FormatClient = (request: RequestOrigin) => string | undefined

export interface Answered {
  requestId: string
  method: string
  status: number
  /** Time from receiving the request headers to the end of the response, in milliseconds. */
  ms: number
  accountId: string | undefined
  /** The Location header, which contains the URL of a created resource. */
  location?: unknown
  /** The ID of the trace that the process exports. Default: the ID in the request headers. */
  traceId?: string | undefined
}

/** The route properties that are logged. */
export interface LoggedRoute {
  /** The route's pattern; undefined for unknown paths. */
  url: string | undefined
  operation: string | undefined
  config: Pick<FastifyContextConfig, 'isLasting'>
}

/** Records a completed request to one route. */
export type NoteAnswered = (request: IncomingMessage, answered: Answered) => void

/**
 * Matches an ID that is a complete path segment, or the end of a segment after the words of a title. Other path
 * parameters, such as tokens, can be secret.
 */
const RESOURCE_ID = /(?<![a-z0-9])[a-z]{2,8}_[0-9a-hjkmnp-tv-z]{26}(?![^/?#])/
/** See https://www.w3.org/TR/trace-context/#traceparent-header. Only versions after 00 may have more fields. */
const TRACEPARENT = /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/

/** Returns the ID in a path if its route has the parameter `:id`. */
export function resourceIn(path: string, route: string | undefined): string | undefined {
  return route?.includes('/:id') ? RESOURCE_ID.exec(path)?.[0] : undefined
}

/** Returns the ID of the resource that a Location header names, if any. */
export function createdIn(location: unknown): string | undefined {
  return typeof location === 'string' ? RESOURCE_ID.exec(location)?.[0] : undefined
}

/** Returns the trace ID in a traceparent header, or undefined if the header is absent or invalid. */
export function traceIn(traceparent: IncomingHttpHeaders[string]): string | undefined {
  return typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined
}

/**
 * Returns the resource ID, the trace ID and the client address of a request for the log. The values need no JSON
 * escaping.
 */
export function describeOrigin(
  request: RequestOrigin & { url?: string | undefined },
  route: string | undefined,
  formatClient: FormatClient | undefined,
): { resource_id?: string | undefined; trace_id?: string | undefined; client?: string | undefined } {
  return {
    resource_id: resourceIn(request.url ?? '', route),
    trace_id: traceIn(request.headers.traceparent),
    client: formatClient?.(request),
  }
}

/** Creates a function that formats the log lines of one route. */
export type LineFormat = (
  route: Omit<LoggedRoute, 'config'>,
  formatClient: FormatClient | undefined,
) => (request: IncomingMessage, answered: Answered) => Line

/** Formats each line as soon as its request is complete. The fast path formats the same text later, and faster. */
export const formatAtOnce: LineFormat =
  ({ url, operation }, formatClient) =>
  (request, { requestId, method, status, ms, accountId, location, traceId }) => {
    const origin = describeOrigin(request, url, formatClient)
    const line = {
      level: 30,
      time: isoTime(Date.now()),
      route: url ?? null,
      operation,
      request_id: requestId,
      method,
      status,
      ms: Math.round(ms * 10) / 10,
      account_id: accountId,
      client: origin.client,
      resource_id: origin.resource_id ?? createdIn(location),
      trace_id: traceId ?? origin.trace_id,
      msg: 'request',
    }
    return `${JSON.stringify(line)}\n`
  }

/** Creates the log of completed requests. Without a sink, requests are counted, but not logged. */
export function createRequestLog(
  registry: Registry,
  sink: LineSink | undefined,
  formatClient: FormatClient | undefined,
  format: LineFormat,
): (route: LoggedRoute) => NoteAnswered {
  const observe = createRequestMetrics(registry)
  return ({ url, operation, config }) => {
    const counted = operation ?? url ?? 'none'
    const lineOf = format({ url, operation }, formatClient)
    return (request, answered) => {
      if (!config.isLasting) observe(counted, answered.status, answered.ms)
      sink?.write(lineOf(request, answered))
    }
  }
}
