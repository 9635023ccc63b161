/** The company directory and company pages. */
import { XMLParser } from 'fast-xml-parser'
import { beforeAll, expect, test } from 'vitest'
import { type Account, expectStatus, useBoard } from '../support/board.ts'
import { tokensTo } from '../support/claims.ts'
import { feed, makeFeed, posting } from '../support/feeds.ts'
import { type Page, type Visitor, visitor } from '../support/pages.ts'

const board = useBoard()
const empty = useBoard()
/** The DNS TXT records that the test network returns for every name. */
let published: string[] = []
board.network = { texts: async () => published }
const parser = new XMLParser({ isArray: (name) => ['item', 'url', 'sitemap'].includes(name) })
let volta: Account
let quiet: Account
let guest: Visitor

beforeAll(async () => {
  const hiring = async (profile: Record<string, unknown>) => {
    const employer = await board.employer(profile)
    await board.activeJob(employer)
    return employer
  }
  volta = await hiring({
    name: 'Ärla Volt/Werke GmbH',
    industry: 'Vehicle makers',
    location: 'Munich, Germany',
    description: 'We build **vans**.',
    website: 'https://volta.example',
    employee_count: 1_200,
  })
  await hiring({ name: 'Brass & Gear', industry: 'vehicle makers' })
  await hiring({ name: '4Wheel', industry: 'Software' })
  await hiring({ name: 'Електро', location: 'Kyiv, Ukraine' })
  quiet = await board.employer({ name: 'Quiet Works', description: 'Soon.' })
  await board.employer({ name: 'Empty Works' })
  guest = await visitor(board)
})

const namesOn = ({ document }: Page) => document.querySelectorAll('.firm .strong').map((name) => name.textContent)
const found = async (query: string) => namesOn(await guest.get(`/companies${query}`))

test('the directory lists companies with open jobs, sorted by name', async () => {
  expect(await found('')).toEqual(['4Wheel', 'Ärla Volt/Werke GmbH', 'Brass & Gear', 'Електро'])
  expect((await guest.get('/companies')).seen).toContain('4 companies with open jobs')
})

test('companies without open jobs are listed on request, but only if they have a description', async () => {
  expect(await found('?all=true&name=works')).toEqual(['Quiet Works'])
  expect((await guest.get(`/companies/${quiet.id}`)).seen).toContain('No open jobs right now')
})

test.each([
  ['?name=vol', ['Ärla Volt/Werke GmbH']],
  ['?name=wer', ['Ärla Volt/Werke GmbH']],
  ['?name=ARL+wer', ['Ärla Volt/Werke GmbH']],
  ['?name=olt', []],
  ['?name=g%27+%26+b:*', ['Brass & Gear']],
  ['?name=елек', ['Електро']],
  ['?name=%26', []],
  ['?letter=a', ['Ärla Volt/Werke GmbH']],
  ['?letter=other', ['4Wheel', 'Електро']],
  ['?letter=z', []],
  ['?industry=VEHICLE+makers', ['Ärla Volt/Werke GmbH', 'Brass & Gear']],
  ['?location=germany&industry=Vehicle+makers', ['Ärla Volt/Werke GmbH']],
  ['?limit=1&page=2', ['Ärla Volt/Werke GmbH']],
])('%s finds %j', async (query, names) => {
  expect(await found(query)).toEqual(names)
})

test('the form offers the industries of companies with open jobs, and keeps the selection', async () => {
  const { document } = await guest.get('/companies?industry=Software')
  const options = document.querySelectorAll('select[name="industry"] option').map((option) => option.textContent)
  expect(options).toEqual(['Any', 'Software', 'Vehicle makers'])
  expect(document.querySelector('option[selected]')!.textContent).toBe('Software')
})

test('an invalid letter is reported in the form', async () => {
  const page = await guest.get('/companies?letter=aa')
  expect([page.status, page.document.querySelector('.faults') !== null]).toEqual([400, true])
})

test('a company page shows facts, the rendered description, and a feed of its jobs', async () => {
  const page = await guest.get(`/companies/${volta.id}`)
  for (const text of ['Vehicle makers', 'Munich, Germany', '1,200', 'volta.example', 'One open job']) {
    expect(page.seen).toContain(text)
  }
  expect(page.document.querySelector('main strong')!.textContent).toBe('vans')
  const feed = page.document.querySelector('aside a[type="application/rss+xml"]')!.getAttribute('href')!
  expect(parser.parse((await guest.get(feed)).text).rss.channel.item).toHaveLength(1)
})

