import { Counter, type Registry } from 'prom-client'
import type { MailKind } from './queue.ts'

/** What becomes of mails. */
export type MailMetrics = Counter<'kind' | 'outcome'>

export function createMailMetrics(registry: Registry, kinds: readonly MailKind[]): MailMetrics {
  const mails = new Counter({
    name: 'mails_total',
    help: 'Ends of attempts to send a mail, by kind and outcome: sent, failed, unknown or postponed',
    labelNames: ['kind', 'outcome'] as const,
    registers: [registry],
  })
  // There from the beginning, so that the first failure is an increase.
  for (const kind of kinds) {
    for (const outcome of ['sent', 'failed', 'unknown', 'postponed']) mails.inc({ kind, outcome }, 0)
  }
  return mails
}
