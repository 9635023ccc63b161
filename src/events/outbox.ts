/** Writes events in the transaction of their cause. */
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { newId } from '../lib/ids.ts'
import type { EventData, EventType } from './catalogue.ts'

interface NewEvent<T extends EventType> {
  type: T
  /** The id of the job, application, candidate or employer that it is about. */
  subjectId: string
  /** Whose event it is, beside the operator's and the integrators'. */
  employerId?: string | null
  candidateId?: string | null
  at: Date
  data: EventData[T]
}

/** Appends an event. Its body is fixed here: every delivery sends these bytes. */
export async function appendEvent<T extends EventType>(tx: Tx, event: NewEvent<T>): Promise<void> {
  await appendEvents(tx, [event])
}

/** Appends many events in one statement. */
export async function appendEvents<T extends EventType>(tx: Tx, events: readonly NewEvent<T>[]): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(({ type, subjectId, employerId = null, candidateId = null, at, data }) => {
    const id = newId('event')
    const body = JSON.stringify({ id, type, created_at: at.toISOString(), data })
    return { id, type, subject_id: subjectId, employer_id: employerId, candidate_id: candidateId, body, created_at: at }
  })
  // One parameter for all rows: an import appends hundreds at once.
  await sql`
    insert into event (id, type, subject_id, employer_id, candidate_id, body, created_at)
    select id, type, subject_id, employer_id, candidate_id, body, created_at
    from json_populate_recordset(null::event, ${JSON.stringify(rows)}::json)`.execute(tx)
}
