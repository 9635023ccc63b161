/** Writes log lines in batches. */
import type { Line, LineSink } from '../request-log.ts'

/** Maximum lines of a batch. */
const LINES_MAX = 256
/** Maximum delay of a line, in milliseconds. */
const LATEST_MS = 100

/**
 * Collects log lines: writing each one separately would cost a third of reading one job. A process that is killed loses
 * the log lines of its last 100 ms.
 */
export class LineBatch implements LineSink {
  readonly #output: (text: string) => void
  #lines: Line[] = []

  constructor(output: (text: string) => void) {
    this.#output = output
    setInterval(() => this.flush(), LATEST_MS).unref()
  }

  write(line: Line): void {
    if (this.#lines.push(line) >= LINES_MAX) this.flush()
  }

  /** Formats and writes the collected lines now. */
  flush(): void {
    if (this.#lines.length === 0) return
    const text = this.#lines.join('')
    this.#lines = []
    this.#output(text)
  }
}
