/** A real NATS server receives every event, in order for each subject, whatever is killed. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { appendEvent } from '../../src/events/outbox.ts'
import { sampleEvent } from '../../src/events/samples.ts'
import { natsSink } from '../../src/features/event-sink/event-sink.nats.ts'
import { publisher } from '../../src/features/event-sink/event-sink.tasks.ts'
import { EventStream } from '../../src/features/events/index.ts'
import { openTestDatabase } from '../support/database.ts'
import { Nats, natsServer } from '../support/nats.ts'

if (!natsServer) console.warn('NOT TESTED: the event sink, because nats-server is not installed (NATS_SERVER_PATH).')

describe.runIf(natsServer)('the event sink', () => {
  const clock = { time: Date.now(), now: () => new Date(clock.time) }
  const log = pino({ level: 'silent' })
  const { data } = sampleEvent('job.created')
  let folder: string
  let database: Database
  let nats: Nats
  /** The titles of all events so far, by subject. */
  const written = new Map<string, string[]>()

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'job-marketplace-nats-'))
    database = await openTestDatabase()
    nats = await Nats.start(folder)
  })
  afterAll(async () => {
    await nats.kill()
    await database.close()
    await rm(folder, { recursive: true })
  })

  const open = () =>
    publisher({ database, clock, log }, new EventStream(database, new Uint8Array(32)), natsSink(nats.url))
  const write = async (subjectId: string, count: number) => {
    const titles = written.get(subjectId) ?? []
    written.set(subjectId, titles)
    for (let n = 0; n < count; n++) {
      const title = `${subjectId} ${titles.length}`
      const job = { ...data.job, title }
      await database.inTx((tx) =>
        appendEvent(tx, { type: 'job.created', subjectId, at: new Date(), data: { ...data, job } }),
      )
      titles.push(title)
    }
  }
  const total = () => [...written.values()].flat().length
  /** Runs rounds until the server has stored everything. Other tests may hold back the events for a while. */
  const publishAll = async (task: ReturnType<typeof publisher>) => {
    for (;;) {
      await task.once()
      const stored = await nats.stored()
      if (stored.length >= total()) return stored
    }
  }
  const expectComplete = (stored: Awaited<ReturnType<Nats['stored']>>) => {
    const events = stored.map(({ body }) => JSON.parse(body))
    const titles = events.map((event) => event.data.job.title as string)
    for (const [subject, expected] of written) {
      expect(titles.filter((title) => title.startsWith(`${subject} `))).toEqual(expected)
    }
    expect(events.map(({ id }) => id)).toEqual(stored.map(({ id }) => id))
    expect(new Set(stored.map(({ subject }) => subject))).toEqual(new Set(['job-marketplace.job.created']))
  }

  test('fails without a stream, and then publishes what was written before', async () => {
    await write('motor', 3)
    const task = open()
    // Until other transactions on the same server have ended, there may be nothing to publish.
    await expect(publishAll(task)).rejects.toThrow()
    await nats.createStream()
    await write('gear', 2)
    expectComplete(await publishAll(task))
    await task.finish!()
  })

  test('continues after the server was killed, and after the process was', async () => {
    const task = open()
    await write('motor', 2)
    expectComplete(await publishAll(task))
    await nats.kill()
    await write('gear', 3)
    await expect(
      (async () => {
        for (;;) await task.once()
      })(),
    ).rejects.toThrow()
    await nats.restart()
    expectComplete(await publishAll(task))

    // The task is abandoned with its lease. The next one must wait for the end of the lease.
    await write('motor', 2)
    const next = open()
    expect(await next.once()).toBe('done')
    clock.time += 31_000
    expectComplete(await publishAll(next))
    // The first one notices that it has lost its lease. What it repeats, the server drops.
    await write('gear', 1)
    await expect(
      (async () => {
        for (;;) await task.once()
      })(),
    ).rejects.toThrow('The lease ended')
    expectComplete(await publishAll(next))
    await next.finish!()
  })

  test('starts with the oldest event if its position is lost', async () => {
    await database.inTx((tx) => tx.updateTable('event_sink').set({ published_until: 'lost' }).execute())
    const task = open()
    await write('motor', 1)
    expect((await task.backlog!()).waiting).toBe(total())
    expectComplete(await publishAll(task))
    expect(await task.backlog!()).toEqual({ waiting: 0, since: null })
    await task.finish!()
  })
})
