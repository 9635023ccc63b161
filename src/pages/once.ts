/**
 * A form has its effect once: sent again, by a double click or after going back, it is answered as before. Each page gives
 * its forms a key, which is kept in the transaction of the effect, as Idempotency-Key is (decision 0037).
 */
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { Database, Tx } from '../db/database.ts'
import type { IdempotentAnswers, KeptAnswer } from '../db/idempotent-answers.ts'
import { AppError } from '../lib/errors.ts'
import { isEditor } from './editing.ts'
import type { FormFields } from './forms.ts'

/** A form with a key, on its way. */
export interface SentForm {
  answers: IdempotentAnswers
  /** Hash of whose form it is, where it is sent to, and its key. */
  id: string
  fields: FormFields
}

/** What can be kept. */
type Plain = string | number | boolean | null | undefined | readonly Plain[] | { readonly [member: string]: Plain }

export const ONCE_FIELD = '_once'
const KEY = /^[\w-]{22}$/
/** Fields that differ each time. */
const UNCOMPARED: ReadonlySet<string> = new Set(['_csrf', ONCE_FIELD])
/** Another process is at the same form: it is asked again so often, and given up after that. */
const ASK_MS = 100
const ASKS_MAX = 50

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url')

/** The form that was sent, where it has a key. A key is worth nothing to another account, nor to another sign-in of the same. */
export function sentForm(answers: IdempotentAnswers, request: FastifyRequest, fields: FormFields): SentForm | null {
  const key = fields.get(ONCE_FIELD)?.at(-1)
  const { actor } = request.page
  if (typeof key !== 'string' || !KEY.test(key) || !actor) return null
  const path = request.raw.url!.split('?', 1)[0]
  return { answers, id: sha256(`form ${actor.accountId} ${actor.key.id} ${path} ${key}`), fields }
}

/** What this process is at. Whoever comes second waits without a connection. */
const running = new Map<string, Promise<unknown>>()

/**
 * Does in a transaction what a form asks for, and answers the same when it comes again. A form that says something else
 * under the same key is refused; shown again it has a new one.
 */
export async function doOnce<T extends Plain>(
  request: FastifyRequest,
  database: Pick<Database, 'inTx'>,
  work: (tx: Tx) => Promise<T>,
): Promise<T>
export async function doOnce(
  request: FastifyRequest,
  database: Pick<Database, 'inTx'>,
  work: (tx: Tx) => Promise<void>,
): Promise<void>
export async function doOnce<T>(
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
    // Whether that may be saved is a matter of what it began with.
    if (isEditor(fields)) return database.inTx(work)
    throw new AppError('idempotency_key_reuse', {
      detail: 'This form was sent before, and that was done. Send it again if you want what it says now as well.',
    })
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
        // The other one may have ended since, or the connection be lost at the commit.
        const done = await answers.find(id)
        if (!done) throw error
        return again(done)
      }
      // The form does not come again: its new key would let it do the same twice.
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
