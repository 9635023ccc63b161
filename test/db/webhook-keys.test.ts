/** A webhook ends with the API key that created or last changed it (decision 0065). */
import { expect, test } from 'vitest'
import { type Account, expectStatus, useBoard } from '../support/board.ts'
import { mailsIn } from '../support/mails.ts'
import { Visitor, visitor } from '../support/pages.ts'
import { registerOnPages } from '../support/sign-in.ts'
import { runTask } from '../support/tasks.ts'
import { deliveriesOf, dispatch, makeWebhook, WEBHOOKS } from '../support/webhooks.ts'

const board = useBoard()
const KEYS = '/v1/api-keys'
const REVOKED = { status: 'disabled', disabled_reason: 'key_revoked' }

/** Creates a second key of the account, such as a key for another system. */
async function furtherKey(owner: Account, overrides: object = {}) {
  const { id, key } = expectStatus(await board.post(KEYS, owner.key, { name: 'Further', ...overrides }), 201).body.data
  return { id: owner.id, key, keyId: id as string }
}
const deleteKey = async (owner: Account, keyId: string) =>
  expectStatus(await board.delete(`${KEYS}/${keyId}`, owner.key), 204)
const show = async (owner: Account, id: string) => (await board.get(`${WEBHOOKS}/${id}`, owner.key)).body.data
const sentTo = (url: string) => board.receiver.sent.filter((request) => request.url === url).length

test('the webhook of a deleted key is disabled, and gets no more events', async () => {
  const owner = await board.employer()
  const further = await furtherKey(owner)
  const [ended, kept] = [await makeWebhook(board, further), await makeWebhook(board, owner)]
  await board.job(owner)
  await deleteKey(owner, further.keyId)
  await runTask(board, 'webhook-keys')
  const at = board.clock.now().toISOString()
  expect(await show(owner, ended.id)).toMatchObject({ ...REVOKED, disabled_at: at, updated_at: at })
  expect(await show(owner, kept.id)).toMatchObject({ status: 'active', disabled_reason: null })
  await board.job(owner)
  await dispatch(board)
  expect([sentTo(ended.url), sentTo(kept.url)]).toEqual([0, 2])
  await runTask(board, 'webhook-leases')
  expect((await deliveriesOf(board, owner, ended.id)).map(({ status }: { status: string }) => status)).toEqual([
    'canceled',
  ])
})

test('the owner gets one email when a webhook has failed for an hour, and one when it is disabled', async () => {
  const email = 'hooks@employer.example'
  const owner = await board.employer({ email })
  await board.database.inTx((tx) =>
    tx.updateTable('account').set({ email_confirmed_key: email }).where('id', '=', owner.id).execute(),
  )
  const further = await furtherKey(owner)
  const [failing, fixed, gone] = [
    await makeWebhook(board, further),
    await makeWebhook(board, owner),
    await makeWebhook(board, owner),
  ]
  const replies: Record<string, number> = { [failing.url]: 500, [fixed.url]: 500, [gone.url]: 200 }
  board.receiver.reply = ({ url }) => replies[url]!
  const told = async () => {
    await runTask(board, 'failing-webhooks')
    await runTask(board, 'mail')
    return (await mailsIn(board.config.dataDir)).filter(({ to }) => to?.[0]?.address === email)
  }
  await board.job(owner)
  await dispatch(board)
  board.clock.advance(3_599_999)
  expect(await told()).toEqual([])
  replies[fixed.url] = 200
  await dispatch(board)
  board.clock.advance(1)
  await told()
  await dispatch(board)
  board.clock.advance(3_600_000)
  const [mail, ...more] = await told()
  expect(more).toEqual([])
  expect(mail!.subject).toBe(`Webhook failing: ${new URL(failing.url).host}`)
  expect(mail!.text).toMatch(/No delivery to your webhook has succeeded since .+\./)
  expect(mail!.text).toContain(`/console/webhooks/${failing.id}`)
  replies[gone.url] = 410
  await board.job(owner)
  await dispatch(board)
  await deleteKey(owner, further.keyId)
  await runTask(board, 'webhook-keys')
  const disabled = (await told()).slice(1)
  const hosts = [gone, failing].map(({ url }) => `Webhook disabled: ${new URL(url).host}`)
  expect(disabled.map(({ subject }) => subject).sort()).toEqual(hosts.sort())
  expect(disabled.map(({ text }) => text).join()).toMatch(
    /410 Gone[\s\S]*was revoked or has expired|was revoked[\s\S]*410 Gone/,
  )
  board.receiver.reply = () => 200
})

