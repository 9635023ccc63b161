/** Signing in and out, and the protection of sessions. */
import { afterAll, describe, expect, test } from 'vitest'
import { Board, useBoard } from '../support/board.ts'
import { mailsIn } from '../support/mails.ts'
import { faultOf, Visitor, visitor } from '../support/pages.ts'
import { registerOnPages, signInLinks } from '../support/sign-in.ts'
import { runTask } from '../support/tasks.ts'

const board = useBoard()
const SESSION = '__Host-session'

/** Sends the pending emails and returns the sign-in links in them, oldest first. */
async function linksOf(board: Board): Promise<string[]> {
  await runTask(board, 'mail')
  const mails = await mailsIn(board.config.dataDir)
  return mails
    .filter(({ subject }) => subject === 'Your sign-in link for Job Marketplace')
    .map(({ text }) => /https:\/\/board\.example(\/sign-in\/link\?\S+)/.exec(text!)![1]!)
}

describe('a sign-in link', () => {
  test('signs the user in with two clicks, and returns to the original page', async () => {
    await board.candidate({ email: 'mailed@candidate.example' })
    const guest = await visitor(board)
    const asked = await guest.get('/sign-in?return_to=/account')
    const sent = await guest.submit(asked, '/sign-in/link', { email: 'Mailed@candidate.example' })
    expect(sent.path).toBe('/sign-in/sent')
    const link = (await linksOf(board)).at(-1)!
    const page = await guest.get(link)
    expect(guest.cookies.has(SESSION)).toBe(false)
    const first = await guest.submit(page, '/sign-in/link/use')
    // The first sign-in shows who else has access; see test/regressions/address-takeover.test.ts.
    expect(first.path).toBe('/account/access?return_to=%2Faccount')
    const inside = await guest.get(first.document.querySelector('main a[href="/account"].btn')!.getAttribute('href')!)
    expect([inside.path, inside.status]).toEqual(['/account', 200])
    expect(inside.seen).toContain('mailed@candidate.example')
    // The link works only once.
    const second = await guest.get(link)
    expect(second.status).toBe(410)
  })

  test('is not consumed by link scanners, and expires after 15 minutes', async () => {
    await board.candidate({ email: 'scanned@candidate.example' })
    const guest = await visitor(board)
    await guest.submit(await guest.get('/sign-in'), '/sign-in/link', { email: 'scanned@candidate.example' })
    const link = (await linksOf(board)).at(-1)!
    for (let n = 0; n < 3; n++) expect((await new Visitor(board).get(link)).status).toBe(200)
    const page = await guest.get(link)
    board.clock.advance(15 * 60_000)
    expect((await guest.submit(page, '/sign-in/link/use')).status).toBe(410)
    expect(guest.cookies.has(SESSION)).toBe(false)
  })

  test('is requested without revealing whether the email address has an account', async () => {
    await board.candidate({ email: 'known@candidate.example' })
    const answers = []
    for (const email of ['known@candidate.example', 'unknown@candidate.example']) {
      const guest = await visitor(board)
      const { status, path, text } = await guest.submit(await guest.get('/sign-in'), '/sign-in/link', { email })
      answers.push({ status, path, text })
    }
    expect(answers[0]).toEqual(answers[1])
  })

  test('is refused with an error for an invalid email address', async () => {
    const guest = await visitor(board)
    const page = await guest.submit(await guest.get('/sign-in'), '/sign-in/link', { email: 'nobody' })
    expect(page.status).toBe(422)
    expect(faultOf(page, 'email')).toBe('Enter an email address, such as name@example.com.')
    expect(page.document.querySelector('[name="email"]')!.getAttribute('value')).toBe('nobody')
  })
})

