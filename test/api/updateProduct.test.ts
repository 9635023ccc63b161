import { afterEach, expect, test } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { begin } from '../support/payments.ts'

describeOperation('updateProduct', ({ board, status }) => {
  const path = '/v1/admin/products/job-post'
  const original = {
    slug: 'job-post',
    name: 'Job post',
    amount: 19_900,
    currency: 'USD',
    duration_days: 30,
    is_active: true,
  }
  const present = async () => {
    const { data } = (await board.get('/v1/employers/products', ADMIN_KEY)).body
    return data.find(({ slug }: { slug: string }) => slug === 'job-post')
  }
  afterEach(async () => {
    expectStatus(await board.put(path, ADMIN_KEY, original), 200)
  })

  status(200, () => {
    test('changes only the given fields', async () => {
      const answer = await board.put(path, ADMIN_KEY, { amount: 25_000, name: ' Post ' })
      expect([answer.status, answer.body]).toEqual([200, { data: { ...original, amount: 25_000, name: 'Post' } }])
      expect(await present()).toEqual({ ...original, amount: 25_000, name: 'Post' })
    })

    test('treats {} and its own response as no change', async () => {
      for (const body of [{}, original]) {
        expect((await board.put(path, ADMIN_KEY, body)).body).toEqual({ data: original })
      }
    })

    test('applies to new payments, while started payments keep their amount', async () => {
      const employer = await board.employer()
      const before = await begin(board, employer, ['job-post', 'urgent'])
      await board.put(path, ADMIN_KEY, { amount: 0 })
      expect((await begin(board, employer, ['job-post', 'urgent'])).amount).toBe(4_900)
      const confirmed = await board.post(`/v1/employers/payments/${before.id}/confirm`, employer.key)
      expect(confirmed.body.data.amount).toBe(24_800)
    })

    test('accepts the lowest and highest amounts and durations', async () => {
      for (const body of [
        { amount: 100_000_000, duration_days: 365 },
        { amount: 0, duration_days: 1 },
      ]) {
        expect((await board.put(path, ADMIN_KEY, body)).body.data).toMatchObject(body)
      }
    })

    test('sets how long a job is on the board', async () => {
      const employer = await board.employer()
      await board.put(path, ADMIN_KEY, { duration_days: 90 })
      const { expires_at } = await board.activeJob(employer)
      expect(expires_at).toBe(new Date(board.clock.time + 90 * DAY_MS).toISOString())
    })

    test('stops selling a product, but settles payments that have started', async () => {
      const employer = await board.employer()
      const started = await begin(board, employer, ['job-post', 'urgent'])
      const urgent = '/v1/admin/products/urgent'
      expect((await board.put(urgent, ADMIN_KEY, { is_active: false })).body.data.is_active).toBe(false)
      const order = { job_id: (await board.job(employer)).id, products: ['job-post', 'urgent'] }
      const refused = await board.post('/v1/employers/payments', employer.key, order)
      expect([refused.status, faultsOf(refused)]).toEqual([422, ['#/products/1 not_allowed']])
      const confirmed = await board.post(`/v1/employers/payments/${started.id}/confirm`, employer.key)
      expect(confirmed.body.data.status).toBe('paid')
      expectStatus(await board.put(urgent, ADMIN_KEY, { is_active: true }), 200)
      expectStatus(await board.post('/v1/employers/payments', employer.key, order), 201)
    })

    test('applies all simultaneous changes to different fields', async () => {
      for (let round = 0; round < 5; round++) {
        const changes = [{ name: `Post ${round}` }, { amount: round }, { duration_days: round + 1 }]
        await Promise.all(changes.map((change) => board.put(path, ADMIN_KEY, change)))
        expect(await present()).toEqual(Object.assign({ ...original }, ...changes))
      }
    })
  })

  status(404, () => {
    test.each(['billboard', 'JOB-POST', 'job_post', '%00', 'x'.repeat(65), '__proto__'])(
      'does not find the product %s, whatever the body',
      async (slug) => {
        for (const body of [{ amount: 1 }, { amount: -1 }]) {
          const answer = await board.put(`/v1/admin/products/${slug}`, ADMIN_KEY, body)
          expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
        }
      },
    )
  })

  status(412, () => {
    test('refuses a change with an outdated entity tag', async () => {
      const { headers } = await board.put(path, ADMIN_KEY, { name: 'Job post' })
      const change = (tag: string) =>
        board.call('PUT', path, { key: ADMIN_KEY, body: { name: 'Advert' }, headers: { 'if-match': tag } })
      expect((await change(headers.get('etag')!)).status).toBe(200)
      expect([(await change(headers.get('etag')!)).status, (await present()).name]).toEqual([412, 'Advert'])
    })
  })

  status(422, () => {
    test.each<[Record<string, unknown>, string]>([
      [{ name: '' }, '#/name too_short'],
      [{ name: 'x'.repeat(101) }, '#/name too_long'],
      [{ amount: -1 }, '#/amount too_small'],
      [{ amount: 100_000_001 }, '#/amount too_large'],
      [{ amount: 199.5 }, '#/amount invalid_type'],
      [{ amount: '19900' }, '#/amount invalid_type'],
      [{ amount: null }, '#/amount invalid_type'],
      [{ currency: 'usd' }, '#/currency invalid_format'],
      [{ currency: 'ZZZ' }, '#/currency invalid_format'],
      [{ duration_days: 0 }, '#/duration_days too_small'],
      [{ duration_days: 366 }, '#/duration_days too_large'],
      [{ is_active: false }, '#/is_active not_allowed'],
      [{ slug: 'other' }, '#/slug read_only_field'],
      [{ position: 1 }, '#/position unknown_field'],
      [{ active: false }, '#/active unknown_field'],
    ])('refuses %o and changes nothing', async (body, fault) => {
      const answer = await board.put(path, ADMIN_KEY, { duration_days: 10, ...body })
      expect([answer.status, faultsOf(answer)]).toEqual([422, [fault]])
      expect(await present()).toEqual(original)
    })
  })
})
