/** Real message brokers receive every event, in order for each subject, even if a process or broker is killed. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { appendEvent } from '../../src/events/outbox.ts'
import { sampleEvent } from '../../src/events/samples.ts'
import type { EventSink } from '../../src/features/event-sink/event-sink.contract.ts'
import { kafkaSink } from '../../src/features/event-sink/event-sink.kafka.ts'
import { natsSink } from '../../src/features/event-sink/event-sink.nats.ts'
import { publisher } from '../../src/features/event-sink/event-sink.tasks.ts'
import { EventStream } from '../../src/features/events/index.ts'
import { type Broker, createKafka, createNats, kafkaFolder, natsServer, type StoredEvent } from '../support/brokers.ts'
import { openTestDatabase } from '../support/database.ts'

const brokers = [
  { name: 'NATS', isInstalled: Boolean(natsServer), create: createNats, open: natsSink, variable: 'NATS_SERVER_PATH' },
  { name: 'Kafka', isInstalled: Boolean(kafkaFolder), create: createKafka, open: kafkaSink, variable: 'KAFKA_JARS' },
]
for (const { name, isInstalled, variable } of brokers) {
  if (!isInstalled) console.warn(`NOT TESTED: events in ${name}, because ${variable} is not set.`)
}

describe.each(brokers)('publishing to $name', ({ isInstalled, create, open: openSink }) => {
  const clock = { time: Date.now(), now: () => new Date(clock.time) }
  const log = pino({ level: 'silent' })
  const { data } = sampleEvent('job.created')
  let folder: string
  let database: Database
  let broker: Broker
  /** The titles of all events so far, by subject. */
  const written = new Map<string, string[]>()

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'job-marketplace-nats-'))
    database = await openTestDatabase()
    broker = await create(folder)
    await broker.start()
  })
  afterAll(async () => {
    await broker.kill()
    await database.close()
    await rm(folder, { recursive: true })
  })

  const open = () =>
    publisher(
      { database, clock, log },
      new EventStream(database, new Uint8Array(32)),
      (openSink as (urls: readonly URL[]) => EventSink)(broker.urls),
    )
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
  /** Runs rounds until the broker has stored everything. Other tests may hold back the events for a while. */
  const publishAll = async (task: ReturnType<typeof publisher>) => {
    for (;;) {
      await task.once()
      const stored = await broker.stored()
      if (new Set(stored.map(({ id }) => id)).size >= total()) return stored
    }
  }
  const expectComplete = (stored: StoredEvent[]) => {
    // The broker may store an event more than once. The first copies are in order.
    const events = [...new Map(stored.map(({ body }) => [JSON.parse(body).id, JSON.parse(body)])).values()]
    const titles = events.map((event) => event.data.job.title as string)
    for (const [subject, expected] of written) {
      expect(titles.filter((title) => title.startsWith(`${subject} `))).toEqual(expected)
    }
    for (const { id, type, body } of stored)
      expect({ id, type }).toEqual({ id: JSON.parse(body).id, type: 'job.created' })
  }

  test.skipIf(!isInstalled)(
    'fails without a stream or topic, and includes all events once the stream or topic exists',
    async () => {
      await write('motor', 3)
      const task = open()
      // Until other transactions on the same server have ended, there may be nothing to publish.
      await expect(publishAll(task)).rejects.toThrow()
      await broker.prepare()
      await write('gear', 2)
      expectComplete(await publishAll(task))
      await task.finish!()
    },
  )

  test.skipIf(!isInstalled)('continues after the broker or the process is killed', async () => {
    const task = open()
    await write('motor', 2)
    expectComplete(await publishAll(task))
    await broker.kill()
    await write('gear', 3)
    await expect(
      (async () => {
        for (;;) await task.once()
      })(),
    ).rejects.toThrow()
    await broker.start()
    expectComplete(await publishAll(task))

    // The first task stops while it holds the lease. The next task must wait until the lease ends.
    await write('motor', 2)
    const next = open()
    expect(await next.once()).toBe('done')
    clock.time += 31_000
    expectComplete(await publishAll(next))
    // The first task notices that it has lost its lease. Events that it publishes again before it notices do not count
    // twice.
    await write('gear', 1)
    await expect(
      (async () => {
        for (;;) await task.once()
      })(),
    ).rejects.toThrow('The lease ended')
    expectComplete(await publishAll(next))
    await next.finish!()
  })

  test.skipIf(!isInstalled)('starts with the oldest event if its position is lost', async () => {
    await database.inTx((tx) => tx.updateTable('event_sink').set({ published_until: 'lost' }).execute())
    const task = open()
    await write('motor', 1)
    expect((await task.backlog!()).waiting).toBe(total())
    expectComplete(await publishAll(task))
    expect(await task.backlog!()).toEqual({ waiting: 0, since: null })
    await task.finish!()
  })
})
