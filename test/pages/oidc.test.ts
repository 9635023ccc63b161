/** Sign-in with a real OpenID provider on loopback. */
import { generateKeyPairSync, hash } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { openAccount } from '../../src/features/accounts/index.ts'
import { ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import { joined, joinedStaff } from '../support/members.ts'
import { CLIENT, type Identity, passProvider, startProvider } from '../support/oidc.ts'
import { type Page, Visitor } from '../support/pages.ts'

const provider = await startProvider('https://board.example')
afterAll(provider.stop)
const board = useBoard({
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: CLIENT.id,
  OIDC_CLIENT_SECRET: CLIENT.secret,
  OIDC_NAME: 'Gearwright ID',
  OIDC_FOR: 'employer,candidate',
})
// The provider uses the machine's clock.
board.clock.time = Date.now()

const CALLBACK = '/sign-in/oidc/callback'

/** Begins a sign-in. Returns the visitor and the provider's URL. */
async function begun(returnTo = ''): Promise<{ who: Visitor; url: URL }> {
  const who = new Visitor(board)
  const page = await who.get('/sign-in')
  expect(page.seen).toContain('Continue with Gearwright ID')
  const answer = await who.send('GET', `/sign-in/oidc${returnTo && `?return_to=${returnTo}`}`)
  return { who, url: new URL(answer.headers.get('location')!) }
}

/** Signs in as a person, after an optional change to the provider's URL. */
async function arrive(
  person: Identity,
  { change, returnTo }: { change?: (url: URL) => void; returnTo?: string } = {},
): Promise<{ who: Visitor; page: Page; back: string; cookie: string }> {
  const { who, url } = await begun(returnTo)
  change?.(url)
  provider.state.person = person
  const back = await passProvider(url.href)
  expect(back.origin + back.pathname).toBe(`https://board.example${CALLBACK}`)
  const cookie = who.cookies.get('__Host-sign_in_attempt')!
  return { who, page: await who.get(back.pathname + back.search), back: back.pathname + back.search, cookie }
}

const FAILED = 'Signing in with Gearwright ID didn’t work.'
const expectRefusal = ({ page }: { page: Page }, words = FAILED) =>
  expect([page.path, page.seen]).toEqual(['/sign-in', expect.stringContaining(words)])

const verified = (email: string): Identity => ({ email, email_verified: true })

test('a person with a verified email address signs in to the account, once per response', async () => {
  await board.candidate({ email: 'ada@oidc.example' })
  const { url } = await begun()
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w-]{43}$/),
  })
  const { who, page, back, cookie } = await arrive(verified('Ada@oidc.example'), { returnTo: '/me/saved-jobs' })
  expect([page.status, page.path]).toEqual([200, '/account/access?return_to=%2Fme%2Fsaved-jobs'])
  expect((await who.get('/account')).seen).toContain('ada@oidc.example')

  // Replays the response in the same browser, in a browser with the cookie of the attempt, and in a new browser.
  expectRefusal({ page: await who.get(back) })
  const thief = new Visitor(board)
  thief.setCookie('__Host-sign_in_attempt', cookie)
  expectRefusal({ page: await thief.get(back) })
  expectRefusal({ page: await new Visitor(board).get(back) })
})

test('sign-in refuses responses to other attempts, foreign ID tokens, unverified email addresses and wrong times', async () => {
  const ada = verified('ada@oidc.example')
  expectRefusal(await arrive(ada, { change: (url) => url.searchParams.set('nonce', 'another') }))
  expectRefusal(await arrive(ada, { change: (url) => url.searchParams.set('state', 'another') }))
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
  expectRefusal(await arrive(ada, { change: (url) => url.searchParams.set('code_challenge', challenge) }))
  expectRefusal(await arrive({ ...ada, email_verified: false }), 'hasn’t verified your email address')

  // An ID token from another issuer, one for another board, one signed with another key, and a valid one.
  const token = async (change: object, key?: Parameters<typeof provider.idToken>[1]) => {
    const { who, url } = await begun()
    const back = await passProvider(url.href)
    const iat = Math.floor(Date.now() / 1_000)
    const times = { iat, exp: iat + 600, nonce: url.searchParams.get('nonce') }
    const claims = { iss: provider.issuer, aud: CLIENT.id, sub: 'ada', ...ada, ...times, ...change }
    provider.state.token = provider.idToken(claims, key)
    const page = await who.get(back.pathname + back.search)
    provider.state.token = undefined
    return { page }
  }
  expectRefusal(await token({ iss: 'https://other.example' }))
  expectRefusal(await token({ aud: 'other' }))
  expectRefusal(await token({}, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey))
  expect((await token({})).page.path).toBe('/me')

  for (const minutes of [10, -20]) {
    board.clock.advance(minutes * 60_000)
    expectRefusal(await arrive(ada))
  }
  board.clock.advance(10 * 60_000)
  expect((await arrive(ada)).page.path).toBe('/me')
})

