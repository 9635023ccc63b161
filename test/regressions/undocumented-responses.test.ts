/** Headers and statuses that differed from the OpenAPI document. */
import { expect, test } from 'vitest'
import { expectStatus, useBoard } from '../support/board.ts'
import { posts, sendWith } from '../support/posts.ts'
import { upload } from '../support/resumes.ts'

const board = useBoard({ RATE_LIMIT: 'on' })
const operation = (id: string) => board.contract.operations.find(({ operationId }) => operationId === id)!

test('text in an unexpected body is not checked, so a DELETE does not return 422', async () => {
  const { key } = await board.candidate()
  const { id } = expectStatus(await board.post('/v1/api-keys', key, { name: 'Further' }), 201).body.data
  const answer = await board.call('DELETE', `/v1/api-keys/${id}`, { key, body: '{"reason":"\\u0000"}' })
  expect(answer.status).toBe(204)
})

test('only the export and the event stream, which always differ, have neither a tag nor 304', async () => {
  const { key } = await board.candidate()
  const headers = { 'if-none-match': '*' }
  const answer = await board.call('GET', '/v1/candidates/export', { key, headers })
  expect([answer.status, answer.headers.has('etag')]).toEqual([200, false])
  const gets = Object.values(board.contract.document.paths).flatMap(({ get }) => get ?? [])
  for (const { operationId, parameters = [], responses } of gets) {
    const isTagged = !['exportCandidate', 'streamEvents'].includes(operationId)
    expect('304' in responses, operationId).toBe(isTagged)
    expect(
      parameters.some(({ name }) => name === 'If-None-Match'),
      operationId,
    ).toBe(isTagged)
    expect('ETag' in (responses[200] as { headers: object }).headers, operationId).toBe(isTagged)
  }
})

test('file downloads ignore Accept, and all other operations document a 406', async () => {
  const candidate = await board.candidate()
  const { id } = await upload(board, candidate)
  const headers = { accept: 'text/html' }
  expectStatus(await board.call('GET', `/v1/candidates/resume/${id}`, { ...candidate, headers }), 200)
  const without = board.contract.operations.filter(({ responses }) => !('406' in responses))
  expect(without.map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining(['downloadResume', 'getInvoice']),
  )
  expect(without).toHaveLength(2)
})

test('the replay header is documented for the successful responses of every POST', async () => {
  const request = await posts.recoverWebhook!(board)
  await sendWith(board, 'once', request)
  expect((await sendWith(board, 'once', request)).headers.get('idempotency-replayed')).toBe('true')
  for (const id of Object.keys(posts)) {
    for (const [status, response] of Object.entries(operation(id).responses)) {
      if (status < '300') expect((response as { headers: object }).headers, id).toHaveProperty('Idempotency-Replayed')
    }
  }
})

test('the rate limit headers are documented for every response', async () => {
  const answer = await board.get('/v1/me', (await board.candidate()).key)
  const sent = ['RateLimit', 'RateLimit-Policy'].filter((name) => answer.headers.has(name))
  expect(sent).toHaveLength(2)
  for (const { responses } of board.contract.operations) {
    const own = Object.values(responses).filter((response) => !('$ref' in response)) as { headers: object }[]
    for (const { headers } of own) expect(Object.keys(headers)).toEqual(expect.arrayContaining(sent))
  }
  for (const { headers } of Object.values(board.contract.document.components.responses!))
    expect(Object.keys(headers!)).toEqual(expect.arrayContaining(sent))
})
