/** The log: one JSON object per line on standard output, without clients' secrets. */
import { type Logger, pino, type SerializedError } from 'pino'
import type { Line, LineSink } from '../http/request-log.ts'
import { isoTime } from '../lib/time.ts'

/** Limits of the buffer: it is written at this many lines, and at the latest after this many milliseconds. */
const LINES_MAX = 256
const LATEST_MS = 100

/**
 * Buffers lines for standard output: writing each one separately would cost a third of reading one job. A process that
 * is killed loses the log lines of its last 100 ms.
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

/** Describes an error for the log, without PostgreSQL's details of the row, which may contain personal data. */
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
