import { expect, test } from 'vitest'
import { apply, mails, setStatus, world } from '../support/applications.ts'
import { type Account, ADMIN_KEY } from '../support/board.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { refusesWhileRunning } from '../support/posts.ts'

describeOperation('moveApplications', ({ board, status }) => {
  const path = '/v1/employers/applications/bulk'
  const read = async (id: string, key: string) => (await board.get(`/v1/employers/applications/${id}`, key)).body.data

  /** Creates an employer with this many applications to one job. */
  async function received(count: number) {
    const { employer, job, application, candidate } = await world(board)
    const ids: string[] = [application.id]
    while (ids.length < count) ids.push((await apply(board, await board.candidate(), job.id)).id)
    return { employer, candidate, ids }
  }
  const move = (by: Account, body: object, headers = {}) => board.call('POST', path, { key: by.key, body, headers })

  status(200, () => {
    test('moves each application once, and reports why it cannot move others', async () => {
      const { employer, candidate, ids } = await received(4)
      const [withdrawn, hired, already, moved] = ids as [string, string, string, string]
      await board.post(`/v1/candidates/applications/${withdrawn}/withdraw`, candidate.key)
      await setStatus(board, employer, hired, 'hired')
      await setStatus(board, employer, already, 'contacted')
      const foreign = (await world(board)).application.id
      const sent = { status: 'contacted', reason: 'Strong', message: 'Call us.' }
      const body = { ids: [moved, foreign, hired, 'nonsense', withdrawn, already, moved], ...sent }
      const key = { 'idempotency-key': '"bulk-of-four"' }
      const answer = await move(employer, body, key)
      const notFound = { code: 'not_found', status: 404 }
      const refused = { code: 'invalid_transition', status: 409, allowed: [] }
      expect(answer.status).toBe(200)
      expect(answer.body.data).toMatchObject([
        { id: moved, status: 'contacted' },
        { id: foreign, problem: notFound },
        { id: hired, problem: { ...refused, state: 'hired' } },
        { id: 'nonsense', problem: notFound },
        { id: withdrawn, problem: { ...refused, state: 'withdrawn' } },
        { id: already, status: 'contacted' },
      ])
      expect(answer.body.data).toHaveLength(6)
      expect((await move(employer, body, key)).body).toEqual(answer.body)
      const history = (await read(moved, employer.key)).status_history
      expect(history).toMatchObject([{ status: 'pending' }, { status: 'contacted', reason: 'Strong' }])
      const told = (await mails(board, moved)).filter(({ kind }) => kind === 'application-status')
      expect(told.map(({ details }) => details)).toEqual([{ status: 'contacted', position: 2 }])
      expect((await read(foreign, ADMIN_KEY)).status).toBe('pending')
    })

    test('accepts a hundred IDs, and neither sends emails nor uses the email budget if notify is false', async () => {
      const { employer, ids } = await received(2)
      const many = Array.from({ length: 100 }, (_, n) => ids[n % 2]!)
      const { body } = await move(employer, { ids: many, status: 'rejected', notify: false })
      expect(body.data).toEqual(ids.map((id) => ({ id, status: 'rejected' })))
      for (const id of ids) expect((await mails(board, id)).map(({ kind }) => kind)).not.toContain('application-status')
      const charged = () => board.service.budgets.usesOf(employer.id).find(({ name }) => name === 'emails')!.used
      expect(charged()).toBe(0)
      await board.put(`/v1/employers/applications/${ids[0]}`, employer.key, { rating: 5 })
      expect(charged()).toBe(0)
      await move(employer, { ids, status: 'reviewed' })
      expect(charged()).toBe(2)
    })
  })

  status(409, () => refusesWhileRunning(board, 'moveApplications'))

  status(422, () => {
    test.each([
      [{ ids: [], status: 'reviewed' }, ['#/ids too_few']],
      [{ ids: Array.from({ length: 101 }, () => 'x'), status: 'reviewed' }, ['#/ids too_many']],
      [{ ids: ['x'] }, ['#/status required']],
      [{ ids: ['x'], status: 'hired', notify: false, message: 'Hello' }, ['#/message not_allowed']],
    ])('refuses %j', async (body, faults) => {
      const answer = await move(await board.employer(), body)
      expect([answer.status, faultsOf(answer)]).toEqual([422, faults])
    })
  })
})
