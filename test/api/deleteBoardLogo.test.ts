import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus, ORIGIN } from '../support/board.ts'
import { describeOperation } from '../support/operation.ts'
import { png } from '../support/pictures.ts'

describeOperation('deleteBoardLogo', ({ board, status }) => {
  const path = '/v1/admin/board/logo'
  const put = async () => {
    const logo = { key: ADMIN_KEY, body: png(8, 8), headers: { 'content-type': 'image/png' } }
    return expectStatus(await board.call('PUT', path, logo), 200).body.data.logo_url as string
  }

  status(204, () => {
    test('removes the logo and its file', async () => {
      const url = await put()
      expectStatus(await board.delete(path, ADMIN_KEY), 204)
      expect((await board.get('/v1/board')).body.data.logo_url).toBeNull()
      expect((await board.get(url.slice(ORIGIN.length))).status).toBe(404)
    })
  })

  status(404, () => {
    test('returns 404 if there is no logo', async () => {
      const answer = await board.delete(path, ADMIN_KEY)
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
    })
  })

  status(412, () => {
    test('refuses every tag in If-Match, because the logo is not a separate resource', async () => {
      await put()
      const answer = await board.call('DELETE', path, { key: ADMIN_KEY, headers: { 'if-match': '"any"' } })
      expect(answer.status).toBe(412)
    })
  })
})
