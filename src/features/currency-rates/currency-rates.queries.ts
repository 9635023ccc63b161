import { sql } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import type { RateTable } from '../../lib/exchange.ts'
import { shippedRates } from './shipped-rates.ts'

/** Returns the rates that an admin last set. If there are none, returns the rates of this release. */
export async function findRates(reader: Reader): Promise<RateTable> {
  const row = await reader.selectFrom('currency_rate_table').select(['base', 'as_of', 'rates']).executeTakeFirst()
  return row ? { ...row, rates: row.rates as Record<string, number> } : shippedRates
}

/** Returns the current rates and blocks other changes until the transaction ends. */
export async function lockRates(tx: Tx): Promise<RateTable> {
  // Locks the table, because there is no row to lock before the first change.
  await sql`lock table currency_rate_table in share row exclusive mode`.execute(tx)
  return findRates(tx)
}

export async function replaceRates(tx: Tx, { base, as_of, rates }: RateTable): Promise<void> {
  const table = { base, as_of, rates: JSON.stringify(rates) }
  await tx
    .insertInto('currency_rate_table')
    .values(table)
    .onConflict((conflict) => conflict.column('is_only').doUpdateSet(table))
    .execute()
}