describe('signing in with an API key', () => {
  test('refuses an invalid key', async () => {
    const guest = await visitor(board)
    const page = await guest.submit(await guest.get('/sign-in'), '/sign-in/key', { api_key: 'nonsense' })
    expect(page.status).toBe(422)
    expect(faultOf(page, 'api_key')).toMatch(/is invalid/)
    expect(page.text).not.toContain('nonsense')
  })

  test('starts a session that has the scopes of the key and ends when the key is revoked', async () => {
    const candidate = await board.candidate()
    const made = await board.post('/v1/api-keys', candidate.key, { name: 'Pages', scopes: ['jobs:read'] })
    const guest = await visitor(board, { key: made.body.data.key })
    const inside = await guest.get('/account')
    expect(inside.seen).toContain('jobs:read')
    expect(inside.seen).not.toContain('profile:write')
    await board.delete(`/v1/api-keys/${made.body.data.id}`, candidate.key)
    expect((await guest.get('/account')).path).toBe('/sign-in?return_to=%2Faccount')
  })

  test('replaces an existing session', async () => {
    const guest = await visitor(board)
    guest.setCookie(SESSION, 'fixed-by-somebody-else')
    await guest.signIn(await board.candidate())
    const first = guest.cookies.get(SESSION)!
    expect(first).not.toBe('fixed-by-somebody-else')
    await guest.signIn(await board.employer())
    const old = new Visitor(board)
    old.setCookie(SESSION, first)
    expect((await old.get('/account')).path).toMatch(/^\/sign-in/)
  })
})

test('the page of all access explains registration only to accounts with an email address', async () => {
  const warning = 'Anyone can register an account with the email address'
  const candidate = await visitor(board, await board.candidate({ email: 'accessible@candidate.example' }))
  expect((await candidate.get('/account/access')).seen).toContain(`${warning} accessible@candidate.example,`)
  const page = await (await visitor(board, await board.account('integrator'))).get('/account/access')
  expect(page.seen).toContain('Check who has access')
  expect(page.seen).not.toContain(warning)
})

test('signing out everywhere ends every session of the account, and no session of another account', async () => {
  const candidate = await board.candidate()
  const [one, two, other] = [
    await visitor(board, candidate),
    await visitor(board, candidate),
    await visitor(board, await board.candidate()),
  ]
  const account = await one.get('/account')
  const marks = account.document.querySelectorAll('tbody tr').map((row) => row.textContent.includes('This session'))
  expect(marks.toSorted()).toEqual([false, true])
  await one.submit(account, '/account/sign-out-everywhere')
  expect((await two.get('/account')).path).toMatch(/^\/sign-in/)
  expect((await other.get('/account')).path).toBe('/account')
})

test('a session ends when the account is erased', async () => {
  const candidate = await board.candidate()
  const guest = await visitor(board, candidate)
  await board.delete('/v1/candidates/profile', candidate.key)
  expect((await guest.get('/account')).path).toMatch(/^\/sign-in/)
})

describe('a form', () => {
  test('is refused with a wrong or empty token, whatever characters the token contains', async () => {
    const guest = await visitor(board, await board.candidate())
    const token = (await guest.get('/account')).document.querySelector('[name="_csrf"]')!.getAttribute('value')!
    for (const wrong of ['é'.repeat(token.length), '𝒜'.repeat(token.length), 'a'.repeat(token.length), '']) {
      expect((await guest.post('/account/sign-out-everywhere', { _csrf: wrong })).status, wrong).toBe(403)
    }
  })

  test('is refused from another site, even with a valid token', async () => {
    const guest = await visitor(board, await board.candidate())
    const token = (await guest.get('/account')).document.querySelector('[name="_csrf"]')!.getAttribute('value')!
    const body = new URLSearchParams({ _csrf: token })
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const page = await guest.send('POST', '/account/sign-out-everywhere', { body, headers: headers as never })
      expect(page.status).toBe(403)
    }
    expect((await guest.get('/account')).status).toBe(200)
  })

  test("is refused without a token or with another visitor's token", async () => {
    const guest = await visitor(board, await board.candidate())
    const foreign = await (await visitor(board)).csrfToken()
    for (const fields of [{}, { _csrf: '' }, { _csrf: foreign }]) {
      expect((await guest.post('/account/sign-out-everywhere', fields)).status).toBe(403)
    }
    expect((await guest.get('/account')).path).toBe('/account')
  })
})

test.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  'javascript:alert(1)',
  '/%09/evil.example\n',
  '/.//evil.example',
  '/..//evil.example',
  '/%2e//evil.example',
])('signing in never redirects to %j', async (target) => {
  const guest = await visitor(board)
  const page = await guest.get(`/sign-in?return_to=${encodeURIComponent(target)}`)
  const { key } = await board.candidate()
  const token = page.document.querySelector('[name="_csrf"]')!.getAttribute('value')!
  const body = new URLSearchParams({ _csrf: token, api_key: key, return_to: target })
  const location = (await guest.send('POST', '/sign-in/key', { body })).headers.get('location')!
  expect(new URL(location, 'https://board.example').origin).toBe('https://board.example')
})

