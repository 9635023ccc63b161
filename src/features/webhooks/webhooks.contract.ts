/** What this feature needs of those who judge targets, send to them and keep secrets. */

/** Judges where webhooks may go. */
export interface Guard {
  /** What is wrong with a text as a target, one sentence. */
  checkUrl(text: string): string | undefined
  /** The same of what its name means now; nothing where nobody knows the name yet. */
  checkHost(url: URL): Promise<string | undefined>
}

export interface SentAttempt {
  url: string
  /** The exact bytes. */
  body: string
  /** The current one first. */
  secrets: readonly string[]
  eventId: string
  eventType: string
  deliveryId: string
  number: number
  isTest?: boolean
}

export type SendingError = 'dns' | 'blocked_address' | 'connect' | 'tls' | 'timeout' | 'reset' | 'http_status'

/** What came of an attempt. */
export interface Outcome {
  startedAt: Date
  durationMs: number
  status: number | null
  /** Null: a 2xx. */
  errorClass: SendingError | null
  reason: string | null
  retryAfterMs: number | null
  /** The beginning of the answer, as text that can be stored. */
  excerpt: string | null
  address: string | null
}

export interface WebhookClient {
  /** Never rejects. */
  send(attempt: SentAttempt): Promise<Outcome>
  close(): Promise<void>
}

/** Keeps texts encrypted; what was sealed under a context opens under no other. */
export interface Sealer {
  seal(text: string, context: string): string
  open(sealed: string, context: string): string
}

/** What the secrets of a webhook are sealed under. */
export function secretContext(webhookId: string): string {
  return `webhook ${webhookId}`
}
