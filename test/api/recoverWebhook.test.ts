import { expect, test } from 'vitest'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { runTask } from '../support/tasks.ts'
import { deliveriesOf, dispatch, makeWebhook, WEBHOOKS } from '../support/webhooks.ts'

describeOperation('recoverWebhook', ({ board, status }) => {
  const request = async () => {
    const account = await board.employer()
    const { id } = await makeWebhook(board, account)
    return { method: 'POST', path: `${WEBHOOKS}/${id}/recover`, key: account.key, body: { since: '2026-01-01' } }
  }

  status(202, () => {
    test('queues and counts the events missed during a pause', async () => {
      const account = await board.employer()
      const webhook = await makeWebhook(board, account)
      const path = `${WEBHOOKS}/${webhook.id}`
      const since = board.clock.now().toISOString()
      await board.job(account)
      await dispatch(board)
      await board.put(path, account.key, { status: 'paused' })
      board.clock.advance(60_000)
      await board.job(account)
      await board.job(account)
      await board.put(path, account.key, { status: 'active' })
      const answer = await board.post(`${path}/recover`, account.key, { since })
      const now = board.clock.now().toISOString()
      expect(answer.body).toEqual({
        data: {
          id: expect.stringMatching(/^whr_/),
          since,
          until: now,
          status: 'running',
          examined: 0,
          created: 0,
          requeued: 0,
          unchanged: 0,
          created_at: now,
          finished_at: null,
        },
      })
      await runTask(board, 'webhook-recoveries')
      const done = await board.get(answer.headers.get('location')!, account.key)
      expect(done.body.data).toEqual({
        ...answer.body.data,
        status: 'done',
        examined: 3,
        created: 2,
        unchanged: 1,
        finished_at: now,
      })
      await dispatch(board)
      expect(board.receiver.to(webhook.url)).toHaveLength(3)
      expect(await deliveriesOf(board, account, webhook.id)).toHaveLength(3)
    })
  })

  test('does not reach back before the webhook was created', async () => {
    const account = await board.employer()
    await board.job(account)
    board.clock.advance(60_000)
    const webhook = await makeWebhook(board, account)
    board.clock.advance(60_000)
    const answer = await board.post(`${WEBHOOKS}/${webhook.id}/recover`, account.key, { since: '2026-01-01' })
    expect(answer.body.data.since).toBe(webhook.created_at)
    await runTask(board, 'webhook-recoveries')
    expect(await deliveriesOf(board, account, webhook.id)).toEqual([])
    const until = new Date(Date.parse(webhook.created_at) - 1_000).toISOString()
    const early = await board.post(`${WEBHOOKS}/${webhook.id}/recover`, account.key, { since: '2026-01-01', until })
    expect([early.status, faultsOf(early)]).toEqual([422, ['#/until invalid_range']])
  })

  status(409, () => {
    test('refuses a recovery while the webhook is not active', async () => {
      const account = await board.employer()
      const { id } = await makeWebhook(board, account)
      await board.put(`${WEBHOOKS}/${id}`, account.key, { status: 'paused' })
      const answer = await board.post(`${WEBHOOKS}/${id}/recover`, account.key, { since: '2026-01-01' })
      expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
    })
  })

  status(422, () => {
    test.each<[Record<string, unknown>, string[]]>([
      [{}, ['#/since required']],
      [{ since: 'yesterday' }, ['#/since invalid_format']],
      [{ since: '2027-01-01' }, ['#/since invalid_range']],
      [{ since: '2026-02-02T00:00:00Z', until: '2026-02-01' }, ['#/since invalid_range']],
      [{ since: 7, until: 'x', color: 1 }, ['#/color unknown_field', '#/since invalid_type', '#/until invalid_format']],
    ])('refuses %o', async (body, faults) => {
      const { method, path, key } = await request()
      const answer = await board.call(method, path, { key, body })
      expect([answer.status, faultsOf(answer).sort()]).toEqual([422, faults])
    })
  })
})
