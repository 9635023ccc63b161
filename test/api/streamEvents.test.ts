import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { EventStream } from '../../src/features/events/events.stream.ts'
import { expectStatus } from '../support/board.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { iteratorAfter, openStream, streamReaders } from '../support/streams.ts'
import { runTask } from '../support/tasks.ts'

describeOperation('streamEvents', ({ board, status }) => {
  const path = '/v1/events/stream'
  const open = (key: string, query = '', headers: Record<string, string> = {}) =>
    openStream(board, { cookies: new Map() }, path + query, {
      // Clients of server-sent events send this Accept header.
      ...{ accept: 'text/event-stream', authorization: `Bearer ${key}`, ...headers },
    })
  type Stream = Awaited<ReturnType<typeof open>>

  status(200, () => {
    test('sends each event as in the list, uncompressed, and resumes after the last ID', async () => {
      const [employer, other] = [await board.employer(), await board.employer()]
      const start = await iteratorAfter(board, employer.key)
      const stream = await open(employer.key, `?after=${start}`, { 'accept-encoding': 'gzip, br' })
      expect(Object.fromEntries(stream.headers)).toMatchObject({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      })
      expect(stream.headers.has('content-encoding')).toBe(false)
      await streamReaders(board, 1)
      await board.job(other)
      for (const description of ['"\u2028\u{1F697}\n\nb', 'Second', 'Third']) await board.job(employer, { description })
      const messages = [await stream.next(), await stream.next(), await stream.next()]
      const { data } = (await board.get('/v1/events?type=job.created&order=asc', employer.key)).body
      expect(messages.map((message) => JSON.parse(message.data))).toEqual(data)
      expect(messages.map(({ type }) => type)).toEqual(Array(3).fill('job.created'))
      await stream.close()
      const [first, second] = messages as [Message, Message]
      // Last-Event-ID takes precedence over `after`, because a browser reconnects to the same URL.
      const resumed = await open(employer.key, `?after=${second.id}`, { 'last-event-id': first.id })
      expect(await resumed.next()).toEqual(second)
      await resumed.close()
      const all = await open(employer.key)
      expect((await all.next()).type).toBe('employer.registered')
      await all.close()
      const { body } = await board.get(`/v1/events?after=${first.id}`, employer.key)
      expect(body.data).toEqual(data.slice(1))
    })
    type Message = Awaited<ReturnType<Stream['next']>>

    test('ends when its key is deleted, or when the service stops', async () => {
      const employer = await board.employer()
      const { body } = await board.post('/v1/api-keys', employer.key, { name: 'Reader' })
      const query = `?after=${await iteratorAfter(board, employer.key)}`
      const [revoked, stopped] = [await open(body.data.key, query), await open(employer.key, query)]
      await streamReaders(board, 2)
      expectStatus(await board.delete(`/v1/api-keys/${body.data.id}`, employer.key), 204)
      await runTask(board, 'authorities')
      await expect(revoked.next()).rejects.toThrow('The stream ended')
      const whole = board.get(path + query, employer.key)
      await streamReaders(board, 2)
      await board.restart()
      await expect(stopped.next()).rejects.toThrow('The stream ended')
      expect(expectStatus(await whole, 200).text).toBe('retry: 1000\n\n')
    })

    test('ends when its key is deleted, even if the client has stopped reading', async () => {
      const employer = await board.employer()
      const { body } = await board.post('/v1/api-keys', employer.key, { name: 'Reader' })
      const { id } = await board.job(employer)
      for (let n = 0; n < 60; n++)
        await board.put(`/v1/jobs/${id}`, employer.key, { description: `${n} ${'\u{1F697}'.repeat(20_000)}` })
      const { hostname, port } = new URL(board.address)
      const socket = connect(Number(port), hostname)
      socket.on('error', () => undefined)
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${body.data.key}\r\n\r\n`)
      await once(socket, 'readable')
      await streamReaders(board, 1)
      expectStatus(await board.delete(`/v1/api-keys/${body.data.id}`, employer.key), 204)
      await runTask(board, 'authorities')
      await streamReaders(board, 0)
      socket.destroy()
    })

    test('sends comments that move the iterator past events of other accounts', async () => {
      const employer = await board.employer()
      const stream = new EventStream(board.database, new Uint8Array(32), 20)
      const viewer = { kind: 'employer', accountId: employer.id } as const
      const ending = new AbortController()
      const messages = stream.messages(viewer, await stream.find(undefined), ending.signal)
      const next = async () => (await messages.next()).value as string
      expect(await next()).toBe('retry: 1000\n\n')
      while (!(await next()).includes('employer.registered'));
      const comment = await next()
      expect(comment).toMatch(/^:\nid: [\w-]{22}\n\n$/)
      await board.job(await board.employer())
      let moved: string
      do moved = await next()
      while (moved === comment)
      expect(moved).toMatch(/^:\nid: /)
      ending.abort()
      expect(await messages.next()).toEqual({ value: undefined, done: true })
      expect(stream.readers.size).toBe(0)
    })

    test('reads from the database only as fast as its client reads', async () => {
      const employer = await board.employer()
      const { id } = await board.job(employer)
      for (let n = 0; n < 20; n++)
        await board.put(`/v1/jobs/${id}`, employer.key, { description: `${n} `.repeat(3_000) })
      let bytes = 0
      const read: typeof board.database.read = async (question) => {
        const answer = await board.database.read(question)
        bytes += JSON.stringify(answer)?.length ?? 0
        return answer
      }
      const stream = new EventStream({ read, listen: () => undefined }, new Uint8Array(32))
      const viewer = { kind: 'employer', accountId: employer.id } as const
      const ending = new AbortController()
      const messages = stream.messages(viewer, await stream.find(''), ending.signal)
      for (let n = 0; n < 3; n++) await messages.next()
      // The stream read 64 KiB plus the event that exceeds this limit. All 22 events together exceed 200 KB.
      expect(bytes).toBeLessThan(110_000)
      let count = 2
      for await (const message of messages) {
        if (message.startsWith('id: ') && ++count === 22) ending.abort()
      }
      expect(count).toBe(22)
    })
  })

  status(410, () => {
    test('refuses an iterator whose position was deleted', async () => {
      const employer = await board.employer()
      const next = await iteratorAfter(board, employer.key)
      await board.database.inTx((tx) => tx.deleteFrom('event_position').execute())
      const answer = await board.get(`${path}?after=${next}`, employer.key)
      expect([answer.status, answer.body.code]).toEqual([410, 'iterator_expired'])
    })
  })

  status(400, () => {
    test.each([
      ['?after=x', {}, 'after invalid_parameter'],
      ['', { 'last-event-id': 'evt_1' }, 'after invalid_parameter'],
      ['?wait_seconds=1', {}, 'wait_seconds unknown_parameter'],
    ])('refuses %s with %o', async (query, headers, fault) => {
      const { key } = await board.employer()
      const answer = await board.call('GET', path + query, { key, headers: headers as Record<string, string> })
      expect([answer.status, faultsOf(answer)]).toEqual([400, [fault]])
    })
  })
})
