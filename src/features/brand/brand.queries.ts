import type { Reader, Tx } from '../../db/database.ts'
import type { BoardPageTable, Row } from '../../db/schema.ts'
import { type Billing, noBilling } from '../../lib/billing.ts'

export type BrandRow = Omit<Row<'brand'>, 'id'>

/** Returns the version of the stored brand. Every change to the brand increases the version. */
export async function findVersion(reader: Reader): Promise<number> {
  return (await reader.selectFrom('brand').select('version').executeTakeFirstOrThrow()).version
}

const billingColumns = Object.keys(noBilling) as (keyof Billing)[]

/** Returns the settings that prices and invoices depend on, without the logo's bytes. */
export function findBilling(reader: Reader) {
  return reader
    .selectFrom('brand')
    .select(['name', 'contact_email', 'default_language', ...billingColumns])
    .executeTakeFirstOrThrow()
}

export function findBrand(reader: Reader): Promise<BrandRow> {
  return reader.selectFrom('brand').selectAll().executeTakeFirstOrThrow()
}

/** Locks and returns the brand. Changes to the brand and to its pages must not run concurrently. */
export function lockBrand(tx: Tx): Promise<BrandRow> {
  return tx.selectFrom('brand').selectAll().forUpdate().executeTakeFirstOrThrow()
}

export async function updateBrand(tx: Tx, change: Partial<BrandRow>): Promise<void> {
  await tx
    .updateTable('brand')
    .set((column) => ({ ...change, version: column('version', '+', 1) }))
    .execute()
}

export function listPages(reader: Reader): Promise<BoardPageTable[]> {
  return reader.selectFrom('board_page').selectAll().orderBy('slug').execute()
}

export function findPage(reader: Reader, slug: string): Promise<BoardPageTable | undefined> {
  return reader.selectFrom('board_page').selectAll().where('slug', '=', slug).executeTakeFirst()
}

export async function upsertPage(tx: Tx, page: BoardPageTable): Promise<void> {
  await tx
    .insertInto('board_page')
    .values(page)
    .onConflict((conflict) => conflict.column('slug').doUpdateSet(page))
    .execute()
}

export async function deletePageRow(tx: Tx, slug: string): Promise<void> {
  await tx.deleteFrom('board_page').where('slug', '=', slug).execute()
}
