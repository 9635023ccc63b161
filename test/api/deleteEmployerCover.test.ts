import { expect, test } from 'vitest'
import { expectStatus, ORIGIN } from '../support/board.ts'
import { describeOperation } from '../support/operation.ts'
import { png } from '../support/pictures.ts'

describeOperation('deleteEmployerCover', ({ board, status }) => {
  const path = '/v1/employers/cover'
  const put = async (key: string) => {
    const cover = { key, body: png(8, 8), headers: { 'content-type': 'image/png' } }
    return expectStatus(await board.call('PUT', path, cover), 200).body.data.cover_url as string
  }

  status(204, () => {
    test('removes the cover and its file', async () => {
      const { key } = await board.employer()
      const url = await put(key)
      expectStatus(await board.delete(path, key), 204)
      expect((await board.get('/v1/employers/profile', key)).body.data.cover_url).toBeNull()
      expect((await board.get(url.slice(ORIGIN.length))).status).toBe(404)
    })
  })

  status(404, () => {
    test('returns 404 if there is no cover', async () => {
      const { key } = await board.employer()
      const answer = await board.delete(path, key)
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
    })
  })

  status(412, () => {
    test('refuses every tag in If-Match, because the cover is not a separate resource', async () => {
      const { key } = await board.employer()
      await put(key)
      const answer = await board.call('DELETE', path, { key, headers: { 'if-match': '"any"' } })
      expect(answer.status).toBe(412)
    })
  })
})
