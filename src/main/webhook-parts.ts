/** What webhooks are judged, sealed and sent by: the one place where `src/delivery` and the secret box go in. */
import type { Guard, Sealer, WebhookClient } from '../features/webhooks/index.ts'

export interface WebhookParts {
  guard: Guard
  client: WebhookClient
  secrets: Sealer
  /** The longest that the client takes for an attempt. */
  timeoutMs: number
}

/** Stand-ins: nothing is sent, and secrets are only encoded. */
export function createWebhookParts(): WebhookParts {
  return {
    guard: {
      checkUrl: (text) => (URL.parse(text)?.protocol === 'https:' ? undefined : 'url must be an https address.'),
      checkHost: async () => undefined,
    },
    client: {
      send: async () => ({
        startedAt: new Date(),
        durationMs: 0,
        status: null,
        errorClass: 'connect',
        reason: 'There is no client.',
        retryAfterMs: null,
        excerpt: null,
        address: null,
      }),
      close: async () => {},
    },
    secrets: {
      seal: (text, context) => Buffer.from(`${context}\n${text}`).toString('base64'),
      open: (sealed) => Buffer.from(sealed, 'base64').toString().split('\n')[1]!,
    },
    timeoutMs: 15_000,
  }
}
