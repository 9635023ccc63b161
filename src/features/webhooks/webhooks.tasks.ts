import { aborted } from 'node:util'
import { batchTask, type Task, Wake } from '../../background/loop.ts'
import type { Database } from '../../db/database.ts'
import { BODY_BYTES_MAX } from '../../events/outbox.ts'
import type { Clock } from '../../lib/time.ts'
import {
  cancelInactive,
  cancelRecovery,
  disableKeyless,
  lockRecovery,
  recoverStep,
} from './webhooks.dispatch-queries.ts'
import type { Dispatcher } from './webhooks.dispatcher.ts'
import { queueDisabledMails, queueFailingMails } from './webhooks.mails.ts'

/** Maximum number of rows that one round changes or deletes. */
const BATCH = 1_000
/** Maximum number of failing webhooks that one round reports. Each email requires two statements. */
const MAIL_BATCH = 100
const RECOVERY_STEP = 500

/**
 * Returns the tasks that send deliveries, handle ended keys and expired leases, report failing webhooks, and run
 * recoveries.
 */
export function webhookTasks(database: Database, clock: Clock, dispatcher: Dispatcher): Task[] {
  const wake = new Wake()
  database.listen('webhook-deliveries', () => wake.signal())
  dispatcher.onRoom = () => wake.signal()
  return [
    {
      name: 'webhooks',
      everyMs: 1_000,
      soonMs: 250,
      wake,
      once: () => dispatcher.round(),
      async finish(ending) {
        await Promise.race([dispatcher.idle(), ...(ending ? [aborted(ending, dispatcher)] : [])])
        if (ending?.aborted) dispatcher.abandon()
      },
    },
    // Disables a webhook within two seconds after its key ends.
    batchTask('webhook-keys', 1_000, BATCH, (limit) =>
      database.inTx(async (tx) => {
        const now = clock.now()
        const webhooks = await disableKeyless(tx, now, limit)
        await queueDisabledMails(tx, webhooks, now)
        return webhooks.length
      }),
    ),
    batchTask('failing-webhooks', 60_000, MAIL_BATCH, (limit) =>
      database.inTx((tx) => queueFailingMails(tx, clock.now(), limit)),
    ),
    {
      name: 'webhook-leases',
      everyMs: 5_000,
      async once() {
        const reaped = await dispatcher.reap()
        const canceled = await database.inStatement((tx) => cancelInactive(tx, clock.now(), BATCH))
        return reaped === 'more' || canceled === BATCH ? 'more' : 'done'
      },
    },
    {
      name: 'webhook-recoveries',
      everyMs: 1_000,
      once: () =>
        database.inTx(async (tx) => {
          const recovery = await lockRecovery(tx)
          if (!recovery) return 'done'
          const { id, is_active } = recovery
          const now = clock.now()
          if (is_active) await recoverStep(tx, { id, limit: RECOVERY_STEP, bodyBytesMax: BODY_BYTES_MAX, now })
          else await cancelRecovery(tx, id, now)
          return 'more'
        }),
    },
  ]
}
