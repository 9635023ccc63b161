/** test/db/feeds.test.ts tests how runs use the documents. */
import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { FEEDS, feed, makeFeed, ndjsonOf, posting, push } from '../support/feeds.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('createFeedDocument', ({ board, status }) => {
  const parts = async () =>
    (await board.database.read((db) => db.selectFrom('feed_document_part').select('run_id').execute())).length

  status(202, () => {
    test('accepts documents larger than the limit for other bodies', async () => {
      const { id } = await makeFeed(board)
      const description = 'x'.repeat(40_000)
      const postings = Array.from({ length: 100 }, (_, n) => posting(String(n), { description }))
      expect(await feed(board, id, postings)).toMatchObject({ state: 'succeeded', counts: { created: 100 } })
    })

    test('accepts a document as a field of a JSON body', async () => {
      const { id } = await makeFeed(board, { format: 'recruitee', board: 'voltaire', is_active: false })
      const body = { document: JSON.stringify({ offers: [] }) }
      const answer = expectStatus(await board.post(`${FEEDS}/${id}/documents`, ADMIN_KEY, body), 202)
      expect(answer.headers.get('location')).toBe(`${FEEDS}/${id}/runs/${answer.body.data.id}`)
    })
  })

  status(404, () => {
    test('hides the feed from other accounts, and stores nothing', async () => {
      const { id } = await makeFeed(board)
      const before = await parts()
      expect((await push(board, id, '{}', (await board.employer()).key)).status).toBe(404)
      expect(await parts()).toBe(before)
    })
  })

  status(409, () => {
    test('refuses and does not store a document while another run is pending', async () => {
      const { id } = await makeFeed(board)
      expectStatus(await push(board, id, ndjsonOf([posting('1')])), 202)
      const before = await parts()
      expect((await push(board, id, ndjsonOf([posting('2')]))).body.code).toBe('conflict')
      expect(await parts()).toBe(before)
    })
  })

  status(415, () => {
    test('refuses unsupported media types', async () => {
      const { id } = await makeFeed(board)
      const options = { key: ADMIN_KEY, body: 'x', headers: { 'content-type': 'application/pdf' } }
      expect((await board.call('POST', `${FEEDS}/${id}/documents`, options)).status).toBe(415)
    })
  })

  status(422, () => {
    test('refuses a request without a document', async () => {
      const { id } = await makeFeed(board)
      for (const body of [undefined, {}]) {
        const answer = await board.call('POST', `${FEEDS}/${id}/documents`, { key: ADMIN_KEY, body })
        expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
      }
    })
  })

  status(413, () => {
    test('refuses documents larger than 64 MiB', async () => {
      const { id } = await makeFeed(board)
      expect((await push(board, id, ' '.repeat(67_108_865))).status).toBe(413)
      expect((await board.get(`${FEEDS}/${id}/runs`, ADMIN_KEY)).body.data).toEqual([])
    })
  })
})
