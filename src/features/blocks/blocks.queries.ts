import { sql } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import type { BlockTable } from '../../db/schema.ts'
import type { QueryOf } from '../../lists/query.ts'
import { comparingColumns, listPage, type Page, sortKey } from '../../lists/sql-page.ts'
import type { blockList } from './blocks.schemas.ts'

/** Inserts a block, or replaces an expired block of the same value. Returns false if the value is already blocked. */
export async function insertBlock(tx: Tx, block: BlockTable, now: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('block')
    .values(block)
    .onConflict((conflict) =>
      conflict.columns(['kind', 'value']).doUpdateSet(block).where('block.expires_at', '<=', now),
    )
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

export async function deleteBlockRow(tx: Tx, id: string): Promise<BlockTable | undefined> {
  return tx.deleteFrom('block').where('id', '=', id).returningAll().executeTakeFirst()
}

/** Returns the blocked networks in CIDR notation. */
export async function listBlockedNetworks(reader: Reader, now: Date): Promise<string[]> {
  const rows = await reader
    .selectFrom('block')
    .select('value')
    .where('kind', '=', 'network')
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .orderBy('value')
    .execute()
  return rows.map(({ value }) => value)
}

export function listBlocks(reader: Reader, query: QueryOf<typeof blockList>, now: Date): Promise<Page<BlockTable>> {
  return listPage(reader, query, {
    table: 'block',
    where: [sql`(block.expires_at is null or block.expires_at > ${now})`],
    filters: comparingColumns('block', ['kind', 'value', 'created_at']),
    sorts: { created_at: sortKey.time('block.created_at'), value: sortKey.text('block.value') },
  })
}
