/** Daily figures of the board, for the charts of the admin overview. */
import type { Database, Reader } from '../../db/database.ts'
import { type Clock, DAY_MS, utcDay } from '../../lib/time.ts'
import { countNewAccountsByDay } from '../accounts/index.ts'
import { countApplicationsByDay } from '../applications/index.ts'
import { dayOf } from '../job-statistics/index.ts'
import { countPostedJobsByDay } from '../jobs/index.ts'
import { sumPaymentsByDay } from '../payments/index.ts'
import { countDeliveriesByDay } from '../webhooks/index.ts'

/** Number of days, including today. */
const DAYS = 30
/** The figures may be this old, because counting the deliveries of a busy board takes a while. */
const MAX_AGE_MS = 60_000

/** A figure with a value for each day, oldest first. */
export interface Series {
  title: string
  /** Currency of amounts in minor units. Undefined for counts. */
  currency?: string
  values: readonly number[]
}

export interface Activity {
  /** UTC days, oldest first. */
  days: readonly string[]
  series: readonly Series[]
}

/** Returns the figures of the last 30 days. */
export async function findActivity(reader: Reader, now: Date): Promise<Activity> {
  const since = new Date((utcDay(now) - DAYS + 1) * DAY_MS)
  const days = Array.from({ length: DAYS }, (_, n) => dayOf(new Date(since.getTime() + n * DAY_MS)))
  const byDay = <T extends { day: string }>(rows: readonly T[], amountOf: (row: T) => number) => {
    const values = new Map(rows.map((row) => [row.day, amountOf(row)]))
    return days.map((day) => values.get(day) ?? 0)
  }
  const counted = (title: string, rows: readonly { day: string; count: number }[]): Series => ({
    title,
    values: byDay(rows, ({ count }) => count),
  })
  const payments = await sumPaymentsByDay(reader, since)
  const deliveries = await countDeliveriesByDay(reader, since)
  const currencies = [...new Set(payments.map(({ currency }) => currency))].sort()
  const revenue = currencies.map((currency) => ({
    title: `Revenue in ${currency}`,
    currency,
    values: byDay(
      payments.filter((row) => row.currency === currency),
      ({ amount }) => amount,
    ),
  }))
  return {
    days,
    series: [
      counted('Jobs posted', await countPostedJobsByDay(reader, since)),
      counted('Applications', await countApplicationsByDay(reader, since)),
      counted('New candidates', await countNewAccountsByDay(reader, 'candidate', since)),
      counted('New employers', await countNewAccountsByDay(reader, 'employer', since)),
      ...(revenue.length > 0 ? revenue : [{ title: 'Revenue', values: days.map(() => 0) }]),
      { title: 'Webhook deliveries', values: byDay(deliveries, ({ delivered }) => delivered) },
      { title: 'Failed webhook deliveries', values: byDay(deliveries, ({ failed }) => failed) },
    ],
  }
}

/** Returns a function that returns the figures, which are at most a minute old. */
export function rememberActivity(database: Database, clock: Clock): () => Promise<Activity> {
  let kept: { at: number; activity: Promise<Activity> } | undefined
  return () => {
    const now = clock.now()
    const age = kept && now.getTime() - kept.at
    if (!kept || age! < 0 || age! >= MAX_AGE_MS) {
      const activity = database.read((db) => findActivity(db, now))
      kept = { at: now.getTime(), activity }
      // The next request tries again after an error.
      activity.catch(() => {
        kept = undefined
      })
    }
    return kept.activity
  }
}
