/** Traces requests: one span per request, and one inside it for the route's handler (decision 0121). */
import type { IncomingMessage } from 'node:http'
import { context, propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { tracer } from '../lib/tracing.ts'
import type { App } from './app.ts'
import { isInnerCall } from './inner-calls.ts'
import { createdIn, type NoteAnswered, resourceIn, traceIn } from './request-log.ts'

type RequestLog = (route: { url: string | undefined; operation: string | undefined }) => NoteAnswered

/** The spans of requests in progress. Without tracing, there are none. */
const spans = new WeakMap<IncomingMessage, Span>()

/**
 * Returns the parent context of a request's span: the client's trace or, for an inner call, the active span of the
 * calling request.
 */
const contextOf = (request: IncomingMessage) =>
  isInnerCall(request) ? context.active() : propagation.extract(ROOT_CONTEXT, request.headers)

/** Returns the trace ID of a request's span or, without a span, of the request's traceparent header. */
export function traceIdOf(request: IncomingMessage): string | undefined {
  return spans.get(request)?.spanContext().traceId ?? traceIn(request.headers.traceparent)
}

/** Adds hooks that start the spans. `endSpans` ends them. */
export function startSpans(app: App): void {
  const handlers = new WeakMap<IncomingMessage, Span>()
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const parent = contextOf(raw)
    const span = tracer.startSpan(raw.method!, { kind: SpanKind.SERVER }, parent)
    spans.set(raw, span)
    context.with(trace.setSpan(parent, span), done)
  })
  app.addHook('preHandler', ({ raw, routeOptions }, _reply, done) => {
    // Sets the context again, because reading a body loses it.
    const parent = trace.setSpan(ROOT_CONTEXT, spans.get(raw)!)
    const name = routeOptions.schema?.operationId ?? routeOptions.url ?? 'not found'
    const span = tracer.startSpan(`handle ${name}`, {}, parent)
    handlers.set(raw, span)
    context.with(trace.setSpan(parent, span), done)
  })
  app.addHook('onSend', ({ raw }, _reply, payload, done) => {
    handlers.get(raw)?.end()
    done(null, payload)
  })
}

/**
 * Ends the spans by wrapping the request log, which records every response. Also creates the spans of requests on the
 * fast path, which starts none.
 */
export function endSpans<T extends Parameters<RequestLog>[0]>(requestLog: (route: T) => NoteAnswered) {
  return (route: T): NoteAnswered => {
    const note = requestLog(route)
    return (request, answered) => {
      const { method, status, ms, requestId, accountId, location } = answered
      const startTime = Date.now() - ms
      const span =
        spans.get(request) ?? tracer.startSpan(method, { kind: SpanKind.SERVER, startTime }, contextOf(request))
      note(request, { ...answered, traceId: span.spanContext().traceId })
      // Uses the route's pattern, because paths and queries may contain tokens.
      span.updateName(route.url ? `${method} ${route.url}` : method)
      span.setAttributes({
        'http.request.method': method,
        'http.route': route.url,
        'http.response.status_code': status,
        operation: route.operation,
        request_id: requestId,
        account_id: accountId,
        resource_id: resourceIn(request.url ?? '', route.url) ?? createdIn(location),
      })
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    }
  }
}
