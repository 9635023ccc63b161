/**
 * The endpoint for Stripe's callbacks. It is outside `/v1`, because Stripe signs its requests instead of sending an API
 * key.
 */
import type { App } from '../../http/app.ts'
import { AppError } from '../../lib/errors.ts'
import type { Kit } from '../feature.ts'
import type { StripeApi } from './stripe.api.ts'
import type { StripeHouse } from './stripe.service.ts'

export function registerStripeEvents(app: App, { clock }: Kit, api: StripeApi, house: StripeHouse): void {
  app.register(async (scope) => {
    // Keeps the raw bytes, because the signature covers them.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.post<{ Body: Buffer | undefined }>('/payments/stripe/events', async ({ body, headers }) => {
      // If the request has no body, the app sets `body` to an empty object.
      const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
      const event = api.readCallback(bytes, String(headers['stripe-signature'] ?? ''), clock.now())
      if (!event)
        throw new AppError('bad_request', { detail: 'The body is not a Stripe event with a valid signature.' })
      await house.receive(event)
      return { received: true }
    })
  })
}
