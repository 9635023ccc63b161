/** The OpenTelemetry tracer. Records nothing unless the process exports traces (decision 0121). */
import { type Attributes, context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'

export const tracer = trace.getTracer('job-marketplace')

/** Marks a span as failed. Records only the error's code or name, because messages can contain personal data. */
export function markFailed(span: Span, error: unknown): void {
  const { code, name } = Object(error) as { code?: unknown; name?: string }
  const message = typeof error === 'string' ? error : String(code ?? name)
  span.setStatus({ code: SpanStatusCode.ERROR, message })
}

/**
 * Runs `work` in a span. Spans that `work` starts become children of this span. `work` may add attributes to the span.
 */
export async function inSpan<T>(
  name: string,
  { kind = SpanKind.INTERNAL, ...attributes }: Attributes & { kind?: SpanKind },
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const span = tracer.startSpan(name, { kind, attributes })
  try {
    return await context.with(trace.setSpan(context.active(), span), () => work(span))
  } catch (error) {
    markFailed(span, error)
    throw error
  } finally {
    span.end()
  }
}
