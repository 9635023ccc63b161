import { notify, type Reader, type Tx } from '../../db/database.ts'
import { TOO_LARGE } from '../../events/outbox.ts'
import type { Change, Submission } from '../../lib/changes.ts'
import type { Precondition } from '../../lib/entity-tags.ts'
import { AppError, type BodyFault, found, validationFailed } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { compareWithPresent, soundMembers } from '../../lib/merge.ts'
import type { Actor } from '../../lib/scopes.ts'
import { type Clock, parseTime } from '../../lib/time.ts'
import { storedKeyOf } from '../accounts/index.ts'
import { describedEventTypes, type EventEnvelope } from '../events/index.ts'
import { type Outcome, type Sealer, secretContext, type UrlGuard, type WebhookClient } from './webhooks.contract.ts'
import { cancelPending } from './webhooks.dispatch-queries.ts'
import { openSecrets } from './webhooks.dispatcher.ts'
import { HEALTHY, later } from './webhooks.health.ts'
import { presentWebhook } from './webhooks.present.ts'
import {
  countWebhooksLocked,
  type DeliveryRow,
  deleteWebhookRows,
  findDelivery,
  findLatestWebhook,
  findRecovery,
  findWebhook,
  insertRecovery,
  insertWebhook,
  lockEvent,
  lockWebhook,
  namesOtherKey,
  noteTest,
  type RecoveryRow,
  updateWebhookRow,
  type WebhookRow,
} from './webhooks.queries.ts'
import {
  changeableMembers,
  type RecoveryBody,
  type RotationBody,
  type TestBody,
  type WebhookBody,
  type WebhookMergeBody,
} from './webhooks.schemas.ts'
import { requestAttempt } from './webhooks.settled-queries.ts'
import { newWebhookSecret } from './webhooks.signature.ts'

const WEBHOOKS_MAX = 20
const TEST_PAUSE_MS = 5_000
const GRACE_SECONDS = 86_400

/**
 * Adds a fault to the faults of a body if the service must not send requests to its URL. Must not run inside a
 * transaction, because resolving the host name can take seconds.
 */
export async function withUrlFaults(
  guard: UrlGuard,
  body: { url?: unknown },
  faults: readonly BodyFault[],
): Promise<readonly BodyFault[]> {
  if (typeof body.url !== 'string' || faults.some(({ pointer }) => pointer === '#/url')) return faults
  const detail = guard.checkUrl(body.url) ?? (await guard.checkHost(new URL(body.url)))
  if (detail === undefined) return faults
  return [...faults, { pointer: '#/url', code: 'not_allowed', detail, words: { key: 'fault.webhook_url' } }]
}

interface NewWebhook extends Submission<WebhookBody> {
  actor: Pick<Actor, 'accountId' | 'kind' | 'key'>
  secrets: Sealer
}

/** Creates a webhook. `faults` contains all faults found so far, including those in the URL. */
export async function createWebhook(
  tx: Tx,
  { secrets, actor, body, faults, now }: NewWebhook,
): Promise<{ row: WebhookRow; secret: string }> {
  if (faults.length > 0) throw validationFailed(faults)
  if ((await countWebhooksLocked(tx, actor.accountId)) >= WEBHOOKS_MAX) {
    const detail = `An account can have at most ${WEBHOOKS_MAX} webhooks. Delete one first.`
    const words = { key: 'problem.webhooks_max', values: { limit: WEBHOOKS_MAX } } as const
    throw new AppError('limit_reached', { detail, words, extra: { limit: WEBHOOKS_MAX } })
  }
  const { url, events, description = null, secret = newWebhookSecret() } = body
  const id = newId('webhook')
  const row = await insertWebhook(tx, {
    id,
    owner_id: actor.accountId,
    audience: actor.kind === 'admin' || actor.kind === 'integrator' ? '*' : actor.accountId,
    url,
    events: [...new Set(events)],
    description,
    ...keyColumns(actor),
    secret_sealed: secrets.seal(secret, secretContext(id)),
    watched_from: now,
    created_at: now,
    updated_at: now,
  })
  return { row, secret }
}

/**
 * Returns the columns for the key that created or last changed the webhook. When this key is deleted or expires, the
 * webhook is disabled.
 */
function keyColumns(actor: Pick<Actor, 'key'>) {
  const key = storedKeyOf(actor)
  return { ends_with_key: key !== undefined, key_id: key?.id ?? null, key_expires_at: key?.expiresAt ?? null }
}

export async function getWebhook(reader: Reader, ownerId: string, id: string): Promise<WebhookRow> {
  return found(await findWebhook(reader, ownerId, id))
}

/**
 * Returns whether the configured keys can decrypt the stored secrets. Checks the key IDs of all secrets in use, and
 * decrypts the current secret of the newest webhook.
 */
