/** Writes events and their webhook deliveries in the transaction of the change that they report. */
import { CompiledQuery, type RawBuilder, sql } from 'kysely'
import { notify, type Tx } from '../db/database.ts'
import { noteEvent } from '../db/idempotent-answers.ts'
import { newId } from '../lib/ids.ts'
import { noteWritten } from '../lib/written.ts'
import type { EventData, EventType } from './catalogue.ts'

interface NewEvent<T extends EventType> {
  type: T
  /** ID of the job, application, candidate or employer that the event is about. */
  subjectId: string
  /** The accounts that may see the event, in addition to admins and integrators. */
  employerId?: string | null
  candidateId?: string | null
  at: Date
  data: EventData[T]
}

/** Returns an event's row. Every delivery sends the stored body unchanged. */
function eventRow<T extends EventType>(event: NewEvent<T>) {
  const { type, subjectId, employerId = null, candidateId = null, at, data } = event
  const id = newId('event')
  const body = JSON.stringify({ id, type, created_at: at.toISOString(), data })
  return { id, type, subject_id: subjectId, employer_id: employerId, candidate_id: candidateId, body, created_at: at }
}

const columns = ['id', 'type', 'subject_id', 'employer_id', 'candidate_id', 'body', 'created_at'] as const

const inOrder = (row: ReturnType<typeof eventRow>) => columns.map((name) => row[name])

/** Maximum size of a delivered event, in bytes. Larger events are stored, but not delivered. */
export const BODY_BYTES_MAX = 262_144
export const TOO_LARGE = 'The event is larger than 256 KiB.'

/**
 * Returns the clauses of a statement that write events and their deliveries. Each active webhook that subscribes to the
 * type and may see the event gets a delivery. The statement returns the numbers of events and deliveries.
 * `for key share` waits for concurrent deletions of webhooks, so that deleted webhooks get no deliveries.
 */
const eventWriting = (source: string) => `
  written_event as (
    insert into event (${columns.join(', ')}) ${source}
    returning id, type, employer_id, candidate_id, created_at, octet_length(body) > ${BODY_BYTES_MAX} as is_too_large
  ),
  written_delivery as (
    insert into webhook_delivery (
      id, event_id, webhook_id, event_type, created_at, state, due_at, scheduled_at, settled_as, settled_at, last_reason)
    select typeid('whd', event.created_at), event.id, webhook.id, event.type, event.created_at,
      case when is_too_large then 'canceled' else 'pending' end,
      case when not is_too_large then event.created_at end, case when not is_too_large then event.created_at end,
      case when is_too_large then 'canceled' end, case when is_too_large then event.created_at end,
      case when is_too_large then '${TOO_LARGE}' end
    from written_event as event
    join webhook on webhook.status = 'active' and event.type = any(webhook.events)
      and webhook.audience = any(array[event.employer_id, event.candidate_id, '*'])
    for key share of webhook
    returning 1
  )
  select (select count(*) from written_event) as events, (select count(*) from written_delivery) as deliveries`

/** Estimated size of a delivery in bytes, including one attempt and the delivery's entries in four indexes. */
const DELIVERY_BYTES = 1_024

interface Written {
  events: number
  deliveries: number
}

/** Notifies the event stream and the dispatcher, and returns the number of events written. */
function toldOf(tx: Tx, { rows }: { rows: Written[] }): number {
  const { events, deliveries } = rows[0]!
  if (events > 0) notify(tx, 'events')
  if (deliveries > 0) notify(tx, 'webhook-deliveries')
  noteWritten(deliveries * DELIVERY_BYTES)
  return events
}

export async function appendEvent<T extends EventType>(tx: Tx, event: NewEvent<T>): Promise<void> {
  const places = columns.map((_, index) => `$${index + 1}`)
  const text = `with ${eventWriting(`values (${places.join(', ')})`)}`
  const row = eventRow(event)
  toldOf(tx, await tx.executeQuery<Written>(CompiledQuery.raw(text, inOrder(row))))
  noteEvent(tx, row)
}

/** Clauses of a statement that make the change. The event is written only if the clause `cause` returns a row. */
export interface Cause {
  text: string
  values: readonly unknown[]
}

/**
 * Makes a change and writes its event in one statement, which saves a round trip. Returns false if neither the change
 * nor the event was written.
 */
export async function writeWithEvent<T extends EventType>(tx: Tx, cause: Cause, event: NewEvent<T>): Promise<boolean> {
  const places = columns.map((_, index) => `$${cause.values.length + index + 1}`)
  const text = `with ${cause.text}, ${eventWriting(`select ${places.join(', ')} from cause`)}`
  const row = eventRow(event)
  const values = [...cause.values, ...inOrder(row)]
  const isWritten = toldOf(tx, await tx.executeQuery<Written>(CompiledQuery.raw(text, values))) === 1
  if (isWritten) noteEvent(tx, row)
  return isWritten
}

/** Returns events as a single SQL parameter; an import appends hundreds of events at once. */
export function eventRecords<T extends EventType>(events: readonly NewEvent<T>[]): string {
  return JSON.stringify(events.map(eventRow))
}

/**
 * Appends events from `eventRecords` in a statement that begins with `causes`. The condition `where`, in which `record`
 * is an event, may exclude events. Returns the number of events written.
 */
export async function writeEventRecords(
  tx: Tx,
  records: string,
  causes: RawBuilder<unknown> = sql``,
  where: RawBuilder<unknown> = sql``,
): Promise<number> {
  const [before, after] = eventWriting('\0').split('\0')
  const names = sql.raw(columns.join(', '))
  return toldOf(
    tx,
    await sql<Written>`with ${causes} ${sql.raw(before!)}
      select ${names} from json_populate_recordset(null::event, ${records}::json) as record ${where}
      ${sql.raw(after!)}`.execute(tx),
  )
}

export async function appendEvents<T extends EventType>(tx: Tx, events: readonly NewEvent<T>[]): Promise<void> {
  if (events.length > 0) await writeEventRecords(tx, eventRecords(events))
}
