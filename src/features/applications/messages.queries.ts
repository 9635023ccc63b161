/** SQL for messages between candidates and employers. */
import { type RawBuilder, sql } from 'kysely'
import { countRows } from '../../db/backlog.ts'
import type { Reader, Tx } from '../../db/database.ts'
import type { Row } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'
import type { Author } from '../../lib/scopes.ts'
import type { ListQuery } from '../../lists/query.ts'
import { comparing, listPage, type Page, sortKey } from '../../lists/sql-page.ts'
import type { Side } from './messages.schemas.ts'

export type MessageRow = Row<'application_message'>

/** One side of an application, and the account on that side. */
export interface Party {
  applicationId: string
  side: Side
  accountId: string
  /** The member who writes for the employer, if any. */
  author?: Author
}

const accountOf: Record<Side, RawBuilder<string>> = {
  employer: sql.ref('application.employer_id'),
  candidate: sql.ref('application.candidate_id'),
}

const isTheirs = ({ applicationId, side, accountId }: Party) => sql<boolean>`
  application_message.application_id = ${applicationId}
    and exists (select from application where application.id = ${applicationId} and ${accountOf[side]} = ${accountId})`

export function listMessages(
  reader: Reader,
  party: Party,
  query: ListQuery<'created_at', 'created_at'>,
): Promise<Page<MessageRow>> {
  return listPage(reader, query, {
    table: 'application_message',
    where: [isTheirs(party)],
    filters: { created_at: comparing('application_message.created_at') },
    sorts: { created_at: sortKey.time('application_message.created_at') },
  })
}

/** Returns all messages about an application, oldest first. */
export function listAllMessages(reader: Reader, party: Party): Promise<MessageRow[]> {
  return statement<MessageRow>`
    select * from application_message where ${isTheirs(party)} order by created_at, id`.all(reader)
}

export const countMessages = (reader: Reader, applicationId: string): Promise<number> =>
  countRows(reader, sql`application_message where application_id = ${applicationId}`)

export async function insertMessage(tx: Tx, message: MessageRow): Promise<void> {
  await tx.insertInto('application_message').values(message).execute()
}

export async function markRead(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  await sql`
    update application_message set read_at = ${now}
    where id = any(${ids}::text[]) and read_at is null`.execute(tx)
}

/** Returns the messages about a candidate's applications, oldest first. */
export function listMessagesAbout(reader: Reader, candidateId: string): Promise<MessageRow[]> {
  return statement<MessageRow>`
    select application_message.* from application
    join application_message on application_message.application_id = application.id
    where application.candidate_id = ${candidateId}
    order by application_message.created_at, application_message.id`.all(reader)
}

export async function deleteMessagesAbout(tx: Tx, applicationIds: readonly string[]): Promise<void> {
  await sql`delete from application_message where application_id = any(${applicationIds}::text[])`.execute(tx)
}
