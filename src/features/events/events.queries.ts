import { sql } from 'kysely'
import type { Reader } from '../../db/database.ts'
import type { Actor } from '../../lib/scopes.ts'
import type { ListQuery } from '../../lists/query.ts'
import { type Condition, comparing, type ListPlan, listPage, type Page, sortKey } from '../../lists/sql-page.ts'
import type { eventList } from './events.schemas.ts'

type Filter = keyof typeof eventList.filters
type Sort = keyof typeof eventList.sorts

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
function visibleTo({ kind, accountId }: Viewer): Condition[] {
  if (kind === 'employer') return [sql`event.employer_id = ${accountId}`]
  if (kind === 'candidate') return [sql`event.candidate_id = ${accountId}`]
  return []
}

export async function findEvent(reader: Reader, viewer: Viewer, id: string): Promise<EventRow | undefined> {
  const conditions = [sql`event.id = ${id}`, ...visibleTo(viewer)]
  const { rows } = await sql<EventRow>`
    select ${columns} from event where ${sql.join(conditions, sql` and `)}`.execute(reader)
  return rows[0]
}

export function listEvents(
  reader: Reader,
  viewer: Viewer,
  query: ListQuery<Filter, Sort>,
  cursorSecret: Uint8Array,
): Promise<Page<EventRow>> {
  const plan: ListPlan<Filter, Sort> = {
    from: sql`event`,
    id: sql.ref('event.id'),
    columns,
    where: visibleTo(viewer),
    filters: {
      type: comparing(sql.ref('event.type')),
      subject_id: comparing(sql.ref('event.subject_id')),
      created_at: comparing(sql.ref('event.created_at')),
    },
    sorts: { created_at: sortKey.time('event.created_at') },
  }
  return listPage(reader, plan, query, cursorSecret)
}

/**
 * Returns the latest events that the viewer may see, newest first. Optionally limits them to one type or to a period.
 */
export async function listLatestEvents(
  reader: Reader,
  viewer: Viewer,
  { type, since, limit }: { type: string | undefined; since?: Date | undefined; limit: number },
): Promise<EventRow[]> {
  const conditions = [
    since ? sql`event.created_at >= ${since}` : sql`true`,
    ...(type === undefined ? [] : [sql`event.type = ${type}`]),
    ...visibleTo(viewer),
  ]
  const { rows } = await sql<EventRow>`
    select ${columns} from event where ${sql.join(conditions, sql` and `)}
    order by event.created_at desc, event.id desc limit ${limit}`.execute(reader)
  return rows
}
