import type { Reader, Tx } from '../../db/database.ts'

/** A lease on the sink, which ends at `until` unless the process extends it. */
export interface Lease {
  until: Date
  /** The iterator of the last published event. Initially an empty string. */
  publishedUntil: string
}

/** Leases the sink until `until`. Returns undefined if another process holds the lease. */
export async function claimSink(tx: Tx, now: Date, until: Date): Promise<Lease | undefined> {
  const row = await tx
    .updateTable('event_sink')
    .set({ leased_until: until })
    .where((where) => where.or([where('leased_until', 'is', null), where('leased_until', '<=', now)]))
    .returning('published_until')
    .executeTakeFirst()
  return row && { until, publishedUntil: row.published_until }
}

/** Returns the iterator of the last published event. */
export async function findPublished(reader: Reader): Promise<string> {
  return (await reader.selectFrom('event_sink').select('published_until').executeTakeFirstOrThrow()).published_until
}

/**
 * Records the last published event. Extends the lease to `until`, or ends the lease if `until` is null. Returns false
 * if another process has leased the sink in the meantime.
 */
export async function notePublished(tx: Tx, lease: Lease, until: Date | null): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('event_sink')
    .set({ published_until: lease.publishedUntil, leased_until: until })
    .where('leased_until', '=', lease.until)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
