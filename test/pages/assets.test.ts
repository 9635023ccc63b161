/** The static files of pages. */
import { expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'
import { visitor } from '../support/pages.ts'

const board = useBoard()

test('a style sheet is compressed and cached for a year, and its name contains a hash', async () => {
  const { document } = await (await visitor(board)).get('/')
  const path = document.querySelector('link[rel="stylesheet"]')!.getAttribute('href')!
  const headers = { 'accept-encoding': 'br' }
  const answer = await board.call('GET', path, { headers })
  expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, 'br'])
  expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(answer.headers.get('vary')).toBe('accept-encoding')
  const known = { headers: { ...headers, 'if-none-match': answer.headers.get('etag')! } }
  expect((await board.call('GET', path, known)).status).toBe(304)
  for (const other of ['/assets/app.css', path.replace(/\.\w+\./, '.000000000000.')]) {
    expect((await board.get(other)).status, other).toBe(404)
  }
})