test("a company page links everyone except employers to an alert form for the company's jobs", async () => {
  const path = `/companies/${volta.id}`
  const account = await board.candidate()
  const candidate = await visitor(board, account)
  const link = async (who: typeof guest) =>
    (await who.get(path)).document.querySelector('main a[href^="/me/alerts/new"]')?.getAttribute('href')
  expect(await link(guest)).toBe(await link(candidate))
  const form = await candidate.get((await link(candidate))!)
  const made = await candidate.submit(form, '/me/alerts/new')
  expect(made.document.querySelectorAll('.job-title')).toHaveLength(1)
  expect(await link(await visitor(board, volta))).toBeUndefined()
  // The candidate's overview shows the matches of the last seven days.
  const home = await candidate.get('/me')
  expect(home.document.querySelectorAll('section[aria-labelledby="news"] .job-title')).toHaveLength(1)
  expect(home.seen).toContain('1 new')
  board.clock.advance(8 * 86_400_000)
  const later = await candidate.signIn(account).then((who) => who.get('/me'))
  expect([later.path, later.seen.includes('New in your alerts')]).toEqual(['/me', false])
})

test('an employer verifies its domain on a page, and other pages show the verification until an admin removes it', async () => {
  const hidden = await board.employer({ name: 'Plain Works' })
  const other = await visitor(board, hidden)
  expect((await other.get('/employer/verification')).seen).toContain('Add the website')
  const volt = await visitor(board, volta)
  expect((await volt.get('/employer/profile')).seen).toContain('Verify your company')
  const start = await volt.get('/employer/verification')
  const wrong = await volt.submit(start, '/employer/verification', { method: 'email', email: 'hr@gmail.com' })
  expect([wrong.status, wrong.seen]).toEqual([422, expect.stringContaining('Enter an email address at volta.example.')])
  const begun = await volt.submit(start, '/employer/verification', { method: 'dns', email: '' })
  const [name, , value] = begun.document.querySelectorAll('main code').map(({ textContent }) => textContent)
  expect(name).toBe('_job-marketplace.volta.example')
  const missing = await volt.submit(begun, '/employer/verification/check')
  expect(missing.seen).toContain('We haven’t found the proof yet.')
  await volt.submit(missing, '/employer/verification', { method: 'email', email: 'hr@volta.example' })
  const [token] = await tokensTo(board, 'hr@volta.example')
  const opened = await volt.get(`/employer/verification?token=${token}`)
  expect(opened.seen).toContain('You opened the link that we sent to your email address at volta.example.')
  const again = await volt.submit(opened, '/employer/verification', { method: 'dns', email: '' })
  published = [value!]
  const done = await volt.submit(again, '/employer/verification/check')
  expect(done.seen).toContain('volta.example is verified.')
  expect(done.seen).toContain('Your company is verified for volta.example.')
  expect(done.seen).not.toContain('Prove that you own the domain')
  expect(done.document.querySelector('.crumbs a')!.getAttribute('href')).toBe('/employer/profile')
  const tile = (await guest.get('/companies?name=volt')).document.querySelector('.firm')!
  expect(tile.textContent).toContain('Verified')
  const company = await guest.get(`/companies/${volta.id}`)
  expect(company.document.querySelector('aside')!.textContent).toMatch(/Verified domain\s*volta\.example/)
  expect((await guest.get(`/companies/${volta.id}.md`)).text).toContain('volta.example')
  const job = await guest.get(company.document.querySelector('.job-title a')!.getAttribute('href')!)
  expect(job.seen).toContain('Verified: volta.example')
  const posting = JSON.parse(job.document.querySelector('script[type="application/ld+json"]')!.textContent)
  expect(posting.hiringOrganization.identifier).toEqual({
    '@type': 'PropertyValue',
    name: 'Verified domain',
    value: 'volta.example',
  })
  const admin = await visitor(board, await board.account('admin'))
  const list = await admin.get('/desk/companies?search=volt')
  const removed = await admin.submit(list, `/desk/companies/${volta.id}/unverify`)
  expect(removed.seen).toContain('Verification removed.')
  expect((await guest.get(`/companies/${volta.id}`)).seen).not.toContain('Verified domain')
})

