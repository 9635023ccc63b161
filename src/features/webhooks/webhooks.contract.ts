/** Types of the objects that webhooks use, such as the target guard, the client and the secret encryption. */

import type { SecretBox } from '../../lib/secret-box.ts'
import type { WebhookClient } from './webhooks.client.ts'
import type { Connections } from './webhooks.connections.ts'
import type { Guard, Texts } from './webhooks.guard.ts'
import type { Schedule } from './webhooks.schedule.ts'

export type { Attempt, ErrorClass, Outcome, WebhookClient } from './webhooks.client.ts'

export interface WebhookParts {
  guard: UrlGuard
  client: WebhookClient
  /** Opens connections to hosts that webhooks may reach, for requests that are not deliveries. */
  connections: Pick<Connections, 'open' | 'drop'>
  /** Finds the TXT records of a name. */
  texts: Texts
  secrets: Sealer
  /** Maximum duration of an attempt in milliseconds. */
  timeoutMs: number
  schedule: Schedule
}

/** Checks the URLs of webhooks and feeds. The client checks the address again for every connection. */
export type UrlGuard = Pick<Guard, 'checkUrl' | 'checkHost'>

/** Encrypts and decrypts texts. A text encrypted in one context cannot be decrypted in another. */
export type Sealer = Pick<SecretBox, 'seal' | 'open' | 'openBytes' | 'keyIds'>

/** Returns the encryption context of a webhook's secrets. */
export const secretContext = (webhookId: string) => `webhook ${webhookId}`
