import { beforeAll, describe, expect, test } from 'vitest'
import { apply, setStatus, world } from '../support/applications.ts'
import type { Account } from '../support/board.ts'
import { idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { insertResume } from '../support/resumes.ts'

describeOperation('listApplications', ({ board, status }) => {
  const path = '/v1/candidates/applications'

  const collection = async () => {
    const candidate = await board.candidate()
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      // Some applications have the same time, so the ID determines their order.
      board.clock.advance(i % 2 ? 1_000 : 0)
      ids.unshift((await world(board, { candidate })).application.id)
    }
    return { path, key: candidate.key, ids, otherSort: 'updated_at', time: 'applied_at' }
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test("shows only the candidate's own applications, newest first, exactly as documented", async () => {
      const candidate = await board.candidate()
      const salary = { min: 50_000, max: 60_000, currency: 'EUR', period: 'year' }
      const first = await world(board, { candidate, job: { salary }, body: { cover_letter: 'First.' } })
      await world(board)
      board.clock.advance(1_000)
      await insertResume(board, candidate.id)
      const second = await world(board, { candidate, employer: first.employer, body: { cover_letter: 'Second.' } })
      const answer = await board.get(path, candidate.key)
      const item = ({ application, job }: typeof first, cover_letter: string) => ({
        id: application.id,
        job: {
          id: job.id,
          title: job.title,
          company: job.company,
          location: job.location,
          type: job.type,
          salary: job.salary,
        },
        cover_letter,
        status: 'pending',
        applied_at: application.applied_at,
        updated_at: application.applied_at,
        withdrawn_at: null,
      })
      expect(first.job.salary).toEqual(salary)
      expect(answer.body).toEqual({
        data: [item(second, 'Second.'), item(first, 'First.')],
        meta: {
          pagination: { total: 2, pages: 1, page: 1, limit: 20, has_more: false, next_cursor: null, prev_cursor: null },
          sort: { fields: ['applied_at'], directions: ['desc'] },
          filters_applied: {},
        },
      })
    })

    describe('with applications of every status', () => {
      let candidate: Account
      const ids: Record<string, string> = {}
      beforeAll(async () => {
        candidate = await board.candidate()
        for (const name of ['pending', 'reviewed', 'contacted', 'rejected', 'hired', 'withdrawn']) {
          board.clock.advance(60_000)
          const { application, employer } = await world(board, { candidate })
          ids[name] = application.id
          if (!['pending', 'withdrawn'].includes(name)) await setStatus(board, employer, application.id, name)
        }
        board.clock.advance(60_000)
        await board.post(`${path}/${ids.withdrawn}/withdraw`, candidate.key)
        board.clock.advance(60_000)
        const again = await apply(
          board,
          candidate,
          (await board.get(`${path}/${ids.withdrawn}`, candidate.key)).body.data.job.id,
        )
        ids.again = again.id
      })
      const names = async (query: string) => {
        const found = idsOf(await board.get(`${path}?${query}`, candidate.key))
        return found.map((id) => Object.keys(ids).find((name) => ids[name] === id))
      }
      const all = ['again', 'withdrawn', 'hired', 'rejected', 'contacted', 'reviewed', 'pending']

      test.each([
        ['status=hired', { status: 'hired' }, ['hired']],
        ['status=pending', { status: 'pending' }, ['again', 'withdrawn', 'pending']],
        ['status_in=hired,rejected', { status_in: ['hired', 'rejected'] }, ['hired', 'rejected']],
        ['status_not=pending', { status_not: 'pending' }, ['hired', 'rejected', 'contacted', 'reviewed']],
        ['status=', {}, all],
      ])('filters by %s', async (query, applied, expected) => {
        expect(await names(query)).toEqual(expected)
        const { meta } = (await board.get(`${path}?${query}`, candidate.key)).body
        expect(meta.filters_applied).toEqual(applied)
        expect(meta.pagination.total).toBe(expected.length)
      })

      test('filters by application time', async () => {
        const { applied_at } = (await board.get(`${path}/${ids.rejected}`, candidate.key)).body.data
        expect(await names(`applied_at=${applied_at}`)).toEqual(['rejected'])
        expect(await names(`applied_at_gt=${applied_at}`)).toEqual(['again', 'withdrawn', 'hired'])
        expect(await names(`applied_at_lte=${applied_at}&status_not=reviewed`)).toEqual([
          'rejected',
          'contacted',
          'pending',
        ])
      })

      test.each([
        ['sort=applied_at', 'applied_at desc', all],
        ['sort=applied_at&order=asc', 'applied_at asc', all.toReversed()],
        ['sort=applied_at:asc', 'applied_at asc', all.toReversed()],
        ['order=asc', 'applied_at asc', all.toReversed()],
        ['sort=updated_at', 'updated_at desc', all],
        ['sort=updated_at&order=asc', 'updated_at asc', all.toReversed()],
      ])('sorts by %s', async (query, sort, expected) => {
        const { meta } = (await board.get(`${path}?${query}`, candidate.key)).body
        expect(meta.sort).toEqual({ fields: [sort.split(' ')[0]], directions: [sort.split(' ')[1]] })
        expect(await names(query)).toEqual(expected)
      })

      test('shows the latest change first when sorted by updated_at', async () => {
        const { employer, application } = await world(board, { candidate })
        await board.delete(`/v1/jobs/${application.job.id}`, employer.key)
        board.clock.advance(1_000)
        await board.post(`${path}/${ids.pending}/withdraw`, candidate.key)
        expect((await names('sort=updated_at')).slice(0, 1)).toEqual(['pending'])
        // The application to the deleted job remains, with the job's title.
        const [item] = (await board.get(`${path}?limit=1`, candidate.key)).body.data
        expect(item).toMatchObject({ id: application.id, job: application.job })
      })
    })

    test('returns an empty list to a candidate without applications', async () => {
      const { body } = await board.get(path, (await board.candidate()).key)
      expect([body.data, body.meta.pagination.total]).toEqual([[], 0])
    })
  })

  status(400, () => {
    refusesBadPaging(board, collection)

    test.each([
      ['status=withdrawn', ['status invalid_parameter']],
      ['status_in=hired,fired', ['status_in invalid_parameter']],
      ['status_gt=hired', ['status_gt invalid_parameter']],
      ['sort=status', ['sort invalid_parameter']],
      ['job_id=x', ['job_id unknown_parameter']],
    ])('refuses %s', async (query, faults) => {
      const answer = await board.get(`${path}?${query}`, (await board.candidate()).key)
      expect([answer.status, faultsOf(answer)]).toEqual([400, faults])
    })
  })
})
