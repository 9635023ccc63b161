/** One account's searches for invented words sent 128 queries each, and delayed searches of other accounts. */
import { afterEach, expect, test, vi } from 'vitest'
import { jobPath } from '../../src/features/jobs/index.ts'
import { type Account, ADMIN_KEY, useBoard } from '../support/board.ts'
import { insertJobs } from '../support/jobs.ts'

const board = useBoard({ RATE_LIMIT: 'on' })
afterEach(() => vi.restoreAllMocks())

let invented = 0
/** Returns words that no earlier search used. */
const newWords = (count: number) => Array.from({ length: count }, () => `zq${(invented++).toString(36)}x`).join(' ')
const search = (words: string, account: Account) =>
  board.get(`/v1/jobs?sort=relevance&search=${encodeURIComponent(words)}`, account.key)

/** Delays queries until the test releases them. */
function holdQuestions() {
  const asked: { release: () => void }[] = []
  const ask = board.database.readInSession.bind(board.database)
  vi.spyOn(board.database, 'readInSession').mockImplementation(async (question) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    asked.push({ release: resolve })
    await promise
    return ask(question)
  })
  return asked
}

test('a search of 12 terms by relevance sends one query if no job matches, and three if a job matches', async () => {
  const account = await board.candidate()
  await insertJobs(board, [
    { title: 'Alpha beta gamma delta', description: 'epsilon zeta eta theta iota kappa lambda mu' },
  ])
  const asked = vi.spyOn(board.database, 'readInSession')
  const unknown = await search(newWords(12), account)
  expect([unknown.status, unknown.body.meta.pagination.total, asked.mock.calls.length]).toEqual([200, 0, 1])
  asked.mockClear()
  const known = await search('alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu ', account)
  // The third query reads the matching job.
  expect([known.body.meta.search.matched_all, asked.mock.calls.length]).toEqual([1, 3])
})

test('an account runs at most two queries at a time, does not delay other accounts, and gets all its results', async () => {
  const [one, other] = [await board.candidate(), await board.candidate()]
  const asked = holdQuestions()
  const flood = Array.from({ length: 6 }, () => search(newWords(1), one))
  await expect.poll(() => asked).toHaveLength(2)
  const honest = search(newWords(1), other)
  await expect.poll(() => asked).toHaveLength(3)
  asked[2]!.release()
  expect((await honest).status).toBe(200)
  expect(asked).toHaveLength(3)
  for (let n = 0; n < 7; n++) {
    await expect.poll(() => asked.length).toBeGreaterThan(n)
    asked[n]!.release()
  }
  expect((await Promise.all(flood)).map(({ status }) => status)).toEqual(Array(6).fill(200))
})

test('an account may have 52 searches in progress, and other accounts are still served', async () => {
  const [one, other] = [await board.candidate(), await board.candidate()]
  const asked = holdQuestions()
  const flood = Array.from({ length: 60 }, () => search(newWords(1), one))
  const settled: number[] = []
  for (const answer of flood) answer.then(({ status }) => settled.push(status))
  await expect.poll(() => settled).toEqual(Array(8).fill(503))
  const honest = search(newWords(1), other)
  await expect.poll(() => asked).toHaveLength(3)
  vi.restoreAllMocks()
  for (const { release } of asked) release()
  expect((await honest).status).toBe(200)
  await Promise.all(flood)
  expect(settled.filter((status) => status === 200)).toHaveLength(52)
})

test('a shared query is charged only to the account whose search sent it', async () => {
  const [one, other] = [await board.candidate(), await board.candidate()]
  const used = (account: Account) =>
    board.service.budgets.usesOf(account.id).find(({ name }) => name === 'search-time')!.used
  const asked = holdQuestions()
  const words = newWords(3)
  const first = search(words, one)
  await expect.poll(() => asked).toHaveLength(1)
  const second = search(words, other)
  // The second search gets its turn and waits for the query of the first.
  await new Promise((resolve) => setImmediate(resolve))
  asked[0]!.release()
  expect([(await first).status, (await second).status, asked.length]).toEqual([200, 200, 1])
  expect([used(one) > 0, used(other)]).toEqual([true, 0])
})

test('an account that has spent its budget gets an error, except for searches that need no query', async () => {
  const [one, other] = [await board.candidate(), await board.candidate()]
  const words = newWords(2)
  await search(words, one)
  board.service.budgets.charge('search-time', one.id, 20_000)
  const refused = await search(newWords(1), one)
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  expect(refused.body.detail).toMatch(/^The budget "search-time" is used up\. Try again in \d+ s\.$/)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused.headers.get('ratelimit-policy')).toBe('"search-time";q=10000;w=60')
  for (const known of [words, 'alpha']) expect((await search(known, known === words ? one : other)).status).toBe(200)
  // A search that another account has already run needs no query either.
  expect((await search('alpha', one)).status).toBe(200)
  const mirror = await board.get('/v1/jobs?updated_since=2026-01-01', one.key)
  expect(mirror.status).toBe(429)
  expect((await search(newWords(1), other)).status).toBe(200)
  board.clock.advance(60_000)
  expect((await search(newWords(1), one)).status).toBe(200)
})

test("visitors' searches are charged to their network, and job pages are still shown once its budget is spent", async () => {
  const title = newWords(2)
  const id = (await insertJobs(board, [{ title }]))[0]!
  board.service.budgets.charge('search-time', '127.0.0.1', 20_000)
  const page = await board.call('GET', `/jobs?search=${newWords(1)}`, { headers: { accept: 'text/html' } })
  expect(page.status).toBe(429)
  expect((await board.call('GET', jobPath({ id, title }), { headers: { accept: 'text/html' } })).status).toBe(200)
  expect((await board.get(`/v1/jobs?search=${newWords(1)}`, ADMIN_KEY)).status).toBe(200)
  board.clock.advance(60_000)
})
