/** The company directory and company pages. */
import { XMLParser } from 'fast-xml-parser'
import { beforeAll, expect, test } from 'vitest'
import { type Account, expectStatus, useBoard } from '../support/board.ts'
import { type Page, type Visitor, visitor } from '../support/pages.ts'

const board = useBoard()
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

test('the directory lists companies with open jobs by name', async () => {
  expect(await found('')).toEqual(['4Wheel', 'Ärla Volt/Werke GmbH', 'Brass & Gear', 'Електро'])
  expect((await guest.get('/companies')).seen).toContain('4 companies with open jobs')
})

test('companies with a description are shown on request, and companies with only a name never', async () => {
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

test('a company page shows facts, the rendered description, and feeds of its jobs', async () => {
  const page = await guest.get(`/companies/${volta.id}`)
  for (const text of ['Vehicle makers', 'Munich, Germany', '1,200', 'volta.example', 'One open job']) {
    expect(page.seen).toContain(text)
  }
  expect(page.document.querySelector('main strong')!.textContent).toBe('vans')
  const feed = page.document.querySelector('aside a[type="application/rss+xml"]')!.getAttribute('href')!
  expect(parser.parse((await guest.get(feed)).text).rss.channel.item).toHaveLength(1)
})

test("a company page leads to an alert for the company's jobs, except for employers", async () => {
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
  // The home page shows the jobs of the last seven days.
  const home = await candidate.get('/me')
  expect(home.document.querySelectorAll('section[aria-labelledby="news"] .job-title')).toHaveLength(1)
  expect(home.seen).toContain('1 new')
  board.clock.advance(8 * 86_400_000)
  const later = await candidate.signIn(account).then((who) => who.get('/me'))
  expect([later.path, later.seen.includes('New in your alerts')]).toEqual(['/me', false])
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
