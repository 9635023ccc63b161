/** Reads and writes files with one JSON text per line. */
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { pipeline as pipelineToEnd } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'

const NEWLINE = 0x0a
/**
 * Default maximum length of a line, in bytes. Import lines are shorter. Without a limit, a file that is not NDJSON
 * could exhaust memory.
 */
const LINE_BYTES_MAX = 1_048_576

/** Reads a file, and decompresses it if its name ends in .gz. */
export function readBytes(file: string): AsyncIterable<Buffer> {
  const bytes = createReadStream(file, { highWaterMark: 262_144 })
  // `pipeline` passes an error in either stream to the reader. `pipe` would ignore errors from reading the file.
  return file.endsWith('.gz') ? pipeline(bytes, createGunzip(), () => {}) : bytes
}

/**
 * Reads the lines of a file, and decompresses it if its name ends in .gz. For each line, yields its text or the reason
 * why it is invalid. Only a newline ends a line: `node:readline` would also split at U+2028 and U+2029, which JSON
 * texts may contain.
 */
export async function* readLines(
  file: string,
  bytesMax = LINE_BYTES_MAX,
): AsyncGenerator<{ text: string } | { refusal: string }> {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let parts: Buffer[] = []
  let length = 0
  const line = () => {
    const isTooLong = length > bytesMax
    const whole = isTooLong ? undefined : Buffer.concat(parts)
    parts = []
    length = 0
    if (whole === undefined) return { refusal: `The line is longer than ${bytesMax} bytes.` }
    try {
      return { text: utf8.decode(whole) }
    } catch {
      return { refusal: 'The line is not valid UTF-8.' }
    }
  }
  const add = (part: Buffer) => {
    length += part.length
    // Counts the bytes of a line beyond the limit without storing them.
    if (length > bytesMax) parts = []
    else parts.push(part)
  }
  for await (const chunk of readBytes(file)) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end))
      yield line()
      start = end + 1
    }
    if (start < chunk.length) add(chunk.subarray(start))
  }
  if (length > 0) yield line()
}

/**
 * Writes a file that only its owner can read, compressed if its name ends in .gz. The file has a temporary name until
 * it is complete.
 */
export async function writeFileWhole(file: string, texts: AsyncIterable<string>): Promise<void> {
  const partial = `${file}.part`
  try {
    const packing = file.endsWith('.gz') ? [createGzip()] : []
    // Flushes first, because a file renamed before its content is on disk may be empty after a power failure.
    const writing = createWriteStream(partial, { mode: 0o600, flush: true })
    await pipelineToEnd([Readable.from(texts), ...packing, writing])
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}
