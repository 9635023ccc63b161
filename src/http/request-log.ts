/** What is told of requests once they are answered: a line in the log, and a count in the metrics. */
import type { FastifyContextConfig } from 'fastify'
import type { Registry } from 'prom-client'
import { isoTime } from '../lib/time.ts'
import { createRequestMetrics } from './request-metrics.ts'

/** A line with its end, or what becomes one when it is written. */
export type Line = string | { toString(): string }

export interface LineSink {
  write(line: Line): void
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

/** Without a sink nothing is logged. */
export function createRequestLog(registry: Registry, sink: LineSink | undefined): (route: LoggedRoute) => NoteAnswered {
  const observe = createRequestMetrics(registry)
  return ({ url, operation, config }) => {
    const counted = operation ?? url ?? 'none'
    const route = `"route":${JSON.stringify(url ?? null)},${operation ? `"operation":${JSON.stringify(operation)},` : ''}`
    return (answered) => {
      if (!config.isLasting) observe(counted, answered.status, answered.ms)
      sink?.write(new RequestLine(route, answered))
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
  readonly #route: string
  readonly #answered: Answered

  constructor(route: string, answered: Answered) {
    this.#route = route
    this.#answered = answered
  }

  toString(): string {
    const { requestId, method, status, ms, accountId } = this.#answered
    const account = accountId === undefined ? '' : `"account_id":"${accountId}",`
    const what = `"request_id":"${requestId}","method":"${method}","status":${status},"ms":${Math.round(ms * 10) / 10}`
    return `{"level":30,"time":"${isoTime(this.#at)}",${this.#route}${what},${account}"msg":"request"}\n`
  }
}
