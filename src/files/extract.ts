/**
 * Extracts a document's text in a separate worker. Starting a worker takes 50 to 100 ms, or 300 ms with the PDF
 * library. A new worker per document prevents a malicious document from affecting later ones.
 */
import { Worker } from 'node:worker_threads'
import type { DocumentKind } from './kinds.ts'
import type { ExtractionFault } from './text-readers.ts'

export interface ExtractionTask {
  kind: DocumentKind
  bytes: Uint8Array<ArrayBuffer>
}

export type Extraction = { text: string } | { error: ExtractionFault }

const LIMITS = {
  /** Other resumes are waiting, and all but the longest PDFs take less than 1 s. */
  timeoutMs: 5_000,
  /** Limit for JavaScript objects and, separately, for their buffers. */
  memoryBytes: 256 * 1_048_576,
}

/**
 * Interval between checks of buffer sizes, in milliseconds. Node.js limits only a worker's heap, which does not include
 * buffers.
 */
const WATCH_MS = 50

export function extractText(kind: DocumentKind, file: Uint8Array, limits = LIMITS): Promise<Extraction> {
  const bytes = new Uint8Array(file)
  const task: ExtractionTask = { kind, bytes }
  const worker = new Worker(new URL('./extract-worker.ts', import.meta.url), {
    workerData: task,
    transferList: [bytes.buffer],
    env: {},
    // Discards the output of libraries, such as warnings about documents.
    stdout: true,
    stderr: true,
    resourceLimits: {
      maxOldGenerationSizeMb: limits.memoryBytes / 1_048_576,
      maxYoungGenerationSizeMb: 32,
      stackSizeMb: 4,
    },
  })
  worker.stdout.resume()
  worker.stderr.resume()
  const { promise, resolve } = Promise.withResolvers<Extraction>()
  worker.once('message', resolve)
  worker.on('error', (error: NodeJS.ErrnoException) =>
    resolve({ error: error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'malformed' }),
  )
  // If a worker ends without a result, which should never happen, the caller must not wait forever.
  worker.once('exit', () => resolve({ error: 'malformed' }))
  const timeout = setTimeout(resolve, limits.timeoutMs, { error: 'timeout' })
  const watch = setInterval(() => {
    worker.getHeapStatistics().then(
      ({ external_memory }) => {
        if (external_memory > limits.memoryBytes) resolve({ error: 'memory' })
      },
      () => {},
    )
  }, WATCH_MS)
  return promise.finally(async () => {
    clearTimeout(timeout)
    clearInterval(watch)
    await worker.terminate()
  })
}