test("after an employer claims a company from a feed, the company's page redirects to the employer's page", async () => {
  const { id: feedId } = await makeFeed(board)
  await feed(board, feedId, [posting('1', { company: 'Kranwerk', company_website: 'https://kranwerk.example' })])
  const [{ id }] = (await board.get('/v1/employers?name=kranwerk', volta.key)).body.data
  const path = `/employer/verification/${id}`
  const employer = await board.employer({ name: 'Kranwerk GmbH' })
  const owner = await visitor(board, employer)
  const link = (page: Page) => page.document.querySelector(`a[href="${path}"]`)?.textContent
  expect(link(await guest.get(`/companies/${id}`))).toBeUndefined()
  expect(link(await owner.get(`/companies/${id}`))).toBe('Claim this company')
  const start = await owner.get(path)
  expect(start.seen).toContain('Claim Kranwerk')
  const begun = await owner.submit(start, path, { method: 'file', email: '' })
  const text = begun.document.querySelectorAll('main code').map(({ textContent }) => textContent)
  expect(text[0]).toBe('https://kranwerk.example/.well-known/job-marketplace.txt')
  const dns = await owner.submit(begun, path, { method: 'dns', email: '' })
  published = dns.document.querySelectorAll('main code').map(({ textContent }) => textContent)
  const done = await owner.submit(dns, `${path}/check`)
  expect([done.path, done.seen.includes('Your company is verified for kranwerk.example.')]).toEqual([
    '/employer/verification',
    true,
  ])
  const page = await guest.get(`/companies/${id}`)
  expect([page.path, page.seen.includes('One open job')]).toEqual([`/companies/${employer.id}`, true])
  expect((await owner.get(path)).status).toBe(404)

  const admin = await visitor(board, await board.account('admin'))
  const verified = (await admin.get('/desk/companies?search=kranwerk')).seen
  expect(verified).toContain('until it proves its domain again. The companies that')
  // After the website has moved, an admin can still release the company.
  expectStatus(await board.put('/v1/employers/profile', employer.key, { website: 'https://kran.example' }), 200)
  const list = await admin.get('/desk/companies?search=kranwerk')
  expect(list.document.querySelector('.confirm summary')!.textContent).toBe('Release claimed companies…')
  expect(list.seen).toContain('leave its account, with their jobs and applications')
  const released = await admin.submit(list, `/desk/companies/${employer.id}/unverify`)
  expect(released.seen).toContain('Claimed companies released.')
  expect(released.seen).not.toContain('Release claimed companies')
  expect((await guest.get(`/companies/${id}`)).path).toBe(`/companies/${id}`)
})

test('the sitemap lists companies with open jobs', async () => {
  const { sitemapindex } = parser.parse((await guest.get('/sitemap.xml')).text)
  const files = sitemapindex.sitemap.map(({ loc }: { loc: string }) => new URL(loc).pathname)
  expect(files).toContain('/sitemaps/companies-1.xml')
  const { urlset } = parser.parse((await guest.get('/sitemaps/companies-1.xml')).text)
  const listed: string[] = urlset.url.map(({ loc }: { loc: string }) => loc)
  expect(listed.some((address) => address.endsWith(`/companies/${volta.id}`))).toBe(true)
  expect(listed.some((address) => address.endsWith(`/companies/${quiet.id}`))).toBe(false)
  expect((await guest.get('/sitemaps/companies-2.xml')).status).toBe(404)
})

test('a suspended company is not listed', async () => {
  const gone = await board.employer({ name: 'Gone Motors' })
  await board.activeJob(gone)
  expect(await found('?name=gone')).toEqual(['Gone Motors'])
  const admin = await board.account('admin')
  expectStatus(await board.post(`/v1/admin/accounts/${gone.id}/suspend`, admin.key, { reason: 'Spam' }), 200)
  expect(await found('?name=gone')).toEqual([])
  expect((await guest.get(`/companies/${gone.id}`)).status).toBe(404)
})

test('an empty list links to all companies or candidates only if a filter is in use', async () => {
  const employer = await visitor(empty, await empty.employer())
  const linked = async (path: string) => (await employer.get(path)).document.querySelectorAll('.empty a').length
  expect(await Promise.all(['/companies', '/employer/candidates'].map(linked))).toEqual([0, 0])
  expect(await Promise.all(['/companies?name=x', '/employer/candidates?search=x'].map(linked))).toEqual([1, 1])
})
