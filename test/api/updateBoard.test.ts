import { describe, expect, test } from 'vitest'
import { ADMIN_KEY, Board, expectStatus } from '../support/board.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { runTask } from '../support/tasks.ts'

describeOperation('updateBoard', ({ board, status }) => {
  const path = '/v1/admin/board'
  const put = (body: unknown) => board.put(path, ADMIN_KEY, body)
  const present = async () => expectStatus(await board.get('/v1/board'), 200).body.data

  status(200, () => {
    test('changes only the given fields, and trims text', async () => {
      const before = await present()
      const answer = await put({ name: ' Gearwright ', accent_color: '#AbCdEf' })
      const expected = { ...before, name: 'Gearwright', accent_color: '#abcdef' }
      expect([answer.status, answer.body]).toEqual([200, { data: expected }])
      expect(await present()).toEqual(expected)
    })

    test('stores the languages in a fixed order', async () => {
      const answer = await put({ languages: ['ja', 'de'], default_language: 'ja' })
      expect(answer.body.data).toMatchObject({ languages: ['de', 'ja'], default_language: 'ja' })
      expectStatus(await put({ default_language: 'de' }), 200)
      const all = { languages: ['en', 'de', 'fr', 'es', 'ja'], default_language: 'en' }
      expect((await put(all)).body.data).toMatchObject(all)
    })

    test('clears fields with null, and treats {} and its own response as no change', async () => {
      const empty = { tagline: null, description: null, accent_color: null, contact_email: null }
      const { data } = expectStatus(await put(empty), 200).body
      expect(data).toMatchObject(empty)
      // A read-only field may have its current value.
      for (const body of [{}, data, { legal: data.legal }]) expect((await put(body)).body).toEqual({ data })
    })

    test('stores the seller, VAT and bank details, and normalizes the IBAN and the BIC', async () => {
      const seller = {
        seller_name: 'Gearwright Ltd',
        seller_address: '1 Example Street\nLeeds',
        seller_vat_id: 'GB123',
      }
      const vat = { vat_rate: 8.1, prices_include_vat: true }
      const bank = { bank_account_name: 'Gearwright Ltd', bank_bic: 'bukbgb22', bank_note: 'Or call us.' }
      const given = { ...seller, ...vat, ...bank, bank_iban: 'gb33 bukb 2020 1555 5555 55' }
      const stored = { ...given, bank_iban: 'GB33BUKB20201555555555', bank_bic: 'BUKBGB22' }
      expect(expectStatus(await put(given), 200).body.data).toMatchObject(stored)
      expect(await present()).toMatchObject(stored)
      const gone = Object.fromEntries(Object.keys(stored).map((name) => [name, null]))
      expectStatus(await put({ ...gone, prices_include_vat: false }), 200)
      expect(await present()).toMatchObject({ ...gone, prices_include_vat: false })
    })

    test('records the admin and the changed fields', async () => {
      expectStatus(await put({ contact_email: 'hello@gear.example' }), 200)
      const actions = await board.database.read((db) =>
        db
          .selectFrom('operator_action')
          .select(['action', 'subject', 'note', 'key_name'])
          .orderBy('id', 'desc')
          .execute(),
      )
      expect(actions[0]).toEqual({
        ...{ action: 'board.update', subject: 'Gearwright', note: 'contact_email', key_name: 'ADMIN_API_KEY' },
      })
    })

    test('takes effect in other processes at their next refresh, even on cached pages', async () => {
      const other = new Board()
      other.database = board.database
      await other.start()
      try {
        const titleOn = async (of: Board) => /<title>(.*)<\/title>/.exec((await of.get('/jobs')).text)![1]
        await titleOn(other)
        expectStatus(await put({ name: 'Nordic Nurses' }), 200)
        expect(await titleOn(board)).toBe('Jobs · Nordic Nurses')
        await runTask(other, 'desk')
        expect(await titleOn(other)).toBe('Jobs · Nordic Nurses')
      } finally {
        await other.service.app.close()
      }
    })
  })

  status(412, () => {
    test('refuses a change with an outdated entity tag', async () => {
      const tag = (await board.get('/v1/board')).headers.get('etag')!
      const change = (name: string) =>
        board.call('PUT', path, { key: ADMIN_KEY, body: { name }, headers: { 'if-match': tag } })
      const first = await change('First')
      expect([first.status, first.headers.get('etag')]).toEqual([
        200,
        (await board.get('/v1/board')).headers.get('etag'),
      ])
      expect([(await change('Second')).status, (await present()).name]).toEqual([412, 'First'])
    })
  })

  status(422, () => {
    describe('refuses the body and changes nothing', () => {
      test.each<[Record<string, unknown>, string]>([
        [{ name: '' }, '#/name too_short'],
        [{ name: '   ' }, '#/name too_short'],
        [{ name: null }, '#/name invalid_type'],
        [{ name: 'x'.repeat(61) }, '#/name too_long'],
        [{ name: 'Two\nlines' }, '#/name invalid_text'],
        [{ name: 'Re\u202eversed' }, '#/name invalid_text'],
        [{ name: 'Invi\u200bsible' }, '#/name invalid_text'],
        [{ name: 'Ge\u0430rwright' }, '#/name invalid_text'],
        [{ tagline: 'x'.repeat(161) }, '#/tagline too_long'],
        [{ description: 'x'.repeat(1_001) }, '#/description too_long'],
        [{ accent_color: 'red' }, '#/accent_color invalid_format'],
        [{ accent_color: '#abc' }, '#/accent_color invalid_format'],
        [{ accent_color: '#abcdef0' }, '#/accent_color invalid_format'],
        [{ accent_color: '#abcdeg' }, '#/accent_color invalid_format'],
        [{ accent_color: '#abcdef\n' }, '#/accent_color invalid_format'],
        [{ accent_color: '#abcdef;background:url(//x)' }, '#/accent_color invalid_format'],
        [{ accent_color: 'rgb(0,0,0)' }, '#/accent_color invalid_format'],
        [{ accent_color: 0 }, '#/accent_color invalid_type'],
        [{ contact_email: 'nobody' }, '#/contact_email invalid_format'],
        [{ contact_email: 'a@b.example?subject=x' }, '#/contact_email invalid_format'],
        [{ logo_url: 'https://evil.example/logo.png' }, '#/logo_url read_only_field'],
        [{ languages: ['de'] }, '#/default_language not_allowed'],
        [{ languages: [] }, '#/languages too_few'],
        [{ languages: ['en', 'en'] }, '#/languages duplicate'],
        [{ languages: ['en', 'sv'] }, '#/languages/1 not_allowed'],
        [{ languages: null }, '#/languages invalid_type'],
        [{ default_language: 'sv' }, '#/default_language not_allowed'],
        [{ default_currency: 'EUR' }, '#/default_currency read_only_field'],
        [{ seller_name: '' }, '#/seller_name too_short'],
        [{ seller_address: 'x'.repeat(501) }, '#/seller_address too_long'],
        [{ vat_rate: 0 }, '#/vat_rate too_small'],
        [{ vat_rate: 100 }, '#/vat_rate too_large'],
        [{ vat_rate: 8.125 }, '#/vat_rate invalid_format'],
        [{ vat_rate: '20' }, '#/vat_rate invalid_type'],
        [{ prices_include_vat: null }, '#/prices_include_vat invalid_type'],
        [{ bank_iban: 'GB33BUKB20201555555556' }, '#/bank_iban invalid_format'],
        [{ bank_iban: '12345678' }, '#/bank_iban invalid_format'],
        [{ bank_bic: 'BUKB' }, '#/bank_bic invalid_format'],
        [{ color: '#000000' }, '#/color unknown_field'],
      ])('%j', async (body, fault) => {
        const before = await present()
        const answer = await put({ ...body })
        expect([answer.status, faultsOf(answer)]).toEqual([422, [fault]])
        expect(await present()).toEqual(before)
      })
    })

    test('describes valid values in words, without a pattern', async () => {
      const { errors } = (await put({ accent_color: 'red' })).body
      expect(errors[0].detail).toBe('accent_color must be a color such as #0b6472.')
    })
  })
})
