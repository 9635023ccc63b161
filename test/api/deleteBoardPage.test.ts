import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('deleteBoardPage', ({ board, status }) => {
  const path = '/v1/admin/board/pages/terms'
  const write = async () => expectStatus(await board.put(path, ADMIN_KEY, { title: 'Terms', text: 'Be kind.' }), 200)

  status(204, () => {
    test('removes the page from the website', async () => {
      await write()
      expect((await board.get('/pages/terms')).status).toBe(200)
      expectStatus(await board.delete(path, ADMIN_KEY), 204)
      expect((await board.get('/v1/board')).body.data.legal).toEqual([])
      expect((await board.get('/pages/terms')).status).toBe(404)
    })
  })

  status(404, () => {
    test('returns 404 if the page does not exist', async () => {
      expect((await board.delete(path, ADMIN_KEY)).status).toBe(404)
    })
  })

  status(412, () => {
    test('refuses another tag in If-Match, and accepts the current tag', async () => {
      const tag = (await write()).headers.get('etag')!
      const remove = (tag: string) => board.call('DELETE', path, { key: ADMIN_KEY, headers: { 'if-match': tag } })
      expect((await remove('"other"')).status).toBe(412)
      expect((await remove(tag)).status).toBe(204)
    })
  })
})
