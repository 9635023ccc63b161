/** Error messages on pages are in the reader's language. */
import { beforeAll, expect, test } from 'vitest'
import { type Account, ADMIN_KEY, useBoard } from '../support/board.ts'
import { type Fields, type Page, type Visitor, visitor } from '../support/pages.ts'

const board = useBoard()
let employer: Account
let candidate: Account

beforeAll(async () => {
  employer = await board.employer()
  candidate = await board.candidate()
})

async function german(account?: Pick<Account, 'key'>): Promise<Visitor> {
  const someone = await visitor(board, account)
  await someone.get('/de')
  return someone
}

/** Words that occur in most English messages and in no German message. */
const ENGLISH = /\b(?:the|this|must|enter|choose|use|your|you|not|and|of|try|again|required|allowed|invalid|valid)\b/i

function expectGerman(page: Page, count: number): void {
  const faults = page.document.querySelectorAll('.faults, .fault').map(({ textContent }) => textContent)
  expect(faults.length, page.seen).toBeGreaterThanOrEqual(count)
  for (const text of faults) expect(text).not.toMatch(ENGLISH)
}

const cases: [name: string, by: () => Pick<Account, 'key'> | undefined, at: string, action: string, Fields, number][] =
  [
    ['an invalid email address', () => undefined, '/register/employer', '/register/employer', { email: 'x' }, 3],
    [
      'a job without required fields',
      () => employer,
      '/employer/jobs/new',
      '/employer/jobs/new',
      { type: '', title: '', 'salary[min]': '9', 'salary[max]': '1', expires_at: '2001-01-01', contact_email: 'x' },
      6,
    ],
    ['a company name that is cleared', () => employer, '/employer/profile', '/employer/profile', { name: '' }, 2],
    [
      'a name with an invisible character',
      () => employer,
      '/employer/profile',
      '/employer/profile',
      { name: 'Acme\u200b\u2066', employee_count: '-1', website: 'x' },
      3,
    ],
    [
      'a wrong confirmation',
      () => employer,
      '/employer/profile/close',
      '/employer/profile/close',
      { confirmation: 'x' },
      2,
    ],
    [
      'a webhook with a local URL',
      () => employer,
      '/console/webhooks/new',
      '/console/webhooks',
      { url: 'https://127.0.0.1', secret: 'x' },
      4,
    ],
    [
      'an API key with a past expiry date',
      () => employer,
      '/console/keys/new',
      '/console/keys',
      { name: '', expires_at: '2001-01-01' },
      3,
    ],
    ['a missing file', () => candidate, '/me/resumes', '/me/resumes', {}, 2],
    [
      'an invalid profile',
      () => candidate,
      '/me/profile',
      '/me/profile',
      { first_name: '', phone: '1', website: 'x' },
      4,
    ],
    [
      "a block of the admin's network",
      () => ({ key: ADMIN_KEY }),
      '/desk/blocks',
      '/desk/blocks',
      { kind: 'network', value: '127.0.0.0/8', reason: 'Spam' },
      1,
    ],
    [
      'a block without a network',
      () => ({ key: ADMIN_KEY }),
      '/desk/blocks',
      '/desk/blocks',
      { kind: 'network', value: 'x', expires_at: '2001-01-01' },
      4,
    ],
    [
      'a board without a name',
      () => ({ key: ADMIN_KEY }),
      '/desk/board',
      '/desk/board',
      { name: '', accent_color: 'x' },
      3,
    ],
  ]

test.each(cases)('%s is reported in German', async (_name, by, at, action, fields, count) => {
  const someone = await german(by())
  const page = await someone.submit(await someone.get(at), action, fields)
  expect(page.status).toBeGreaterThanOrEqual(400)
  expectGerman(page, count)
})

test('errors in the query of a list are in German', async () => {
  const someone = await german(employer)
  for (const path of [
    '/jobs?sort=x',
    '/employer/jobs?page=x',
    '/companies?page=0',
    '/employer/applications?status=x',
    '/console/events?created_at_gte=x',
    '/employer/candidates?location=Nowhereville&distance=25',
  ]) {
    const page = await someone.get(path)
    expect(page.status, path).toBe(400)
    expectGerman(page, 1)
  }
})

test('errors without a form have a page in German', async () => {
  const someone = await german(candidate)
  for (const [path, title] of [
    ['/nowhere', 'Seite nicht gefunden'],
    ['/employer/jobs', 'Sie haben hier keinen Zugriff'],
  ] as const) {
    const page = await someone.get(path)
    expect(page.document.querySelector('h1')!.textContent).toBe(title)
    expect(page.document.querySelector('main')!.textContent).not.toMatch(ENGLISH)
  }
})

test.each([
  ['en', 'Only employer, integrator and admin accounts can do this.'],
  ['de', 'Das ist nur mit Konten dieser Arten möglich: Arbeitgeber, Integration und Verwaltung.'],
  ['es', 'Solo las cuentas de empresa, integración y administración pueden hacer esto.'],
  ['fr', 'Cette action est réservée aux comptes employeur, intégrateur et administrateur.'],
  ['ja', 'この操作は企業、連携パートナー、管理者アカウントでのみ行えます。'],
])('the error page for other kinds of accounts names all allowed kinds (%s)', async (language, sentence) => {
  const someone = await visitor(board, candidate)
  await someone.get(`/${language}`)
  const page = await someone.get('/console/widget')
  expect([page.status, page.document.querySelector('h1 + p')!.textContent]).toEqual([403, sentence])
})

test('the 404 page offers a search for jobs, and the start pages that the reader may open', async () => {
  const links = (page: Page) => page.document.querySelectorAll('main a').map((link) => link.getAttribute('href'))
  const guest = await visitor(board)
  const page = await guest.get('/nowhere')
  expect([page.status, links(page)]).toEqual([404, ['/', '/jobs', '/companies', '/docs']])
  const form = page.document.querySelector('main form[action="/jobs"][role="search"]')!
  expect(form.querySelectorAll('input').map((field) => field.getAttribute('name'))).toEqual(['search', 'sort'])
  const portal = await visitor(board, employer)
  expect(links(await portal.get('/employer/jobs/none'))).toEqual(['/', '/jobs', '/companies', '/employer', '/console'])
  const refused = await (await visitor(board, candidate)).get('/employer/jobs')
  expect([refused.status, links(refused)]).toEqual([403, ['/']])
})

test('the start page of an area is marked as current only while it is open', async () => {
  const someone = await visitor(board, candidate)
  const current = async (path: string) =>
    (await someone.get(path)).document.querySelectorAll('.sub [aria-current]').map((link) => link.textContent)
  expect(await current('/me')).toEqual(['Overview'])
  expect(await current('/me/alerts/new')).toEqual(['Alerts'])
  expect(await current('/me/data')).toEqual([])
})
