/** Receivers of webhooks without a network: what is sent to them is recorded, and a test says how each answers. */
import type { Attempt, Guard, Outcome, WebhookClient } from '../../src/features/webhooks/index.ts'
import type { Clock } from '../../src/lib/time.ts'

/** How an attempt is answered: by a status, by a failure, or when a promise says so. */
export type Reply = number | Partial<Outcome> | Promise<number | Partial<Outcome>>

export class Receiver implements WebhookClient {
  /** Everything that was sent, in the order in which it was begun. */
  readonly sent: Attempt[] = []
  /** How attempts are answered. */
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

  /** What was sent to an address, in order. */
  to(url: string): Attempt[] {
    return this.sent.filter((attempt) => attempt.url === url)
  }
}

/** Takes https addresses but for names that are not public; `nowhere.example` has no address. */
export const webhookGuard: Guard = {
  checkUrl(text) {
    const url = URL.parse(text)
    if (url?.protocol !== 'https:') return 'url must be an https address.'
    if (url.username !== '' || url.password !== '') return 'url must have no credentials.'
    if (url.hash !== '' || text.includes('#')) return 'url must have no fragment.'
    if (url.hostname === 'localhost' || /^[\d.]+$/.test(url.hostname)) return 'url must be a public address.'
    return undefined
  },
  checkHost: async ({ hostname }) =>
    hostname === 'inside.example' ? 'inside.example is not a public address.' : undefined,
}
