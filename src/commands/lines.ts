/** Reads and writes files with one JSON text per line. */
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { pipeline as pipelineToEnd } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'

const NEWLINE = 0x0a
/** Maximum bytes of a line. No line of an import needs more, and a file that is not NDJSON must not fill the memory. */
const LINE_BYTES_MAX = 1_048_576

/**
 * Reads the lines of a file, which is unpacked if its name ends in .gz. Each is a text, or the reason why it is
 * invalid. Only a newline ends a line: `node:readline` would also split at U+2028 and U+2029, which many JSON texts
 * contain.
 */
export async function* readLines(
  file: string,
  bytesMax = LINE_BYTES_MAX,
): AsyncGenerator<{ text: string } | { refusal: string }> {
  const bytes = createReadStream(file, { highWaterMark: 262_144 })
  // An error in either stream ends the loop below; pipe() would ignore errors in reading the file.
  const input = file.endsWith('.gz') ? pipeline(bytes, createGunzip(), () => {}) : bytes
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
    // Lines beyond the limit are only counted.
    if (length > bytesMax) parts = []
    else parts.push(part)
  }
  for await (const chunk of input as AsyncIterable<Buffer>) {
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

/** Writes a file, packed if its name ends in .gz, that only its owner can read. It gets its name when it is complete. */
export async function writeFileWhole(file: string, texts: AsyncIterable<string>): Promise<void> {
  const partial = `${file}.part`
  try {
    const packing = file.endsWith('.gz') ? [createGzip()] : []
    // A file that is renamed before it is on the disk may be an empty one after a power cut.
    const writing = createWriteStream(partial, { mode: 0o600, flush: true })
    await pipelineToEnd([Readable.from(texts), ...packing, writing])
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}
