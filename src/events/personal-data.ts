/** Exports and erases the personal data of candidates in events. */
import { sql } from 'kysely'
import type { Reader, Tx } from '../db/database.ts'

/** Returns a candidate's events in the format that receivers get, oldest first. */
export async function listEventsOf(reader: Reader, candidateId: string): Promise<unknown[]> {
  const rows = await reader
    .selectFrom('event')
    .select('body')
    .where('candidate_id', '=', candidateId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(({ body }) => JSON.parse(body))
}

interface Body {
  data: { candidate?: Named; application?: { candidate?: Named } }
}
interface Named {
  name: string
  email: string
}

/**
 * Clears the candidate's name and email address in all events about the candidate. The events stay valid and keep the
 * candidate's ID.
 */
export async function eraseCandidateFromEvents(tx: Tx, candidateId: string): Promise<void> {
  const rows = await tx.selectFrom('event').select(['id', 'body']).where('candidate_id', '=', candidateId).execute()
  const bodies = rows.map(({ body }) => {
    const event = JSON.parse(body) as Body
    for (const named of [event.data.candidate, event.data.application?.candidate]) {
      if (named) Object.assign(named, { name: '', email: '' })
    }
    return JSON.stringify(event)
  })
  await sql`
    update event set body = erased.body
    from unnest(${rows.map(({ id }) => id)}::text[], ${bodies}::text[]) as erased (id, body)
    where event.id = erased.id`.execute(tx)
}
