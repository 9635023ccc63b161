/** What this feature needs of those who judge targets, send to them and keep secrets. */

import type { Guard as TargetGuard } from '../../delivery/guard.ts'
import type { SecretBox } from '../../lib/secret-box.ts'

export type { Attempt, ErrorClass, Outcome, WebhookClient } from '../../delivery/client.ts'

/** Judges where webhooks may go; the client judges again at every connection. */
export type Guard = Pick<TargetGuard, 'checkUrl' | 'checkHost'>

/** Keeps texts encrypted; what was sealed under a context opens under no other. */
export type Sealer = Pick<SecretBox, 'seal' | 'open' | 'openBytes' | 'keyIds'>

/** What the secrets of a webhook are sealed under. */
export function secretContext(webhookId: string): string {
  return `webhook ${webhookId}`
}
