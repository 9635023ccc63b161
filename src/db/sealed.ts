/** Counts the values of encrypted columns per key, and re-encrypts them with the first key (decision 0068). */
import { sql } from 'kysely'
import { NAMED_PREFIX, type SecretBox } from '../lib/secret-box.ts'
import { type Database, isShownNowhere, type Reader, type Tx } from './database.ts'
import { statement } from './statement.ts'

/** A text column with encrypted values, in a table with the primary key `id`. */
export interface SealedColumn {
  table: string
  column: string
  /** Returns the context of a row's encrypted value. */
  contextOf(id: string): string
  /** Whether the service needs these values to work. */
  isVital: boolean
}

/** Rows per transaction. The transaction locks them for about 10 ms. */
const BATCH = 500
/**
 * Maximum number of values without a key ID, per column, that are decrypted to find their key. Decrypting a whole day's
 * stored responses would take minutes.
 */
const OPENED_MAX = 10_000
/** Maximum number of passes. A pass can leave some values if another process still encrypts with another key. */
const PASSES_MAX = 5

interface SealedRow {
  id: string
  sealed: string
}

export interface SealedCounts {
  /** Number of values per configured key, by key ID. */
  byKey: Map<string, number>
  /** Number of values that no configured key decrypts, by the key ID in the value, or `unnamed`. */
  lost: Map<string, number>
  /** Number of values without a key ID that were not tried because of the limit. */
  unopened: number
}

export async function countSealed(
  reader: Reader,
  box: SecretBox,
  columns: readonly SealedColumn[],
): Promise<SealedCounts> {
  const counts: SealedCounts = { byKey: new Map(box.keyIds.map((id) => [id, 0])), lost: new Map(), unopened: 0 }
  const add = (keyId: string, count: number) => {
    const map = counts.byKey.has(keyId) ? counts.byKey : counts.lost
    map.set(keyId, (map.get(keyId) ?? 0) + count)
  }
  for (const { table, column, contextOf } of columns) {
    const [from, value] = [sql.table(table), sql.ref(column)]
    const named = await statement<{ key: string; count: number }>`
      select split_part(${value}, '.', 2) as key, count(*) as count from ${from}
      where starts_with(${value}, ${NAMED_PREFIX}) group by 1`.all(reader)
    for (const { key, count } of named) add(key, count)
    const unnamed = await statement<SealedRow & { total: number }>`
      select id, ${value} as sealed, count(*) over () as total from ${from}
      where not starts_with(${value}, ${NAMED_PREFIX}) limit ${OPENED_MAX}`.all(reader)
    for (const { id, sealed } of unnamed) add(box.keyIdOf(sealed, contextOf(id)) ?? 'unnamed', 1)
    counts.unopened += (unnamed[0]?.total ?? 0) - unnamed.length
  }
  return counts
}

/**
 * Re-encrypts every value that was encrypted with a key other than the first, in short transactions. Returns the number
 * of re-encrypted values. Progress survives an interruption, and several processes may run this function at the same
 * time. Skips values that no key decrypts.
 */
export async function resealAll(
  database: Database,
  box: SecretBox,
  columns: readonly SealedColumn[],
  onProgress: (resealed: number) => void = () => {},
): Promise<number> {
  let resealed = 0
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const before = resealed
    for (const column of columns) {
      for (let after: string | undefined = ''; after !== undefined; ) {
        const from: string = after
        const batch = await database.inTx((tx) => resealBatch(tx, box, column, from))
        resealed += batch.resealed
        after = batch.last
        onProgress(resealed)
      }
    }
    // Each pass retries rows that other transactions had locked. Stops after a pass without progress.
    if (resealed === before) break
  }
  return resealed
}

async function resealBatch(tx: Tx, box: SecretBox, { table, column, contextOf }: SealedColumn, after: string) {
  isShownNowhere(tx)
  const [from, value] = [sql.table(table), sql.ref(column)]
  const rows = await statement<SealedRow>`
    select id, ${value} as sealed from ${from}
    where not starts_with(${value}, ${box.currentPrefix}) and id > ${after}
    order by id limit ${BATCH} for no key update skip locked`.all(tx)
  const fresh = rows.flatMap(({ id, sealed }) => {
    try {
      return { id, sealed: box.seal(box.openBytes(sealed, contextOf(id)), contextOf(id)) }
    } catch {
      return []
    }
  })
  if (fresh.length > 0) {
    await sql`
      update ${from} set ${value} = fresh.sealed
      from unnest(${fresh.map(({ id }) => id)}::text[], ${fresh.map(({ sealed }) => sealed)}::text[]) as fresh (id, sealed)
      where ${sql.table(table)}.id = fresh.id`.execute(tx)
  }
  return { resealed: fresh.length, last: rows.at(-1)?.id }
}
