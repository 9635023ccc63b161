/** The log: one JSON object a line on standard output, without anything a client keeps secret. */
import { type Logger, pino, type SerializedError } from 'pino'
import type { Line, LineSink } from '../http/request-log.ts'
import { isoTime } from '../lib/time.ts'

/** What is logged is written when there are so many lines, and at the latest after this time. */
const LINES_MAX = 256
const LATEST_MS = 100

/**
 * Standard output, many lines at a time: a write for each would cost a third of what reading one job costs. A process
 * that is killed outright loses what it logged in its last 100 ms.
 */
export function openLog(): LineSink {
  const output = pino.destination({ sync: true })
  let lines: Line[] = []
  const flush = () => {
    if (lines.length === 0) return
    const text = lines.join('')
    lines = []
    output.write(text)
  }
  setInterval(flush, LATEST_MS).unref()
  process.once('exit', () => {
    flush()
    output.flushSync()
  })
  return {
    write(line) {
      lines.push(line)
      if (lines.length >= LINES_MAX) flush()
    },
  }
}

/** An error for the log, without what PostgreSQL tells of the row: it may be somebody's. */
export function describeError(error: Error): Partial<SerializedError> {
  const { detail: _detail, where: _where, ...rest } = pino.stdSerializers.err(error)
  return rest
}

export function createLogger(level: string, log: LineSink): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${isoTime(Date.now())}"`,
      serializers: { err: describeError },
      redact: { paths: ['req.headers.authorization', '*.api_key', '*.key', '*.secret'], censor: '[redacted]' },
    },
    log,
  )
}
