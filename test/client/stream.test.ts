/** The client's event stream over connections that keep ending, and its polling. */
import { expect, test } from 'vitest'
import { type EventMessage, JobMarketplace, JobMarketplaceError } from '../../packages/client/src/index.ts'
import { useBoard } from '../support/board.ts'
import { iteratorAfter, streamReaders } from '../support/streams.ts'

const board = useBoard()

/** Reads messages until the stream has sent this many. */
async function take(stream: AsyncIterable<EventMessage>, count: number): Promise<EventMessage[]> {
  const messages: EventMessage[] = []
  for await (const message of stream) if (messages.push(message) === count) break
  return messages
}

const titles = (messages: EventMessage[]) =>
  messages.map(({ event }) => (event.data as { job: { title: string } }).job.title)

/** Cuts each connection of a stream after its second chunk. `opened` resolves when the first stream opens. */
function cutConnections() {
  const opened = Promise.withResolvers<void>()
  const cut: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (!String(input).includes('/events/stream')) return response
    opened.resolve()
    let chunks = 0
    const twoChunks = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk)
        if (++chunks === 2) controller.terminate()
      },
    })
    return new Response(response.body!.pipeThrough(twoChunks), response)
  }
  return { fetch: cut, opened: opened.promise }
}

test('a stream continues where a connection ended', async () => {
  const employer = await board.employer()
  const open = () => {
    const { fetch, opened } = cutConnections()
    const options = { baseUrl: board.address, apiKey: employer.key, retryDelayMs: 10, fetch }
    return { client: new JobMarketplace(options), opened }
  }
  const { client } = open()
  const { id } = await board.job(employer, { title: 'First' })
  await iteratorAfter(board, employer.key, 2)
  const all = take(client.events.stream(), 7)
  const later = open()
  const latest = take(later.client.events.stream({ after: 'now' }), 5)
  // The client first resolves `now`, and then opens the stream.
  await later.opened
  for (const title of ['Second', 'Third', 'Fourth', 'Fifth', 'Sixth']) {
    await board.put(`/v1/jobs/${id}`, employer.key, { title })
    const { data } = await client.events.list({ subject_id: id })
    await take(client.events.stream(), data.length)
  }
  const expected = ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth']
  const received = (await all).filter(({ event }) => 'job' in (event.data as object))
  expect(titles(received)).toEqual(expected)
  expect(titles(await latest)).toEqual(expected.slice(1))
  const again = await take(client.events.stream({ after: received[2]!.iterator }), 3)
  expect(titles(again)).toEqual(expected.slice(3))
})

test('a poll may wait for an event longer than the timeout, and the next poll continues from the returned iterator', async () => {
  const employer = await board.employer()
  const client = new JobMarketplace({ baseUrl: board.address, apiKey: employer.key, timeoutMs: 1 })
  const patient = { timeoutMs: 30_000 }
  const { id } = await board.job(employer, { title: 'First' })
  const before = await iteratorAfter(board, employer.key, 2)
  const waiting = client.events.poll({ after: before, wait_seconds: 30 })
  await streamReaders(board, 1)
  await board.put(`/v1/jobs/${id}`, employer.key, { title: 'Second' })
  const { data, meta } = await waiting
  expect(data.map(({ type }) => type)).toEqual(['job.updated'])
  expect(meta.has_more).toBe(false)
  expect((await client.events.poll({ after: meta.next }, patient)).data).toEqual([])
  const first = await client.events.poll({ limit: 1 }, patient)
  expect([first.data.length, first.meta.has_more]).toEqual([1, true])
  const rest = await client.events.poll({ after: first.meta.next }, patient)
  expect(rest.data.at(-1)).toEqual(data[0])
})

test('a waiting poll ends when its signal aborts', async () => {
  const employer = await board.employer()
  const client = new JobMarketplace({ baseUrl: board.address, apiKey: employer.key })
  const aborting = new AbortController()
  const after = await iteratorAfter(board, employer.key)
  const ended = client.events.poll({ after, wait_seconds: 30 }, { signal: aborting.signal })
  await streamReaders(board, 1)
  const reason = new Error('Enough')
  aborting.abort(reason)
  await expect(ended).rejects.toBe(reason)
  await streamReaders(board, 0)
})

test('a stream ends when its signal aborts, and fails with an invalid key', async () => {
  const employer = await board.employer()
  const client = new JobMarketplace({ baseUrl: board.address, apiKey: employer.key })
  const reason = new Error('Enough')
  const aborting = new AbortController()
  const ended = take(client.events.stream({ after: 'now' }, { signal: aborting.signal }), 1)
  aborting.abort(reason)
  await expect(ended).rejects.toBe(reason)
  const stranger = new JobMarketplace({ baseUrl: board.address, apiKey: 'wrong' })
  await expect(take(stranger.events.stream(), 1)).rejects.toBeInstanceOf(JobMarketplaceError)
})
