/** Messages between a candidate and an employer about an application. */
import type { Database, Tx } from '../../db/database.ts'
import { AppError, found } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { authorColumns, presentAuthor } from '../../lib/scopes.ts'
import { queueMails } from '../../mail/queue.ts'
import { queueToEmployer } from '../employers/index.ts'
import { lockApplication, lockEmployerApplication } from './applications.queries.ts'
import { invalidTransition, stateOf } from './applications.service.ts'
import { countMessages, insertMessage, type MessageRow, markRead, type Party } from './messages.queries.ts'
import { type ApplicationMessage, MESSAGES_MAX, type Side } from './messages.schemas.ts'

const present = (
  { id, is_from_employer, text, created_at, read_at }: MessageRow,
  by: ApplicationMessage['by'],
): ApplicationMessage => ({
  id,
  from: is_from_employer ? 'employer' : 'candidate',
  by,
  text,
  created_at: created_at.toISOString(),
  read_at: read_at?.toISOString() ?? null,
})

/** Presents a message to one side. Only the employer sees which member wrote it. */
export const presentMessage = {
  employer: (row: MessageRow) => present(row, presentAuthor(row)),
  candidate: (row: MessageRow) => present(row, null),
}

/**
 * Sends a message to the other side, and queues an email about it. Throws `invalid_transition` if the application was
 * withdrawn or the candidate was erased.
 */
export async function sendMessage(tx: Tx, party: Party, text: string, now: Date): Promise<ApplicationMessage> {
  const { applicationId, side, accountId } = party
  const isFromEmployer = side === 'employer'
  const lock = isFromEmployer ? lockEmployerApplication : lockApplication
  const row = found(await lock(tx, accountId, applicationId))
  const state = stateOf(row)
  if (state !== row.status) throw invalidTransition(state, [])
  if ((await countMessages(tx, applicationId)) >= MESSAGES_MAX) {
    const detail = `An application can have at most ${MESSAGES_MAX} messages.`
    throw new AppError('limit_reached', { detail, extra: { limit: MESSAGES_MAX } })
  }
  const message = {
    ...{ id: newId('message'), application_id: applicationId, is_from_employer: isFromEmployer },
    ...{ text, created_at: now, read_at: null },
    ...authorColumns((isFromEmployer && party.author) || null),
  }
  await insertMessage(tx, message)
  const mail = {
    kind: 'application-message',
    subjectId: applicationId,
    details: { message_id: message.id },
    at: now,
  } as const
  if (!isFromEmployer) await queueToEmployer(tx, row.employer_id, mail)
  else if (row.candidate_id !== null) await queueMails(tx, [{ ...mail, accountId: row.candidate_id }])
  return presentMessage[side](message)
}

/** Marks the other side's messages as read, unless the method is HEAD. Returns all messages with the new times. */
export async function readMessages(
  database: Database,
  { side, method }: { side: Side; method: string },
  messages: readonly MessageRow[],
  now: Date,
): Promise<MessageRow[]> {
  const isNew = ({ is_from_employer, read_at }: MessageRow) =>
    method !== 'HEAD' && read_at === null && is_from_employer === (side === 'candidate')
  const ids = messages.filter(isNew).map(({ id }) => id)
  if (ids.length > 0) await database.inTx((tx) => markRead(tx, ids, now))
  return messages.map((message) => (isNew(message) ? { ...message, read_at: now } : message))
}
