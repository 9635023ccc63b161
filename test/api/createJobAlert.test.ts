import { expect, test } from 'vitest'
import { ALERTS, alertBody, badCriteria, goodCriteria, makeAlert } from '../support/alerts.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

describeOperation('createJobAlert', ({ board, status }) => {
  status(201, () => {
    test('returns exactly the documented active alert and a Location header', async () => {
      const { key } = await board.candidate()
      const criteria = { search: 'van', salary_min: 50_000, remote: true, skills_in: ['CAN', 'LIN'] }
      const answer = await board.post(ALERTS, key, { name: ' Vans ', criteria, frequency: 'weekly' })
      const now = board.clock.now().toISOString()
      expect(answer.status).toBe(201)
      expect(answer.body).toEqual({
        data: {
          id: expect.stringMatching(/^alert_/),
          name: 'Vans',
          criteria,
          frequency: 'weekly',
          is_active: true,
          last_run_at: null,
          next_run_at: new Date(board.clock.time + 7 * 86_400_000).toISOString(),
          created_at: now,
          updated_at: now,
        },
      })
      expect(answer.headers.get('location')).toBe(`${ALERTS}/${answer.body.data.id}`)
      expect((await board.get(answer.headers.get('location')!, key)).body).toEqual(answer.body)
    })

    test.each([
      [{ frequency: 'daily' }, 86_400_000],
      [{ frequency: 'instant' }, null],
      [{ frequency: 'daily', is_active: false }, null],
    ])('sets next_run_at for %o', async (body, aheadMs) => {
      const { next_run_at } = await makeAlert(board, await board.candidate(), body)
      expect(next_run_at).toBe(aheadMs === null ? null : new Date(board.clock.time + aheadMs).toISOString())
    })

    test.each(goodCriteria)('accepts the criteria %o', async (criteria) => {
      const candidate = await board.candidate()
      const { id } = await makeAlert(board, candidate, { criteria })
      expect((await board.get(`${ALERTS}/${id}`, candidate.key)).body.data.criteria).toEqual(criteria)
      expect((await board.get(`${ALERTS}/${id}/matches`, candidate.key)).status).toBe(200)
    })
  })

  status(409, () => {
    test('limits a candidate to fifty alerts, even with simultaneous requests', async () => {
      const candidate = await board.candidate()
      for (let count = 0; count < 47; count++) await makeAlert(board, candidate)
      const answers = await Promise.all(Array.from({ length: 8 }, () => board.post(ALERTS, candidate.key, alertBody())))
      expect(answers.map((answer) => answer.status).sort()).toEqual([...Array(3).fill(201), ...Array(5).fill(409)])
      const refused = await board.post(ALERTS, candidate.key, alertBody())
      expect([refused.status, refused.body.code, refused.body.limit]).toEqual([409, 'limit_reached', 50])
      const { data } = (await board.get(`${ALERTS}?limit=1`, candidate.key)).body
      await board.delete(`${ALERTS}/${data[0].id}`, candidate.key)
      expect((await board.post(ALERTS, candidate.key, alertBody())).status).toBe(201)
    })
  })

  status(422, () => {
    test.each<[Record<string, unknown>, string]>([
      [{ name: '' }, '#/name too_short'],
      [{ name: 'x'.repeat(201) }, '#/name too_long'],
      [{ frequency: 'hourly' }, '#/frequency not_allowed'],
      [{ is_active: 'yes' }, '#/is_active invalid_type'],
      [{ criteria: [] }, '#/criteria invalid_type'],
      [{ criteria: null }, '#/criteria invalid_type'],
      [{ criteria: 'search=van' }, '#/criteria invalid_type'],
      [{ last_run_at: null }, '#/last_run_at unknown_field'],
    ])('refuses %o', async (overrides, fault) => {
      const answer = await board.post(ALERTS, (await board.candidate()).key, alertBody(overrides))
      expect([answer.status, faultsOf(answer)]).toEqual([422, [fault]])
    })

    test('reports all missing fields', async () => {
      const answer = await board.post(ALERTS, (await board.candidate()).key, {})
      expect(faultsOf(answer)).toEqual(['#/name required', '#/criteria required', '#/frequency required'])
    })

    test.each(badCriteria)('refuses the criteria %o', async (criteria, faults) => {
      const answer = await board.post(ALERTS, (await board.candidate()).key, alertBody({ criteria }))
      expect([answer.status, faultsOf(answer).sort()]).toEqual([422, faults.sort()])
    })

    test('suggests the intended field name, and reports errors in the criteria with all other errors', async () => {
      const body = { name: '', criteria: { serch: 'van', __proto__: { x: 1 } }, frequency: 'never', color: 'red' }
      const answer = await board.post(ALERTS, (await board.candidate()).key, body)
      expect(faultsOf(answer).sort()).toEqual([
        '#/color unknown_field',
        '#/criteria/serch unknown_field',
        '#/frequency not_allowed',
        '#/name too_short',
      ])
      const [fault] = answer.body.errors.filter(({ pointer }: { pointer: string }) => pointer.endsWith('serch'))
      expect(fault.detail).toMatch(/Did you mean search\?$/)
    })

    test('treats __proto__ and constructor as unknown fields', async () => {
      const body = '{"name":"x","frequency":"daily","criteria":{"__proto__":1,"constructor":2}}'
      const answer = await board.post(ALERTS, (await board.candidate()).key, body)
      expect(faultsOf(answer)).toEqual(['#/criteria/__proto__ unknown_field', '#/criteria/constructor unknown_field'])
    })
  })
})
