import { expect, test } from 'vitest'
import { ADMIN_KEY } from '../support/board.ts'
import { idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

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

  status(400, () => {
    refusesBadPaging(board, collection)

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
