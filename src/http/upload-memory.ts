/** Limits the memory that concurrent uploads use (decision 0079). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Gauge, type Registry } from 'prom-client'
import type { Budgets } from '../lib/budgets.ts'
import { ByteTurns } from '../lib/byte-turns.ts'
import { AppError } from '../lib/errors.ts'
import { refusalOfWrites } from './storage-budget.ts'
import { discardSlowly } from './unread-bodies.ts'
import { UPLOAD_BYTES_MAX } from './upload.ts'

const MIB = 1_048_576
export const UPLOAD_LIMITS = {
  /** Maximum total size of the bodies being received or processed, in bytes. */
  bodyBytes: 48 * MIB,
  /** Maximum total size, in bytes, of the copies of bodies: parts, files, and data sent to the database. */
  copyBytes: 64 * MIB,
  /**
   * Maximum wait for memory, in milliseconds: once for the body, and again for its copies. The wait for the body leaves
   * 35 s of the request's time limit.
   */
  waitMs: 25_000,
  /**
   * Maximum time to receive a body while other uploads wait, in milliseconds. If no other uploads wait, only the time
   * limit for requests applies.
   */
  patienceMs: 10_000,
}
export type UploadLimits = typeof UPLOAD_LIMITS
/**
 * Number of copies per body. A base64 body is copied to a string, a JSON value, a file and a database message. A form
 * is copied to a buffer, a part, a file and a database message.
 */
const COPIES_PER_BODY = 4
/**
 * Maximum number of uploads that wait at each stage. An upload that waits for the memory of its body uses up to 130 KB
 * for the part that Node has already read.
 */
const WAITING_MAX = 500
const WAITING_MAX_EACH = 100

/** Makes routes with a body limit above `bodyBytesMax` wait for memory before they read a body. */
export function limitUploads(
  app: FastifyInstance,
  metrics: Registry,
  bodyBytesMax: number,
  { limits, budgets }: { limits: UploadLimits; budgets: Budgets },
): void {
  const memory = new UploadMemory(limits)
  registerMetrics(metrics, memory)
  const holds = new WeakMap<FastifyRequest, Hold>()
  app.addHook('onRoute', (route) => {
    const { bodyLimit } = route
    if (bodyLimit === undefined || bodyLimit <= bodyBytesMax) return
    route.preParsing = [
      ...[route.preParsing ?? []].flat(),
      async (request: FastifyRequest, reply: FastifyReply, payload: Readable) => {
        const bytes = bytesOf(request.raw, bodyLimit)
        if (bytes === 0) return payload
        const hold = new Hold(memory, request.chargedTo, bytes, reply.raw)
        holds.set(request, hold)
        const body = await hold.receive(payload)
        // Earlier uploads may have spent the budget while this upload waited. The service then discards the body.
        const refusal = refusalOfWrites(budgets, request.chargedTo)
        if (!refusal) return body
        hold.end(refusal)
        throw refusal
      },
    ]
    // onSend runs for every request, even if the client has disconnected.
    route.onSend = [...[route.onSend ?? []].flat(), async (request: FastifyRequest) => holds.get(request)?.release()]
  })
}

/**
 * Returns the largest possible size of a body according to its headers. Bytes beyond the limit are never kept in
 * memory.
 */
function bytesOf({ headers }: IncomingMessage, bytesMax: number): number {
  if (headers['transfer-encoding'] !== undefined) return bytesMax
  return Math.min(Number(headers['content-length'] ?? 0), bytesMax)
}

class UploadMemory {
  readonly bodies: ByteTurns
  readonly copies: ByteTurns
  readonly patienceMs: number
  /** Uploads whose bodies have been arriving for longer than `patienceMs`. */
  readonly #late = new Set<Hold>()

  constructor({ bodyBytes, copyBytes, waitMs, patienceMs }: UploadLimits) {
    // Each account can hold the bytes of one body of the maximum size and of its copies.
    const common = { waitMs, waitingMax: WAITING_MAX, waitingMaxEach: WAITING_MAX_EACH }
    this.bodies = new ByteTurns({ total: bodyBytes, each: UPLOAD_BYTES_MAX, ...common })
    this.copies = new ByteTurns({ total: copyBytes, each: COPIES_PER_BODY * UPLOAD_BYTES_MAX, ...common })
    this.patienceMs = patienceMs
  }

