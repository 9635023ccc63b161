/** What is told of requests once they are answered: a line in the log, and a count in the metrics. */
import type { FastifyContextConfig } from 'fastify'
import type { Registry } from 'prom-client'
import { isoNow } from '../lib/time.ts'
import { createRequestMetrics } from './request-metrics.ts'

/** Takes whole lines, each with its end. */
export interface LineSink {
  write(line: string): void
}

export interface Answered {
  requestId: string
  method: string
  status: number
  /** From the head of the request to the end of the answer. */
  ms: number
  accountId: string | undefined
}

/** What is known of a route. */
export interface LoggedRoute {
  /** Its pattern; undefined for what is not there. */
  url: string | undefined
  operation: string | undefined
  config: Pick<FastifyContextConfig, 'isLasting'>
}

/** Tells of requests to one route. */
export type NoteAnswered = (answered: Answered) => void

/**
 * Without a sink nothing is logged. A line is put together here from what has no character that JSON escapes: pino, which
 * looks at every value, takes four times as long, which was a sixth of what a ready answer costs.
 */
export function createRequestLog(registry: Registry, sink: LineSink | undefined): (route: LoggedRoute) => NoteAnswered {
  const observe = createRequestMetrics(registry)
  return ({ url, operation, config }) => {
    const counted = operation ?? url ?? 'none'
    const route = `"route":${JSON.stringify(url ?? null)},${operation ? `"operation":${JSON.stringify(operation)},` : ''}`
    return ({ requestId, method, status, ms, accountId }) => {
      if (!config.isLasting) observe(counted, status, ms)
      if (!sink) return
      const account = accountId === undefined ? '' : `"account_id":"${accountId}",`
      const what = `"request_id":"${requestId}","method":"${method}","status":${status},"ms":${Math.round(ms * 10) / 10}`
      sink.write(`{"level":30,"time":"${isoNow()}",${route}${what},${account}"msg":"request"}\n`)
    }
  }
}
