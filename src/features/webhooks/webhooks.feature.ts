import { defineFeature } from '../feature.ts'
import { createDispatcher } from './webhooks.dispatcher.ts'
import { createDispatcherMetrics, registerWebhookGauges } from './webhooks.metrics.ts'
import { registerWebhookPages } from './webhooks.pages.ts'
import { webhooksPersonalData } from './webhooks.personal-data.ts'
import { countWebhookHoldings } from './webhooks.queries.ts'
import { registerWebhooks } from './webhooks.routes.ts'
import { webhookComponents } from './webhooks.schemas.ts'
import { webhookTasks } from './webhooks.tasks.ts'

/** Webhooks: their administration, and the delivery of events. */
export const webhooks = defineFeature({
  name: 'webhooks',
  isOptional: true,
  schemas: webhookComponents,
  navigation: [{ menu: 'console', href: '/console/webhooks', text: 'Webhooks', rank: 10 }],
  open(kit) {
    const { database, clock, metrics, webhooks: parts } = kit
    registerWebhookGauges(metrics, database, clock)
    const dispatcher = createDispatcher({ ...kit, ...parts, metrics: createDispatcherMetrics(metrics) })
    return {
      api: (v1) => registerWebhooks(v1, { ...kit, ...parts }),
      pages: (pages) => registerWebhookPages(pages, { ...kit, ...parts }),
      tasks: webhookTasks(database, clock, dispatcher),
      personalData: webhooksPersonalData,
      countHoldings: countWebhookHoldings,
      retention: [{ name: 'webhook-deliveries', days: 30, tables: ['webhook_delivery', 'webhook_attempt'] }],
      afterClockStep: (tx, now) => dispatcher.bringBack(tx, now),
      close: () => parts.client.close(),
    }
  },
})
