import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, ADMIN_KEY } from '../support/board.ts'
import { insertJobs } from '../support/jobs.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

describeOperation('listOwnJobs', ({ board, status }) => {
  const list = (key: string, query = '') => board.get(`/v1/employers/jobs${query}`, key)
  const titles = async (key: string, query = '') =>
    (await list(key, query)).body.data.map((job: { title: string }) => job.title)
  const setCount = (id: string, application_count: number) =>
    board.database.inTx((tx) => tx.updateTable('job').set({ application_count }).where('id', '=', id).execute())

  status(200, () => {
    test('returns the jobs newest first, with application_count and source', async () => {
      const owner = await board.employer()
      const older = await board.activeJob(owner, { skills: ['CAN'], custom_questions: [] })
      board.clock.advance(1_000)
      const newer = await board.job(owner)
      await setCount(older.id, 3)
      const answer = await list(owner.key)
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({
        data: [
          { ...newer, application_count: 0, source: null },
          { ...older, application_count: 3, source: null },
        ],
        meta: {
          pagination: { total: 2, pages: 1, page: 1, limit: 20, has_more: false, next_cursor: null, prev_cursor: null },
          sort: { fields: ['posted_at'], directions: ['desc'] },
          filters_applied: {},
        },
      })
      expect(answer.headers.get('link')).toBe(
        '</v1/employers/jobs?page=1>; rel="first", </v1/employers/jobs?page=1>; rel="last"',
      )
    })

    describe('the list', () => {
      let owner: Account
      beforeAll(async () => {
        owner = await board.employer()
        const expires_at = new Date(board.clock.time + 10_000).toISOString()
        await board.job(owner, { title: 'inactive', location: 'Oslo', expires_at })
        await board.activeJob(owner, { title: 'active', location: 'Oslo' })
        const closed = await board.activeJob(owner, { title: 'closed', location: 'Bonn' })
        await board.post(`/v1/jobs/${closed.id}/close`, owner.key)
        await board.activeJob(owner, { title: 'expired', location: 'Bonn', expires_at })
        const both = await board.activeJob(owner, { title: 'closed and expired', location: 'Bonn', expires_at })
        await board.post(`/v1/jobs/${both.id}/close`, owner.key)
        const deleted = await board.activeJob(owner, { title: 'deleted' })
        await board.delete(`/v1/jobs/${deleted.id}`, owner.key)
      })

      test('contains jobs in every state except deleted, and sets is_active only for active jobs', async () => {
        board.clock.advance(9_999)
        expect(await titles(owner.key, '?state=expired')).toEqual([])
        expect((await titles(owner.key, '?state=active')).sort()).toEqual(['active', 'expired'])
        board.clock.advance(1)
        const { data } = (await list(owner.key, '?sort=title')).body
        const shown = data.map((job: { title: string; is_active: boolean }) => [job.title, job.is_active])
        expect(shown).toEqual([
          ['active', true],
          ['closed', false],
          ['closed and expired', false],
          ['expired', false],
          ['inactive', false],
        ])
      })

      test.each([
        ['state=inactive', { state: 'inactive' }, ['inactive']],
        ['state=active', { state: 'active' }, ['active']],
        ['state=closed', { state: 'closed' }, ['closed']],
        ['state=expired', { state: 'expired' }, ['closed and expired', 'expired']],
        ['state_in=closed,inactive', { state_in: ['closed', 'inactive'] }, ['closed', 'inactive']],
        ['state_not=expired', { state_not: 'expired' }, ['active', 'closed', 'inactive']],
        ['state=active&location=bonn', { state: 'active', location: 'bonn' }, []],
        ['state_not=active&location=oslo', { state_not: 'active', location: 'oslo' }, ['inactive']],
        ['search=expir', { search: 'expir' }, ['closed and expired', 'expired']],
        ['state=', {}, ['active', 'closed', 'closed and expired', 'expired', 'inactive']],
      ])('%s', async (query, applied, expected) => {
        const { body } = await list(owner.key, `?sort=title&${query}`)
        expect(body.data.map((job: { title: string }) => job.title)).toEqual(expected)
        expect(body.meta.filters_applied).toEqual(applied)
        expect(body.meta.pagination.total).toBe(expected.length)
      })

      test('accepts the sort orders of the board, including relevance for a search', async () => {
        const { body } = await list(owner.key, '?search=closed&sort=relevance')
        expect(body.meta.sort).toEqual({ fields: ['relevance'], directions: ['desc'] })
        expect(body.data.map((job: { title: string }) => job.title).sort()).toEqual(['closed', 'closed and expired'])
        expect((await list(owner.key, '?sort=date_posted')).body.meta.sort).toEqual({
          fields: ['posted_at'],
          directions: ['desc'],
        })
      })

      test('finds inactive jobs within a radius, and shows the distances', async () => {
        const { body } = await list(owner.key, '?location=Oslo,%20Norway&distance=10&state_not=active')
        const found = body.data.map((job: { title: string; distance_miles: number }) => [job.title, job.distance_miles])
        expect(found).toEqual([['inactive', 0]])
        expect((await list(owner.key)).body.data[0]).not.toHaveProperty('distance_miles')
      })

      test('can be paged by number and by cursor across all states', async () => {
        const byPage = []
        for (const page of [1, 2, 3]) byPage.push(await titles(owner.key, `?sort=title:desc&limit=2&page=${page}`))
        expect(byPage).toEqual([['inactive', 'expired'], ['closed and expired', 'closed'], ['active']])
        const byCursor = []
        for (let cursor: string | null = ''; cursor !== null; ) {
          const { body } = await list(owner.key, `?sort=title:desc&limit=2&cursor=${cursor}`)
          byCursor.push(body.data.map((job: { title: string }) => job.title))
          cursor = body.meta.pagination.next_cursor
        }
        expect(byCursor).toEqual(byPage)
      })
    })

    test("never shows another employer's jobs, whatever the filters", async () => {
      const [owner, other] = [await board.employer(), await board.employer()]
      await board.activeJob(owner, { title: 'Secret plan' })
      for (const query of ['', '?search=secret', '?state=active', `?company_not=x`]) {
        expect((await list(other.key, query)).body).toMatchObject({ data: [], meta: { pagination: { total: 0 } } })
      }
    })

    test("shows admins everyone's active and inactive jobs", async () => {
      const [one, two] = [await board.employer(), await board.employer()]
      const ids = [(await board.job(one, { category: 'operated' })).id]
      ids.push((await board.activeJob(two, { category: 'operated' })).id)
      ids.push(...(await insertJobs(board, [{ category: 'operated' }])))
      const { data } = (await list(ADMIN_KEY, '?category=operated')).body
      expect(data.map(({ id }: { id: string }) => id).sort()).toEqual(ids.sort())
    })

    test('returns an empty list to an employer without jobs', async () => {
      expect((await list((await board.employer()).key)).body.data).toEqual([])
    })
  })

  status(400, () => {
    test.each([
      ['state=deleted', ['state invalid_parameter']],
      ['state_in=active,paused', ['state_in invalid_parameter']],
      ['state_gt=active', ['state_gt invalid_parameter']],
      ['state=active&state=closed', ['state invalid_parameter']],
      ['sort=relevance', ['sort invalid_parameter']],
      ['page=1&cursor=', ['cursor pagination_conflict']],
      ['limit=101', ['limit invalid_parameter']],
      ['employer_id=x', ['employer_id unknown_parameter']],
    ])('refuses %s', async (query, faults) => {
      const answer = await list((await board.employer()).key, `?${query}`)
      expect([answer.status, faultsOf(answer)]).toEqual([400, faults])
    })

    test("refuses cursors of the board's list", async () => {
      const owner = await board.employer()
      await insertJobs(board, [{}, {}])
      const { next_cursor } = (await board.get('/v1/jobs?limit=1', owner.key)).body.meta.pagination
      expect(faultsOf(await list(owner.key, `?cursor=${next_cursor}`))).toEqual(['cursor invalid_cursor'])
    })
  })
})
