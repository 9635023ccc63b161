/** The event stream misses no event, in any order of commits. */
import { setImmediate as turn } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { appendEvent } from '../../src/events/outbox.ts'
import { sampleEvent } from '../../src/events/samples.ts'
import { EventStream } from '../../src/features/events/events.stream.ts'
import { openTestDatabase } from '../support/database.ts'

let database: Database & { url?: string }
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const secret = new Uint8Array(32)
const viewer = { kind: 'admin', accountId: 'adm_1' } as const
const idle = AbortSignal.abort()
const data = sampleEvent('job.created').data

/**
 * Reads everything after an iterator. Waits for at least `count` events, which transactions of other tests on the same
 * server may hold back.
 */
async function readAll(stream: EventStream, after: string, count = 0): Promise<{ subjects: string[]; next: string }> {
  const subjects: string[] = []
  for (let next = after; ; ) {
    const page = await stream.poll(viewer, await stream.find(next), { limit: 7, waitMs: 0 }, idle)
    subjects.push(...page.rows.map(({ body }) => JSON.parse(body).data.job.title))
    next = page.next.iterator
    if (!page.hasMore && subjects.length >= count) return { subjects, next }
  }
}

/** Returns the iterator after the latest event, as soon as no transaction on the same server holds back the stream. */
async function findNow(stream: EventStream): Promise<string> {
  for (;;) {
    const point = await stream.find('now').catch((error: { code?: string }) => {
      if (error.code !== 'unavailable') throw error
    })
    if (point) return point.iterator
  }
}

const write = (title: string, before: () => Promise<unknown> = async () => undefined) =>
  database.inTx(async (tx) => {
    await appendEvent(tx, {
      ...{ type: 'job.created', subjectId: title, at: new Date() },
      data: { job: { ...data.job, title } } as typeof data,
    })
    await before()
  })

test.skipIf(!process.env.TEST_DATABASE_URL)('the stream shows a late commit before every later event', async () => {
  const [stream, other] = [new EventStream(database, secret), new EventStream(database, secret)]
  const start = await findNow(stream)
  const slow = new pg.Client({ connectionString: database.url })
  await slow.connect()
  try {
    await write('before')
    const first = await readAll(stream, start, 1)
    expect(first.subjects).toEqual(['before'])
    await slow.query('begin')
    await slow.query(`insert into event (id, type, subject_id, body, created_at)
      values ('evt_slow', 'job.created', 'slow', '{"data":{"job":{"title":"slow"}}}', now())`)
    for (const title of ['after', 'later']) {
      await write(title)
      expect(await readAll(stream, first.next)).toEqual({ subjects: [], next: first.next })
    }
    // A process that starts in the meantime does not know which events precede the slow one.
    expect(await readAll(other, start)).toEqual({ subjects: [], next: start })
    await expect(other.find('now')).rejects.toMatchObject({ code: 'unavailable' })
    const { signal } = new AbortController()
    const waiting = other.poll(viewer, await other.find(first.next), { limit: 10, waitMs: 30_000 }, signal)
    await slow.query('commit')
    expect((await readAll(stream, first.next, 3)).subjects).toEqual(['slow', 'after', 'later'])
    // A reader that waits also finds the commits of other processes.
    const { rows, next } = await waiting
    expect(rows[0]?.event_id).toBe('evt_slow')
    expect((await readAll(other, next.iterator, 3 - rows.length)).subjects).toHaveLength(3 - rows.length)
  } finally {
    await slow.end()
  }
})

test("readers that are killed at any point and resume see each event once, and each writer's events in order", async () => {
  const start = await findNow(new EventStream(database, secret))
  const written: string[][] = []
  let isWriting = true
  const writers = [0, 1, 2, 3].map(async (writer) => {
    written[writer] = []
    for (let n = 0; n < 25; n++) {
      const title = `${writer} ${n}`
      const isAborted = n % 5 === 4
      await write(title, async () => {
        for (let turns = 0; turns < (writer * n) % 7; turns++) await turn()
        if (isAborted) throw new Error('aborted')
      }).catch(() => undefined)
      if (!isAborted) written[writer]!.push(title)
    }
  })
  const done = Promise.all(writers).then(() => {
    isWriting = false
  })
  const seen: string[] = []
  let next = start
  for (let round = 0; isWriting; round++) {
    // A new stream has no memory, as after a restart.
    const stream = new EventStream(database, secret)
    const ending = new AbortController()
    void done.then(() => ending.abort())
    let left = 1 + (round % 5)
    for await (const message of stream.messages(viewer, await stream.find(next), ending.signal)) {
      const [, id, body] = /^id: (.+)\nevent: .+\ndata: (.+)\n/.exec(message) ?? []
      if (id === undefined) continue
      seen.push(JSON.parse(body!).data.job.title)
      next = id
      if (--left === 0) break
    }
  }
  const missing = written.flat().length - seen.length
  seen.push(...(await readAll(new EventStream(database, secret), next, missing)).subjects)
  expect(seen.toSorted()).toEqual(written.flat().toSorted())
  for (const [writer, titles] of written.entries()) {
    expect(seen.filter((title) => title.startsWith(`${writer} `))).toEqual(titles)
  }
})
