import { Counter, type Registry } from 'prom-client'
import type { MailKind } from './queue.ts'

/** Counts the outcomes of emails. */
export type MailMetrics = Counter<'kind' | 'outcome'>

export function createMailMetrics(registry: Registry, kinds: readonly MailKind[]): MailMetrics {
  const mails = new Counter({
    name: 'mails_total',
    help: 'Finished attempts to send an email, by kind and outcome: sent, failed, unknown or postponed',
    labelNames: ['kind', 'outcome'] as const,
    registers: [registry],
  })
  // Initialized to zero, so that the first failure shows as an increase.
  for (const kind of kinds) {
    for (const outcome of ['sent', 'failed', 'unknown', 'postponed']) mails.inc({ kind, outcome }, 0)
  }
  return mails
}