test('two session cookies sign nobody in, because another host may have set one of them', async () => {
  const guest = await visitor(board, await board.candidate())
  const mine = `${SESSION}=${guest.cookies.get(SESSION)}`
  for (const [cookie, status] of [
    [mine, 200],
    [`${mine}; other=1`, 200],
    [`${mine}; ${SESSION}=another`, 303],
    [`${SESSION}=another; ${mine}`, 303],
    [`${mine}; ${mine}`, 303],
  ] as const) {
    const answer = await fetch(`${board.address}/account`, { headers: { cookie }, redirect: 'manual' })
    expect(answer.status, cookie).toBe(status)
  }
})

test('the session cookie is hidden from scripts and other sites, and pages cannot be framed', async () => {
  const { key } = await board.candidate()
  const guest = await visitor(board)
  const page = await guest.get('/sign-in')
  const token = page.document.querySelector('[name="_csrf"]')!.getAttribute('value')!
  const answer = await guest.send('POST', '/sign-in/key', { body: new URLSearchParams({ _csrf: token, api_key: key }) })
  const [cookie] = answer.headers.getSetCookie().filter((line) => line.startsWith(SESSION))
  expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=1209600$/)
  const policy = page.headers.get('content-security-policy')!
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe')
  expect(page.headers.get('cache-control')).toBe('no-store')
})

describe('registering', () => {
  const person = { first_name: 'Ida', last_name: 'Holm' }

  test('creates an account, and emails the link that signs the user in', async () => {
    const guest = await visitor(board)
    const fields = { ...person, email: 'ida@candidate.example' }
    const sent = await guest.submit(await guest.get('/register/candidate'), '/register/candidate', fields)
    expect([sent.path, guest.cookies.has(SESSION)]).toEqual(['/sign-in/sent', false])
    const [link] = await signInLinks(board, fields.email)
    expect((await guest.submit(await guest.get(link!), '/sign-in/link/use')).path).toBe('/me')
    expect((await guest.get('/account')).seen).toContain('Ida Holm')
  })

  test('returns the same response for a known email address, but notifies its owner', async () => {
    await board.candidate({ email: 'taken@candidate.example' })
    const answers = []
    for (const email of ['taken@candidate.example', 'fresh@candidate.example']) {
      const guest = await visitor(board)
      const form = await guest.get('/register/candidate')
      const { status, path, text } = await guest.submit(form, '/register/candidate', { ...person, email })
      answers.push({ status, path, text })
    }
    expect(answers[0]).toEqual(answers[1])
    await runTask(board, 'mail')
    const subjects = (await mailsIn(board.config.dataDir))
      .filter(({ to }) => /^(?:taken|fresh)@/.test(to![0]!.address!))
      .map(({ to, subject }) => [to![0]!.address, subject])
    expect(subjects.toSorted()).toEqual([
      ['fresh@candidate.example', 'Your sign-in link for Job Marketplace'],
      ['taken@candidate.example', 'You already have an account'],
    ])
  })

  test('emails a link even if the new owner requested one immediately before', async () => {
    const guest = await visitor(board)
    const email = 'eager@candidate.example'
    await guest.submit(await guest.get('/sign-in'), '/sign-in/link', { email })
    expect((await registerOnPages(board, guest, '/register/candidate', { ...person, email })).path).toBe('/me')
  })

  test('as an employer treats empty fields as missing, and returns to the original page', async () => {
    const guest = await visitor(board)
    const choice = await guest.get('/register?return_to=/companies')
    const path = choice.document.querySelector('main a[href^="/register/employer"]')!.getAttribute('href')!
    const inside = await registerOnPages(board, guest, path, { name: 'Holm Works', email: 'ida@holm.example' })
    expect([inside.path, inside.seen.includes('Holm Works')]).toEqual(['/companies', true])
  })
})

describe('PAGES=off', () => {
  const bare = new Board()
  afterAll(() => bare.stop())

  test('turns off the pages, but not the API', async () => {
    await bare.start({ PAGES: 'off' })
    const guest = await visitor(bare)
    for (const path of ['/', '/jobs', '/sign-in']) {
      const page = await guest.get(path)
      expect([page.status, page.headers.get('content-type')]).toEqual([404, 'application/problem+json; charset=utf-8'])
    }
    expect((await bare.get('/v1')).status).toBe(200)
  })
})
