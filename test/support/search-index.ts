/** Helps tests with the indexes of the search engine. */
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Database } from '../../src/db/database.ts'
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

/**
 * Waits until all transactions on the server that are older than this call have ended, including those in other
 * databases. The follower stops before the oldest transaction that is still running.
 */
export async function awaitEarlierTransactions(database: Database): Promise<void> {
  const { rows } = await database.inTx((tx) =>
    sql<{ xid: string }>`select pg_current_xact_id()::text as xid`.execute(tx),
  )
  const isPast = sql<{ is_past: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) > ${rows[0]!.xid}::xid8 as is_past`
  const hasEnded = async () => (await database.read((db) => isPast.execute(db))).rows[0]!.is_past
  await expect.poll(hasEnded, { timeout: 100_000 }).toBe(true)
}
