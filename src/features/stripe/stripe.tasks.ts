import type { Task } from '../../background/loop.ts'
import type { Database } from '../../db/database.ts'
import { AppError } from '../../lib/errors.ts'
import { type Clock, DAY_MS } from '../../lib/time.ts'
import { isRefusal, type StripeApi } from './stripe.api.ts'
import { claimChecks, claimReading, finishReading, listKnownEvents, purgeEvents } from './stripe.queries.ts'
import { FIRST_CHECK_MS, type StripeHouse, type StripeLog } from './stripe.service.ts'

const CHECKS = 20
/** Longer than reading a day takes; a process that dies gives it up after this. */
const LEASE_MS = 600_000
/** Events may be listed later than the time that they bear. */
const OVERLAP_MS = 600_000
/** Stripe lists events for 30 days, and sends them again for three. */
const KEPT_MS = 31 * DAY_MS
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
  return [
    {
      name: 'stripe-sessions',
      everyMs: 60_000,
      async once(ending) {
        const due = await database.inTx((tx) => claimChecks(tx, clock.now(), FIRST_CHECK_MS, CHECKS))
        for (const paymentId of due) {
          if (ending?.aborted) return 'done'
          await house.check(paymentId).catch((error) => {
            // Of one that Stripe does not know the others need not wait.
            if (!isRefusal(error)) throw error
            log.error({ err: error.cause, payment_id: paymentId }, 'Stripe does not tell of a payment')
          })
        }
        return due.length === CHECKS ? 'more' : 'done'
      },
    },
    {
      name: 'stripe-events',
      everyMs: 300_000,
      async once(ending) {
        const now = clock.now()
        const lease = new Date(now.getTime() + LEASE_MS)
        const from = await database.inTx((tx) => claimReading(tx, now, lease))
        if (!from) return 'done'
        // A day at a time: what is read of a day need not be read again.
        const to = new Date(Math.min(now.getTime(), from.getTime() + DAY_MS))
        for await (const events of api.listEvents(
          new Date(from.getTime() - OVERLAP_MS),
          new Date(to.getTime() + 1_000),
        )) {
          if (events.length === 0) break
          const known = await database.read((db) =>
            listKnownEvents(
              db,
              events.map(({ id }) => id),
            ),
          )
          for (const event of events) {
            if (ending?.aborted) return 'done'
            if (known.has(event.id)) continue
            await house.receive(event).catch((error) => {
              // One that cannot be understood keeps no other from being heard.
              if (error instanceof AppError) throw error
              log.error({ err: error, stripe_event: event.id }, 'an event of Stripe had no effect')
            })
          }
        }
        await database.inTx((tx) => finishReading(tx, lease, to))
        return to < now ? 'more' : 'done'
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