  async takeBody(hold: Hold, signal: AbortSignal): Promise<void> {
    const taken = this.bodies.take(hold.account, hold.bytes, signal)
    this.#endLate()
    await taken
  }

  /** Marks an upload as late. A late upload is aborted as soon as another upload needs its memory. */
  noteLate(hold: Hold): void {
    this.#late.add(hold)
    this.#endLate()
  }

  forgetLate(hold: Hold): void {
    this.#late.delete(hold)
  }

  #endLate(): void {
    for (const hold of this.#late) if (this.bodies.isWanted(hold.account)) hold.end(tooSlow())
  }
}

/** The memory reserved for one upload, from its request headers to its response. */
class Hold {
  readonly account: string
  readonly bytes: number
  readonly #memory: UploadMemory
  readonly #ended = new AbortController()
  #payload: Readable | undefined
  #body: Transform | undefined
  #heldBody = 0
  #heldCopies = 0
  #isReceived = false
  #isReleased = false
  #patience: NodeJS.Timeout | undefined

  constructor(memory: UploadMemory, account: string, bytes: number, response: ServerResponse) {
    this.account = account
    this.bytes = bytes
    this.#memory = memory
    // If the client disconnects after sending the whole body, processing continues, and the memory stays reserved until
    // processing ends.
    response.once('close', () => {
      if (response.writableEnded || !this.#isReceived) this.end(new AppError('bad_request'))
    })
  }

  /**
   * Returns the body as a stream. The stream starts once memory for the body is available, and ends once memory for its
   * copies is available.
   */
  async receive(payload: Readable): Promise<Readable> {
    const { bodies, patienceMs } = this.#memory
    await this.#memory.takeBody(this, this.#ended.signal)
    if (this.#isReleased) {
      bodies.release(this.account, this.bytes)
      throw this.#ended.signal.reason
    }
    this.#heldBody = this.bytes
    this.#patience = setTimeout(() => this.#memory.noteLate(this), patienceMs)
    const body = new Transform({
      transform: (chunk, _encoding, done) => done(null, chunk),
      flush: (done) => {
        this.#takeCopies().then(() => done(), done)
      },
    })
    // After the response, no other listener is left, and an error without a listener would end the process.
    body.on('error', () => {})
    payload.once('error', (error) => body.destroy(error))
    this.#payload = payload
    this.#body = body
    return payload.pipe(body)
  }

  async #takeCopies(): Promise<void> {
    this.#isReceived = true
    this.#endPatience()
    const bytes = this.bytes * COPIES_PER_BODY
    const { copies } = this.#memory
    await copies.take(this.account, bytes, this.#ended.signal)
    if (this.#isReleased) copies.release(this.account, bytes)
    else this.#heldCopies = bytes
  }

  /** Aborts an upload that is waiting or being received. */
  end(reason: AppError): void {
    this.release(reason)
    this.#body?.destroy(reason)
  }

  /** Releases all of the upload's memory. Further calls do nothing. */
  release(reason = new AppError('bad_request')): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#ended.abort(reason)
    this.#endPatience()
    this.#payload?.unpipe(this.#body)
    if (this.#payload?.readableEnded === false) discardSlowly(this.#payload)
    if (this.#heldCopies > 0) this.#memory.copies.release(this.account, this.#heldCopies)
    if (this.#heldBody > 0) this.#memory.bodies.release(this.account, this.#heldBody)
  }

  #endPatience(): void {
    clearTimeout(this.#patience)
    this.#memory.forgetLate(this)
  }
}

const tooSlow = () =>
  new AppError('request_timeout', {
    detail: 'The upload took too long while other uploads waited. Try again later.',
    headers: { connection: 'close' },
  })

function registerMetrics(metrics: Registry, memory: UploadMemory): void {
  const registers = [metrics]
  const stages = { body: memory.bodies, copies: memory.copies }
  const gauge = (name: string, help: string, measure: (turns: ByteTurns) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['stage'],
      registers,
      collect() {
        for (const [stage, turns] of Object.entries(stages)) this.set({ stage }, measure(turns))
      },
    })
  gauge('upload_bytes', 'Memory reserved for uploads, by stage: body or copies', ({ held }) => held)
  gauge('upload_bytes_limit', 'Memory that uploads may reserve, by stage', ({ total }) => total)
  gauge('uploads_waiting', 'Uploads waiting for memory, by stage', ({ waiting }) => waiting)
}
