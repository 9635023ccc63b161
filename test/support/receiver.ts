/** Webhook receivers without a network. They record requests, and each test scripts the responses. */
import type { Attempt, Outcome, UrlGuard, WebhookClient } from '../../src/features/webhooks/webhooks.contract.ts'
import type { Clock } from '../../src/lib/time.ts'

/** The outcome of an attempt: a status, fields of the outcome, or a promise of either. */
export type Reply = number | Partial<Outcome> | Promise<number | Partial<Outcome>>

export class Receiver implements WebhookClient {
  /** All requests, in the order in which they were sent. */
  readonly sent: Attempt[] = []
  /** Returns an attempt's outcome. */
  reply: (attempt: Attempt) => Reply = () => 200
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async send(attempt: Attempt): Promise<Outcome> {
    const startedAt = this.#clock.now()
    this.sent.push(attempt)
    const reply = await this.reply(attempt)
    const status = typeof reply === 'number' ? reply : (reply.status ?? null)
    const isSuccess = status !== null && status >= 200 && status < 300
    return {
      startedAt,
      durationMs: this.#clock.now().getTime() - startedAt.getTime(),
      status,
      errorClass: isSuccess ? null : status === null ? 'timeout' : 'http_status',
      reason: isSuccess ? null : status === null ? 'No answer came.' : `The answer was ${status}.`,
      retryAfterMs: null,
      excerpt: status === null ? null : 'ok',
      address: null,
      ...(typeof reply === 'object' && reply),
    }
  }

  async close(): Promise<void> {}

  /** Returns the requests to one URL, in order. */
  to(url: string): Attempt[] {
    return this.sent.filter((attempt) => attempt.url === url)
  }
}

/** Accepts https URLs with public host names. Refuses `inside.example`, as if its address were private. */
export const webhookGuard: UrlGuard = {
  checkUrl(text) {
    const url = URL.parse(text)
    if (url?.protocol !== 'https:') return 'url must be an https URL.'
    if (url.username !== '' || url.password !== '') return 'url must have no credentials.'
    if (url.hash !== '' || text.includes('#')) return 'url must have no fragment.'
    if (url.hostname === 'localhost' || /^[\d.]+$/.test(url.hostname)) return 'url must be a public address.'
    return undefined
  },
  checkHost: async ({ hostname }) =>
    hostname === 'inside.example' ? 'inside.example is not a public address.' : undefined,
}
