import { expect, test } from 'vitest'
import { ADMIN_KEY } from '../support/board.ts'
import { idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { begin, forceStatus } from '../support/payments.ts'

describeOperation('listPayments', ({ board, status }) => {
  const path = '/v1/employers/payments'

  const collection = async () => {
    const employer = await board.employer()
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      board.clock.advance(i % 2 ? 1_000 : 0)
      ids.unshift((await begin(board, employer)).id)
    }
    return { path, key: employer.key, ids, otherSort: 'amount' }
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test("shows only the employer's own payments, newest first, exactly as documented", async () => {
      const employer = await board.employer()
      await begin(board, await board.employer())
      const first = await begin(board, employer)
      board.clock.advance(1_000)
      const second = await begin(board, employer, ['job-post', 'urgent'])
      const paid = (await board.post(`${path}/${first.id}/confirm`, employer.key)).body.data
      const answer = await board.get(path, employer.key)
      expect([answer.status, answer.body.data]).toEqual([200, [second, paid]])
      expect(answer.body.meta).toMatchObject({
        sort: { fields: ['created_at'], directions: ['desc'] },
        filters_applied: {},
      })
    })

    test('shows admins the payments of all employers', async () => {
      const ids = [(await begin(board, await board.employer())).id, (await begin(board, await board.employer())).id]
      board.clock.advance(1_000)
      const newest = await begin(board, await board.employer())
      const all = idsOf(await board.get(`${path}?limit=100`, ADMIN_KEY))
      expect(all[0]).toBe(newest.id)
      for (const id of ids) expect(all).toContain(id)
      const { count } = await board.database.read((db) =>
        db
          .selectFrom('payment')
          .select((select) => select.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow(),
      )
      expect((await board.get(`${path}?limit=1`, ADMIN_KEY)).body.meta.pagination.total).toBe(count)
    })

    test("shows no checkout URLs of settled payments, or of other employers' payments", async () => {
      const [mine, theirs] = [await board.employer(), await board.employer()]
      const open = await begin(board, mine)
      const settled = await begin(board, mine)
      await board.post(`${path}/${settled.id}/confirm`, mine.key)
      const { text } = await board.get(path, mine.key)
      expect(text).toContain(open.checkout_url)
      expect(text).not.toContain(settled.checkout_url)
      expect((await board.get(path, theirs.key)).text).not.toContain(open.checkout_url)
    })

    test('filters and sorts, with unpaid payments last when sorted by paid_at in either direction', async () => {
      const employer = await board.employer()
      const start = board.clock.now().toISOString()
      const cheap = await begin(board, employer, ['highlighted'])
      board.clock.advance(1_000)
      const dear = await begin(board, employer, ['job-post', 'featured'])
      board.clock.advance(1_000)
      const open = await begin(board, employer, ['urgent'])
      const failed = await begin(board, employer, ['featured'])
      await board.post(`${path}/${dear.id}/confirm`, employer.key)
      board.clock.advance(1_000)
      await board.post(`${path}/${cheap.id}/confirm`, employer.key)
      await forceStatus(board, failed.id, 'failed')
      const cases: [string, { id: string }[], Record<string, unknown>][] = [
        ['status=paid&sort=amount', [cheap, dear], { status: 'paid' }],
        ['status=failed', [failed], { status: 'failed' }],
        ['status=refunded', [], { status: 'refunded' }],
        ['status_not=paid&sort=amount', [open, failed], { status_not: 'paid' }],
        ['status_in=failed,pending&sort=amount', [open, failed], { status_in: ['failed', 'pending'] }],
        [`job_id=${open.job_id}`, [open], { job_id: open.job_id }],
        ['job_id=job_00000000000000000000000000', [], { job_id: 'job_00000000000000000000000000' }],
        [`created_at=${start}`, [cheap], { created_at: start }],
        [`created_at_gt=${start}&sort=amount:desc`, [dear, failed, open], { created_at_gt: start }],
        ['sort=amount', [cheap, open, failed, dear], {}],
        ['sort=amount:desc', [dear, failed, open, cheap], {}],
        ['sort=paid_at,amount', [dear, cheap, open, failed], {}],
        ['sort=paid_at:desc,amount:asc', [cheap, dear, open, failed], {}],
        ['sort=created_at,amount', [cheap, dear, open, failed], {}],
      ]
      for (const [query, payments, applied] of cases) {
        const answer = await board.get(`${path}?${query}`, employer.key)
        expect(idsOf(answer), query).toEqual(payments.map(({ id }) => id))
        expect(answer.body.meta.filters_applied).toEqual(applied)
        expect(answer.body.meta.pagination.total).toBe(payments.length)
      }
    })
  })

  status(400, () => {
    refusesBadPaging(board, collection)

    test.each([
      ['status=settled', 'status invalid_parameter'],
      ['status_in=paid,settled', 'status_in invalid_parameter'],
      ['status_gt=paid', 'status_gt invalid_parameter'],
      ['amount=1', 'amount unknown_parameter'],
      ['checkout_token=x', 'checkout_token unknown_parameter'],
      ['sort=checkout_token', 'sort invalid_parameter'],
    ])('refuses %s', async (query, fault) => {
      const { key } = await board.employer()
      const answer = await board.get(`${path}?${query}`, key)
      expect([answer.status, faultsOf(answer)]).toEqual([400, [fault]])
    })
  })
})
