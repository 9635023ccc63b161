import { sql } from 'kysely'
import { type Backlog, findBacklog } from '../../db/backlog.ts'
import type { Reader, Tx } from '../../db/database.ts'
import type { BatchRange, DeletedBatch } from '../../db/purge.ts'
import { statement } from '../../db/statement.ts'
import type { Actor } from '../../lib/scopes.ts'
import type { QueryOf } from '../../lists/query.ts'
import { type Condition, comparingColumns, listPage, type Page, sortKey } from '../../lists/sql-page.ts'
import type { eventList } from './events.schemas.ts'

export interface EventRow {
  id: string
  /** ID of the resource that the event is about. */
  subject_id: string
  created_at: Date
  /** The exact text that the service sends to receivers. */
  body: string
}

const columns = sql`event.id, event.subject_id, event.created_at, event.body`

export type Viewer = Pick<Actor, 'kind' | 'accountId'>

/**
 * Returns conditions that restrict events to those that the viewer may see. Admins and integrators may see all events,
 * and other viewers only their own.
 */
function visibleTo({ kind, accountId }: Viewer, table: 'event' | 'event_position' = 'event'): Condition[] {
  if (kind === 'employer') return [sql`${sql.ref(`${table}.employer_id`)} = ${accountId}`]
  if (kind === 'candidate') return [sql`${sql.ref(`${table}.candidate_id`)} = ${accountId}`]
  return []
}

export function findEvent(reader: Reader, viewer: Viewer, id: string): Promise<EventRow | undefined> {
  const conditions = [sql`event.id = ${id}`, ...visibleTo(viewer)]
  return statement<EventRow>`
    select ${columns} from event where ${sql.join(conditions, sql` and `)}`.first(reader)
}

export function listEvents(reader: Reader, viewer: Viewer, query: QueryOf<typeof eventList>): Promise<Page<EventRow>> {
  return listPage(reader, query, {
    table: 'event',
    columns,
    where: visibleTo(viewer),
    filters: comparingColumns('event', ['type', 'subject_id', 'created_at']),
    sorts: { created_at: sortKey.time('event.created_at') },
  })
}

/**
 * Returns the latest events that the viewer may see, newest first. `type` and `since` limit the events, if given.
 */
export function listLatestEvents(
  reader: Reader,
  viewer: Viewer,
  { type, since, limit }: { type: string | undefined; since?: Date | undefined; limit: number },
): Promise<EventRow[]> {
  const conditions = [
    since ? sql`event.created_at >= ${since}` : sql`true`,
    ...(type === undefined ? [] : [sql`event.type = ${type}`]),
    ...visibleTo(viewer),
  ]
  return statement<EventRow>`
    select ${columns} from event where ${sql.join(conditions, sql` and `)}
    order by event.created_at desc, event.id desc limit ${limit}`.all(reader)
}

/** The position of an event in the event stream. */
export interface Place {
  position: number
  event_id: string
}

/** A new position, and the accounts that may see its event, in addition to admins and integrators. */
export type WrittenPlace = Place & { employer_id: string | null; candidate_id: string | null }

/** Returns the positions above `after`, up to `upTo`, highest first. */
export function listPlaces(reader: Reader, { after, upTo, limit }: { after: number; upTo: number; limit: number }) {
  return statement<WrittenPlace>`
    select position, event_id, employer_id, candidate_id from event_position
    where position > ${after} and position <= ${upTo} order by position desc limit ${limit}`.all(reader)
}

export function findEventIdAt(reader: Reader, position: number): Promise<string | undefined> {
  return statement<Pick<Place, 'event_id'>>`
    select event_id from event_position where position = ${position}`.firstValue(reader)
}

export type PlacedEvent = Place & { subject_id: string; type: string; body: string }

interface StreamSlice {
  after: number
  upTo: number
  limit: number
  /** Ends the page before the next event if the page already has at least this many bytes. */
  bytesMax: number
}

/** Returns the events above `after`, up to `upTo`, that the viewer may see, oldest first. */
export async function listEventsAfter(
  reader: Reader,
  viewer: Viewer,
  { after, upTo, limit, bytesMax }: StreamSlice,
): Promise<{ rows: PlacedEvent[]; hasMore: boolean }> {
  const conditions = [
    sql`event_position.position > ${after}`,
    sql`event_position.position <= ${upTo}`,
    ...visibleTo(viewer, 'event_position'),
  ]
  const rows = await statement<PlacedEvent & { found: number }>`
    select position, event_id, subject_id, type, body, found from (
      select page.*, count(*) over () as found,
        sum(octet_length(body)) over (order by position rows between unbounded preceding and 1 preceding) as bytes_before
      from (
        select event_position.position, event_position.event_id, event.subject_id, event.type, event.body
        from event_position
        -- "offset 0" makes the planner find each event by its ID, even for accounts with few events.
        cross join lateral (select subject_id, type, body from event where id = event_position.event_id offset 0) as event
        where ${sql.join(conditions, sql` and `)}
        order by event_position.position limit ${limit + 1}
      ) as page
    ) as page
    where coalesce(bytes_before, 0) < ${bytesMax} order by position`.all(reader)
  const page = rows.slice(0, limit)
  return { rows: page, hasMore: page.length < (rows[0]?.found ?? 0) }
}

export const findEventBacklog = (reader: Reader, position: number): Promise<Backlog> =>
  findBacklog(reader, { since: 'created_at', from: sql`event_position where position > ${position}` })

/**
 * Deletes positions of events that were created before a given time. Keeps the highest position, because the newest
 * iterators name it.
 */
export function purgePlaces(tx: Tx, before: Date, { from, limit }: BatchRange<number>): Promise<DeletedBatch<number>> {
  return statement<DeletedBatch<number>>`
    with deleted as (
      delete from event_position where position = any(array(
        select position from (
          select position, created_at from event_position where position >= ${from} order by position limit ${limit}
        ) as oldest
        where created_at < ${before} and position < (select max(position) from event_position)))
      returning position)
    select count(*)::int as count, max(position) as last from deleted`.one(tx)
}
