/** Shares quotas between processes: each process reports its own use through the database. */
import type { Quota } from '../lib/quota.ts'
import { type Database, isShownNowhere, type Reader, type Tx } from './database.ts'
import { statement } from './statement.ts'

/** How long past windows are kept, in milliseconds. Other processes' clocks may be behind. */
const KEPT_MS = 60_000

/** Adds this process's use to the shared totals, in one statement. Returns the number of shared counts. */
export async function shareQuotas(database: Database, quotas: readonly Quota[], now: Date): Promise<number> {
  const shares = quotas.flatMap((quota) => quota.shares(now.getTime()))
  if (shares.length === 0) return 0
  // Sorted, because two processes that update the same rows in different orders can deadlock.
  const keyed = shares.map((share) => ({
    ...share,
    key: `${share.windowEnd.getTime()} ${share.policy} ${share.subject}`,
  }))
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1))
  const rows = await database.inStatement((tx) => {
    isShownNowhere(tx)
    return addUsed(tx, keyed)
  })
  const used = new Map(rows.map((row) => [`${row.window_end.getTime()} ${row.policy} ${row.subject}`, row.used]))
  for (const { key, settle } of keyed) settle(used.get(key)!)
  return shares.length
}

async function addUsed(tx: Tx, rows: readonly { policy: string; windowEnd: Date; subject: string; added: number }[]) {
  const sums = await statement<{ window_end: Date; policy: string; subject: string; used: number }>`
    insert into rate_limit (window_end, policy, subject, used)
    select * from unnest(
      ${rows.map(({ windowEnd }) => windowEnd.toISOString())}::timestamptz[], ${rows.map(({ policy }) => policy)}::text[],
      ${rows.map(({ subject }) => subject)}::text[], ${rows.map(({ added }) => added)}::integer[])
    on conflict (window_end, policy, subject) do update set used = rate_limit.used + excluded.used
    returning window_end, policy, subject, used`.all(tx)
  return sums
}

/** Adds to a subject's use in a window and returns the total across all processes. */
export async function addShared(
  tx: Tx,
  { policy, windowEnd }: { policy: string; windowEnd: Date },
  subject: string,
  added: number,
): Promise<number> {
  const [sum] = await addUsed(tx, [{ policy, windowEnd, subject, added }])
  return sum!.used
}

/** Returns the total use that all processes have reported for a subject in these windows, keyed by policy. */
export function findShared(
  reader: Reader,
  subject: string,
  windows: readonly { policy: string; end: Date }[],
): Promise<Map<string, number>> {
  return statement<{ policy: string; used: number }>`
    select shared.policy, shared.used
    from unnest(${windows.map(({ end }) => end.toISOString())}::timestamptz[], ${windows.map(({ policy }) => policy)}::text[])
      as asked (window_end, policy)
    join rate_limit as shared using (window_end, policy)
    where shared.subject = ${subject}`.toMap(reader, 'policy', 'used')
}

export async function forgetPastWindows(database: Database, now: Date): Promise<void> {
  await database.inStatement(async (tx) => {
    isShownNowhere(tx)
    await tx
      .deleteFrom('rate_limit')
      .where('window_end', '<', new Date(now.getTime() - KEPT_MS))
      .execute()
  })
}