export async function opensSecrets(reader: Reader, secrets: Sealer): Promise<boolean> {
  if (await namesOtherKey(reader, secrets.keyIds)) return false
  const latest = await findLatestWebhook(reader)
  if (!latest) return true
  try {
    secrets.open(latest.secret_sealed, secretContext(latest.id))
    return true
  } catch {
    return false
  }
}

async function getWebhookLocked(tx: Tx, ownerId: string, id: string): Promise<WebhookRow> {
  return found(await lockWebhook(tx, ownerId, id))
}

interface WebhookChange extends Change<WebhookMergeBody> {
  actor: Pick<Actor, 'accountId' | 'key'>
}

/**
 * Merges a body into a webhook. If the actor has a key, the webhook depends on it from then on: the webhook is disabled
 * when this key is deleted or expires. `faults` contains all faults found so far, including those in the URL.
 */
export async function updateWebhook(
  tx: Tx,
  { actor, id, body, faults, precondition, now }: WebhookChange,
): Promise<WebhookRow> {
  const row = await getWebhookLocked(tx, actor.accountId, id)
  const sound = soundMembers(body, faults)
  const { changed, faults: readOnlyFaults } = compareWithPresent(presentWebhook(row), sound, changeableMembers)
  const allFaults = [...faults, ...readOnlyFaults]
  if (changed.includes('status') && body.status === 'disabled') {
    const detail = 'Only the service can set status to disabled. Use paused instead.'
    allFaults.push({ pointer: '#/status', code: 'not_allowed', detail })
  }
  if (allFaults.length > 0) throw validationFailed(allFaults)
  precondition(presentWebhook(row))
  const { url = row.url, events = row.events, description = row.description, status = row.status } = body
  const isActivated = changed.includes('status') && status === 'active'
  // Also cancels pending deliveries on activation, because earlier events must not be sent.
  if (changed.includes('status')) await cancelPending(tx, id, now)
  return updateWebhookRow(tx, id, {
    url,
    events: [...new Set(events)],
    description,
    status,
    ...keyColumns(actor),
    ...(status !== 'disabled' && { disabled_reason: null, disabled_at: null }),
    // The receiver is new or was repaired, so earlier failures no longer count.
    ...((isActivated || changed.includes('url')) && { watched_from: now, ...HEALTHY }),
    updated_at: now,
  })
}

export async function deleteWebhook(tx: Tx, ownerId: string, id: string, precondition: Precondition): Promise<void> {
  precondition(presentWebhook(await getWebhookLocked(tx, ownerId, id)))
  await deleteWebhookRows(tx, [id])
}

/** A webhook in a request's path, and the account that must own it. */
interface OwnWebhook {
  owner: Pick<Actor, 'accountId'>
  params: { id: string }
}

/** Replaces the secret of a webhook. The previous secret also signs deliveries until its grace period ends. */
export async function rotateSecret(
  tx: Tx,
  { secrets, owner, params, body, now }: OwnWebhook & { secrets: Sealer; body: RotationBody; now: Date },
): Promise<{ row: WebhookRow; secret: string }> {
  const { id } = params
  const present = await getWebhookLocked(tx, owner.accountId, id)
  const { grace_period_seconds = GRACE_SECONDS, force = false, secret = newWebhookSecret() } = body
  const { previous_secret_until } = present
  if (!force && previous_secret_until !== null && previous_secret_until > now) {
    const detail = 'The previous secret is still valid. Wait until its grace period ends, or set force.'
    throw new AppError('conflict', {
      detail,
      words: { key: 'problem.secret_still_valid' },
      extra: { grace_period_ends_at: previous_secret_until.toISOString() },
    })
  }
  const hasGrace = grace_period_seconds > 0
  const row = await updateWebhookRow(tx, id, {
    secret_sealed: secrets.seal(secret, secretContext(id)),
    previous_secret_sealed: hasGrace ? present.secret_sealed : null,
    previous_secret_until: hasGrace ? new Date(now.getTime() + grace_period_seconds * 1_000) : null,
    updated_at: now,
  })
  return { row, secret }
}

/** Records a webhook test. Throws `rate_limited` with the remaining time if the last test is too recent. */
export async function beginTest(tx: Tx, webhook: WebhookRow, now: Date): Promise<void> {
  if (await noteTest(tx, webhook.id, new Date(now.getTime() - TEST_PAUSE_MS), now)) return
  const seconds = TEST_PAUSE_MS / 1_000
  const { tested_at } = webhook
  const waitMs = tested_at === null ? TEST_PAUSE_MS : tested_at.getTime() + TEST_PAUSE_MS - now.getTime()
  throw new AppError('rate_limited', {
    detail: `A webhook can be tested at most once every ${seconds} seconds.`,
    words: { key: 'problem.test_pause', values: { seconds } },
    headers: { 'retry-after': String(Math.min(seconds, Math.max(1, Math.ceil(waitMs / 1_000)))) },
  })
}

