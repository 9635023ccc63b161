/** An email address gives access to its account, so changing it is restricted and reported (decision 0057). */
import { expect, test } from 'vitest'
import { type Account, expectStatus, useBoard } from '../support/board.ts'
import { mailsIn } from '../support/mails.ts'
import { faultOf, visitor } from '../support/pages.ts'
import { registerOnPages } from '../support/sign-in.ts'
import { runTask } from '../support/tasks.ts'

const board = useBoard()
const SIGN_IN = 'Your sign-in link for Job Marketplace'

const change = (key: string, email: string) => board.put('/v1/candidates/profile', key, { email })
const registered = async (name: string) => ({ ...(await board.candidate({ email: `${name}@mail.example` })), name })
/** Sends the pending emails, and returns all emails to an email address with this subject. */
async function mailsTo(address: string, subject: string) {
  await runTask(board, 'mail')
  const mails = await mailsIn(board.config.dataDir)
  return mails.filter((mail) => mail.subject === subject && JSON.stringify(mail.to).includes(address))
}
/**
 * Requests a sign-in link as a person who reads the emails to an email address. Returns the person's visitor, the link,
 * and a function that uses the link.
 */
async function reader(address: string) {
  const guest = await visitor(board)
  // At most one sign-in email per minute is sent to an email address.
  board.clock.advance(61_000)
  await guest.submit(await guest.get('/sign-in'), '/sign-in/link', { email: address })
  const mail = (await mailsTo(address, SIGN_IN)).at(-1)
  const link = /https:\/\/board\.example(\/sign-in\/link\?\S+)/.exec(mail?.text ?? '')?.[1]
  return { guest, link, use: async () => guest.submit(await guest.get(link!), '/sign-in/link/use') }
}

test('a limited or expiring key cannot change the email address', async () => {
  const owner = await registered('narrow')
  const ending = await board.post('/v1/api-keys', owner.key, {
    name: 'Ending',
    expires_at: new Date(board.clock.time + 3_600_000).toISOString(),
  })
  const narrow = await board.keyWith(owner, ['profile:read', 'profile:write'])
  for (const key of [narrow, ending.body.data.key]) {
    const answer = await change(key, 'thief@mail.example')
    expect([answer.status, answer.body.code]).toEqual([403, 'insufficient_scope'])
    // The key may change other fields, and the case of the email address.
    expectStatus(
      await board.put('/v1/candidates/profile', key, { email: 'Narrow@mail.example', headline: 'Welder' }),
      200,
    )
  }
  expect((await board.get('/v1/me', owner.key)).body.data.email).toBe('Narrow@mail.example')
  expectStatus(await change(owner.key, 'wide@mail.example'), 200)
})

test('a session that started with a limited key cannot change the email address either', async () => {
  const owner = await registered('session')
  const guest = await visitor(board, { ...owner, key: await board.keyWith(owner, ['profile:read', 'profile:write']) })
  const answer = await guest.submit(await guest.get('/me/profile'), '/me/profile', { email: 'thief2@mail.example' })
  expect(answer.status).toBe(403)
  expect((await board.get('/v1/me', owner.key)).body.data.email).toBe('session@mail.example')
})

test('after a change, the previous email address is notified, and its sign-in links are invalid', async () => {
  const owner = await registered('former')
  const { guest, link } = await reader('former@mail.example')
  expectStatus(await change(owner.key, 'later@mail.example'), 200)
  expect((await guest.get(link!)).status).toBe(410)
  const [told, ...more] = await mailsTo('former@mail.example', 'Your account has a new email address')
  expect(told!.text).toContain('If you didn’t change the email address')
  // The email does not reveal the new email address.
  expect(told!.text).not.toContain('later@mail.example')
  expect(more).toEqual([])
  expect(await mailsTo('later@mail.example', 'Your account has a new email address')).toEqual([])
  // A change of case is not a change of the email address.
  expectStatus(await change(owner.key, 'Later@mail.example'), 200)
  expect(await mailsTo('later@mail.example', 'Your account has a new email address')).toEqual([])
})

