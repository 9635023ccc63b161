/** Runs random histories of one webhook, and checks the guarantees for every event at the end of each history. */
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { WebhookParts } from '../../src/features/webhooks/index.ts'
import { standardSchedule } from '../../src/features/webhooks/index.ts'
import { Dispatcher } from '../../src/features/webhooks/webhooks.dispatcher.ts'
import { createWebhookParts } from '../../src/main/webhook-parts.ts'
import { type Account, expectStatus, useBoard } from '../support/board.ts'
import { runTask } from '../support/tasks.ts'
import { deliveriesOf, makeWebhook, WEBHOOKS } from '../support/webhooks.ts'

const board = useBoard()
const { receiver, clock } = board
const MINUTE_MS = 60_000

let parts: WebhookParts
beforeAll(async () => {
  parts = await createWebhookParts(board.config, clock)
})

const steps = [
  'publish',
  'well',
  'ill',
  'send',
  'gone',
  'kill',
  'pause',
  'resume',
  'rotate',
  'retry',
  'recover',
  'wait',
  'move',
] as const

class History {
  account!: Account
  webhook!: { id: string; url: string; secret: string }
  isWell = true
  isGone = false
  isActive = true
  published = 0
  secrets: string[] = []
  #worker = this.#newWorker()
  #isDead = false

  #newWorker(): Dispatcher {
    const client = {
      // A killed process neither receives responses nor writes anything.
      send: async (...args: Parameters<typeof receiver.send>) => {
        const outcome = await receiver.send(...args)
        return this.#isDead ? new Promise<never>(() => {}) : outcome
      },
      close: async () => {},
    }
    const more = { client, database: board.database, clock, schedule: standardSchedule }
    return new Dispatcher({ ...parts, ...more, log: { warn: () => {}, error: () => {} } })
  }

  async begin(): Promise<void> {
    this.account = await board.employer()
    this.webhook = await makeWebhook(board, this.account)
    this.secrets = [this.webhook.secret]
    receiver.reply = ({ url }) => (url !== this.webhook.url ? 200 : this.isGone ? 410 : this.isWell ? 200 : 500)
  }

  async take(step: (typeof steps)[number]): Promise<void> {
    const path = `${WEBHOOKS}/${this.webhook.id}`
    const { key } = this.account
    switch (step) {
      case 'publish':
        await board.job(this.account)
        this.published += 1
        return
      case 'well':
      case 'ill':
        this.isWell = step === 'well'
        return
      case 'send':
        return this.send()
      case 'gone':
        this.isGone = true
        await this.send()
        this.isGone = false
        this.isActive = (await board.get(path, key)).body.data.status === 'active'
        return
      case 'kill':
        this.#isDead = true
        await this.#worker.round()
        this.#worker = this.#newWorker()
        // Waits until the receiver has responded, because the killed worker must not get the responses.
        await new Promise(setImmediate)
        this.#isDead = false
        return
      case 'pause':
      case 'resume':
        this.isActive = step === 'resume'
        expectStatus(await board.put(path, key, { status: this.isActive ? 'active' : 'paused' }), 200)
        return
      case 'rotate': {
        const rotated = await board.post(`${path}/rotate-secret`, key, { force: true })
        this.secrets = [rotated.body.data.secret, this.secrets[0]!]
        return
      }
      case 'retry': {
        const [delivery] = await deliveriesOf(board, this.account, this.webhook.id)
        if (delivery) {
          const { status } = await board.post(`${path}/deliveries/${delivery.id}/retry`, key)
          expect(status).toBe(this.isActive ? 202 : 409)
        }
        return
      }
      case 'recover':
        if (this.isActive) expectStatus(await board.post(`${path}/recover`, key, { since: '2026-01-01' }), 202)
        return runTask(board, 'webhook-recoveries')
      case 'move':
        return runTask(board, 'settled-deliveries')
      case 'wait':
        clock.advance(20 * MINUTE_MS)
        return runTask(board, 'webhook-leases')
    }
  }

  async send(): Promise<void> {
    const before = receiver.sent.length
    for (let outcome = 'more'; outcome !== 'done'; ) {
      outcome = await this.#worker.round()
      await this.#worker.idle()
    }
    for (const attempt of receiver.sent.slice(before)) {
      if (attempt.url === this.webhook.url) expect(attempt.secrets[0]).toBe(this.secrets[0])
    }
  }

  /** Repairs the receiver, and resumes and recovers the webhook as its owner. Asserts that every event then arrives. */
  async end(): Promise<void> {
    this.isWell = true
    await this.take('resume')
    await this.take('wait')
    await this.take('recover')
    for (let round = 0; round < 12; round++) {
      await this.take('wait')
      clock.advance(30 * 60 * MINUTE_MS)
      await this.send()
    }
    const deliveries = await deliveriesOf(board, this.account, this.webhook.id)
    expect(deliveries.map(({ status }: { status: string }) => status)).toEqual(Array(this.published).fill('delivered'))
    const sent = Map.groupBy(receiver.to(this.webhook.url), ({ eventId }) => eventId)
    expect(sent.size).toBe(this.published)
    for (const attempts of sent.values()) {
      expect(new Set(attempts.map(({ body }) => body)).size).toBe(1)
      const numbers = attempts.map(({ number }) => number)
      // Each attempt number appears once and in order, even after a worker was killed.
      expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    }
  }
}

test('every event is delivered with the same body and consecutive attempt numbers, in any history', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...steps), { minLength: 5, maxLength: 40 }), async (taken) => {
      const history = new History()
      await history.begin()
      for (const step of taken) await history.take(step)
      await history.end()
    }),
    { numRuns: 25 },
  )
})
