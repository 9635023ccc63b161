/** High page numbers in a mirror's requests made the database read all rows before the page. */
import { beforeAll, expect, test } from 'vitest'
import { type Account, useBoard } from '../support/board.ts'
import { insertJobs } from '../support/jobs.ts'

const board = useBoard()
let candidate: Account
beforeAll(async () => {
  candidate = await board.candidate()
  await insertJobs(
    board,
    Array.from({ length: 3 }, (_, n) => ({ title: `Job ${n}` })),
  )
})

const list = (query: string) => board.get(`/v1/jobs?updated_since=2026-01-01&${query}`, candidate.key)

test('page numbers in the list of changes reach at most 10,000 rows, and the error recommends the cursor', async () => {
  for (const query of ['page=100&limit=100', 'page=500', 'page=10000&limit=1']) {
    expect((await list(query)).status, query).toBe(200)
  }
  for (const query of ['page=101&limit=100', 'page=501', 'page=10001&limit=1', 'page=1000000000']) {
    const { status, body } = await list(query)
    expect([status, body.errors], query).toEqual([
      400,
      [
        {
          parameter: 'page',
          code: 'invalid_parameter',
          detail: 'page × limit must be at most 10000 with updated_since. Use cursor to read further.',
        },
      ],
    ])
  }
})

test('lists from memory accept high page numbers', async () => {
  expect((await board.get('/v1/jobs?page=100000&limit=100', candidate.key)).status).toBe(200)
})

test('after the last permitted page number, links continue by cursor, and none contains a higher page number', async () => {
  await insertJobs(
    board,
    Array.from({ length: 10_020 }, (_, n) => ({ title: `Many ${n}` })),
  )
  const { headers, body } = await list('page=100&limit=100')
  const links = headers.get('link')!
  expect(links).toMatch(/rel="prev"/)
  expect(links).not.toMatch(/rel="last"/)
  const [, next] = /<([^>]*)>; rel="next"/.exec(links)!
  expect(next).toContain(`cursor=${body.meta.pagination.next_cursor}`)
  const rest = await board.get(next!, candidate.key)
  expect([rest.status, rest.body.data.length, rest.body.meta.pagination.has_more]).toEqual([200, 23, false])
  const { headers: before } = await list('page=99&limit=100')
  expect(before.get('link')).toMatch(/page=100>; rel="next"/)
}, 120_000)
