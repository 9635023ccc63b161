import { SpanKind, trace } from '@opentelemetry/api'
import type { LogEvent } from 'kysely'
import { markFailed, tracer } from '../lib/tracing.ts'
import { UNPREPARED } from './statement-names.ts'

const TEXT_LENGTH_MAX = 4_000

/** Traces a query as a child of the current span. Queries outside recorded spans are not traced. */
export function traceQuery(event: LogEvent): void {
  if (!trace.getActiveSpan()?.isRecording()) return
  const { query, queryDurationMillis } = event
  const text = query.sql.trim()
  const hasValues = text.startsWith(UNPREPARED)
  const operation = (hasValues ? text.slice(UNPREPARED.length) : text).trimStart().split(/\s/, 1)[0]!.toLowerCase()
  const span = tracer.startSpan(`sql ${operation}`, {
    kind: SpanKind.CLIENT,
    startTime: Date.now() - queryDurationMillis,
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      'db.query.text': hasValues ? undefined : text.slice(0, TEXT_LENGTH_MAX),
    },
  })
  if (event.level === 'error') markFailed(span, event.error)
  span.end()
}
