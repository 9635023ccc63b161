import { Counter, type Registry } from 'prom-client'

/** Problems that an operator must check. The log uses the same names. */
const troubles = [
  'event_failed',
  'other_amount',
  'other_provider',
  'unknown_payment',
  'paid_twice',
  'session_unknown',
  'job_deleted',
  'disputed',
] as const
export type Trouble = (typeof troubles)[number]
export type StripeMetrics = Counter<'trouble'>

export function createStripeMetrics(registry: Registry): StripeMetrics {
  const counter = new Counter({
    name: 'stripe_troubles_total',
    help: 'Stripe payment problems that an operator must check, by kind; the log contains details',
    labelNames: ['trouble'] as const,
    registers: [registry],
  })
  // Starts each counter at zero; otherwise, monitoring would not see the first problem as an increase.
  for (const trouble of troubles) counter.inc({ trouble }, 0)
  return counter
}
