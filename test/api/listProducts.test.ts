import { expect, test } from 'vitest'
import { ADMIN_KEY } from '../support/board.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('listProducts', ({ board, status }) => {
  const path = '/v1/employers/products'

  status(200, () => {
    test('returns the post and its three upgrades, to employers and admins', async () => {
      const { key } = await board.employer()
      for (const each of [key, ADMIN_KEY]) {
        const answer = await board.get(path, each)
        expect([answer.status, answer.body]).toEqual([
          200,
          {
            data: [
              {
                slug: 'job-post',
                name: 'Job post',
                amount: 19_900,
                currency: 'USD',
                duration_days: 30,
                is_active: true,
              },
              {
                slug: 'featured',
                name: 'Featured in lists',
                amount: 9_900,
                currency: 'USD',
                duration_days: 30,
                is_active: true,
              },
              {
                slug: 'urgent',
                name: 'Urgent badge',
                amount: 4_900,
                currency: 'USD',
                duration_days: 30,
                is_active: true,
              },
              {
                slug: 'highlighted',
                name: 'Highlighted',
                amount: 2_900,
                currency: 'USD',
                duration_days: 30,
                is_active: true,
              },
            ],
          },
        ])
      }
    })

    test('shows a changed price immediately, and keeps the order of the products', async () => {
      const { key } = await board.employer()
      await board.put('/v1/admin/products/job-post', ADMIN_KEY, { amount: 1 })
      const { data } = (await board.get(path, key)).body
      expect(data.map(({ slug, amount }: { slug: string; amount: number }) => [slug, amount])).toEqual([
        ['job-post', 1],
        ['featured', 9_900],
        ['urgent', 4_900],
        ['highlighted', 2_900],
      ])
    })
  })
})
