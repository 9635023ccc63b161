export type { Attempt, Guard, Outcome, Sealer, WebhookClient } from './webhooks.contract.ts'
export { createDispatcher, type Dispatcher } from './webhooks.dispatcher.ts'
export { createDispatcherMetrics, registerWebhookGauges } from './webhooks.metrics.ts'
export { registerWebhookPages } from './webhooks.pages.ts'
export { webhooksPersonalData } from './webhooks.personal-data.ts'
export {
  countPending,
  countWebhooksByState,
  deleteWebhooksOf,
  findOldestDue,
  sealedWebhookSecrets,
} from './webhooks.queries.ts'
export { registerWebhooks } from './webhooks.routes.ts'
export { type Schedule, standardSchedule } from './webhooks.schedule.ts'
export { webhookComponents } from './webhooks.schemas.ts'
export { opensSecrets } from './webhooks.service.ts'
export { webhookTasks } from './webhooks.tasks.ts'
