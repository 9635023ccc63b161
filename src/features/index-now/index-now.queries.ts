import type { Tx } from '../../db/database.ts'

/**
 * Leases the announcements until `until`. Returns the time up to which changes have been announced, initially `start`,
 * or undefined if another process holds the lease.
 */
export async function claimAnnouncements(
  tx: Tx,
  { start, now, until }: Record<'start' | 'now' | 'until', Date>,
): Promise<Date | undefined> {
  await tx
    .insertInto('index_now')
    .values({ announced_until: start, leased_until: null })
    .onConflict((conflict) => conflict.column('is_only').doNothing())
    .execute()
  const row = await tx
    .updateTable('index_now')
    .set({ leased_until: until })
    .where((where) => where.or([where('leased_until', 'is', null), where('leased_until', '<=', now)]))
    .returning('announced_until')
    .executeTakeFirst()
  return row?.announced_until
}

/** Ends the lease that would expire at `lease`, and records the time up to which changes have been announced. */
export async function noteAnnounced(tx: Tx, lease: Date, announced_until: Date): Promise<void> {
  await tx
    .updateTable('index_now')
    .set({ announced_until, leased_until: null })
    .where('leased_until', '=', lease)
    .execute()
}
