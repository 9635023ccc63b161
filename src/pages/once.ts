/**
 * Ensures that each form takes effect only once. If a form is sent twice, by a double click or after the user goes
 * back, both submissions get the same response. Each page adds a key to its forms. The service stores this key, like an
 * Idempotency-Key, in the transaction that applies the form (decision 0037).
 */
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { Database, Tx } from '../db/database.ts'
import type { IdempotentAnswers, KeptAnswer } from '../db/idempotent-answers.ts'
import { AppError } from '../lib/errors.ts'
import { isEditor } from './editing.ts'
import type { FormFields } from './forms.ts'

export interface SentForm {
  answers: IdempotentAnswers
  /** Hash of the account, the session or API key, the target path, and the form's key. */
  id: string
  fields: FormFields
}

type Plain = string | number | boolean | null | undefined | readonly Plain[] | { readonly [member: string]: Plain }

export const ONCE_FIELD = '_once'
const KEY = /^[\w-]{22}$/
/** Fields that are not compared, because they are not part of the form's content. */
const UNCOMPARED: ReadonlySet<string> = new Set(['_csrf', ONCE_FIELD])
/**
 * Interval between checks, in milliseconds, and maximum number of checks while another process handles the same form.
 */
const ASK_MS = 100
const ASKS_MAX = 50

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url')

/**
 * Returns the submitted form if the form has a key and the sender is signed in. The key is valid only for the same
 * account, target path, and session or API key.
 */
export function sentForm(answers: IdempotentAnswers, request: FastifyRequest, fields: FormFields): SentForm | null {
  const key = fields.get(ONCE_FIELD)?.at(-1)
  const { actor } = request.page
  if (typeof key !== 'string' || !KEY.test(key) || !actor) return null
  const path = request.raw.url!.split('?', 1)[0]
  return { answers, id: sha256(`form ${actor.accountId} ${actor.key.id} ${path} ${key}`), fields }
}

/** Forms that this process is handling. A duplicate waits for the result without using a database connection. */
const running = new Map<string, Promise<unknown>>()

/**
 * Runs a form's work in a transaction, and does nothing if the form is sent again. Rejects a form with the same key but
 * different content, unless it is an editing form. After a rejection, the page shows the form again with a new key.
 */
export async function doOnce(
  request: FastifyRequest,
  database: Pick<Database, 'inTx'>,
  work: (tx: Tx) => Promise<unknown>,
): Promise<void> {
  await resultOnce(request, database, async (tx) => {
    await work(tx)
    return undefined
  })
}

/** Like `doOnce`, but stores the result of the work, and returns it again if the form is sent again. */
export async function resultOnce<T extends Plain>(
  request: FastifyRequest,
  database: Pick<Database, 'inTx'>,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { once } = request
  if (!once) return database.inTx(work)
  while (running.has(once.id)) await running.get(once.id)
  const doing = doUnlessDone(request, once, database, work)
  running.set(
    once.id,
    doing.catch(() => undefined),
  )
  try {
    return await doing
  } finally {
    running.delete(once.id)
  }
}

async function doUnlessDone<T>(
  request: FastifyRequest,
  { answers, id, fields }: SentForm,
  database: Pick<Database, 'inTx'>,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { accountId, key } = request.actor
  const fingerprint = await fingerprintOf(fields)
  const again = ({ fingerprint: former, body }: KeptAnswer): T | Promise<T> => {
    if (former === fingerprint) return JSON.parse(body).result
    // Editing forms need no stored result: a repeated save is refused, because the form's tag is outdated.
    if (isEditor(fields)) return database.inTx(work)
    throw new AppError('idempotency_key_reuse')
  }
  for (let asks = 0; ; asks++) {
    const kept = await answers.find(id)
    if (kept) return again(kept)
    try {
      return await database.inTx(async (tx) => {
        await answers.claim(tx, id)
        const result = await work(tx)
        const body = JSON.stringify({ result })
        await answers.keep(tx, id, accountId, { fingerprint, status: 200, headers: {}, body, apiKeyId: key.id })
        return result
      })
    } catch (error) {
      const isElsewhere = error instanceof AppError && error.code === 'idempotency_in_progress'
      if (!isElsewhere) {
        // Another submission of the form may have ended meanwhile, or the connection may have broken during the commit.
        const done = await answers.find(id)
        if (!done) throw error
        return again(done)
      }
      // Does not show the form again: with its new key, the form could take effect twice.
      if (asks >= ASKS_MAX) throw new AppError('unavailable', { cause: error, headers: { 'retry-after': '2' } })
      await pause(ASK_MS)
    }
  }
}

async function fingerprintOf(fields: FormFields): Promise<string> {
  const hash = createHash('sha256')
  for (const [name, values] of fields) {
    if (UNCOMPARED.has(name)) continue
    for (const value of values) {
      const isFile = value instanceof File
      hash.update(`${JSON.stringify([name, isFile ? [value.name, value.size] : value])}\n`)
      if (isFile) hash.update(new Uint8Array(await value.arrayBuffer()))
    }
  }
  return hash.digest('base64url')
}
