/**
 * The endpoint for Stripe's callbacks. The endpoint is outside `/v1`, because Stripe has no API key and signs its
 * requests instead.
 */
import type { App } from '../../http/app.ts'
import { AppError } from '../../lib/errors.ts'
import type { Clock } from '../../lib/time.ts'
import type { StripeApi } from './stripe.api.ts'
import type { StripeHouse } from './stripe.service.ts'

export function registerStripeEvents(
  app: App,
  { api, house, clock }: { api: StripeApi; house: StripeHouse; clock: Clock },
): void {
  app.register(async (scope) => {
    // The signature covers the raw bytes.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.post<{ Body: Buffer }>('/payments/stripe/events', async (request) => {
      const signature = String(request.headers['stripe-signature'] ?? '')
      const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const event = api.readCallback(bytes, signature, clock.now())
      if (!event) throw new AppError('bad_request', { detail: 'The body is not a validly signed Stripe event.' })
      await house.receive(event)
      return { received: true }
    })
  })
}