test('the webhook-keys task checks for ended keys at least once a second', () => {
  expect(board.service.tasks.find(({ name }) => name === 'webhook-keys')!.everyMs).toBeLessThanOrEqual(1_000)
})

test('the webhook of an expired key is disabled, even if the webhook is paused', async () => {
  const owner = await board.employer()
  const expires_at = new Date(board.clock.time + 60_000).toISOString()
  const further = await furtherKey(owner, { expires_at })
  const [active, paused] = [await makeWebhook(board, further), await makeWebhook(board, further)]
  expectStatus(await board.put(`${WEBHOOKS}/${paused.id}`, further.key, { status: 'paused' }), 200)
  board.clock.advance(59_999)
  await runTask(board, 'webhook-keys')
  expect([(await show(owner, active.id)).status, (await show(owner, paused.id)).status]).toEqual(['active', 'paused'])
  board.clock.advance(1)
  await runTask(board, 'webhook-keys')
  expect(await show(owner, active.id)).toMatchObject(REVOKED)
  expect(await show(owner, paused.id)).toMatchObject(REVOKED)
})

test('a PUT with another key moves the webhook to that key, which makes key rotation possible', async () => {
  const owner = await board.employer()
  const [old, next] = [await furtherKey(owner), await furtherKey(owner)]
  const { id } = await makeWebhook(board, old)
  expectStatus(await board.put(`${WEBHOOKS}/${id}`, next.key, {}), 200)
  await deleteKey(owner, old.keyId)
  await runTask(board, 'webhook-keys')
  expect(await show(owner, id)).toMatchObject({ status: 'active', disabled_reason: null })
  await deleteKey(owner, next.keyId)
  await runTask(board, 'webhook-keys')
  expect(await show(owner, id)).toMatchObject(REVOKED)
})

test('another key can enable the webhook again, which then ends with that key', async () => {
  const owner = await board.employer()
  const [old, next] = [await furtherKey(owner), await furtherKey(owner)]
  const { id } = await makeWebhook(board, old)
  await deleteKey(owner, old.keyId)
  await runTask(board, 'webhook-keys')
  const enabled = expectStatus(await board.put(`${WEBHOOKS}/${id}`, next.key, { status: 'active' }), 200).body.data
  expect(enabled).toMatchObject({ status: 'active', disabled_reason: null, disabled_at: null })
  await runTask(board, 'webhook-keys')
  expect((await show(owner, id)).status).toBe('active')
  await deleteKey(owner, next.keyId)
  await runTask(board, 'webhook-keys')
  expect(await show(owner, id)).toMatchObject(REVOKED)
})

test('a webhook that a session created ends with the key of that session', async () => {
  const owner = await board.employer()
  const further = await furtherKey(owner)
  const person = await visitor(board, further)
  const url = 'https://by-session.example/in'
  await person.submit(await person.get('/console/webhooks/new'), '/console/webhooks', {
    url,
    'events[]': 'job.created',
  })
  const [{ id }] = (await board.get(WEBHOOKS, owner.key)).body.data
  await deleteKey(owner, further.keyId)
  await runTask(board, 'webhook-keys')
  expect(await show(owner, id)).toMatchObject(REVOKED)
  const page = await (await visitor(board, owner)).get(`/console/webhooks/${id}`)
  expect(page.seen).toContain('was revoked or has expired')
})

test('a webhook created in a session without an API key stays active after the session ends', async () => {
  const person = new Visitor(board)
  const fields = { name: 'Linked Motors', email: 'linked@motors.example' }
  await registerOnPages(board, person, '/register/employer', fields)
  const url = 'https://by-link.example/in'
  await person.submit(await person.get('/console/webhooks/new'), '/console/webhooks', {
    url,
    'events[]': 'job.created',
  })
  await person.submit(await person.get('/account'), '/account/sign-out-everywhere')
  await runTask(board, 'webhook-keys')
  const rows = await board.database.read((db) =>
    db.selectFrom('webhook').select('status').where('url', '=', url).execute(),
  )
  expect(rows).toEqual([{ status: 'active' }])
})

test('the webhook of a key that an admin revokes is disabled', async () => {
  const owner = await board.employer()
  const further = await furtherKey(owner)
  const { id } = await makeWebhook(board, further)
  const operator = await visitor(board, await board.account('admin'))
  const at = `/desk/accounts/${owner.id}`
  await operator.submit(await operator.get(at), `${at}/keys/${further.keyId}/revoke`)
  await runTask(board, 'webhook-keys')
  expect(await show(owner, id)).toMatchObject(REVOKED)
})
