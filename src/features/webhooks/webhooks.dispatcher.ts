/**
 * Sends due deliveries. Only one worker at a time sends a delivery, and a slow receiver delays only its own deliveries.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { type Database, notify, type Tx } from '../../db/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { Clock } from '../../lib/time.ts'
import { type Outcome, type Sealer, secretContext, type WebhookClient } from './webhooks.contract.ts'
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
import { createDispatcherMetrics, type DispatcherMetrics } from './webhooks.metrics.ts'
import { longestPausesMs, pauseMs, type Schedule } from './webhooks.schedule.ts'

/**
 * Maximum attempts in progress per process. Even 60 hanging receivers with eight attempts each leave room for other
 * receivers.
 */
const ATTEMPTS_MAX = 512
/** Maximum concurrent attempts to a healthy webhook, and to one that is failing or has no successful delivery yet. */
const ATTEMPTS_EACH_MAX = 8
const ATTEMPTS_UNPROVEN_MAX = 2
/**
 * Number of successes after which a webhook's limit of concurrent attempts increases by one. A timeout halves the
 * limit.
 */
const SUCCESSES_A_STEP = 20
/**
 * Maximum webhooks for which a limit reduced by timeouts is remembered. Keeps the webhooks with the most recent
 * attempts.
 */
const LANES_MAX = 500
/** Maximum results of attempts written in one statement. */
const FINISH_BATCH = 200
/**
 * Milliseconds by which a lease exceeds an attempt's timeout, to leave time for writing the result, even after a short
 * database outage.
 */
const LEASE_RESERVE_MS = 20_000
/** Milliseconds between tries to write results while the database is down. */
const AWAY_PAUSE_MS = 250
const LOST_BATCH = 200

export interface DispatcherDeps {
  database: Database
  clock: Clock
  log: { warn(details: object, message: string): void; error(details: object, message: string): void }
  client: WebhookClient
  secrets: Sealer
  schedule: Schedule
  /** Maximum duration of an attempt in milliseconds. */
  timeoutMs: number
  /** Default: metrics are counted, but not exported. */
  metrics?: DispatcherMetrics
  /** Returns a random number from 0 to 1 for the jitter. */
  random?: () => number
}

