import { expect, test } from 'vitest'
import { isCurrency } from '../../src/lib/salary.ts'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('getCurrencyRates', ({ board, status }) => {
  const path = '/v1/currency-rates'

  status(200, () => {
    test('returns the built-in rates to any account until an admin replaces them', async () => {
      const { data } = expectStatus(await board.get(path, ADMIN_KEY), 200).body
      expect(Object.keys(data)).toEqual(['base', 'as_of', 'rates'])
      expect(data.as_of).toMatch(/^2026-1[12]-\d\d$/)
      const codes = Object.keys(data.rates)
      expect(codes).toEqual(codes.toSorted())
      expect([data.base, ...codes].filter((code) => !isCurrency(code))).toEqual([])
      const required = 'EUR USD GBP CHF SEK NOK DKK PLN CZK HUF RON JPY KRW CNY INR CAD AUD NZD BRL MXN TRY ZAR SGD'
      expect([data.base, ...codes]).toEqual(expect.arrayContaining(required.split(' ')))
      for (const { key } of [await board.candidate(), await board.employer()]) {
        expect((await board.get(path, key)).body).toEqual({ data })
      }
    })

    test('returns new rates immediately, with a new entity tag', async () => {
      const { headers } = await board.get(path, ADMIN_KEY)
      const tag = { 'if-none-match': headers.get('etag')! }
      expect((await board.call('GET', path, { key: ADMIN_KEY, headers: tag })).status).toBe(304)
      const rates = { base: 'USD', as_of: '2026-01-02', rates: { SEK: 9.47, EUR: 0.862 } }
      const { etag } = Object.fromEntries((await board.put(path.replace('v1/', 'v1/admin/'), ADMIN_KEY, rates)).headers)
      const answer = await board.call('GET', path, { key: ADMIN_KEY, headers: tag })
      expect([answer.status, answer.body]).toEqual([200, { data: rates }])
      expect(answer.headers.get('etag')).toBe(etag)
    })
  })
})
