/** Helpers that create webhooks over HTTP, and send and read deliveries. */
import type { Ending } from '../../src/features/webhooks/webhooks.dispatch-queries.ts'
import { type Account, type Board, expectStatus } from './board.ts'
import { taskOf } from './tasks.ts'

export const WEBHOOKS = '/v1/webhooks'

let count = 0
/** Returns a URL that no other webhook has. */
export function hookUrl(): string {
  return `https://hooks-${++count}.example/in`
}

/** Returns a valid body for POST /webhooks. */
export function webhookBody(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return { url: hookUrl(), events: ['job.created'], ...overrides }
}

/** Creates a webhook and returns it, including its secret. */
export async function makeWebhook(board: Board, account: Account, overrides: Record<string, unknown> = {}) {
  return expectStatus(await board.post(WEBHOOKS, account.key, webhookBody(overrides)), 201).body.data
}

/** Returns the result of a successful scheduled attempt that starts and ends at the given time. */
export const successAt = (at: Date, attempt: Pick<Ending, 'id' | 'webhook_id' | 'number'>): Ending => ({
  ...attempt,
  trigger: 'scheduled',
  is_success: true,
  is_gone: false,
  is_telling: true,
  retry_at: null,
  at,
  started_at: at,
  duration_ms: 1,
  status: 200,
  error_class: null,
  reason: null,
  response_excerpt: null,
  address: null,
})

/** Sends all due deliveries and waits for them. */
export async function dispatch(board: Board): Promise<void> {
  const webhooks = taskOf(board, 'webhooks')
  for (let outcome = 'more'; outcome !== 'done'; ) {
    outcome = await webhooks.once()
    await webhooks.finish!()
  }
}

/** Returns the latest deliveries of a webhook, at most 100, newest first. */
export async function deliveriesOf(board: Board, account: Account, id: string) {
  return expectStatus(await board.get(`${WEBHOOKS}/${id}/deliveries?limit=100`, account.key), 200).body.data
}

/** Returns one delivery with its attempts. */
export async function deliveryOf(board: Board, account: Account, webhookId: string, id: string) {
  return expectStatus(await board.get(`${WEBHOOKS}/${webhookId}/deliveries/${id}`, account.key), 200).body.data
}

/** Creates an employer with a webhook that has one due delivery. */
export async function makeDelivery(board: Board, overrides: Record<string, unknown> = {}) {
  const account = await board.employer()
  const webhook = await makeWebhook(board, account, overrides)
  await board.job(account)
  const [delivery] = await deliveriesOf(board, account, webhook.id)
  const read = () => deliveryOf(board, account, webhook.id, delivery.id)
  const path = `${WEBHOOKS}/${webhook.id}/deliveries/${delivery.id}`
  return { account, webhook, id: delivery.id as string, path, read }
}