/** Sends a sample event to a webhook once, without storing the result. Must not run inside a transaction. */
export async function sendSample(
  { client, secrets, clock }: { client: WebhookClient; secrets: Sealer; clock: Clock },
  webhook: WebhookRow,
  body: TestBody,
): Promise<{ event: EventEnvelope; outcome: Outcome }> {
  const type = body.type ?? (webhook.events[0] as WebhookBody['events'][number])
  const { sample } = describedEventTypes.find((described) => described.type === type)!
  const event = { ...sample, id: newId('event'), type, created_at: clock.now().toISOString() } as EventEnvelope
  const outcome = await client.send({
    url: webhook.url,
    body: JSON.stringify(event),
    secrets: openSecrets(secrets, { webhook_id: webhook.id, ...webhook }, clock.now()),
    eventId: event.id,
    eventType: type,
    deliveryId: newId('webhookDelivery'),
    number: 1,
    isTest: true,
  })
  return { event, outcome }
}

export async function getDelivery(...query: Parameters<typeof findDelivery>): Promise<DeliveryRow> {
  return found(await findDelivery(...query))
}

export async function getRecovery(...query: Parameters<typeof findRecovery>): Promise<RecoveryRow> {
  return found(await findRecovery(...query))
}

/** Queues one more attempt for a delivery in any state. */
export async function retryDelivery(
  tx: Tx,
  { owner, params, now }: OwnWebhook & { params: { delivery_id: string }; now: Date },
): Promise<DeliveryRow> {
  const { accountId } = owner
  // Locks the webhook first, like all other code, because deadlocks would otherwise be possible.
  const webhook = await getWebhookLocked(tx, accountId, params.id)
  const delivery = await getDelivery(tx, accountId, params)
  requireActive(webhook)
  if (delivery.last_reason === TOO_LARGE) {
    throw new AppError('conflict', { detail: TOO_LARGE, words: { key: 'problem.event_too_large' } })
  }
  if (!(await lockEvent(tx, delivery.event_id))) {
    const detail = 'The event was deleted. Events are kept for 30 days, and superseded updates for about a day.'
    throw new AppError('conflict', { detail, words: { key: 'problem.event_deleted' } })
  }
  await closeBreaker(tx, params.id)
  notify(tx, 'webhook-deliveries')
  return found(await requestAttempt(tx, delivery, now))
}

/** Closes the breaker, because its pause would delay the requested attempts. The owner expects the receiver to work. */
const closeBreaker = (tx: Tx, webhookId: string) =>
  updateWebhookRow(tx, webhookId, { breaker_trips: 0, breaker_until: null })

function requireActive({ status }: WebhookRow): void {
  if (status === 'active') return
  throw new AppError('conflict', {
    detail: `The webhook is ${status}. Set its status to active first.`,
    words: { key: 'problem.webhook_inactive', values: { status } },
    extra: { webhook_status: status },
  })
}

/** Starts a recovery, which sends events that were never queued, or whose deliveries failed or were canceled. */
export async function recoverEvents(
  tx: Tx,
  { owner, params, body, faults, now }: OwnWebhook & Submission<RecoveryBody>,
): Promise<RecoveryRow> {
  const webhook = await getWebhookLocked(tx, owner.accountId, params.id)
  const isSound = (name: string) => !faults.some(({ pointer }) => pointer === `#/${name}` || pointer === '#')
  const since = isSound('since') ? parseTime(body.since, 'start')! : undefined
  const until = !isSound('until') ? undefined : body.until === undefined ? now : parseTime(body.until, 'end')!
  const allFaults = [...faults]
  if (since && until && since >= until) {
    const detail = body.until === undefined ? 'since must not be in the future.' : 'since must be before until.'
    allFaults.push({ pointer: '#/since', code: 'invalid_range', detail, words: { key: 'fault.since' } })
  }
  if (allFaults.length > 0) throw validationFailed(allFaults)
  requireActive(webhook)
  // Earlier events were not intended for this webhook.
  const from = later(since!, webhook.created_at)
  if (from > until!) {
    const detail = 'until must be after the webhook was created.'
    throw validationFailed([{ pointer: '#/until', code: 'invalid_range', detail, words: { key: 'fault.until' } }])
  }
  await closeBreaker(tx, params.id)
  return insertRecovery(tx, {
    id: newId('webhookRecovery'),
    webhook_id: params.id,
    since: from,
    until: until!,
    reached_at: from,
    created_at: now,
  })
}
