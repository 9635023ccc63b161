import { sql } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import type { CatalogueEntryTable } from '../../db/schema.ts'
import type { CatalogueKind } from './catalogue.schemas.ts'

/** Returns all catalog entries by kind, in display order. */
export function listEntries(reader: Reader): Promise<CatalogueEntryTable[]> {
  return reader.selectFrom('catalogue_entry').selectAll().orderBy('kind').orderBy('position').orderBy('slug').execute()
}

/** Locks the catalog until the transaction ends, and returns one kind's entries in display order. */
export async function lockEntries(tx: Tx, kind: CatalogueKind): Promise<CatalogueEntryTable[]> {
  // Locks the table, because row locks would not block new entries.
  await sql`lock table catalogue_entry in share row exclusive mode`.execute(tx)
  return tx
    .selectFrom('catalogue_entry')
    .selectAll()
    .where('kind', '=', kind)
    .orderBy('position')
    .orderBy('slug')
    .execute()
}

export async function insertEntry(tx: Tx, entry: CatalogueEntryTable): Promise<void> {
  await tx.insertInto('catalogue_entry').values(entry).execute()
}

export async function updateEntry(
  tx: Tx,
  { kind, slug }: Pick<CatalogueEntryTable, 'kind' | 'slug'>,
  change: Partial<Pick<CatalogueEntryTable, 'name' | 'position'>>,
): Promise<void> {
  await tx.updateTable('catalogue_entry').set(change).where('kind', '=', kind).where('slug', '=', slug).execute()
}

export async function deleteEntry(tx: Tx, { kind, slug }: Pick<CatalogueEntryTable, 'kind' | 'slug'>): Promise<void> {
  await tx.deleteFrom('catalogue_entry').where('kind', '=', kind).where('slug', '=', slug).execute()
}