test('an employer changes the email address under the same rules', async () => {
  const PROFILE = '/v1/employers/profile'
  const HOME = '/employer/profile'
  const owner = await board.employer({ email: 'jobs@leaving.example' })
  const { link } = await reader('jobs@leaving.example')
  const narrow = await board.keyWith(owner, ['profile:read', 'profile:write'])
  const refused = await board.put(PROFILE, narrow, { email: 'thief@mail.example' })
  expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope'])

  const [mover, other] = [await visitor(board, owner), await visitor(board, owner)]
  board.clock.advance(16 * 60_000)
  const stale = await mover.submit(await mover.get(HOME), HOME, { email: 'jobs@arriving.example', industry: 'Typed' })
  expect([stale.status, faultOf(stale, 'email')]).toEqual([422, expect.stringContaining('Sign in again')])
  expect(stale.document.querySelector('[name="industry"]')!.getAttribute('value')).toBe('Typed')
  await mover.signIn(owner)
  const moved = await mover.submit(await mover.get(HOME), HOME, { email: 'jobs@arriving.example' })
  expect(moved.seen).toContain('Saved.')
  expect(moved.document.querySelector('[name="email"]')!.getAttribute('value')).toBe('jobs@arriving.example')
  expect((await other.get('/account')).path).toMatch(/^\/sign-in/)
  expect((await (await visitor(board)).get(link!)).status).toBe(410)
  expect(await mailsTo('jobs@leaving.example', 'Your account has a new email address')).toHaveLength(1)
  expect((await (await reader('jobs@arriving.example')).use()).path).toContain('/account/access')
  // Another employer can now register with the previous email address.
  await board.employer({ email: 'jobs@leaving.example' })
})

async function expectIn(account: Account, isIn: boolean) {
  expect((await board.get('/v1/me', account.key)).status).toBe(isIn ? 200 : 401)
}

test('the first sign-in by link shows who else has access, and offers to revoke that access', async () => {
  const squatter = await registered('victim')
  const browser = await visitor(board, squatter)
  const { guest, use } = await reader('victim@mail.example')
  const page = await use()
  expect(page.path).toBe('/account/access?return_to=%2Fhome')
  expect(page.seen).toContain('First key')
  expect(page.document.querySelectorAll('table')).toHaveLength(2)
  await expectIn(squatter, true)
  const after = await guest.submit(page, '/account/access/end')
  expect(after.seen).toContain('All other access was revoked.')
  await expectIn(squatter, false)
  expect((await browser.get('/account')).path).toMatch(/^\/sign-in/)
  expect((await guest.get('/account')).seen).toContain('victim@mail.example')
  // The page appears only once, because the email address now belongs to a known reader.
  expect((await (await reader('victim@mail.example')).use()).path).not.toContain('/account/access')
})

test("the owner's key keeps access, and the page to check access appears again after a change of the email address", async () => {
  const owner = await registered('owner')
  const page = await (await reader('owner@mail.example')).use()
  expect(page.path).toContain('/account/access')
  await expectIn(owner, true)
  expectStatus(await change(owner.key, 'owner2@mail.example'), 200)
  expect((await (await reader('owner2@mail.example')).use()).path).toContain('/account/access')
  await expectIn(owner, true)
})

test('a session that started with a limited key can neither see nor revoke the access of others', async () => {
  const owner = await registered('limited')
  const guest = await visitor(board, { ...owner, key: await board.keyWith(owner, ['profile:read']) })
  expect((await guest.get('/account/access')).status).toBe(403)
  const token = await guest.csrfToken()
  expect((await guest.post('/account/access/end', { _csrf: token })).status).toBe(403)
  await expectIn(owner, true)
})

test('a person who registered on the website has no unknown keys, and does not see the page to check access', async () => {
  const { guest, use } = await (async () => {
    const registering = await visitor(board)
    const body = { first_name: 'Ada', last_name: 'Byron', email: 'pages@mail.example' }
    expect((await registerOnPages(board, registering, '/register/candidate', body)).path).toBe('/me')
    board.clock.advance(60_000)
    expect((await registering.get('/console/keys')).seen).not.toContain('First key')
    await registering.submit(await registering.get('/account'), '/sign-out')
    return reader('pages@mail.example')
  })()
  expect((await use()).path).toBe('/me')
  expect((await guest.get('/account')).seen).toContain('pages@mail.example')
})
