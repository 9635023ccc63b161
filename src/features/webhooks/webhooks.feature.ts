import { defineFeature } from '../feature.ts'
import { webhookRetentionTasks } from './webhook-retention.tasks.ts'
import { Dispatcher } from './webhooks.dispatcher.ts'
import { webhookDisabledMails, webhookFailingMails } from './webhooks.mails.ts'
import { createDispatcherMetrics, registerWebhookGauges } from './webhooks.metrics.ts'
import { registerWebhookPages } from './webhooks.pages.ts'
import { webhooksPersonalData } from './webhooks.personal-data.ts'
import { countWebhookHoldings } from './webhooks.queries.ts'
import { registerWebhooks } from './webhooks.routes.ts'
import { webhookComponents } from './webhooks.schemas.ts'
import { webhookTasks } from './webhooks.tasks.ts'

export const webhooks = defineFeature({
  name: 'webhooks',
  tag: 'Webhooks',
  isOptional: true,
  personalColumns: {
    webhook: {
      columns: ['url', 'description'],
      purpose: 'tells the service where to send events, and describes the webhook to its owner',
      until: 'the webhook is deleted, or the account is closed',
    },
    webhook_attempt: {
      columns: ['address', 'response_excerpt'],
      purpose: 'shows the owner of a webhook why a delivery failed',
      until: 'up to 31 days after the delivery was queued, longer while a delivery of the same event is pending',
    },
  },
  schemas: webhookComponents,
  examples: {
    duration_ms: 84,
    grace_period_seconds: 86_400,
    response_status: 200,
    secret: 'whsec_for_the_documentation_only',
    since: '2026-03-01T00:00:00.000Z',
    until: '2026-03-02T09:15:00.000Z',
    url: 'https://hooks.voltaire.example/board',
  },
  navigation: [{ menu: 'console', href: '/console/webhooks', text: 'menu.webhooks', rank: 10 }],
  open(kit) {
    const { database, clock, metrics, webhooks: parts } = kit
    const urlOf = kit.linkTo('/console/webhooks/:id', '/v1/webhooks/:id')
    registerWebhookGauges(metrics, database, clock)
    const deps = { ...kit, ...parts }
    const dispatcher = new Dispatcher({ ...deps, metrics: createDispatcherMetrics(metrics) })
    return {
      api: (v1) => registerWebhooks(v1, deps),
      pages: (pages) => registerWebhookPages(pages, deps),
      tasks: [...webhookTasks(database, clock, dispatcher), ...webhookRetentionTasks(database, clock)],
      mails: { 'webhook-disabled': webhookDisabledMails(urlOf), 'webhook-failing': webhookFailingMails(urlOf) },
      personalData: webhooksPersonalData,
      countHoldings: countWebhookHoldings,
      retention: [
        {
          name: 'webhook-deliveries',
          days: 30,
          tables: ['webhook_delivery', 'webhook_delivery_settled', 'webhook_attempt'],
        },
      ],
      afterClockStep: (tx, now) => dispatcher.bringBack(tx, now),
      close: () => parts.client.close(),
    }
  },
})
