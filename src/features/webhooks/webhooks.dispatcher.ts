/**
 * Sends due deliveries. Only one worker at a time sends a given delivery. A slow receiver delays only its own
 * deliveries.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { SpanKind } from '@opentelemetry/api'
import { Registry } from 'prom-client'
import { notify, type Tx } from '../../db/database.ts'
import { AppError } from '../../lib/errors.ts'
import { inSpan, markFailed } from '../../lib/tracing.ts'
import type { Kit } from '../feature.ts'
import { type Outcome, type Sealer, secretContext, type WebhookParts } from './webhooks.contract.ts'
import {
  type AttemptError,
  bringDeliveriesBack,
  type Claimed,
  claimDeliveries,
  type Ending,
  finishAttempts,
  isFailure,
  listLost,
} from './webhooks.dispatch-queries.ts'
import { ATTEMPTS_EACH_MAX, Lanes } from './webhooks.lanes.ts'
import { queueDisabledMails } from './webhooks.mails.ts'
import { createDispatcherMetrics, type DispatcherMetrics } from './webhooks.metrics.ts'
import { longestPausesMs, pauseMs } from './webhooks.schedule.ts'

/**
 * Maximum number of attempts in progress per process. Even 60 receivers that hang, with eight attempts each, leave room
 * for others.
 */
const ATTEMPTS_MAX = 512
/** Maximum number of concurrent attempts to a webhook that is failing or has had no successful delivery yet. */
const ATTEMPTS_UNPROVEN_MAX = 2
const FINISH_BATCH = 200
/**
 * How much longer a lease is than an attempt's timeout, in milliseconds. Leaves time to write the result, even after a
 * short database outage.
 */
const LEASE_RESERVE_MS = 20_000
/** Pause between retries of writing results while the database is unavailable, in milliseconds. */
const AWAY_PAUSE_MS = 250
const LOST_BATCH = 200

export interface DispatcherDeps
  extends Pick<Kit, 'database' | 'clock'>,
    Pick<WebhookParts, 'client' | 'secrets' | 'schedule' | 'timeoutMs'> {
  log: { warn(details: object, message: string): void; error(details: object, message: string): void }
  /** By default, metrics are counted, but not exported. */
  metrics?: DispatcherMetrics
  /** Returns a random number from 0 to 1 for the jitter. */
  random?: () => number
}

