import { expect, test } from 'vitest'
import { Authenticator, type Options } from '../support/authenticator.ts'
import { ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import { mailsIn } from '../support/mails.ts'
import { joined } from '../support/members.ts'
import { type Page, Visitor } from '../support/pages.ts'
import { signInLinks } from '../support/sign-in.ts'
import { runTask } from '../support/tasks.ts'

const board = useBoard()
const PASSKEYS = '/account/passkeys'

async function signedIn(email: string): Promise<Visitor> {
  const who = new Visitor(board)
  await who.submit(await who.get('/sign-in'), '/sign-in/link', { email })
  const page = await who.submit(await who.get((await signInLinks(board, email)).at(-1)!), '/sign-in/link/use')
  expect(page.status).toBe(200)
  return who
}

async function optionsOf(who: Visitor, form: string): Promise<Options> {
  const page = await who.get(form === PASSKEYS ? form : '/sign-in')
  const token = page.document.querySelector('input[name=_csrf]')!.getAttribute('value')!
  const answer = await who.send('POST', `${form}/options`, { headers: { 'x-csrf-token': token } })
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
  return JSON.parse(answer.text)
}

/** Adds a passkey and returns its authenticator. */
async function added(who: Visitor, name: string, device = new Authenticator()): Promise<Authenticator> {
  const credential = device.create(await optionsOf(who, PASSKEYS))
  const page = await who.submit(await who.get(PASSKEYS), PASSKEYS, { name, credential })
  expect(page.seen).toContain('Passkey added.')
  return device
}

const send = async (who: Visitor, credential: string, fields = {}): Promise<Page> =>
  who.submit(await who.get('/sign-in'), '/sign-in/passkey', { credential, ...fields })

async function enter(device: Authenticator, who = new Visitor(board), fields = {}): Promise<Page> {
  return send(who, device.get(await optionsOf(who, '/sign-in/passkey')), fields)
}

const REFUSED = 'We couldn’t sign you in with this passkey.'
async function expectRefusal(page: Page | Promise<Page>): Promise<void> {
  const { status, seen } = await page
  expect([status, seen]).toEqual([422, expect.stringContaining(REFUSED)])
}

test('a candidate adds passkeys, signs in with one, and removes it with its sessions', async () => {
  const email = 'ada@passkeys.example'
  const candidate = await board.candidate({ email })
  const who = await signedIn(email)
  const device = await added(who, 'Phone')
  await added(who, 'Laptop')
  await runTask(board, 'mail')
  const notices = (await mailsIn(board.config.dataDir)).filter(({ subject }) => /A passkey was added/.test(subject!))
  expect(notices.map(({ to }) => to![0]!.address)).toEqual([email, email])

  const other = new Visitor(board)
  board.clock.advance(60_000)
  const page = await enter(device, other, { return_to: '/me/saved-jobs' })
  expect([page.status, page.path]).toEqual([200, '/me/saved-jobs'])
  const { seen } = await other.get('/account')
  expect(seen).toMatch(/Passkey/)
  const sessions = await board.get(`/v1/admin/accounts/${candidate.id}/sessions`, ADMIN_KEY)
  expect(sessions.body.data.map(({ begun_with }: { begun_with: string }) => begun_with)).toEqual(['passkey', 'link'])
  const { data } = expectStatus(await board.get('/v1/candidates/export', candidate.key), 200).body
  expect(data.passkeys.map(({ name }: { name: string }) => name)).toEqual(['Phone', 'Laptop'])

  const list = await who.get(PASSKEYS)
  const remove = list.document.querySelector('form[action$="/remove"]')!.getAttribute('action')!
  expect((await who.submit(list, remove)).seen).toContain('Passkey removed.')
  expect((await other.get(PASSKEYS)).path).toMatch(/^\/sign-in/)
  await expectRefusal(enter(device))
})

test('new passkeys use only algorithms that are not experimental in Node, but an ML-DSA-44 key still works', async () => {
  await board.candidate({ email: 'bo@passkeys.example' })
  const who = await signedIn('bo@passkeys.example')
  const options = await optionsOf(who, PASSKEYS)
  expect(options).toMatchObject({ pubKeyCredParams: [{ alg: -8 }, { alg: -7 }, { alg: -257 }] })

  const device = await added(who, 'Older')
  const public_key = device.changeToMlDsa()
  await expectRefusal(enter(device))
  await board.database.inTx((tx) => tx.updateTable('passkey').set({ public_key }).where('name', '=', 'Older').execute())
  expect((await enter(device)).path).toBe('/me')
})

test('a passkey response is valid once, for five minutes, and only on this board and for this visitor', async () => {
  const email = 'grace@passkeys.example'
  await board.candidate({ email })
  const who = await signedIn(email)
  const device = await added(who, 'Key')

  const guest = new Visitor(board)
  const options = await optionsOf(guest, '/sign-in/passkey')
  const answer = device.get(options)
  // The challenge belongs to another visitor.
  await expectRefusal(send(new Visitor(board), answer))
  expect((await send(guest, answer)).path).toBe('/me')
  // The same person repeats the response in the same session.
  await expectRefusal(send(guest, answer))

  const late = await optionsOf(new Visitor(board), '/sign-in/passkey')
  expect(late.rpId).toBe('board.example')
  const slow = new Visitor(board)
  const expired = device.get(await optionsOf(slow, '/sign-in/passkey'))
  board.clock.advance(5 * 60_000)
  await expectRefusal(send(slow, expired))

  // These responses are for another origin with this board's domain, and for another domain.
  const [asked, thief] = [await optionsOf(guest, PASSKEYS), new Authenticator('https://other.example')]
  const refused = await guest.submit(await guest.get(PASSKEYS), PASSKEYS, {
    name: 'Key',
    credential: thief.create(asked),
  })
  expect([refused.status, refused.seen]).toEqual([422, expect.stringContaining('The passkey was not added.')])
  await expectRefusal(send(slow, device.get(await optionsOf(slow, '/sign-in/passkey'), 'other.example')))

  // The device did not verify the person, the passkey was copied, or the text is not a response.
  device.verifiesUser = false
  await expectRefusal(enter(device))
  device.verifiesUser = true
  device.counter = 0
  await expectRefusal(enter(device))
  for (const text of ['', '{}', '{"id":"\\u0000","response":{"clientDataJSON":"e30"}}', 'null']) {
    await expectRefusal(send(new Visitor(board), text))
  }
  device.counter = 100
  expect((await enter(device)).path).toBe('/me')
})

test('a passkey stops working when its owner loses access', async () => {
  const employer = await board.employer({ email: 'owner@passkeys.example' })
  const { member, visitor } = await joined(board, employer, 'recruiter')
  const device = await added(visitor, 'Recruiter')
  expect((await enter(device)).path).toBe('/employer')
  const by = { reason: 'Fraud' }
  expectStatus(await board.post(`/v1/admin/accounts/${employer.id}/suspend`, ADMIN_KEY, by), 200)
  await expectRefusal(enter(device))
  expectStatus(await board.post(`/v1/admin/accounts/${employer.id}/resume`, ADMIN_KEY, {}), 200)
  expect((await enter(device)).path).toBe('/employer')
  expectStatus(await board.delete(`/v1/employers/members/${member.id}`, employer.key), 204)
  await expectRefusal(enter(device))

  const owner = await added(await signedIn('owner@passkeys.example'), 'Owner')
  const block = { kind: 'email_domain', value: 'passkeys.example', reason: 'Spam' }
  const blocked = expectStatus(await board.post('/v1/admin/blocks', ADMIN_KEY, block), 201)
  await expectRefusal(enter(owner))
  expectStatus(await board.delete(`/v1/admin/blocks/${blocked.body.data.id}`, ADMIN_KEY), 204)
  expect((await enter(owner)).path).toBe('/employer')
  expectStatus(await board.delete('/v1/employers/profile', employer.key), 204)
  await expectRefusal(enter(owner))
})

test('a session that began with an API key cannot add passkeys', async () => {
  const who = await new Visitor(board).signIn(await board.candidate())
  const page = await who.get(PASSKEYS)
  expect([page.seen.includes('To add a passkey, sign in with a link'), page.text.includes('data-passkey')]).toEqual([
    true,
    false,
  ])
  const token = page.document.querySelector('input[name=_csrf]')!.getAttribute('value')!
  const headers = { 'x-csrf-token': token }
  expect((await who.send('POST', `${PASSKEYS}/options`, { headers })).status).toBe(403)
})
