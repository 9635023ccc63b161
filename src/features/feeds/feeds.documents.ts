/** Stores the documents of runs in compressed parts, so that any process can read them, even after a crash. */
import { pipeline, Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { type Database, inUnshownTx } from '../../db/database.ts'
import { deleteDocument, findPart, insertPart } from './feeds.queries.ts'

const DOCUMENT_BYTES_MAX = 67_108_864
/** Approximate size of a part in bytes. Parts are small because PostgreSQL reads only whole values. */
const PART_BYTES = 1_048_576

export class TooLarge extends Error {}

/** Yields the chunks. Throws `TooLarge` if they exceed `bytesMax` bytes. */
export async function* bounded(chunks: AsyncIterable<Uint8Array>, bytesMax = DOCUMENT_BYTES_MAX) {
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > bytesMax) throw new TooLarge(`The document is larger than ${bytesMax} bytes.`)
    yield chunk
  }
}

/** Stores the document of a run. The run may not exist yet. */
export async function storeDocument(
  database: Pick<Database, 'inTx'>,
  runId: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  let number = 0
  let parts: Buffer[] = []
  let length = 0
  const flush = async () => {
    const bytes = Buffer.concat(parts)
    parts = []
    length = 0
    await inUnshownTx(database, (tx) => insertPart(tx, runId, number, bytes))
    number += 1
  }
  // `pipeline` passes errors of either stream to the loop.
  for await (const chunk of pipeline(Readable.from(bounded(chunks)), createGzip(), () => {}) as AsyncIterable<Buffer>) {
    parts.push(chunk)
    length += chunk.length
    if (length >= PART_BYTES) await flush()
  }
  if (length > 0) await flush()
}

export const dropDocument = (database: Pick<Database, 'inTx'>, runId: string): Promise<void> =>
  inUnshownTx(database, (tx) => deleteDocument(tx, runId))

/** Maximum size of a decompressed chunk in bytes. Smaller chunks would slow down reading. */
const CHUNK_BYTES = 262_144

export function readDocument(database: Pick<Database, 'read'>, runId: string): AsyncIterable<Buffer> {
  async function* parts() {
    for (let number = 0; ; number++) {
      const bytes = await database.read((db) => findPart(db, runId, number))
      if (!bytes) return
      yield bytes
    }
  }
  return pipeline(Readable.from(parts()), createGunzip({ chunkSize: CHUNK_BYTES }), () => {}) as AsyncIterable<Buffer>
}
