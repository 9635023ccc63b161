/** Fills an index of the search engine in one step, without the follower. */
import { sql } from 'kysely'
import { documentOf, indexDefinition } from '../../src/search/engine/documents.ts'
import type { Engine } from '../../src/search/engine/engine.ts'
import { findHistory } from '../../src/search/engine/queries.ts'
import { findPosition, listChangedRows } from '../../src/search/memory/queries.ts'
import type { Board } from './board.ts'

/** Fills a new index with all jobs on the board, and makes it the current one. */
export async function fillIndex(
  board: Board,
  engine: Engine,
  name: string,
  shape?: Parameters<typeof indexDefinition>[0],
): Promise<void> {
  const [{ horizon }, { server }, rows] = await board.database.read(async (db) => {
    const [position, history] = [await findPosition(db), await findHistory(db)]
    const { rows } = await sql<{ id: string }>`select id from job where state = 'active'`.execute(db)
    const ids = rows.map(({ id }) => id)
    return [position, history, await listChangedRows(db, ids, board.clock.now())] as const
  })
  await engine.write({ method: 'PUT', path: `/${name}`, body: indexDefinition(shape) })
  if (rows.length > 0) {
    const { errors } = await engine.write<{ errors: boolean }>({
      method: 'POST',
      path: `/${name}/_bulk`,
      querystring: { refresh: true },
      bulkBody: rows.flatMap((row) => [{ index: { _id: String(row.number) } }, documentOf(row)]),
    })
    if (errors) throw new Error('The engine refused a document.')
  }
  await board.database.inTx(async (tx) => {
    await sql`delete from search_index`.execute(tx)
    const now = board.clock.now()
    await sql`insert into search_index (name, horizon, server, is_current, created_at, followed_at)
      values (${name}, ${horizon}::xid8, ${server}, true, ${now}, ${now})`.execute(tx)
  })
}
