/** Writes log lines in batches. */
import type { Line, LineSink } from '../request-log.ts'

/** Maximum number of lines in a batch. */
const LINES_MAX = 256
/** Maximum delay of a line, in milliseconds. */
const LATEST_MS = 100

/**
 * Collects log lines, because writing each line separately would add a third to the cost of serving a job. If the
 * process is killed, the log lines of the last 100 ms are lost.
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

  /** Formats and writes the collected lines immediately. */
  flush(): void {
    if (this.#lines.length === 0) return
    const text = this.#lines.join('')
    this.#lines = []
    this.#output(text)
  }
}
