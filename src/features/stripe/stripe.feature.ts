import { defineFeature } from '../feature.ts'
import { createStripeMetrics } from './stripe.metrics.ts'
import { registerStripeEvents } from './stripe.routes.ts'
import { StripeHouse } from './stripe.service.ts'
import { bringStripeBack, stripeTasks } from './stripe.tasks.ts'

/** Payments through Stripe Checkout. */
export const stripe = defineFeature({
  name: 'stripe',
  isOptional: true,
  open(kit) {
    const { stripe: api } = kit
    // Corrects stored times even if this process does not use Stripe, because other processes may.
    if (!api) return { afterClockStep: bringStripeBack }
    const house = new StripeHouse({ ...kit, api, metrics: createStripeMetrics(kit.metrics) })
    return {
      root: (root) => registerStripeEvents(root, kit, api, house),
      tasks: stripeTasks(kit, api, house),
      afterClockStep: bringStripeBack,
      paymentHouse: house,
    }
  },
})
