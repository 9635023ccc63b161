import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { iteratorAfter, streamReaders } from '../support/streams.ts'

describeOperation('listEvents', ({ board, status }) => {
  const path = '/v1/events'

  /** Returns the events of one account, newest first. */
  const toldOf = async (accountId: string) => {
    const rows = await board.database.read((db) =>
      db
        .selectFrom('event')
        .select(['id', 'body'])
        .where((of) => of.or([of('employer_id', '=', accountId), of('candidate_id', '=', accountId)]))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute(),
    )
    return { ids: rows.map(({ id }) => id), bodies: rows.map(({ body }) => body) }
  }

  const collection = async () => {
    const employer = await board.employer()
    for (let i = 0; i < 4; i++) {
      board.clock.advance(i % 2 ? 1_000 : 0)
      await board.job(employer)
    }
    return { path, key: employer.key, ids: (await toldOf(employer.id)).ids, otherSort: 'created_at' }
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test('returns the envelopes byte for byte as delivered, newest first', async () => {
      const employer = await board.employer({ name: '"\\</script>\u{1F697} é', description: 'a\u2028b\n' })
      const { id } = await board.job(employer, { title: 'First', salary: { min: 1, max: 2 } })
      board.clock.advance(1_000)
      await board.put(`/v1/jobs/${id}`, employer.key, { title: 'Second' })
      const { bodies } = await toldOf(employer.id)
      expect(bodies).toHaveLength(3)
      const answer = await board.get(path, employer.key)
      expect(answer.text).toContain(`"data":[${bodies.join(',')}]`)
      expect(answer.body.meta).toMatchObject({
        sort: { fields: ['created_at'], directions: ['desc'] },
        filters_applied: {},
      })
    })

    test('filters by type, subject and time, and sorts', async () => {
      const employer = await board.employer()
      const registered = (await toldOf(employer.id)).ids[0]!
      board.clock.advance(1_000)
      const first = await board.job(employer)
      const start = board.clock.now().toISOString()
      board.clock.advance(1_000)
      await board.put(`/v1/jobs/${first.id}`, employer.key, { title: 'Other' })
      board.clock.advance(1_000)
      const second = await board.job(employer)
      await board.delete(`/v1/jobs/${second.id}`, employer.key)
      const [deleted, created2, updated, created1] = (await toldOf(employer.id)).ids as [string, string, string, string]
      const cases: [string, string[], Record<string, unknown>][] = [
        ['type=job.created', [created2, created1], { type: 'job.created' }],
        ['type=job.expired', [], { type: 'job.expired' }],
        ['type_not=job.created', [deleted, updated, registered], { type_not: 'job.created' }],
        ['type_in=job.deleted,job.updated', [deleted, updated], { type_in: ['job.deleted', 'job.updated'] }],
        [`subject_id=${first.id}`, [updated, created1], { subject_id: first.id }],
        [`subject_id=${employer.id}`, [registered], { subject_id: employer.id }],
        ['subject_id=JOB', [], { subject_id: 'JOB' }],
        [`subject_id_not=${first.id}`, [deleted, created2, registered], { subject_id_not: first.id }],
        [
          `subject_id_in=${first.id},${employer.id}`,
          [updated, created1, registered],
          { subject_id_in: [first.id, employer.id] },
        ],
        [`created_at=${start}`, [created1], { created_at: start }],
        [`created_at_gt=${start}`, [deleted, created2, updated], { created_at_gt: start }],
        [
          `created_at_gte=${start}&type=job.created`,
          [created2, created1],
          { created_at_gte: start, type: 'job.created' },
        ],
        [`created_at_lt=${start}`, [registered], { created_at_lt: start }],
        [`created_at_lte=${start}`, [created1, registered], { created_at_lte: start }],
        [`created_at_not=${start}`, [deleted, created2, updated, registered], { created_at_not: start }],
        ['sort=created_at', [registered, created1, updated, created2, deleted], {}],
        ['sort=created_at:desc', [deleted, created2, updated, created1, registered], {}],
      ]
      for (const [query, ids, applied] of cases) {
        const answer = await board.get(`${path}?${query}`, employer.key)
        expect(idsOf(answer), query).toEqual(ids)
        expect(answer.body.meta.filters_applied).toEqual(applied)
        expect(answer.body.meta.pagination.total).toBe(ids.length)
      }
    })

    test("never returns another account's events, whatever the query", async () => {
      const [mine, theirs, candidate] = [await board.employer(), await board.employer(), await board.candidate()]
      const { id } = await board.job(theirs)
      for (const { key } of [mine, candidate]) {
        for (const query of [`subject_id=${id}`, `subject_id=${theirs.id}`, 'type=job.created']) {
          const answer = await board.get(`${path}?${query}`, key)
          expect([idsOf(answer), answer.body.meta.pagination.total]).toEqual([[], 0])
        }
      }
    })

    const read = async (key: string, query: string) => {
      const answer = await board.get(`${path}?${query}`, key)
      return { ids: idsOf(answer), ...(answer.body.meta as { next: string; has_more: boolean }) }
    }

    test('returns every visible event once, in order, to a reader that follows the iterators', async () => {
      const [mine, theirs] = [await board.employer(), await board.employer()]
      await iteratorAfter(board, theirs.key)
      const start = await iteratorAfter(board, mine.key)
      expect(await read(mine.key, 'after=now')).toMatchObject({ ids: [], has_more: false })
      const expected: string[] = []
      for (let n = 0; n < 3; n++) {
        await board.job(theirs)
        await board.job(mine)
        expected.push((await toldOf(mine.id)).ids[0]!)
      }
      await iteratorAfter(board, mine.key, 4)
      const seen: string[] = []
      for (let next = start, more = true; more; ) {
        const page = await read(mine.key, `after=${next}&limit=2`)
        seen.push(...page.ids)
        ;[next, more] = [page.next, page.has_more]
      }
      expect(seen).toEqual(expected)
      // An empty or missing `after` starts at the oldest event.
      for (const oldest of ['after=', 'wait_seconds=0', 'wait_seconds=30&after=']) {
        const { ids, next } = await read(mine.key, `${oldest}&limit=100`)
        expect(ids).toEqual((await toldOf(mine.id)).ids.toReversed())
        expect(await read(mine.key, `after=${next}`)).toMatchObject({ ids: [], has_more: false })
      }
      const all = await read(ADMIN_KEY, `after=${start}&limit=100`)
      expect(all.ids).toHaveLength(6)
      expect(all.ids).toEqual(expect.arrayContaining(expected))
      // An iterator hides its position, and moves past events that its reader may not see.
      expect(all.next).toBe((await read(mine.key, `after=${start}`)).next)
      expect(all.next).toMatch(/^[\w-]{22}$/)
    })

    test('waits for the next event, but at most for wait_seconds', async () => {
      const employer = await board.employer()
      const start = await iteratorAfter(board, employer.key)
      const waiting = read(employer.key, `after=${start}&wait_seconds=30`)
      await board.job(await board.employer())
      await board.job(employer)
      const { ids, next } = await waiting
      expect(ids).toEqual([(await toldOf(employer.id)).ids[0]])
      const from = performance.now()
      expect((await read(employer.key, `after=${next}&wait_seconds=1`)).ids).toEqual([])
      expect(performance.now() - from).toBeGreaterThan(900)
    })

    test('ends a wait when the service stops', async () => {
      const employer = await board.employer()
      const waiting = read(employer.key, `after=${await iteratorAfter(board, employer.key)}&wait_seconds=30`)
      await streamReaders(board, 1)
      await board.restart()
      expect((await waiting).ids).toEqual([])
    })

    test('returns all events to admins and integrators', async () => {
      const integrator = await board.integrator()
      const [employer, candidate] = [await board.employer(), await board.candidate()]
      for (const key of [ADMIN_KEY, integrator.key]) {
        const answer = await board.get(`${path}?subject_id_in=${employer.id},${candidate.id}`, key)
        expect(answer.body.data.map(({ type }: { type: string }) => type).sort()).toEqual([
          'candidate.registered',
          'employer.registered',
        ])
        const { total } = (await board.get(`${path}?limit=1`, key)).body.meta.pagination
        expect(total).toBe((await board.events()).length)
      }
    })
  })

  status(401, () => {
    test('ends a wait when its key is deleted', async () => {
      const employer = await board.employer()
      const { body } = await board.post('/v1/api-keys', employer.key, { name: 'Reader' })
      const start = await iteratorAfter(board, employer.key)
      const waiting = board.get(`${path}?after=${start}&wait_seconds=30`, body.data.key)
      await streamReaders(board, 1)
      expectStatus(await board.delete(`/v1/api-keys/${body.data.id}`, employer.key), 204)
      await board.service.tasks.find(({ name }) => name === 'authorities')!.once()
      expectStatus(await waiting, 401)
    })
  })

  status(410, () => {
    test('refuses all but the latest iterator once their events are purged, and every iterator of another event history', async () => {
      const employer = await board.employer()
      const iterators: string[] = []
      for (let n = 0; n < 3; n++) {
        await board.job(employer)
        iterators.push(await iteratorAfter(board, employer.key, n + 2))
      }
      const purge = () => board.service.tasks.find(({ name }) => name === 'retention-events')!.once()
      const statuses = () =>
        Promise.all(iterators.map(async (one) => (await board.get(`${path}?after=${one}`, employer.key)).status))
      await purge()
      expect(await statuses()).toEqual([200, 200, 200])
      board.clock.advance(30 * DAY_MS + 1)
      await purge()
      expect(await statuses()).toEqual([410, 410, 200])
      const { body } = expectStatus(await board.get(`${path}?after=${iterators[0]}`, employer.key), 410)
      expect(body.code).toBe('iterator_expired')
      await board.database.inTx((tx) => sql`update event_position set event_id = 'evt_other'`.execute(tx))
      expect(await statuses()).toEqual([410, 410, 410])
    })
  })

  status(429, () => {
    test('limits the simultaneous waits of an account', async () => {
      const [employer, other] = [await board.employer(), await board.employer()]
      await iteratorAfter(board, employer.key)
      const start = await iteratorAfter(board, other.key)
      const wait = ({ key }: { key: string }) => board.get(`${path}?after=${start}&wait_seconds=30`, key)
      const waits = Array.from({ length: 10 }, () => wait(employer))
      await streamReaders(board, 10)
      expectStatus(await wait(employer), 429)
      expectStatus(await board.get(`${path}?after=now`, employer.key), 200)
      const another = wait(other)
      await board.job(other)
      expectStatus(await another, 200)
      await board.job(employer)
      for (const answer of await Promise.all(waits)) expect(answer.body.data).toHaveLength(1)
    })
  })

  status(400, () => {
    refusesBadPaging(board, collection)

    test.each([
      ['after=x', 'after invalid_parameter'],
      [`after=${'A'.repeat(22)}`, 'after invalid_parameter'],
      ['after=now&wait_seconds=31', 'wait_seconds invalid_parameter'],
      ['wait_seconds=-1', 'wait_seconds invalid_parameter'],
      ['after=&page=1', 'page pagination_conflict'],
      ['wait_seconds=0&cursor=', 'cursor pagination_conflict'],
      ['after=now&type=job.created', 'type invalid_parameter'],
      ['after=now&sort=created_at', 'sort invalid_parameter'],
      ['after=now&limit=101', 'limit invalid_parameter'],
    ])('refuses the stream %s', async (query, fault) => {
      const { key } = await board.employer()
      const answer = await board.get(`${path}?${query}`, key)
      expect([answer.status, faultsOf(answer)]).toEqual([400, [fault]])
    })

    test.each([
      ['type=job.renamed', 'type invalid_parameter'],
      ['type_in=job.created,job', 'type_in invalid_parameter'],
      ['type_gt=job.created', 'type_gt invalid_parameter'],
      ['employer_id=emp_00000000000000000000000000', 'employer_id unknown_parameter'],
      ['sort=type', 'sort invalid_parameter'],
      ['subject_id=%00', 'subject_id invalid_parameter'],
    ])('refuses %s', async (query, fault) => {
      const { key } = await board.employer()
      const answer = await board.get(`${path}?${query}`, key)
      expect([answer.status, faultsOf(answer)]).toEqual([400, [fault]])
    })
  })
})
