/** Daily figures of the board for the charts in the admin overview. */
import type { Database, Reader } from '../../db/database.ts'
import { type Clock, DAY_MS, utcDay } from '../../lib/time.ts'
import type { MessageKey } from '../../locale/messages.ts'
import { countNewAccountsByDay } from '../accounts/index.ts'
import { countApplicationsByDay } from '../applications/index.ts'
import { dayOf } from '../job-statistics/index.ts'
import { countPostedJobsByDay } from '../jobs/index.ts'
import { sumPaymentsByDay } from '../payments/index.ts'
import { countDeliveriesByDay } from '../webhooks/index.ts'

/** Number of days, including today. */
const DAYS = 30
/**
 * Maximum age of the cached figures in milliseconds. They are cached because counting the deliveries of a busy board
 * takes a while.
 */
const MAX_AGE_MS = 60_000

/** A figure with a value for each day, oldest first. */
export interface Series {
  title: MessageKey
  /** Currency of the amounts, which are in minor units. Undefined for counts, and for revenue without payments. */
  currency?: string
  values: readonly number[]
}

export interface Activity {
  /** UTC days, oldest first. */
  days: readonly string[]
  series: readonly Series[]
  /** Whether the numbers of deliveries are estimates. */
  isEstimated: boolean
}

async function findActivity(reader: Reader, now: Date): Promise<Activity> {
  const since = new Date((utcDay(now) - DAYS + 1) * DAY_MS)
  const days = Array.from({ length: DAYS }, (_, n) => dayOf(new Date(since.getTime() + n * DAY_MS)))
  const byDay = <T extends { day: string }>(rows: readonly T[], amountOf: (row: T) => number) => {
    const values = new Map(rows.map((row) => [row.day, amountOf(row)]))
    return days.map((day) => values.get(day) ?? 0)
  }
  const counted = (title: MessageKey, rows: readonly { day: string; count: number }[]): Series => ({
    title,
    values: byDay(rows, ({ count }) => count),
  })
  const payments = await sumPaymentsByDay(reader, since)
  const deliveries = await countDeliveriesByDay(reader, since)
  const currencies = [...new Set(payments.map(({ currency }) => currency))].sort()
  const revenue = currencies.map(
    (currency): Series => ({
      title: 'desk.series_revenue_in',
      currency,
      values: byDay(
        payments.filter((row) => row.currency === currency),
        ({ amount }) => amount,
      ),
    }),
  )
  return {
    days,
    isEstimated: deliveries.isEstimated,
    series: [
      counted('desk.series_jobs', await countPostedJobsByDay(reader, since)),
      counted('desk.series_applications', await countApplicationsByDay(reader, since)),
      counted('desk.new_candidates', await countNewAccountsByDay(reader, 'candidate', since)),
      counted('desk.new_employers', await countNewAccountsByDay(reader, 'employer', since)),
      ...(revenue.length > 0 ? revenue : [{ title: 'desk.series_revenue' as const, values: days.map(() => 0) }]),
      { title: 'desk.series_deliveries', values: byDay(deliveries.rows, ({ delivered }) => delivered) },
      { title: 'desk.series_failed_deliveries', values: byDay(deliveries.rows, ({ failed }) => failed) },
    ],
  }
}

/** Returns a function that returns the figures and caches them for a minute. */
export function rememberActivity(database: Database, clock: Clock): () => Promise<Activity> {
  let kept: { at: number; activity: Promise<Activity> } | undefined
  return () => {
    const now = clock.now()
    const age = kept && now.getTime() - kept.at
    if (!kept || age! < 0 || age! >= MAX_AGE_MS) {
      const activity = database.read((db) => findActivity(db, now))
      kept = { at: now.getTime(), activity }
      // If the query fails, the next request tries again.
      activity.catch(() => {
        kept = undefined
      })
    }
    return kept.activity
  }
}
