/**
 * The text of a document, taken out by a worker of its own. Starting one takes 50 to 100 ms, and 300 ms
 * with the library for PDF: too little to let hostile documents share a worker with those that come after them.
 */
import { Worker } from 'node:worker_threads'
import type { DocumentKind } from './kinds.ts'
import type { ExtractionFault } from './text-readers.ts'

export interface ExtractionTask {
  kind: DocumentKind
  bytes: Uint8Array<ArrayBuffer>
}

export type Extraction = { text: string } | { error: ExtractionFault }

export interface ExtractionLimits {
  timeoutMs: number
  /** Of JavaScript objects, and again of the buffers beside them. */
  memoryBytes: number
}

/** 5 s: all but the longest PDFs take less than one, and the next account's resume waits. */
const LIMITS: ExtractionLimits = { timeoutMs: 5_000, memoryBytes: 256 * 1_048_576 }

/** Buffers lie outside of the heap that a worker can be limited to, so they are looked at this often. */
const WATCH_MS = 50

export function extractText(kind: DocumentKind, file: Uint8Array, limits = LIMITS): Promise<Extraction> {
  const bytes = new Uint8Array(file)
  const task: ExtractionTask = { kind, bytes }
  const worker = new Worker(new URL('./extract-worker.ts', import.meta.url), {
    workerData: task,
    transferList: [bytes.buffer],
    env: {},
    // Libraries complain there about what they read.
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
  // It never ends by itself without an answer, but where it does nobody should wait.
  worker.once('exit', () => resolve({ error: 'malformed' }))
  const timeout = setTimeout(resolve, limits.timeoutMs, { error: 'timeout' })
  const watch = setInterval(() => {
    worker.getHeapStatistics().then(
      ({ external_memory }) => {
        if (external_memory > limits.memoryBytes) resolve({ error: 'memory' })
      },
      // It has ended.
      () => {},
    )
  }, WATCH_MS)
  return promise.finally(async () => {
    clearTimeout(timeout)
    clearInterval(watch)
    await worker.terminate()
  })
}