export interface Dispatcher {
  /** Claims as many due deliveries as the limits allow, and starts to send them. */
  round(): Promise<'more' | 'some' | 'done'>
  /** Ends lost attempts, whose leases have expired. Returns `more` if further lost attempts may exist. */
  reap(): Promise<'more' | 'done'>
  /** Corrects stored times after the clock was set back. */
  bringBack(tx: Tx, now: Date): Promise<void>
  /** Resolves when no attempt is in progress and all results are written. */
  idle(): Promise<void>
  /** Abandons attempts in progress, as a crash would. The leases of these attempts then expire. */
  abandon(): void
  /** Sets a listener that is called when another round of claims may find deliveries. */
  onRoom(listener: () => void): void
}

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { database, clock, log, client, secrets, schedule, timeoutMs, random = Math.random } = deps
  const metrics = deps.metrics ?? createDispatcherMetrics(new Registry())
  const lanes = new Map<string, Lane>()
  const attempts = new Set<Promise<void>>()
  let after = ''
  let isAbandoned = false
  let tellRoom = () => {}

  const leaseFrom = (now: Date) => new Date(now.getTime() + timeoutMs + LEASE_RESERVE_MS)

  const write = async (endings: readonly Ending[]): Promise<void> => {
    const inWrite = endings.some(isFailure) ? database.inTx : database.inStatement
    const { finished, disabled } = await inWrite((tx) => finishAttempts(tx, endings, !schedule.isCustom))
    metrics.disabled.inc(disabled.length)
    for (const id of disabled) log.warn({ webhook_id: id }, 'webhook disabled')
    const known = new Set(finished)
    for (const { id, number } of endings) {
      if (!known.has(id)) log.warn({ delivery_id: id, attempt: number }, 'attempt ended after its lease')
    }
  }
  /** Writes results and retries while the database is down, because a delivery without a result would be sent again. */
  const writeWhenThere = async (endings: readonly Ending[]): Promise<void> => {
    const begunAt = performance.now()
    for (;;) {
      try {
        return await write(endings)
      } catch (error) {
        if (!isUnavailable(error) || performance.now() - begunAt > LEASE_RESERVE_MS) throw error
        await pause(AWAY_PAUSE_MS)
      }
    }
  }
  const finish = batched(FINISH_BATCH, writeWhenThere, (error, { id }) => {
    // The delivery is sent again after its lease expires.
    log.error({ err: error, delivery_id: id }, 'result of an attempt could not be stored')
  })

  const send = async (claimed: Claimed): Promise<Outcome | undefined> => {
    const { id, webhook_id, number, url, body, event_id, event_type } = claimed
    try {
      return await client.send({
        url,
        body,
        secrets: openSecrets(secrets, claimed, clock.now()),
        eventId: event_id,
        eventType: event_type,
        deliveryId: id,
        number,
      })
    } catch (error) {
      log.error({ err: error, webhook_id }, 'attempt failed because of an internal error')
      return undefined
    }
  }

  const attempt = async (claimed: Claimed): Promise<void> => {
    const begunAt = clock.now()
    const outcome = await send(claimed)
    if (!isAbandoned) {
      const ended = outcome ?? failedHere(begunAt)
      metrics.attempts.inc({ class: ended.errorClass ?? 'delivered' })
      if (claimed.number === 1) {
        metrics.firstAttemptSeconds.observe((ended.startedAt.getTime() - claimed.event_at.getTime()) / 1_000)
      }
      await finish(endingOf(claimed, ended, clock.now()))
    }
    leaveLane(claimed.webhook_id, outcome)
  }

  const enterLane = (webhookId: string): Lane => {
    const lane = lanes.get(webhookId) ?? { underWay: 0, max: ATTEMPTS_EACH_MAX, successes: 0, isFull: false }
    lanes.set(webhookId, lane)
    lane.underWay++
    return lane
  }

  const leaveLane = (webhookId: string, outcome: Outcome | undefined): void => {
    const lane = lanes.get(webhookId)!
    lane.underWay--
    if (outcome?.errorClass === 'timeout') Object.assign(lane, { max: Math.ceil(lane.max / 2), successes: 0 })
    if (outcome?.errorClass === null && lane.max < ATTEMPTS_EACH_MAX && ++lane.successes === SUCCESSES_A_STEP) {
      Object.assign(lane, { max: lane.max + 1, successes: 0 })
    }
    if (lane.underWay === 0) {
      lanes.delete(webhookId)
      // Moves the webhook to the end of the map, as the most recent one.
      if (lane.max < ATTEMPTS_EACH_MAX) lanes.set(webhookId, lane)
      if (lanes.size > LANES_MAX) forgetIdleLane()
    }
    if (lane.isFull) tellRoom()
    lane.isFull = false
  }

  const forgetIdleLane = (): void => {
    const idle = lanes.entries().find(([, { underWay }]) => underWay === 0)
    if (idle) lanes.delete(idle[0])
  }

  const endingOf = (
    claimed: Pick<Claimed, 'id' | 'webhook_id' | 'number' | 'trigger' | 'scheduled_attempts'>,
    outcome: Ended,
    at: Date,
  ): Ending => {
    const { id, webhook_id, number, trigger, scheduled_attempts } = claimed
    const { errorClass, status, isLost = false } = outcome
    const failure = errorClass && { ...outcome, errorClass: errorClass === 'internal' ? 'reset' : errorClass }
    const pause = failure && pauseMs(schedule, scheduled_attempts, failure, random())
    return {
      id,
      webhook_id,
      number,
      trigger,
      is_success: errorClass === null,
      is_gone: status === 410,
      is_telling: errorClass !== 'internal',
      // A lost attempt may never have been sent, so the next attempt is due immediately.
      retry_at: pause === null ? null : new Date(at.getTime() + (isLost ? 0 : pause)),
      at,
      started_at: outcome.startedAt,
      duration_ms: Math.round(outcome.durationMs),
      status,
      error_class: errorClass,
      reason: outcome.reason,
      response_excerpt: outcome.excerpt,
      address: outcome.address,
    }
  }

  return {
    async round() {
      const room = ATTEMPTS_MAX - attempts.size
      if (room === 0) {
        await Promise.race(attempts)
        return 'more'
      }
      const now = clock.now()
      const claimed = await database.inStatement((tx) =>
        claimDeliveries(tx, {
          now,
          leaseUntil: leaseFrom(now),
          after,
          limit: room,
          eachMax: ATTEMPTS_EACH_MAX,
          unprovenMax: ATTEMPTS_UNPROVEN_MAX,
          lanes: Object.fromEntries(lanes.entries().map(([id, { underWay, max }]) => [id, { underWay, max }])),
        }),
      )
      const taken = new Map<Lane, number>()
      for (const one of claimed) {
        const lane = enterLane(one.webhook_id)
        taken.set(lane, (taken.get(lane) ?? 0) + 1)
        lane.isFull = taken.get(lane) === one.room
        const begun: Promise<void> = attempt(one).finally(() => {
          attempts.delete(begun)
          metrics.inFlight.dec()
        })
        attempts.add(begun)
        metrics.inFlight.inc()
      }
      const isFull = claimed.length === room
      const wasWhole = after === ''
      after = isFull
        ? claimed
            .map(({ webhook_id }) => webhook_id)
            .sort()
            .at(-1)!
        : ''
      if (isFull || !wasWhole) return 'more'
      return claimed.length > 0 ? 'some' : 'done'
    },

    async reap() {
      const now = clock.now()
      const lost = await database.inStatement((tx) => listLost(tx, now, LOST_BATCH))
      if (lost.length === 0) return 'done'
      metrics.leasesExpired.inc(lost.length)
      log.warn({ deliveries: lost.length }, 'attempts lost because their worker died')
      const ended = { ...failedHere(now), reason: 'The process ended during the attempt.', isLost: true }
      await database.inTx(async (tx) => {
        await finishAttempts(
          tx,
          lost.map((one) => endingOf(one, ended, now)),
          false,
        )
        notify(tx, 'webhook-deliveries')
      })
      return lost.length === LOST_BATCH ? 'more' : 'done'
    },

    bringBack(tx, now) {
      return bringDeliveriesBack(tx, now, { leaseUntil: leaseFrom(now), pausesMs: longestPausesMs(schedule) })
    },

    async idle() {
      while (attempts.size > 0) await Promise.all(attempts)
    },

    abandon() {
      isAbandoned = true
    },

    onRoom(listener) {
      tellRoom = listener
    },
  }
}

/** State of a webhook that has attempts in progress or a reduced limit. */
interface Lane {
  underWay: number
  /** Maximum concurrent attempts. */
  max: number
  /** Successes since `max` changed. */
  successes: number
  /** True if the webhook may have more due deliveries than its limit allowed. */
  isFull: boolean
}

type Ended = Omit<Outcome, 'errorClass'> & { errorClass: AttemptError | null; isLost?: boolean }

function failedHere(startedAt: Date): Ended {
  return {
    startedAt,
    durationMs: 0,
    status: null,
    errorClass: 'internal',
    reason: 'The attempt failed because of an error in this service.',
    retryAfterMs: null,
    excerpt: null,
    address: null,
  }
}

const isUnavailable = (error: unknown) => error instanceof AppError && error.code === 'unavailable'

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
 * together. If a batch fails, each item is written separately, so that one bad item does not affect the others.
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
      // Writes the result together with all other results of this turn of the event loop.
      if (!isWriting) {
        isWriting = true
        setImmediate(() => void writeAll())
      }
    })
}
