export { CONNECT_MS, createWebhookClient, retryAfterMs } from './webhooks.client.ts'
export { Connections, Failure } from './webhooks.connections.ts'
export type { UrlGuard, WebhookParts } from './webhooks.contract.ts'
export { createGuard, dnsTexts, type PortRange } from './webhooks.guard.ts'
export {
  countDeliveriesByDay,
  countExhausted,
  countPending,
  countWebhooksByState,
  deleteWebhooksOf,
  findOldestDue,
  sealedWebhookSecrets,
} from './webhooks.queries.ts'
export { type Schedule, standardSchedule } from './webhooks.schedule.ts'
export { opensSecrets, withUrlFaults } from './webhooks.service.ts'
export { attemptHeaders, newWebhookSecret } from './webhooks.signature.ts'
