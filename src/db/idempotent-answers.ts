/** Answers to requests with an idempotency key, kept in the transaction of their effect (decision 0037). */
import { sql } from 'kysely'
import { AppError, idempotencyInProgress } from '../lib/errors.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import { type Clock, DAY_MS } from '../lib/time.ts'
import type { Database, Tx } from './database.ts'

/** An answer as it is given again. */
export interface KeptAnswer {
  /** Of the request that it was given to. */
  fingerprint: string
  status: number
  headers: Record<string, string>
  /** JSON. */
  body: string
  /** The API key that asked, if one did. */
  apiKeyId: string | null
}

const SWEEP_BATCH = 1_000

const contextOf = (id: string) => `answer ${id}`

export class IdempotentAnswers {
  readonly #database: Database
  readonly #clock: Clock
  readonly #secrets: Pick<SecretBox, 'seal' | 'open'>

  constructor(database: Database, clock: Clock, secrets: Pick<SecretBox, 'seal' | 'open'>) {
    this.#database = database
    this.#clock = clock
    this.#secrets = secrets
  }

  /** The answer under this id, if one is kept still. */
  async find(id: string): Promise<KeptAnswer | undefined> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('idempotent_answer')
        .select(['fingerprint', 'answer_sealed'])
        .where('id', '=', id)
        .where('created_at', '>', this.#oldest())
        .executeTakeFirst(),
    )
    return row && { fingerprint: row.fingerprint, ...this.#open(row.answer_sealed, id) }
  }

  /** Keeps all others with this id out until the transaction ends, however it ends; `idempotency_in_progress` to those. */
  async claim(tx: Tx, id: string): Promise<void> {
    // Not by inserting a row: whoever came second would wait for the first.
    const { rows } = await sql<{ is_mine: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${id}, 0)) as is_mine`.execute(tx)
    if (!rows[0]!.is_mine) throw idempotencyInProgress()
  }

  /** Keeps an answer, in the place of one whose day is over. Throws `idempotency_in_progress` where there is another one. */
  async keep(tx: Tx, id: string, accountId: string | null, answer: KeptAnswer): Promise<void> {
    const { fingerprint, ...rest } = answer
    const row = {
      account_id: accountId,
      fingerprint,
      answer_sealed: this.#secrets.seal(JSON.stringify(rest), contextOf(id)),
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

  /** Deletes answers whose day is over; true when there may be more. */
  async sweep(): Promise<boolean> {
    const { rows } = await this.#database.inStatement((tx) =>
      sql`
        delete from idempotent_answer where id in (
          select id from idempotent_answer where created_at <= ${this.#oldest()}
          order by created_at limit ${SWEEP_BATCH} for update skip locked)
        returning 1`.execute(tx),
    )
    return rows.length === SWEEP_BATCH
  }

  #open(sealed: string, id: string): Omit<KeptAnswer, 'fingerprint'> {
    try {
      return JSON.parse(this.#secrets.open(sealed, contextOf(id)))
    } catch (cause) {
      // The service was given another encryption key since. Doing it again would be worse.
      throw new AppError('conflict', { detail: 'This was done, but its answer cannot be read any more.', cause })
    }
  }

  #oldest(): Date {
    return new Date(this.#clock.now().getTime() - DAY_MS)
  }
}

/** Forgets the answers of an account that is closed. */
export async function forgetAnswers(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('idempotent_answer').where('account_id', '=', accountId).execute()
}
