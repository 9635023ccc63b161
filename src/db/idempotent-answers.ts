/** Stores responses by idempotency key, in the same transaction as the request's effect (decision 0037). */
import { hash } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { AppError, idempotencyInProgress } from '../lib/errors.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import { type Clock, DAY_MS } from '../lib/time.ts'
import type { Database, Tx } from './database.ts'
import { type DeletedBatch, EPOCH, purgeInOrder } from './purge.ts'
import type { SealedColumn } from './sealed.ts'
import { statement } from './statement.ts'

export interface KeptAnswer {
  /** Identifies the content of the original request. */
  fingerprint: string
  status: number
  headers: Record<string, string>
  /** JSON. */
  body: string
  /** The ID of the request's API key, if any. */
  apiKeyId: string | null
}

interface WrittenEvent {
  id: string
  /** The exact text of the envelope. */
  body: string
}

const writtenEvents = new WeakMap<Tx, WrittenEvent>()

/** Remembers the event that a transaction wrote, because the response often contains the same resource. */
export function noteEvent(tx: Tx, event: WrittenEvent): void {
  writtenEvents.set(tx, event)
}

/** The encrypted content: the response, with its body or a reference to the same data in an event's body. */
type StoredAnswer = Omit<KeptAnswer, 'fingerprint' | 'body'> &
  ({ body: string } | { event: string; start: number; length: number; digest: string })

/** Minimum length, in UTF-16 code units, at which a response is compressed or stored as a reference to an event. */
const LONG_LENGTH = 1_024
/** The text around the resource in a response body that contains only `data`. */
const [BEFORE_DATA, AFTER_DATA] = ['{"data":', '}']

const digestOf = (text: string) => hash('sha256', text, 'base64url').slice(0, 22)

const contextOf = (id: string) => `answer ${id}`

export const sealedAnswers: SealedColumn = {
  table: 'idempotent_answer',
  column: 'answer_sealed',
  contextOf,
  isVital: false,
}

export class IdempotentAnswers {
  readonly #database: Database
  readonly #clock: Clock
  readonly #secrets: Pick<SecretBox, 'seal' | 'openBytes'>

  constructor(database: Database, clock: Clock, secrets: Pick<SecretBox, 'seal' | 'openBytes'>) {
    this.#database = database
    this.#clock = clock
    this.#secrets = secrets
  }

  /** Returns the response stored under this ID, if it has not expired. */
  async find(id: string): Promise<KeptAnswer | undefined> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('idempotent_answer')
        .select(['fingerprint', 'answer_sealed'])
        .where('id', '=', id)
        .where('created_at', '>', this.#oldest())
        .executeTakeFirst(),
    )
    if (!row) return undefined
    const { fingerprint, answer_sealed } = row
    const stored = this.#open(answer_sealed, id)
    if ('body' in stored) return { fingerprint, ...stored }
    const { event, start, length, digest, ...rest } = stored
    const data = (await this.#findEventBody(event))?.slice(start, start + length)
    // Throws if personal data was erased from the event, or if the event was deleted with its account.
    if (data === undefined || digestOf(data) !== digest) throw unreadable()
    return { fingerprint, ...rest, body: BEFORE_DATA + data + AFTER_DATA }
  }

  /** Locks this ID until the transaction ends. Throws `idempotency_in_progress` if another request holds the lock. */
  async claim(tx: Tx, id: string): Promise<void> {
    // Tries a lock first: if both requests inserted a row, the second would wait for the first.
    const isMine = await statement<{ is_mine: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${id}, 0)) as is_mine`.oneValue(tx)
    if (!isMine) throw idempotencyInProgress()
  }

  /** Stores a response. Throws `idempotency_in_progress` if an unexpired response is already stored under this ID. */
  async keep(tx: Tx, id: string, accountId: string | null, answer: KeptAnswer): Promise<void> {
    const { fingerprint, ...rest } = answer
    const text = JSON.stringify(byReference(rest, writtenEvents.get(tx)))
    const row = {
      account_id: accountId,
      fingerprint,
      answer_sealed: this.#secrets.seal(text.length < LONG_LENGTH ? text : zstdCompressSync(text), contextOf(id)),
      created_at: this.#clock.now(),
    }
    const kept = await tx
      .insertInto('idempotent_answer')
      .values({ id, ...row })
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet(row).where('idempotent_answer.created_at', '<=', this.#oldest()),
      )
      .executeTakeFirst()
    if (kept.numInsertedOrUpdatedRows !== 1n) throw idempotencyInProgress()
  }

  /** Deletes the next batch of expired responses. */
  sweep(): Promise<'more' | 'done'> {
    return this.#purge(this.#oldest())
  }

  readonly #purge = purgeInOrder(EPOCH, (before, { from, limit }) =>
    this.#database.inStatement((tx) =>
      statement<DeletedBatch<Date>>`
        with deleted as (
          delete from idempotent_answer where id = any(array(
            select id from idempotent_answer where created_at >= ${from} and created_at <= ${before}
            order by created_at limit ${limit} for update skip locked))
          returning created_at)
        select count(*)::int as count, max(created_at) as last from deleted`.one(tx),
    ),
  )

  async #findEventBody(id: string): Promise<string | undefined> {
    const find = this.#database.read((db) =>
      db.selectFrom('event').select('body').where('id', '=', id).executeTakeFirst(),
    )
    return (await find)?.body
  }

  #open(sealed: string, id: string): StoredAnswer {
    try {
      const bytes = this.#secrets.openBytes(sealed, contextOf(id))
      return JSON.parse((bytes.subarray(0, 4).equals(ZSTD_MAGIC) ? zstdDecompressSync(bytes) : bytes).toString())
    } catch (cause) {
      // Happens if the encryption key has changed. An error is better than performing the request twice.
      throw unreadable(cause)
    }
  }

  #oldest(): Date {
    return new Date(this.#clock.now().getTime() - DAY_MS)
  }
}

/** First bytes of every Zstandard frame (RFC 8878, section 3.1.1). JSON never starts with them. */
const ZSTD_MAGIC = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd)

/** Replaces the data of a long response with a reference to an event that contains the same text. */
function byReference(answer: Omit<KeptAnswer, 'fingerprint'>, event: WrittenEvent | undefined): StoredAnswer {
  const { body, ...rest } = answer
  const isData = body.length >= LONG_LENGTH && body.startsWith(BEFORE_DATA)
  const data = body.slice(BEFORE_DATA.length, -AFTER_DATA.length)
  const start = event && isData ? event.body.indexOf(data) : -1
  return start === -1 ? answer : { ...rest, event: event!.id, start, length: data.length, digest: digestOf(data) }
}

const unreadable = (cause?: unknown) =>
  new AppError('conflict', { detail: 'The first request succeeded, but its response can no longer be read.', cause })

/** Deletes the stored responses of a closed account. */
export async function forgetAnswers(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('idempotent_answer').where('account_id', '=', accountId).execute()
}