test('sign-in registers candidates who have a name, and admits only accounts of the kinds in OIDC_FOR', async () => {
  const grace = { ...verified('grace@oidc.example'), given_name: 'Grace', family_name: 'Hopper' }
  const { who, page } = await arrive(grace)
  expect(page.path).toBe('/me')
  expect((await who.get('/account')).seen).toContain('Grace Hopper')
  expectRefusal(
    await arrive(verified('nameless@oidc.example')),
    'You have no account on this board that works with Gearwright ID',
  )
  const block = { kind: 'address', value: grace.email, reason: 'Spam' }
  expectStatus(await board.post('/v1/admin/blocks', ADMIN_KEY, block), 201)
  expectRefusal(await arrive(grace), 'You have no account on this board that works with Gearwright ID')

  const root = { kind: 'admin', name: 'Root', email: 'root@oidc.example' } as const
  await board.database.inTx((tx) => openAccount(tx, root, board.clock.now()))
  const person = verified(root.email)
  expectRefusal(await arrive(person), 'You have no account on this board that works with Gearwright ID')

  // As a member of an employer, the person signs in, but the session cannot switch to the admin account.
  const { member } = await joined(board, await board.employer(), 'recruiter', { email: 'rosa@oidc.example' })
  const email = { email: root.email, email_key: root.email }
  await board.database.inTx((tx) => tx.updateTable('member').set(email).where('id', '=', member.id).execute())
  const recruiter = await arrive(person)
  expect(recruiter.page.path).toBe('/employer')
  expect((await recruiter.who.get('/account/choose')).seen).not.toContain('Root')
})

test('a person with several accounts of the kinds in OIDC_FOR chooses one of them, and no other', async () => {
  const person = verified('hedy@oidc.example')
  const root = { kind: 'admin', name: 'Root of Hedy', email: person.email } as const
  const { id: rootId } = await board.database.inTx((tx) => openAccount(tx, root, board.clock.now()))
  const employers = [await board.employer({ name: 'Hedy Motors' }), await board.employer({ name: 'Lamarr Radio' })]
  for (const employer of employers) {
    const { member } = await joined(board, employer, 'recruiter', { email: `of-${employer.id}@oidc.example` })
    const email = { email: person.email, email_key: person.email }
    await board.database.inTx((tx) => tx.updateTable('member').set(email).where('id', '=', member.id).execute())
  }
  const choose = async (accountId: string) => {
    const { who, page } = await arrive(person, { returnTo: '/account' })
    expect(page.seen).toContain('Hedy Motors')
    expect(page.seen).toContain('Lamarr Radio')
    expect(page.seen).not.toContain('Root of Hedy')
    return { who, page: await who.submit(page, '/sign-in/link/use', { account_id: accountId }) }
  }
  for (const { id } of employers) {
    const { who, page } = await choose(id)
    expect(page.path).toBe('/account')
    // The session cannot switch to the admin account.
    expect((await who.get('/account/choose')).seen).not.toContain('Root of Hedy')
  }
  expect((await choose(rootId)).page.status).toBe(410)

  // A process of the previous release would ignore the kinds, so it must not find the link by the hash of its token.
  const { page } = await arrive(person)
  const token = page.document.querySelector('input[name="token"]')!.getAttribute('value')!
  const found = await board.database.read((db) =>
    db.selectFrom('sign_in_link').selectAll().where('token_hash', '=', hash('sha256', token)).execute(),
  )
  expect(found).toEqual([])
})

test('the first sign-in shows other ways into the account, even if the address also has an account of another kind', async () => {
  const person = verified('joan@oidc.example')
  await board.candidate({ email: person.email })
  const { member } = await joinedStaff(board, 'moderator')
  const email = { email: person.email, email_key: person.email }
  await board.database.inTx((tx) => tx.updateTable('member').set(email).where('id', '=', member.id).execute())
  expect((await arrive(person)).page.path).toBe('/account/access?return_to=%2Fhome')
  expect((await arrive(person)).page.path).toBe('/me')
})
