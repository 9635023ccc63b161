/** Found in an attack test: problems with unusual page requests. */
import { expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'
import { visitor } from '../support/pages.ts'

const board = useBoard()

test('a NUL in the path causes a 404, even if the request has other errors', async () => {
  const owner = await visitor(board, await board.employer())
  const seeker = await visitor(board, await board.candidate())
  const json = { headers: { 'content-type': 'application/json' }, body: '{}' }
  for (const path of ['/employer/jobs/%00/edit', '/employer/applications/%00', '/console/webhooks/%00']) {
    expect((await owner.send('POST', path, json as never)).status, path).toBe(404)
  }
  expect((await seeker.send('POST', '/jobs/%00/apply', json as never)).status).toBe(404)
  expect((await owner.get('/console/webhooks/%00?x=%ff')).status).toBe(404)
})

test('a static file changes no cookies, because caches share it', async () => {
  const guest = await visitor(board)
  const path = (await guest.get('/')).document.querySelector('link[rel="stylesheet"]')!.getAttribute('href')!
  const answer = await fetch(`${board.address}${path}`, { headers: { cookie: 'session=an-old-one' } })
  expect([answer.status, answer.headers.get('set-cookie')]).toEqual([200, null])
  expect(answer.headers.get('cache-control')).toContain('immutable')
})

test('streams of the complete board do not support HEAD, which would have to read all jobs', async () => {
  for (const path of ['/jobs.xml', '/jobs.jsonl', '/sitemaps/jobs-1.xml']) {
    expect((await fetch(`${board.address}${path}`, { method: 'HEAD' })).status, path).not.toBe(200)
  }
  expect((await fetch(`${board.address}/jobs.atom`, { method: 'HEAD' })).status).toBe(200)
})
