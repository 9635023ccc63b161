/** The log: one JSON object per line on standard output. The log never contains secrets of clients. */
import { type Logger, pino, type SerializedError } from 'pino'
import { LineBatch } from '../http/fast-path/line-batch.ts'
import type { LineSink } from '../http/request-log.ts'
import { isoTime } from '../lib/time.ts'

/** Opens the log on standard output. With the fast path, the log writes lines in batches. */
export function openLog(hasFastPath: boolean): LineSink {
  const output = pino.destination({ sync: true })
  const batch = hasFastPath ? new LineBatch((text) => output.write(text)) : undefined
  process.once('exit', () => {
    batch?.flush()
    output.flushSync()
  })
  return batch ?? { write: (line) => output.write(String(line)) }
}

/**
 * Returns the properties of an error for the log. Omits PostgreSQL's details about the row, which may contain personal
 * data.
 */
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
