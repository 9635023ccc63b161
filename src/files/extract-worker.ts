/** The worker thread that extracts the text of a single document. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Extraction, ExtractionTask } from './extract.ts'
import { readText, UnreadableDocument } from './text-readers.ts'

const { kind, bytes } = workerData as ExtractionTask
let answer: Extraction
try {
  answer = { text: await readText(kind, bytes) }
} catch (error) {
  answer = { error: error instanceof UnreadableDocument ? error.fault : 'malformed' }
}
parentPort!.postMessage(answer)