export class Dispatcher {
  readonly #deps: DispatcherDeps
  readonly #metrics: DispatcherMetrics
  readonly #lanes = new Lanes()
  readonly #attempts = new Set<Promise<void>>()
  readonly #finish: (ending: Ending) => Promise<void>
  #after = ''
  #isAbandoned = false
  /** Called when another round may find deliveries to claim. */
  onRoom: () => void = () => {}

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
    this.#metrics = deps.metrics ?? createDispatcherMetrics(new Registry())
    const write = (endings: readonly Ending[]) => this.#writeWhenThere(endings)
    this.#finish = batched(FINISH_BATCH, write, (error, { id }) => {
      // The delivery will be sent again after its lease expires.
      deps.log.error({ err: error, delivery_id: id }, 'could not store the result of an attempt')
    })
  }

  /** Claims as many due deliveries as the limits allow, and starts sending them. */
  async round(): Promise<'more' | 'some' | 'done'> {
    const { database, clock } = this.#deps
    const limit = ATTEMPTS_MAX - this.#attempts.size
    if (limit === 0) {
      await Promise.race(this.#attempts)
      return 'more'
    }
    const now = clock.now()
    const claim = {
      now,
      leaseUntil: this.#leaseFrom(now),
      after: this.#after,
      limit,
      eachMax: ATTEMPTS_EACH_MAX,
      unprovenMax: ATTEMPTS_UNPROVEN_MAX,
      lanes: this.#lanes.limits,
    }
    const claimed = await database.inStatement((tx) => claimDeliveries(tx, claim))
    for (const [webhookId, all] of Map.groupBy(claimed, ({ webhook_id }) => webhook_id)) {
      this.#lanes.enter(webhookId, all.length, all.length === all[0]!.room)
    }
    for (const one of claimed) this.#begin(one)
    const isFull = claimed.length === limit
    const wasWhole = this.#after === ''
    const ids = claimed.map(({ webhook_id }) => webhook_id).sort()
    this.#after = isFull ? ids.at(-1)! : ''
    if (isFull || !wasWhole) return 'more'
    return claimed.length > 0 ? 'some' : 'done'
  }

  /** Ends attempts whose leases have expired. Returns `more` if the leases of other attempts may have expired too. */
  async reap(): Promise<'more' | 'done'> {
    const { database, clock, log } = this.#deps
    const now = clock.now()
    const lost = await database.inStatement((tx) => listLost(tx, now, LOST_BATCH))
    if (lost.length === 0) return 'done'
    this.#metrics.leasesExpired.inc(lost.length)
    log.warn({ deliveries: lost.length }, 'attempts lost because their leases expired')
    const ended = { ...failedHere(now), reason: 'The result of the attempt was lost.', isLost: true }
    const endings = lost.map((one) => this.#endingOf(one, ended, now))
    await database.inTx(async (tx) => {
      await finishAttempts(tx, endings, false)
      notify(tx, 'webhook-deliveries')
    })
    return lost.length === LOST_BATCH ? 'more' : 'done'
  }

  bringBack(tx: Tx, now: Date): Promise<void> {
    const pausesMs = longestPausesMs(this.#deps.schedule)
    return bringDeliveriesBack(tx, now, { leaseUntil: this.#leaseFrom(now), pausesMs })
  }

  /** Resolves when all attempts have ended and all results are written. */
  async idle(): Promise<void> {
    while (this.#attempts.size > 0) await Promise.all(this.#attempts)
  }

  /** Abandons the attempts in progress, as a crash would. Their leases then expire. */
  abandon(): void {
    this.#isAbandoned = true
  }

  #leaseFrom(now: Date): Date {
    return new Date(now.getTime() + this.#deps.timeoutMs + LEASE_RESERVE_MS)
  }

  #begin(claimed: Claimed): void {
    const begun: Promise<void> = this.#attempt(claimed).finally(() => {
      this.#attempts.delete(begun)
      this.#metrics.inFlight.dec()
    })
    this.#attempts.add(begun)
    this.#metrics.inFlight.inc()
  }

  async #attempt(claimed: Claimed): Promise<void> {
    const { clock } = this.#deps
    const begunAt = clock.now()
    const outcome = await this.#send(claimed)
    if (!this.#isAbandoned) {
      const ended = outcome ?? failedHere(begunAt)
      this.#metrics.attempts.inc({ class: ended.errorClass ?? 'delivered' })
      if (claimed.number === 1) {
        const delayMs = ended.startedAt.getTime() - claimed.event_at.getTime()
        this.#metrics.firstAttemptSeconds.observe(delayMs / 1_000)
      }
      await this.#finish(this.#endingOf(claimed, ended, clock.now()))
    }
    if (this.#lanes.leave(claimed.webhook_id, outcome?.errorClass)) this.onRoom()
  }

  async #send(claimed: Claimed): Promise<Outcome | undefined> {
    const { clock, log, client, secrets } = this.#deps
    const { id, webhook_id, number, url, body, event_id, event_type } = claimed
    const ids = { eventId: event_id, eventType: event_type, deliveryId: id }
    const attributes = { webhook_id, delivery_id: id, event_id, event_type, attempt: number }
    try {
      return await inSpan('webhook attempt', { kind: SpanKind.CLIENT, ...attributes }, async (span) => {
        const outcome = await client.send({
          ...{ url, body, ...ids, number },
          secrets: openSecrets(secrets, claimed, clock.now()),
        })
        if (outcome.status !== null) span.setAttribute('http.response.status_code', outcome.status)
        if (outcome.errorClass) markFailed(span, outcome.errorClass)
        return outcome
      })
    } catch (error) {
      log.error({ err: error, webhook_id }, 'attempt failed because of an internal error')
      return undefined
    }
  }

  #endingOf(
    claimed: Pick<Claimed, 'id' | 'webhook_id' | 'number' | 'trigger' | 'scheduled_attempts'>,
    outcome: Ended,
    at: Date,
  ): Ending {
    const { schedule, random = Math.random } = this.#deps
    const { id, webhook_id, number, trigger, scheduled_attempts } = claimed
    const { errorClass, status, reason, address, isLost = false } = outcome
    const failure = errorClass && { ...outcome, errorClass: errorClass === 'internal' ? 'reset' : errorClass }
    const pause = failure && pauseMs(schedule, scheduled_attempts, failure, random())
    return {
      ...{ id, webhook_id, number, trigger, at, status, reason, address },
      is_success: errorClass === null,
      is_gone: status === 410,
      is_telling: errorClass !== 'internal',
      // A lost attempt may not have been sent, so the next attempt is due immediately.
      retry_at: pause === null ? null : new Date(at.getTime() + (isLost ? 0 : pause)),
      started_at: outcome.startedAt,
      duration_ms: Math.round(outcome.durationMs),
      error_class: errorClass,
      response_excerpt: outcome.excerpt,
    }
  }

  /**
   * Writes results. While the database is unavailable, retries for `LEASE_RESERVE_MS`, because a delivery without a
   * result would be sent again.
   */
  async #writeWhenThere(endings: readonly Ending[]): Promise<void> {
    const begunAt = performance.now()
    for (;;) {
      try {
        return await this.#write(endings)
      } catch (error) {
        const isAway = error instanceof AppError && error.code === 'unavailable'
        if (!isAway || performance.now() - begunAt > LEASE_RESERVE_MS) throw error
        await pause(AWAY_PAUSE_MS)
      }
    }
  }

  async #write(endings: readonly Ending[]): Promise<void> {
    const { database, clock, log, schedule } = this.#deps
    const inWrite = endings.some(isFailure) ? database.inTx : database.inStatement
    const { finished, disabled } = await inWrite(async (tx) => {
      const result = await finishAttempts(tx, endings, !schedule.isCustom)
      await queueDisabledMails(tx, result.disabled, clock.now())
      return result
    })
    this.#metrics.disabled.inc(disabled.length)
    for (const { id } of disabled) log.warn({ webhook_id: id }, 'webhook disabled')
    const known = new Set(finished)
    for (const { id, number } of endings) {
      if (!known.has(id)) log.warn({ delivery_id: id, attempt: number }, 'attempt ended after its lease had expired')
    }
  }
}

