import type { Tx } from '../../db/database.ts'

/**
 * Leases the announcements until `until`, unless another process holds a lease. Returns the time up to which changes
 * have been announced. The first announcements begin at `start`.
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

/** Ends the lease until `lease`, and records the time up to which changes have been announced. */
export async function noteAnnounced(tx: Tx, lease: Date, announced_until: Date): Promise<void> {
  await tx
    .updateTable('index_now')
    .set({ announced_until, leased_until: null })
    .where('leased_until', '=', lease)
    .execute()
}
