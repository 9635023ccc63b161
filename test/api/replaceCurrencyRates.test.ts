import { afterAll, expect, test } from 'vitest'
import { ADMIN_KEY, Board, expectStatus } from '../support/board.ts'
import { insertJobs } from '../support/jobs.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { runTask } from '../support/tasks.ts'

const sound = { base: 'EUR', as_of: '2026-01-02', rates: { JPY: 150, USD: 1.25 } }

describeOperation('replaceCurrencyRates', ({ board, status }) => {
  const path = '/v1/admin/currency-rates'
  const present = async (from: Pick<Board, 'get'> = board) =>
    (await from.get('/v1/currency-rates', ADMIN_KEY)).body.data
  const replace = (body: unknown) => board.put(path, ADMIN_KEY, body)

  status(200, () => {
    test('replaces the whole table', async () => {
      expect([(await replace(sound)).body, await present()]).toEqual([{ data: sound }, sound])
      const others = { base: 'CHF', as_of: '2026-01-05', rates: { CHF: 1, KRW: 1_804.37, VND: 0.000_031 } }
      expect([(await replace(others)).body, await present()]).toEqual([{ data: others }, others])
      // The response of getCurrencyRates is a valid request body.
      expect((await replace(await present())).body).toEqual({ data: others })
    })

    test('changes salary sorting and filters immediately, without changing stored amounts', async () => {
      const { key } = await board.candidate()
      const seeds = [
        { title: 'Yen', salary: { min: 9_000_000, currency: 'JPY' } },
        { title: 'Euro', salary: { min: 70_000, currency: 'EUR' } },
        { title: 'Pound', salary: { min: 1_000_000, currency: 'GBP' } },
        { title: 'Unpaid' },
      ]
      await insertJobs(board, seeds)
      const titles = async (query: string) =>
        (await board.get(`/v1/jobs?${query}`, key)).body.data.map(({ title }: { title: string }) => title)
      await replace(sound)
      expect(await titles('sort=salary')).toEqual(['Euro', 'Yen', 'Unpaid', 'Pound'])
      expect(await titles('sort=salary&order=asc')).toEqual(['Yen', 'Euro', 'Pound', 'Unpaid'])
      expect(await titles('salary_in=EUR&salary_min=65000')).toEqual(['Euro'])
      await replace({ ...sound, rates: { JPY: 100, USD: 1.25 } })
      expect(await titles('sort=salary')).toEqual(['Yen', 'Euro', 'Unpaid', 'Pound'])
      expect(await titles('salary_in=EUR&salary_min=65000&sort=salary')).toEqual(['Yen', 'Euro'])
      const { data } = (await board.get('/v1/jobs?search=yen', key)).body
      expect(data[0].salary).toEqual({ min: 9_000_000, max: null, currency: 'JPY', period: 'year' })
    })

    test("accepts today's date in the easternmost time zone", async () => {
      const as_of = new Date(board.clock.time + 14 * 3_600_000).toISOString().slice(0, 10)
      expect((await replace({ ...sound, as_of })).status).toBe(200)
    })

    test('is recorded in the activity log', async () => {
      await replace(sound)
      const { action, subject } = await board.database.read((db) =>
        db.selectFrom('operator_action').selectAll().orderBy('id', 'desc').executeTakeFirstOrThrow(),
      )
      expect([action, subject]).toEqual(['currency_rates.replace', '2026-01-02'])
    })

    const other = new Board()
    afterAll(() => other.service.app.close())
    test('reaches other processes, including workers', async () => {
      other.database = board.database
      await other.start()
      await replace({ ...sound, rates: { USD: 7 } })
      await runTask(other, 'desk')
      expect(await present(other)).toEqual({ ...sound, rates: { USD: 7 } })
      expect(other.service.tasks.find(({ name }) => name === 'desk')).toMatchObject({ everyMs: 1_000, runsIn: 'all' })
    })
  })

  status(412, () => {
    test('refuses a change with an outdated tag', async () => {
      const { headers } = expectStatus(await replace(sound), 200)
      const change = (rates: object) =>
        board.call('PUT', path, {
          ...{ key: ADMIN_KEY, body: { ...sound, rates } },
          headers: { 'if-match': headers.get('etag')! },
        })
      expect((await change({ USD: 2 })).status).toBe(200)
      expect([(await change({ USD: 3 })).status, (await present()).rates]).toEqual([412, { USD: 2 }])
    })
  })

  status(422, () => {
    test.each<[Record<string, unknown>, string]>([
      [{ base: 'eur' }, '#/base invalid_format'],
      [{ base: 'ZZZ' }, '#/base invalid_format'],
      [{ base: null }, '#/base invalid_type'],
      [{ base: undefined }, '#/base required'],
      [{ as_of: '2026-13-01' }, '#/as_of invalid_format'],
      [{ as_of: '2026-02-30' }, '#/as_of invalid_format'],
      [{ as_of: '2026-01-02T00:00:00Z' }, '#/as_of invalid_format'],
      [{ as_of: 20_260_102 }, '#/as_of invalid_type'],
      [{ as_of: '2126-01-01' }, '#/as_of invalid_range'],
      [{ rates: {} }, '#/rates too_few'],
      [{ rates: [1.25] }, '#/rates invalid_type'],
      [{ rates: { usd: 1.25 } }, '#/rates/usd invalid_format'],
      [{ rates: { ZZZ: 1.25 } }, '#/rates/ZZZ invalid_format'],
      [{ rates: { 'a/b': 1.25 } }, '#/rates/a~1b invalid_format'],
      [{ rates: { USD: 0 } }, '#/rates/USD too_small'],
      [{ rates: { USD: -1.25 } }, '#/rates/USD too_small'],
      [{ rates: { USD: 1e10 } }, '#/rates/USD too_large'],
      [{ rates: { USD: '1.25' } }, '#/rates/USD invalid_type'],
      [{ rates: { USD: null } }, '#/rates/USD invalid_type'],
      [{ rates: { EUR: 1.01 } }, '#/rates/EUR invalid_range'],
      [{ source: 'ECB' }, '#/source unknown_field'],
    ])('refuses %o and changes nothing', async (body, fault) => {
      const before = await present()
      const answer = await replace({ ...sound, ...body })
      expect([answer.status, faultsOf(answer)]).toEqual([422, [fault]])
      expect(await present()).toEqual(before)
    })

    test('reports all errors at once', async () => {
      const answer = await replace({ base: 'EUR', as_of: '2126-01-01', rates: { EUR: 2, usd: 1, GBP: 0 } })
      expect(faultsOf(answer).toSorted()).toEqual([
        '#/as_of invalid_range',
        '#/rates/GBP too_small',
        '#/rates/usd invalid_format',
      ])
    })
  })
})
