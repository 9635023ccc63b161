import type { Tx } from '../../db/database.ts'
import { noteOperatorAction } from '../../db/operator-actions.ts'
import { AppError } from '../../lib/errors.ts'
import type { Actor } from '../../lib/scopes.ts'
import { type EmailRow, findEmail, requeue, requeueFailed } from './emails.queries.ts'
import { undelivered } from './emails.schemas.ts'

export async function retryEmail(tx: Tx, actor: Actor, id: string, now: Date): Promise<EmailRow> {
  const isQueued = await requeue(tx, id, now)
  const email = await findEmail(tx, id)
  if (!email) throw new AppError('not_found')
  if (!isQueued) {
    throw new AppError('invalid_transition', {
      detail: `The email is ${email.state}. Only failed and unknown emails can be retried.`,
      extra: { state: email.state, allowed: [...undelivered] },
    })
  }
  await noteOperatorAction(tx, actor, { action: 'email.retry', subject: id, note: email.kind }, now)
  return email
}

/** Maximum number of emails to requeue per request. Keeps the transaction short. */
const RETRIED_MAX = 10_000

/** Requeues up to `RETRIED_MAX` failed emails, for example after a mail server outage. Returns their number. */
export async function retryFailedEmails(tx: Tx, actor: Actor, since: Date | undefined, now: Date): Promise<number> {
  const retried = await requeueFailed(tx, since, RETRIED_MAX, now)
  if (retried > 0) await noteOperatorAction(tx, actor, { action: 'email.retry_all', subject: String(retried) }, now)
  return retried
}
