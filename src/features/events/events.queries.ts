import { sql } from 'kysely'
import type { Reader } from '../../db/database.ts'
import { type Condition, comparing, type ListPlan, listPage, type Page, sortKey } from '../../db/list-page.ts'
import type { ListQuery } from '../../lib/list-query.ts'
import type { Actor } from '../../lib/scopes.ts'
import type { eventList } from './events.schemas.ts'

type Filter = keyof typeof eventList.filters
type Sort = keyof typeof eventList.sorts

export interface EventRow {
  id: string
  /** The exact text that receivers get. */
  body: string
}

/** Who is asking. */
export type Viewer = Pick<Actor, 'kind' | 'accountId'>

/** Which events the viewer may see: its own, an operator and an integrator all. */
function visibleTo({ kind, accountId }: Viewer): Condition[] {
  if (kind === 'employer') return [sql`event.employer_id = ${accountId}`]
  if (kind === 'candidate') return [sql`event.candidate_id = ${accountId}`]
  return []
}

/** The event, if the viewer may see it. */
export async function findEvent(reader: Reader, viewer: Viewer, id: string): Promise<EventRow | undefined> {
  const conditions = [sql`event.id = ${id}`, ...visibleTo(viewer)]
  const { rows } = await sql<EventRow>`
    select event.id, event.body from event where ${sql.join(conditions, sql` and `)}`.execute(reader)
  return rows[0]
}

/** The events that the viewer may see. */
export function listEvents(
  reader: Reader,
  viewer: Viewer,
  query: ListQuery<Filter, Sort>,
  cursorSecret: Uint8Array,
): Promise<Page<EventRow>> {
  const plan: ListPlan<Filter, Sort> = {
    from: sql`event`,
    id: sql.ref('event.id'),
    columns: sql`event.id, event.body`,
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
