/** Formats the log lines of requests in batches. Requests do not wait for the formatting. */
import type { IncomingMessage } from 'node:http'
import { isoTime } from '../../lib/time.ts'
import { type Answered, createdIn, type FormatClient, type LineFormat, resourceIn, traceIn } from '../request-log.ts'

/** Formats one member of a log line. The text must not need JSON escaping. */
const member = (name: string, text: string | undefined) => (text === undefined ? '' : `"${name}":"${text}",`)

/** Returns lines with the same text as `formatAtOnce`, but formats them only when they are written. */
export const formatLater: LineFormat = ({ url, operation }, formatClient) => {
  const members = `"route":${JSON.stringify(url ?? null)},${member('operation', operation)}`
  const route = { url, members }
  return (request, answered) => new RequestLine(route, request, answered, formatClient)
}

/**
 * A log line built from text that needs no JSON escaping. pino inspects every value and takes four times as long.
 * Formatting each line right after a large response, with a cold processor cache, would make page 1 of the board 2% to
 * 4% slower. Keeps no request headers except `traceparent`, because the Authorization header contains the API key.
 */
class RequestLine {
  readonly #at = Date.now()
  readonly #route: string | undefined
  /** The members that are the same for all requests to the route. */
  readonly #members: string
  readonly #answered: Answered
  readonly #url: string
  readonly #traceparent: IncomingMessage['headers'][string]
  /** Determined in the constructor, because the socket loses its address when the connection closes. */
  readonly #client: string | undefined

  constructor(
    { url, members }: { url: string | undefined; members: string },
    request: IncomingMessage,
    answered: Answered,
    formatClient: FormatClient | undefined,
  ) {
    this.#route = url
    this.#members = members
    this.#answered = answered
    this.#url = request.url ?? ''
    this.#traceparent = request.headers.traceparent
    this.#client = formatClient?.(request)
  }

  toString(): string {
    const { requestId, method, status, ms, accountId, location, traceId } = this.#answered
    const what = `"request_id":"${requestId}","method":"${method}","status":${status},"ms":${Math.round(ms * 10) / 10}`
    const who = member('account_id', accountId) + member('client', this.#client)
    const resourceId = resourceIn(this.#url, this.#route) ?? createdIn(location)
    const trace = member('trace_id', traceId ?? traceIn(this.#traceparent))
    const about = member('resource_id', resourceId) + trace
    return `{"level":30,"time":"${isoTime(this.#at)}",${this.#members}${what},${who}${about}"msg":"request"}\n`
  }
}