type Ended = Omit<Outcome, 'errorClass'> & { errorClass: AttemptError | null; isLost?: boolean }

const failedHere = (startedAt: Date): Ended => ({
  startedAt,
  durationMs: 0,
  status: null,
  errorClass: 'internal',
  reason: 'The attempt failed because of an error in this service.',
  retryAfterMs: null,
  excerpt: null,
  address: null,
})

/** Returns the secrets that currently sign deliveries, starting with the current secret. */
export function openSecrets(
  secrets: Sealer,
  webhook: Pick<Claimed, 'webhook_id' | 'secret_sealed' | 'previous_secret_sealed' | 'previous_secret_until'>,
  now: Date,
): string[] {
  const { webhook_id, secret_sealed, previous_secret_sealed, previous_secret_until } = webhook
  const isGrace = previous_secret_sealed !== null && previous_secret_until !== null && previous_secret_until > now
  const sealed = isGrace ? [secret_sealed, previous_secret_sealed] : [secret_sealed]
  return sealed.map((text) => secrets.open(text, secretContext(webhook_id)))
}

/**
 * Returns a function that collects items while the previous batch is being written, and then writes the collected items
 * together. If a batch fails, writes each item separately, because one bad item must not affect the others.
 */
function batched<T>(
  max: number,
  write: (items: readonly T[]) => Promise<void>,
  onFailed: (error: unknown, item: T) => void,
) {
  const waiting: { item: T; done: () => void }[] = []
  let isWriting = false
  const writeAll = async () => {
    isWriting = true
    while (waiting.length > 0) {
      const batch = waiting.splice(0, max)
      try {
        await write(batch.map(({ item }) => item))
      } catch (error) {
        for (const { item } of batch) {
          if (batch.length === 1) onFailed(error, item)
          else await write([item]).catch((reason: unknown) => onFailed(reason, item))
        }
      }
      for (const { done } of batch) done()
    }
    isWriting = false
  }
  return (item: T): Promise<void> =>
    new Promise((done) => {
      waiting.push({ item, done })
      // Waits for all items of this turn of the event loop, to write them together.
      if (!isWriting) {
        isWriting = true
        setImmediate(() => void writeAll())
      }
    })
}
