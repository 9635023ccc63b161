/** Limits the concurrent attempts of each webhook within a process (decision 0023). */
import type { Outcome } from './webhooks.contract.ts'

/** Maximum number of concurrent attempts to a healthy webhook. */
export const ATTEMPTS_EACH_MAX = 8
/** Number of successes after which a webhook's reduced limit increases by one. A timeout halves the limit. */
const SUCCESSES_A_STEP = 20
/**
 * Number of lanes above which reduced limits of idle webhooks are forgotten, beginning with the webhook whose attempts
 * ended longest ago.
 */
const LANES_MAX = 500

interface Lane {
  underWay: number
  max: number
  /** Number of successes since `max` last changed. */
  successes: number
  /** True if the webhook may have more due deliveries than its limit allows. */
  isFull: boolean
}

export class Lanes {
  readonly #lanes = new Map<string, Lane>()

  /** Attempts in progress and their maximum, by webhook ID. */
  get limits(): Record<string, Pick<Lane, 'underWay' | 'max'>> {
    return Object.fromEntries(this.#lanes.entries().map(([id, { underWay, max }]) => [id, { underWay, max }]))
  }

  /** Counts attempts that are starting. `isFull` is true if the claim reached the limit. */
  enter(webhookId: string, attempts: number, isFull: boolean): void {
    const lane = this.#lanes.get(webhookId) ?? { underWay: 0, max: ATTEMPTS_EACH_MAX, successes: 0, isFull }
    this.#lanes.set(webhookId, Object.assign(lane, { underWay: lane.underWay + attempts, isFull }))
  }

  /** Counts an attempt that has ended, and adapts the limit. Returns true if the webhook had reached its limit. */
  leave(webhookId: string, errorClass: Outcome['errorClass'] | undefined): boolean {
    const lane = this.#lanes.get(webhookId)!
    lane.underWay--
    if (errorClass === 'timeout') Object.assign(lane, { max: Math.ceil(lane.max / 2), successes: 0 })
    if (errorClass === null && lane.max < ATTEMPTS_EACH_MAX && ++lane.successes === SUCCESSES_A_STEP) {
      Object.assign(lane, { max: lane.max + 1, successes: 0 })
    }
    if (lane.underWay === 0) {
      this.#lanes.delete(webhookId)
      // Moves the webhook to the end of the map, as the most recent one.
      if (lane.max < ATTEMPTS_EACH_MAX) this.#lanes.set(webhookId, lane)
      if (this.#lanes.size > LANES_MAX) this.#forgetIdle()
    }
    const wasFull = lane.isFull
    lane.isFull = false
    return wasFull
  }

  #forgetIdle(): void {
    const idle = this.#lanes.entries().find(([, { underWay }]) => underWay === 0)
    if (idle) this.#lanes.delete(idle[0])
  }
}
