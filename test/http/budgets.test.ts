/** Budgets over HTTP: refusals, headers, the account resource for admins, and who is charged for response bytes. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { shareQuotas } from '../../src/db/rate-limits.ts'
import type { BudgetName } from '../../src/lib/budgets.ts'
import { Budgets } from '../../src/lib/budgets.ts'
import { ADMIN_KEY, useBoard } from '../support/board.ts'
import { isOnPostgres } from '../support/database.ts'
import { insertJobs } from '../support/jobs.ts'

const board = useBoard({ RATE_LIMIT: 'on', TRUST_PROXY: '127.0.0.1' })
// Moves the clock to the start of the next day, which renews every budget.
beforeEach(() => board.clock.advance(86_400_000 - (board.clock.time % 86_400_000)))

const usedBy = (subject: string, budget: BudgetName) =>
  board.service.budgets.usesOf(subject).find(({ name }) => name === budget)!.used
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

describe('response bytes', () => {
  test('are charged to the account, on the fast and the regular path', async () => {
    const account = await board.candidate()
    await insertJobs(board, [{ title: 'Long', description: 'word '.repeat(10_000) }])
    const sizes: number[] = []
    for (let n = 0; n < 3; n++) {
      const before = usedBy(account.id, 'responses')
      const { bytes } = await board.call('GET', '/v1/jobs', { ...account, headers: { 'accept-encoding': 'identity' } })
      sizes.push(bytes.length)
      await expect.poll(() => usedBy(account.id, 'responses') - before).toBe(Math.ceil(bytes.length / 1_024))
    }
    expect(sizes[0]).toBeGreaterThan(50_000)
    const before = usedBy(account.id, 'responses')
    await board.call('HEAD', '/v1/jobs', account)
    expect(usedBy(account.id, 'responses')).toBe(before)
  })

  test("are charged to the visitor's IP address, even if they are streamed", async () => {
    const address = '192.0.2.50'
    const { bytes } = await board.call('GET', '/jobs.jsonl', from(address))
    await expect.poll(() => usedBy(address, 'responses')).toBeGreaterThanOrEqual(Math.floor(bytes.length / 1_024))
    expect(usedBy(address, 'responses')).toBeLessThan(bytes.length / 1_024 + 10)
  })

  test('are refused only to an account or IP address that has spent its budget, before any database read', async () => {
    const [one, other] = [await board.candidate(), await board.candidate()]
    await board.get('/v1/jobs', one.key)
    await board.get('/v1/jobs', one.key)
    board.service.budgets.charge('responses', one.id, 5_000_000)
    const read = vi.spyOn(board.database, 'read')
    for (const path of ['/v1/jobs', '/v1/me']) {
      const answer = await board.get(path, one.key)
      expect([answer.status, answer.body.code]).toEqual([429, 'rate_limited'])
      expect(answer.body.detail).toBe('The budget "responses" is used up. Try again in 3600 s.')
      expect(answer.headers.get('ratelimit-policy')).toBe('"responses";q=4194304;w=3600')
      expect(answer.headers.get('retry-after')).toBe('3600')
    }
    // On PostgreSQL, the board also reads the changes of other processes, for all accounts.
    if (!isOnPostgres) expect(read).not.toHaveBeenCalled()
    read.mockRestore()
    expect((await board.get('/v1/me', other.key)).status).toBe(200)
    board.service.budgets.charge('responses', '192.0.2.51', 5_000_000)
    expect((await board.call('GET', '/jobs', from('192.0.2.51'))).status).toBe(429)
    expect((await board.call('GET', '/jobs', from('192.0.2.52'))).status).toBe(200)
  })
})

describe('headers', () => {
  test("contain a route's budgets, their remainders and their renewal times", async () => {
    const account = await board.employer()
    board.service.budgets.charge('search-time', account.id, 400)
    for (let n = 0; n < 3; n++) {
      const { headers } = await board.get('/v1/jobs', account.key)
      expect(headers.get('ratelimit-policy')).toBe(
        '"key";q=6000;w=60, "responses";q=4194304;w=3600, "search-time";q=10000;w=60',
      )
      expect(headers.get('ratelimit')).toMatch(
        /^"key";r=59\d\d;t=60, "responses";r=419\d{4};t=3600, "search-time";r=9[56]\d\d;t=60$/,
      )
    }
    const { headers } = await board.get('/v1/me', account.key)
    expect(headers.get('ratelimit-policy')).toBe('"key";q=6000;w=60, "responses";q=4194304;w=3600')
    const visitor = await board.call('GET', '/v1', from('192.0.2.53'))
    expect(visitor.headers.get('ratelimit')).toMatch(/^"address";r=599;t=60, "responses";r=4194304;t=3600$/)
  })
})

describe('the account resource for admins', () => {
  test('shows the usage of every budget, from all processes', async () => {
    const account = await board.employer()
    board.service.budgets.charge('search-time', account.id, 1_234)
    const elsewhere = new Budgets(board.clock)
    elsewhere.charge('emails', account.id, 321)
    await shareQuotas(board.database, elsewhere.quotas, board.clock.now())
    const { budgets } = (await board.get(`/v1/admin/accounts/${account.id}`, ADMIN_KEY)).body.data
    expect(budgets.map(({ name }: { name: string }) => name)).toEqual([
      ...['search-time', 'storage', 'storage-burst', 'responses', 'emails', 'extraction-time'],
    ])
    expect(budgets[0]).toEqual({
      name: 'search-time',
      used: 1_234,
      quota: 10_000,
      window_seconds: 60,
      resets_at: new Date(board.clock.time + 60_000).toISOString(),
    })
    expect(budgets[4]).toMatchObject({ name: 'emails', used: 321, quota: 1_000 })
  })
})
