import type { Tx } from '../../db/database.ts'
import { noteOperatorAction } from '../../db/operator-actions.ts'
import { AppError, found } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Actor } from '../../lib/scopes.ts'
import { type EmailRow, findEmail, repeatSent, requeue, requeueFailed } from './emails.queries.ts'
import { resendable } from './emails.schemas.ts'

/**
 * Requeues an email that failed or may not have arrived. If the email was sent, queues a new one instead, so that the
 * log keeps both. Returns the queued email.
 */
export async function retryEmail(tx: Tx, actor: Actor, id: string, now: Date): Promise<EmailRow> {
  const repeatId = newId('mail')
  const isRequeued = await requeue(tx, id, now)
  const isRepeated = !isRequeued && (await repeatSent(tx, id, { repeatId, now }))
  const email = found(await findEmail(tx, isRepeated ? repeatId : id))
  if (!isRequeued && !isRepeated) {
    if (email.state === 'sent') throw new AppError('conflict', { detail: 'This email is queued to be sent again.' })
    throw new AppError('invalid_transition', {
      detail: `The email is ${email.state}. Only sent, failed and unknown emails can be sent again.`,
      extra: { state: email.state, allowed: [...resendable] },
    })
  }
  await noteOperatorAction(tx, actor, { action: 'email.retry', subject: id, note: email.kind }, now)
  return email
}

/** Maximum number of emails to requeue per request. Keeps the transaction short. */
const RETRIED_MAX = 10_000

/** Requeues up to `RETRIED_MAX` failed emails, for example after an outage. Returns the number of requeued emails. */
export async function retryFailedEmails(tx: Tx, actor: Actor, since: Date | undefined, now: Date): Promise<number> {
  const retried = await requeueFailed(tx, since, RETRIED_MAX, now)
  if (retried > 0) await noteOperatorAction(tx, actor, { action: 'email.retry_all', subject: String(retried) }, now)
  return retried
}
