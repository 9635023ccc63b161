import type { Task } from '../../background/loop.ts'
import type { Database, Tx } from '../../db/database.ts'
import { type Clock, DAY_MS } from '../../lib/time.ts'
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
import { FIRST_CHECK_MS, isAway, type StripeHouse, type StripeLog } from './stripe.service.ts'

/** Longer than reading a day takes; a process that dies gives it up after this. */
const LEASE_MS = 600_000
/** Events may be listed later than the time that they bear. */
const OVERLAP_MS = 600_000
/** Stripe lists events for so long, and sends them again for three days. */
const LISTED_MS = 30 * DAY_MS
const KEPT_MS = LISTED_MS + DAY_MS
/** Two processes read the same clock a moment apart. */
const AHEAD_MS = 1_000
const PURGE_BATCH = 1_000

interface StripeTaskDeps {
  database: Database
  clock: Clock
  api: StripeApi
  house: StripeHouse
  log: StripeLog
}

/** What becomes of payments whose callback does not come: sessions are asked about, and the list of events is read. */
export function stripeTasks({ database, clock, api, house, log }: StripeTaskDeps): Task[] {
  const later = (ms: number) => new Date(clock.now().getTime() + ms)

  /** Reads the events of a span; answers when the first was that is to be read again, as a fault of ours keeps it back. */
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
          // It keeps no other from being heard. They come newest first.
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
          // Who is away is away for all of them; this one is due again in five minutes.
          if (isAway(error) && !isLastingRefusal(error)) throw error
          log.error({ err: error.cause ?? error, payment_id: paymentId }, 'a payment could not be asked about')
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
        // A day at a time: what is read of a day need not be read again, up to the first that is to be.
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
    {
      name: 'stripe-event-purge',
      everyMs: 3_600_000,
      async once() {
        const before = new Date(clock.now().getTime() - KEPT_MS)
        const purged = await database.inStatement((tx) => purgeEvents(tx, before, PURGE_BATCH))
        return purged === PURGE_BATCH ? 'more' : 'done'
      },
    },
  ]
}

/** After the clock was set back: sessions and events are asked for as if it had always been right. */
export async function bringStripeBack(tx: Tx, now: Date): Promise<void> {
  await bringChecksBack(tx, now, FIRST_CHECK_MS)
  const after = (ms: number) => new Date(now.getTime() + ms)
  // Nobody knows when it was read with the wrong clock: from the beginning, then, which changes nothing that is known.
  await bringReadingBack(tx, after(AHEAD_MS), after(LEASE_MS), after(-LISTED_MS))
}
