/**
 * Stores the index of a board in a file, so that a process starts without reading all jobs (decision 0141). The file
 * consists of blocks and a list of the blocks with their checksums. The last bytes show whether the file is complete.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { crc32 } from 'node:zlib'
import type { Logger } from 'pino'
import type { Db } from '../../db/database.ts'
import type { Exchange } from '../../lib/exchange.ts'
import { BoardIndex } from './board-index.ts'
import type { Parts } from './columns.ts'
import { countChanges, findTableHistory, type Position, REMOVALS_KEPT } from './queries.ts'

/** The end of a file: the length and the checksum of the list of blocks, and this text. */
const END = Buffer.from('board snapshot\n')
const END_BYTES = 8 + END.length
/** Number of bytes written and of values serialized at a time. Each batch takes 1 to 3 ms. */
const BYTES_AT_ONCE = 1 << 20
const VALUES_AT_ONCE = 5_000
/** Tests can set other limits. */
const LIMITS = {
  /** Minimum number of jobs for a snapshot. Smaller boards load within a second. */
  jobsMin: 20_000,
  /** Minimum time between snapshots, in milliseconds. */
  everyMs: 10 * 60_000,
  /**
   * A snapshot is ignored if the number of changed jobs exceeds both this limit and a twentieth of the board's jobs,
   * because reading the board is then faster.
   */
  changesMax: 5_000,
}
/**
 * Maximum number of transactions since a snapshot. The records of removed jobs must also last while the board loads.
 */
const TRANSACTIONS_MAX = BigInt(REMOVALS_KEPT) / 2n
/** An unfinished file counts as abandoned if nothing has been written to it for this long. */
const WRITING_MAX_MS = 10 * 60_000

const arrays = { Float64Array, Uint32Array, Uint8Array }

interface Block {
  name: string
  type: keyof typeof arrays | 'values'
  bytes: number
  crc: number
}

/** An index, and the changes that it contains. */
export interface BoardState {
  index: BoardIndex
  position: Position
  taken: readonly string[]
  /** Time of the state, in epoch milliseconds. The index lacks jobs that had expired by then. */
  at: number
}

interface Head extends Omit<BoardState, 'index'> {
  code: string
  history: string
  jobs: number
}

type Read = <T>(query: (db: Db) => Promise<T>) => Promise<T>
/** Runs work while changes to the index wait, for a limited time. Returns undefined if the index has changed. */
type Hold = <T>(work: (state: BoardState) => Promise<T>) => Promise<T | undefined>

/** The reason for ignoring a snapshot. */
class Unusable extends Error {}

export class Snapshots {
  readonly #path: string
  readonly #log: Pick<Logger, 'info' | 'warn'>
  readonly #limits: typeof LIMITS
  #isReadOnly = false

  constructor(path: string, log: Pick<Logger, 'info' | 'warn'>, limits: Partial<typeof LIMITS> = {}) {
    this.#path = path
    this.#log = log
    this.#limits = { ...LIMITS, ...limits }
  }

