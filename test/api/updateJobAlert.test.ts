import { expect, test } from 'vitest'
import { ALERTS, badCriteria, goodCriteria, makeAlert } from '../support/alerts.ts'
import { changesOnlyWhatMatches } from '../support/conditional.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

const DAY = 86_400_000

describeOperation('updateJobAlert', ({ board, status }) => {
  const request = async () => {
    const candidate = await board.candidate()
    const { id } = await makeAlert(board, candidate)
    return { method: 'PUT', path: `${ALERTS}/${id}`, body: { name: 'Lorries' }, key: candidate.key }
  }
  const at = (ms: number) => new Date(board.clock.time + ms).toISOString()

  status(200, () => {
    test('changes only the given fields, and replaces criteria as a whole', async () => {
      const candidate = await board.candidate()
      const alert = await makeAlert(board, candidate, { criteria: { search: 'van', remote: true } })
      board.clock.advance(1_000)
      const path = `${ALERTS}/${alert.id}`
      const answer = await board.put(path, candidate.key, { name: ' Lorries ', criteria: { search: 'lorry' } })
      const expected = { ...alert, name: 'Lorries', criteria: { search: 'lorry' }, updated_at: at(0) }
      expect([answer.status, answer.body]).toEqual([200, { data: expected }])
      expect((await board.get(path, candidate.key)).body.data).toEqual(expected)
      expect((await board.get(`${ALERTS}?name=lorries`, candidate.key)).body.data).toEqual([expected])
    })

    test('accepts the response of createJobAlert as a request body', async () => {
      const candidate = await board.candidate()
      for (const criteria of goodCriteria) {
        const alert = await makeAlert(board, candidate, { criteria, frequency: 'weekly' })
        board.clock.advance(1_000)
        const answer = await board.put(`${ALERTS}/${alert.id}`, candidate.key, alert)
        expect([answer.status, answer.body.data]).toEqual([200, { ...alert, updated_at: at(0) }])
      }
    })

    test('reschedules only if frequency or is_active changes', async () => {
      const candidate = await board.candidate()
      const { id, next_run_at } = await makeAlert(board, candidate)
      const put = async (body: object) =>
        (await board.put(`${ALERTS}/${id}`, candidate.key, body)).body.data.next_run_at
      board.clock.advance(3_600_000)
      expect(await put({ name: 'x', criteria: {}, frequency: 'daily', is_active: true })).toBe(next_run_at)
      expect(await put({ frequency: 'weekly' })).toBe(at(7 * DAY))
      expect(await put({ is_active: false })).toBeNull()
      expect(await put({ frequency: 'daily' })).toBeNull()
      expect(await put({ is_active: true })).toBe(at(DAY))
      expect(await put({ frequency: 'instant' })).toBeNull()
    })
  })

  status(412, () => changesOnlyWhatMatches(board, 'candidate', request))

  status(422, () => {
    test.each(badCriteria)('refuses the criteria %o', async (criteria, faults) => {
      const { path, key } = await request()
      const answer = await board.put(path, key, { criteria })
      expect([answer.status, faultsOf(answer).sort()]).toEqual([422, faults.sort()])
    })

    test.each<[Record<string, unknown>, string]>([
      [{ id: 'alert_00000000000000000000000000' }, '#/id read_only_field'],
      [{ next_run_at: null }, '#/next_run_at read_only_field'],
      [{ last_run_at: '2026-01-01T00:00:00.000Z' }, '#/last_run_at read_only_field'],
      [{ created_at: '2020-01-01T00:00:00.000Z' }, '#/created_at read_only_field'],
      [{ criteria: null }, '#/criteria invalid_type'],
      [{ is_active: null }, '#/is_active invalid_type'],
      [{ candidate_id: 'x' }, '#/candidate_id unknown_field'],
    ])('refuses %o and changes nothing', async (body, fault) => {
      const { path, key } = await request()
      const before = (await board.get(path, key)).body
      board.clock.advance(1_000)
      const answer = await board.put(path, key, { ...body, name: 'Lorries' })
      expect([answer.status, faultsOf(answer)]).toEqual([422, [fault]])
      expect((await board.get(path, key)).body).toEqual(before)
    })
  })
})
