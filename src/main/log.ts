/** The log: one JSON object a line on standard output, without anything a client keeps secret. */
import { type Logger, pino, type SerializedError } from 'pino'
import type { LineSink } from '../http/request-log.ts'
import { isoNow } from '../lib/time.ts'

/** What is logged is written when there is this much of it, and at the latest after this time. */
const CHARACTERS_MIN = 4_096
const LATEST_MS = 100

/**
 * Standard output, a few lines at a time: a write for each would cost a third of what reading one job costs. A process
 * that is killed outright loses what it logged in its last 100 ms.
 */
export function openLog(): LineSink {
  const output = pino.destination({ sync: true })
  let lines = ''
  const flush = () => {
    if (lines === '') return
    const text = lines
    lines = ''
    output.write(text)
  }
  setInterval(flush, LATEST_MS).unref()
  process.once('exit', () => {
    flush()
    output.flushSync()
  })
  return {
    write(line) {
      lines += line
      if (lines.length >= CHARACTERS_MIN) flush()
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
      timestamp: () => `,"time":"${isoNow()}"`,
      serializers: { err: describeError },
      redact: { paths: ['req.headers.authorization', '*.api_key', '*.key', '*.secret'], censor: '[redacted]' },
    },
    log,
  )
}
