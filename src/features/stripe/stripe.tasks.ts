import { batchTask, type Task } from '../../background/loop.ts'
import type { Tx } from '../../db/database.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { Kit } from '../feature.ts'
import { isLastingRefusal, type StripeApi } from './stripe.api.ts'
import {
  bringChecksBack,
  bringReadingBack,
  claimCheck,
  claimReading,
  listKnownEvents,
  noteReading,
  planCheck,
  purgeEvents,
} from './stripe.queries.ts'
import { FIRST_CHECK_MS, isAway, type StripeHouse } from './stripe.service.ts'

/**
 * Duration of the lease for reading events, in milliseconds. Longer than reading one day's events takes. After the
 * lease, another process can resume.
 */
const LEASE_MS = 600_000
/** Overlap between readings, in milliseconds. Stripe may list events later than their timestamps suggest. */
const OVERLAP_MS = 600_000
/** Period for which Stripe lists events, in milliseconds. */
const LISTED_MS = 30 * DAY_MS
const KEPT_MS = LISTED_MS + DAY_MS
/** Tolerated clock difference between processes, in milliseconds. */
const AHEAD_MS = 1_000

/**
 * Returns three tasks. If callbacks fail, the first two settle payments: one checks sessions, and the other reads the
 * list of events. The third task purges old events.
 */
export function stripeTasks({ database, clock, log }: Kit, api: StripeApi, house: StripeHouse): Task[] {
  const later = (ms: number) => new Date(clock.now().getTime() + ms)

  /** Reads the events of a period. Returns the time of the earliest event that failed, if any. */
  const readEvents = async (from: Date, to: Date, ending: AbortSignal | undefined): Promise<Date | undefined> => {
    let failedAt: Date | undefined
    for await (const events of api.listEvents(from, to)) {
      if (events.length === 0) break
      const ids = events.map(({ id }) => id)
      const known = await database.read((db) => listKnownEvents(db, ids))
      for (const event of events) {
        if (ending?.aborted) return undefined
        if (known.has(event.id)) continue
        await house.receive(event).catch((error) => {
          if (isAway(error)) throw error
          // Stripe lists the newest events first, so the last failure is that of the earliest failed event.
          failedAt = event.createdAt
        })
      }
    }
    return failedAt
  }

  return [
    {
      name: 'stripe-sessions',
      everyMs: 60_000,
      async once(ending) {
        const until = later(FIRST_CHECK_MS)
        const paymentId = await database.inTx((tx) => claimCheck(tx, clock.now(), until))
        if (!paymentId || ending?.aborted) return 'done'
        await house.check(paymentId).catch((error) => {
          // Stops if Stripe or the database is unavailable, because every check would fail.
          if (isAway(error) && !isLastingRefusal(error)) throw error
          log.error({ err: error.cause ?? error, payment_id: paymentId }, 'could not refresh a payment')
        })
        await database.inTx((tx) => planCheck(tx, paymentId, until, { now: clock.now(), minimumMs: FIRST_CHECK_MS }))
        return 'more'
      },
    },
    {
      name: 'stripe-events',
      everyMs: 300_000,
      async once(ending) {
        const now = clock.now()
        let lease: Date | null = later(LEASE_MS)
        let from = await database.inTx((tx) => claimReading(tx, now, lease!))
        if (!from) return 'done'
        let failedAt: Date | undefined
        // Reads one day at a time. Unless an event has failed, a restart then repeats at most the current day.
        while (lease) {
          const to: Date = new Date(Math.min(now.getTime(), from.getTime() + DAY_MS))
          const begin = new Date(from.getTime() - OVERLAP_MS)
          const failed = await readEvents(begin, new Date(to.getTime() + 1_000), ending)
          if (ending?.aborted) return 'done'
          failedAt ??= failed
          const [until, next]: [Date, Date | null] = [lease, to < now ? later(LEASE_MS) : null]
          if (!(await database.inTx((tx) => noteReading(tx, until, failedAt ?? to, next)))) return 'done'
          ;[from, lease] = [to, next]
        }
        return 'done'
      },
    },
    batchTask('stripe-event-purge', 3_600_000, 1_000, (limit) =>
      database.inStatement((tx) => purgeEvents(tx, later(-KEPT_MS), limit)),
    ),
  ]
}

/** Corrects the times of checks and of reading after the clock has been set back. */
export async function bringStripeBack(tx: Tx, now: Date): Promise<void> {
  await bringChecksBack(tx, now, FIRST_CHECK_MS)
  const after = (ms: number) => new Date(now.getTime() + ms)
  // Starts reading over, because progress recorded with the wrong clock is useless. Known events are skipped.
  await bringReadingBack(tx, after(AHEAD_MS), after(LEASE_MS), after(-LISTED_MS))
}
