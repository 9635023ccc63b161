import { describe, expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

describeOperation('updateBoardPage', ({ board, status }) => {
  const at = (slug: string) => `/v1/admin/board/pages/${slug}`
  const put = (slug: string, body: unknown) => board.put(at(slug), ADMIN_KEY, body)
  const present = async (slug: string) => expectStatus(await board.get(at(slug), ADMIN_KEY), 200).body.data
  const page = { title: 'Imprint', text: 'Gearwright Ltd' }

  status(200, () => {
    test('publishes a page, in the default language unless the request specifies one', async () => {
      const answer = await put('imprint', page)
      const expected = { slug: 'imprint', ...page, language: 'en', updated_at: board.clock.now().toISOString() }
      expect([answer.status, answer.body]).toEqual([200, { data: expected }])
      expect((await put('terms', { ...page, language: 'pt-BR' })).body.data.language).toBe('pt-BR')
    })

    test('changes only the given fields of an existing page', async () => {
      const before = await present('imprint')
      board.clock.advance(1_000)
      const { data } = expectStatus(await put('imprint', { text: 'Gearwright plc' }), 200).body
      expect(data).toEqual({ ...before, text: 'Gearwright plc', updated_at: board.clock.now().toISOString() })
    })

    test('treats {} and its own response as no change', async () => {
      const before = await present('imprint')
      board.clock.advance(1_000)
      for (const body of [{}, before]) expect((await put('imprint', body)).body).toEqual({ data: before })
    })
  })

  status(409, () => {
    test('accepts at most 20 pages in addition to the common pages, even with simultaneous requests', async () => {
      const answers = await Promise.all(Array.from({ length: 25 }, (_, n) => put(`page-${n}`, page)))
      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(20)
      const refused = answers.filter((answer) => answer.status === 409)
      expect(refused.map(({ body }) => [body.code, body.limit])).toEqual(Array(5).fill(['limit_reached', 20]))
      for (const slug of ['imprint', 'privacy', 'terms', 'contact']) expectStatus(await put(slug, page), 200)
      const { legal } = (await board.get('/v1/board')).body.data
      expect(legal).toHaveLength(24)
      expectStatus(await put(legal[4].slug, { title: 'Changed' }), 200)
    })
  })

  status(412, () => {
    test('refuses a change with an outdated entity tag, and any entity tag for a new page', async () => {
      const tag = (await board.get(at('imprint'), ADMIN_KEY)).headers.get('etag')!
      const change = (slug: string, title: string) =>
        board.call('PUT', at(slug), { key: ADMIN_KEY, body: { title, text: 'x' }, headers: { 'if-match': tag } })
      expect((await change('imprint', 'First')).status).toBe(200)
      expect([(await change('imprint', 'Second')).status, (await present('imprint')).title]).toEqual([412, 'First'])
      expect((await change('unwritten', 'Second')).status).toBe(412)
    })

    test('accepts If-None-Match: * only for a new page, and If-Match: * only for an existing page', async () => {
      const send = async (header: string) =>
        (await board.call('PUT', at('contact'), { key: ADMIN_KEY, body: page, headers: { [header]: '*' } })).status
      expectStatus(await board.delete(at('contact'), ADMIN_KEY), 204)
      expect([await send('if-match'), await send('if-none-match')]).toEqual([412, 200])
      expect([await send('if-none-match'), await send('if-match')]).toEqual([412, 200])
    })
  })

  status(422, () => {
    describe('refuses the body and changes nothing', () => {
      test.each<[string, Record<string, unknown>, string[]]>([
        ['unwritten', {}, ['#/title required', '#/text required']],
        ['unwritten', { title: 'Only a title' }, ['#/text required']],
        ['imprint', { title: '' }, ['#/title too_short']],
        ['imprint', { title: 'x'.repeat(101) }, ['#/title too_long']],
        ['imprint', { title: 'Two\nlines' }, ['#/title invalid_text']],
        ['imprint', { text: ' \n ' }, ['#/text too_short']],
        ['imprint', { text: 'x'.repeat(50_001) }, ['#/text too_long']],
        ['imprint', { text: 'Re\u202eversed' }, ['#/text invalid_text']],
        ['imprint', { language: 'English' }, ['#/language invalid_format']],
        ['imprint', { language: 'en"><script>' }, ['#/language invalid_format']],
        ['imprint', { slug: 'other' }, ['#/slug read_only_field']],
        ['imprint', { html: '<b>' }, ['#/html unknown_field']],
      ])('for the page %s: %j', async (slug, body, faults) => {
        const before = (await board.get('/v1/board')).body
        const answer = await put(slug, body)
        expect([answer.status, faultsOf(answer)]).toEqual([422, faults])
        expect((await board.get('/v1/board')).body).toEqual(before)
      })
    })
  })

  status(404, () => {
    test.each(['Imprint', 'im_print', '-imprint', '%00', 'x'.repeat(101)])(
      'does not find a page at %s',
      async (slug) => {
        const answer = await put(slug, page)
        expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
      },
    )
  })
})
