import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('getBoardPage', ({ board, status }) => {
  const path = '/v1/admin/board/pages/privacy'

  status(404, () => {
    test.each(['privacy', 'unknown', 'PRIVACY', '__proto__'])('does not find the page %s', async (slug) => {
      const answer = await board.get(path.replace('privacy', slug), ADMIN_KEY)
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
    })
  })

  status(200, () => {
    test('returns the page with its Markdown', async () => {
      const page = { title: 'Privacy', text: '# We *keep*\n\n<b>little</b>', language: 'de' }
      const { data } = expectStatus(await board.put(path, ADMIN_KEY, page), 200).body
      const answer = await board.get(path, ADMIN_KEY)
      expect([answer.status, answer.body]).toEqual([200, { data }])
      expect(data).toMatchObject({ slug: 'privacy', ...page })
    })
  })
})
