/** Writes events in the transaction of their cause. */
import { CompiledQuery, type RawBuilder, sql } from 'kysely'
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

/** The row of an event. Its body is fixed here: every delivery sends these bytes. */
function eventRow<T extends EventType>(event: NewEvent<T>) {
  const { type, subjectId, employerId = null, candidateId = null, at, data } = event
  const id = newId('event')
  const body = JSON.stringify({ id, type, created_at: at.toISOString(), data })
  return { id, type, subject_id: subjectId, employer_id: employerId, candidate_id: candidateId, body, created_at: at }
}

const columns = ['id', 'type', 'subject_id', 'employer_id', 'candidate_id', 'body', 'created_at'] as const

/** Appends an event. */
export async function appendEvent<T extends EventType>(tx: Tx, event: NewEvent<T>): Promise<void> {
  const row = eventRow(event)
  await tx.insertInto('event').values(row).execute()
}

/** A statement that writes what causes an event, where it may: it returns a row for the event to be written too. */
export interface Cause {
  text: string
  values: readonly unknown[]
}

/**
 * Writes the cause of an event and the event in one statement, a round trip less than two. Both or neither: false says
 * that the cause was not to be written.
 */
export async function writeWithEvent<T extends EventType>(tx: Tx, cause: Cause, event: NewEvent<T>): Promise<boolean> {
  const row = eventRow(event)
  const places = columns.map((_, index) => `$${cause.values.length + index + 1}`)
  const { numAffectedRows } = await tx.executeQuery(
    CompiledQuery.raw(
      `with ${cause.text} insert into event (${columns.join(', ')}) select ${places.join(', ')} from cause`,
      [...cause.values, ...columns.map((name) => row[name])],
    ),
  )
  return numAffectedRows === 1n
}

/** Events as one parameter: an import appends hundreds at once. */
export function eventRecords<T extends EventType>(events: readonly NewEvent<T>[]): string {
  return JSON.stringify(events.map(eventRow))
}

/** The statement that appends such events; `record` is one of them, for a condition that a caller may add. */
export function insertEventRecords(records: string): RawBuilder<unknown> {
  return sql`
    insert into event (${sql.raw(columns.join(', '))})
    select ${sql.raw(columns.join(', '))} from json_populate_recordset(null::event, ${records}::json) as record`
}

/** Appends many events in one statement. */
export async function appendEvents<T extends EventType>(tx: Tx, events: readonly NewEvent<T>[]): Promise<void> {
  if (events.length > 0) await insertEventRecords(eventRecords(events)).execute(tx)
}