  /** Returns the index in the file, or undefined if there is no file or if the file is unusable. */
  async load(read: Read, exchange: Exchange, now: Date): Promise<BoardState | undefined> {
    const file = await openIfThere(this.#path)
    if (!file) return undefined
    try {
      const { head, blocks } = await readHead(file)
      await this.#check(head, read, now)
      const index = new BoardIndex(exchange)
      index.restore(await readParts(file, blocks))
      this.#log.info({ jobs: head.jobs, saved_at: new Date(head.at) }, 'board loaded from its snapshot')
      return { ...head, index }
    } catch (error) {
      if (!(error instanceof Unusable)) throw error
      this.#log.warn({ path: this.#path, reason: error.message }, 'snapshot of the board ignored')
      return undefined
    } finally {
      await file.close()
    }
  }

  /** Creates a file, or returns undefined if another process is writing it or the folder is read-only. */
  async #create(path: string): Promise<FileHandle | undefined> {
    try {
      await mkdir(dirname(path), { recursive: true })
      if ((await ageOf(path)) > WRITING_MAX_MS) await rm(path, { force: true })
      return await open(path, 'wx', 0o600)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code === 'EEXIST') return undefined
      if (code !== 'EROFS' && code !== 'EACCES') throw error
      this.#isReadOnly = true
      this.#log.warn({ path, reason: message }, 'snapshots of the board cannot be written')
      return undefined
    }
  }

  async #check({ code: writer, history, position, at, jobs }: Head, read: Read, now: Date): Promise<void> {
    if (writer !== code()) throw new Unusable('a different version of the code wrote it')
    const current = await read(findTableHistory)
    if (history !== current.history) throw new Unusable('the database or its server was replaced or restarted')
    const transactions = BigInt(current.end) - BigInt(position.horizon)
    if (transactions < 0n || transactions > TRANSACTIONS_MAX) {
      throw new Unusable('too many transactions have ended since')
    }
    if (at > now.getTime()) throw new Unusable('the clock was set back')
    const changesMax = Math.max(this.#limits.changesMax, Math.floor(jobs / 20))
    const changes = await read((db) => countChanges(db, position.horizon, changesMax + 1))
    if (changes > changesMax) throw new Unusable('too many jobs have changed since')
  }

  /**
   * Writes the index to the file, unless the file is recent or the index is small. Returns whether it wrote the file.
   */
  async save(index: BoardIndex, read: Read, hold: Hold): Promise<boolean> {
    const { jobsMin, everyMs } = this.#limits
    if (this.#isReadOnly || index.size < jobsMin || (await ageOf(this.#path)) < everyMs) return false
    const { history } = await read(findTableHistory)
    const path = `${this.#path}.new`
    const file = await this.#create(path)
    if (!file) return false
    let isWritten = false
    try {
      const writer = new Writer(file)
      const held = await hold(async ({ index, ...state }) => {
        const { numbers, values } = index.save()
        for (const [name, array] of Object.entries(numbers)) await writer.writeNumbers(name, array)
        return { values, head: { ...state, history, jobs: index.size } }
      })
      if (!held?.head.history.endsWith(held.head.position.server)) return false
      for (const [name, list] of Object.entries(held.values)) await writer.writeValues(name, list)
      await writer.end({ ...held.head, code: code() })
      await rename(path, this.#path)
      isWritten = true
      return true
    } finally {
      await file.close()
      if (!isWritten) await rm(path)
    }
  }
}

/** Identifies the code that computes the index, and the format of serialized values. */
function code(): string {
  const hash = createHash('sha256').update(process.version)
  for (const folder of [new URL('../', import.meta.url), new URL('../../lib/', import.meta.url)]) {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
    for (const name of names.sort()) hash.update(readFileSync(new URL(name, folder)))
  }
  return hash.digest('hex')
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Returns the time since a file was last written, in milliseconds. A missing file counts as infinitely old. */
const ageOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => Number.POSITIVE_INFINITY,
  )

class Writer {
  readonly #file: FileHandle
  readonly #blocks: Block[] = []

  constructor(file: FileHandle) {
    this.#file = file
  }

  async writeNumbers(name: string, array: Parts['numbers'][string]): Promise<void> {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
    let crc = 0
    for (let from = 0; from < bytes.length; from += BYTES_AT_ONCE) {
      const piece = bytes.subarray(from, from + BYTES_AT_ONCE)
      crc = crc32(piece, crc)
      await this.#file.writeFile(piece)
    }
    this.#blocks.push({ name, type: array.constructor.name as Block['type'], bytes: bytes.length, crc })
  }

  async writeValues(name: string, list: readonly unknown[]): Promise<void> {
    // Writes an empty list as a block, too.
    for (let from = 0; from === 0 || from < list.length; from += VALUES_AT_ONCE) {
      const piece = serialize(list.slice(from, from + VALUES_AT_ONCE))
      await this.#file.writeFile(piece)
      this.#blocks.push({ name, type: 'values', bytes: piece.length, crc: crc32(piece) })
    }
  }

  async end(head: Head): Promise<void> {
    const list = serialize({ head, blocks: this.#blocks })
    const lengths = Buffer.alloc(8)
    lengths.writeUInt32LE(list.length, 0)
    lengths.writeUInt32LE(crc32(list), 4)
    await this.#file.writeFile(Buffer.concat([list, lengths, END]))
    await this.#file.sync()
  }
}

async function readHead(file: FileHandle): Promise<{ head: Head; blocks: Block[] }> {
  const { size } = await file.stat()
  if (size < END_BYTES) throw new Unusable('it is not complete')
  const end = await readBlock(file, size - END_BYTES, new Uint8Array(END_BYTES))
  const view = Buffer.from(end.buffer)
  const length = view.readUInt32LE(0)
  if (!view.subarray(8).equals(END) || length > size - END_BYTES) throw new Unusable('it is not complete')
  const list = await readBlock(file, size - END_BYTES - length, new Uint8Array(length), view.readUInt32LE(4))
  return deserialize(list)
}

async function readParts(file: FileHandle, blocks: readonly Block[]): Promise<Parts> {
  const numbers: Parts['numbers'] = {}
  const values: Record<string, unknown[]> = {}
  let at = 0
  for (const { name, type, bytes, crc } of blocks) {
    const block = await readBlock(file, at, new Uint8Array(bytes), crc)
    at += bytes
    if (type !== 'values') numbers[name] = new arrays[type](block.buffer)
    else {
      const list = values[name] ?? []
      values[name] = list
      for (const value of deserialize(block)) list.push(value)
    }
  }
  return { numbers, values }
}

async function readBlock(
  file: FileHandle,
  position: number,
  block: Uint8Array<ArrayBuffer>,
  crc?: number,
): Promise<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < block.length; ) {
    const { bytesRead } = await file.read(block, at, block.length - at, position + at)
    if (bytesRead === 0) throw new Unusable('it is not complete')
    at += bytesRead
  }
  if (crc !== undefined && crc32(block) !== crc) throw new Unusable('a checksum differs')
  return block
}
