import { beforeAll, expect, test } from 'vitest'
import { ALERTS, makeAlert } from '../support/alerts.ts'
import type { Account } from '../support/board.ts'
import { idsOf, pagesBothWays } from '../support/collection.ts'
import { insertJobs } from '../support/jobs.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

describeOperation('listJobAlertMatches', ({ board, status }) => {
  let candidate: Account
  const matchesOf = async (criteria: Record<string, unknown>) =>
    `${ALERTS}/${(await makeAlert(board, candidate, { criteria })).id}/matches`
  beforeAll(async () => {
    candidate = await board.candidate()
    await insertJobs(board, [
      { title: 'Van mechanic', category: 'vans', salary: { min: 10, max: 20 }, skills: ['CAN'] },
      { title: 'Van painter', category: 'vans', salary: null, remote: true, description: 'A van is a van is a van.' },
      { title: 'Lorry mechanic', category: 'lorries', salary: { min: 30, max: 40 }, skills: ['CAN', 'LIN'] },
      { title: 'Old van', category: 'vans', expires_at: new Date(board.clock.time - 1).toISOString() },
    ])
  })
  const collection = async () => {
    const ids = []
    for (let count = 0; count < 5; count++) {
      board.clock.advance(1_000)
      ids.unshift(...(await insertJobs(board, [{ category: 'collected' }])))
    }
    await insertJobs(board, [{ category: 'other' }])
    return { path: await matchesOf({ category: 'collected' }), key: candidate.key, ids, otherSort: 'title' }
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test.each<[Record<string, unknown>, string]>([
      [{}, ''],
      [{ search: 'van' }, 'search=van'],
      [{ category_in: ['vans', 'lorries'], salary_min: 15 }, 'category_in=vans,lorries&salary_min=15'],
      [{ skills: ['can', 'lin'] }, 'skills=can,lin'],
      [{ location: 'Turin', distance: 25 }, 'location=Turin&distance=25'],
      [{ location: 'Milan', distance: 25 }, 'location=Milan&distance=25'],
      [{ remote: true, type: 'contract' }, 'remote=true&type=contract'],
      [{ posted_after: '2026-01-01T00:00:00+01:00' }, 'posted_after=2026-01-01T00:00:00%2B01:00'],
      [{ search: 'mechanic & c++, "x"' }, `search=${encodeURIComponent('mechanic & c++, "x"')}`],
    ])('returns the same jobs as GET /jobs for the criteria %o', async (criteria, query) => {
      const answer = await board.get(`${await matchesOf(criteria)}?sort=title`, candidate.key)
      const same = await board.get(`/v1/jobs?sort=title&${query}`, candidate.key)
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual(same.body)
    })

    test('sorts like the board, including by relevance if the criteria contain a search', async () => {
      const path = await matchesOf({ search: 'van' })
      const { body } = await board.get(`${path}?sort=relevance`, candidate.key)
      expect(body.data.map(({ title }: { title: string }) => title)).toEqual(['Van painter', 'Van mechanic'])
      expect(body.meta.sort).toEqual({ fields: ['relevance'], directions: ['desc'] })
      expect(idsOf(await board.get(`${path}?sort=salary`, candidate.key))[1]).toBe(body.data[0].id)
    })
  })

  status(400, () => {
    test.each([
      ['sort=relevance', ['sort invalid_parameter']],
      ['category=vans', ['category unknown_parameter']],
      ['lmit=1&limit=0&search=van', ['lmit unknown_parameter', 'search unknown_parameter', 'limit invalid_parameter']],
      ['page=1&cursor=', ['cursor pagination_conflict']],
      ['cursor=abc', ['cursor invalid_cursor']],
      ['limit=1&limit=2', ['limit invalid_parameter']],
    ])('refuses %s', async (query, faults) => {
      const answer = await board.get(`${await matchesOf({ remote: true })}?${query}`, candidate.key)
      expect([answer.status, faultsOf(answer)]).toEqual([400, faults])
    })

    test('refuses a cursor that was issued before the criteria changed, or for another alert', async () => {
      const { id } = await makeAlert(board, candidate, { criteria: { category: 'vans' } })
      const path = `${ALERTS}/${id}/matches?limit=1`
      const { next_cursor } = (await board.get(path, candidate.key)).body.meta.pagination
      expect((await board.get(`${path}&cursor=${next_cursor}`, candidate.key)).status).toBe(200)
      const other = await matchesOf({})
      expect(faultsOf(await board.get(`${other}?cursor=${next_cursor}`, candidate.key))).toEqual([
        'cursor invalid_cursor',
      ])
      await board.put(`${ALERTS}/${id}`, candidate.key, { criteria: { search: 'van' } })
      expect(faultsOf(await board.get(`${path}&cursor=${next_cursor}`, candidate.key))).toEqual([
        'cursor invalid_cursor',
      ])
    })
  })
})
