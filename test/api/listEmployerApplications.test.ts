import { beforeAll, describe, expect, test } from 'vitest'
import { apply, setStatus, world } from '../support/applications.ts'
import { type Account, ADMIN_KEY } from '../support/board.ts'
import { idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

describeOperation('listEmployerApplications', ({ board, status }) => {
  const path = '/v1/employers/applications'

  const collection = async () => {
    const employer = await board.employer()
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      board.clock.advance(i % 2 ? 1_000 : 0)
      ids.unshift((await world(board, { employer })).application.id)
    }
    return { path, key: employer.key, ids, otherSort: 'updated_at', time: 'applied_at' }
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test('streams all pages as CSV, without formulas, if Accept prefers CSV', async () => {
      const employer = await board.employer()
      const { job, application } = await world(board, {
        employer,
        body: { cover_letter: '=1+1;\t@x "y"\n -2, and -3;"=2+2', source: '=x' },
      })
      await board.put(`${path}/${application.id}`, employer.key, { rating: 4, tags: ['+late', 'on site'] })
      const at = board.clock.now()
      const rows = Array.from({ length: 250 }, (_, n) => ({
        id: `app_${application.id}_${n}`,
        cover_letter: `Letter ${n}`,
      }))
      await board.database.inTx(async (tx) => {
        const shared = { job_id: job.id, employer_id: employer.id, answers: '{}', applied_at: at, updated_at: at }
        const all = rows.map((row) => ({ ...row, ...shared, status: 'rejected' as const }))
        await tx.insertInto('application').values(all).execute()
        const changes = rows.map(({ id }) => ({ application_id: id, position: 1, status: 'rejected', at }))
        await tx.insertInto('application_status_change').values(changes).execute()
      })
      const csv = (query = '', accept = 'text/csv') =>
        board.call('GET', `${path}${query}`, { key: employer.key, headers: { accept } })
      const all = await csv()
      expect([all.status, all.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
      expect(all.headers.get('content-disposition')).toBe('attachment; filename=applications.csv')
      expect(all.headers.get('vary')).toMatch(/, accept$/)
      expect(all.text.match(/\r\n/g)).toHaveLength(252)
      const one = (await csv('?status=pending&limit=1&page=2')).text.split('\r\n')
      expect(one[0]).toMatch(/^id,job_id,job_title,candidate_name,.*,cover_letter,custom_questions$/)
      expect(one[1]).toMatch(new RegExp(`^${application.id},${job.id},`))
      expect(one[1]).toContain(`,pending,4,"'+late, on site",'=x,`)
      expect(one[1]).toMatch(/,"'=1\+1;\t'@x ""y""\n '-2, and -3;""'=2\+2",$/)
      for (const accept of ['text/csv;q=0.5, application/json', '*/*', 'text/csv, application/json']) {
        expect((await csv('', accept)).body.meta.pagination.total).toBe(251)
      }
      expect((await csv('', 'text/html')).status).toBe(406)
      expect((await csv('?rating=9')).status).toBe(400)
    })

    describe('across jobs', () => {
      let employer: Account
      let one: Awaited<ReturnType<typeof world>>
      let other: Awaited<ReturnType<typeof world>>
      let second: string
      beforeAll(async () => {
        employer = await board.employer()
        one = await world(board, { employer })
        board.clock.advance(60_000)
        other = await world(board, { employer })
        board.clock.advance(60_000)
        second = (await apply(board, other.candidate, one.job.id)).id
        board.clock.advance(60_000)
        await setStatus(board, employer, one.application.id, 'reviewed')
        await board.delete(`/v1/jobs/${other.job.id}`, employer.key)
      })
      const ids = async (query: string, key = employer.key) => idsOf(await board.get(`${path}?${query}`, key))

      test("returns the employer's view, newest first, including applications to deleted jobs", async () => {
        const answer = await board.get(path, employer.key)
        const expected = []
        for (const id of [second, other.application.id, one.application.id]) {
          expected.push((await board.get(`${path}/${id}`, employer.key)).body.data)
        }
        expect(answer.body.data).toEqual(expected)
        expect(answer.body.meta).toMatchObject({
          pagination: { total: 3 },
          sort: { fields: ['applied_at'], directions: ['desc'] },
          filters_applied: {},
        })
      })

      test('filters by job, status and time', async () => {
        const [a, b, c] = [one.application.id, other.application.id, second]
        expect(await ids(`job_id=${one.job.id}`)).toEqual([c, a])
        expect(await ids(`job_id_in=${one.job.id},${other.job.id}`)).toEqual([c, b, a])
        expect(await ids(`job_id_not=${one.job.id}`)).toEqual([b])
        expect(await ids('status=reviewed')).toEqual([a])
        expect(await ids('status_in=reviewed,pending')).toEqual([c, b, a])
        expect(await ids(`status_not=reviewed&job_id=${one.job.id}`)).toEqual([c])
        expect(await ids(`applied_at_gt=${one.application.applied_at}`)).toEqual([c, b])
        expect(await ids('job_id=nonsense')).toEqual([])
        const { meta } = (await board.get(`${path}?job_id=${one.job.id}&status=pending`, employer.key)).body
        expect(meta.filters_applied).toEqual({ job_id: one.job.id, status: 'pending' })
      })

      test('filters by rating and by tags, ignoring case and accents', async () => {
        const [a, b, c] = [one.application.id, other.application.id, second]
        const assess = (id: string, body: object) => board.put(`${path}/${id}`, employer.key, body)
        await assess(a, { rating: 3, tags: ['Café', 'Remote'] })
        await assess(c, { rating: 5, tags: ['cafe'] })
        expect(await ids('rating=3')).toEqual([a])
        expect(await ids('rating_gte=3')).toEqual([c, a])
        expect(await ids('rating_in=4,5')).toEqual([c])
        expect(await ids('tags=CAFE')).toEqual([c, a])
        expect(await ids('tags=cafe,remote')).toEqual([a])
        expect(await ids('tags_in=remote,other')).toEqual([a])
        expect(await ids('tags_in=other')).not.toContain(b)
        for (const id of [a, c]) await assess(id, { rating: null, tags: [] })
      })

      test('filters by source, ignoring case', async () => {
        const of = (source?: string) => (source === undefined ? {} : { source })
        const own = await board.employer()
        const { id } = await board.activeJob(own)
        const made: string[] = []
        for (const source of ['Partner-Board', 'newsletter, May', undefined, 'partner-board']) {
          made.push((await apply(board, await board.candidate(), id, of(source))).id)
          board.clock.advance(1_000)
        }
        expect(await ids('source=PARTNER-board', own.key)).toEqual([made[3], made[0]])
        expect(await ids('source=newsletter, May', own.key)).toEqual([made[1]])
        expect(await ids('source_in=partner-board,other', own.key)).toEqual([made[3], made[0]])
        expect(await ids('source=nowhere', own.key)).toEqual([])
        expect(await ids(`source=partner-board&job_id=${one.job.id}`, own.key)).toEqual([])
      })

      test('sorts by applied_at or updated_at, ascending if sort specifies no direction', async () => {
        const [a, b, c] = [one.application.id, other.application.id, second]
        expect(await ids('sort=applied_at')).toEqual([a, b, c])
        expect(await ids('sort=applied_at:desc')).toEqual([c, b, a])
        expect(await ids('sort=updated_at:desc')).toEqual([a, c, b])
        expect(await ids('sort=updated_at:asc,applied_at:desc')).toEqual([b, c, a])
      })

      test("never shows another employer's applications, whatever the filters, but shows admins all applications", async () => {
        const stranger = await board.employer()
        for (const query of ['', `job_id=${one.job.id}`, 'status_not=hired']) {
          expect(await ids(query, stranger.key)).toEqual([])
        }
        expect(await ids(`job_id=${one.job.id}`, ADMIN_KEY)).toEqual([second, one.application.id])
        const { pagination } = (await board.get(`${path}?limit=1`, ADMIN_KEY)).body.meta
        expect(pagination.total).toBeGreaterThan(3)
      })
    })
  })

  status(400, () => {
    refusesBadPaging(board, collection)

    test.each([
      ['status=withdrawn', ['status invalid_parameter']],
      ['job_id=x&job_id=y', ['job_id invalid_parameter']],
      ['candidate_id=x', ['candidate_id unknown_parameter']],
      ['rating=6&rating_not=1', ['rating invalid_parameter', 'rating_not invalid_parameter']],
    ])('refuses %s', async (query, faults) => {
      const answer = await board.get(`${path}?${query}`, (await board.employer()).key)
      expect([answer.status, faultsOf(answer)]).toEqual([400, faults])
    })
  })
})
