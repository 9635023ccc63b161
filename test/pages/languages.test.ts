/** The language of pages: path, cookie and Accept-Language, URLs for search engines, and the board's settings. */
import { beforeAll, expect, test } from 'vitest'
import { jobPath } from '../../src/features/jobs/index.ts'
import { countryOf } from '../../src/geo/gazetteer.ts'
import { type Account, ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import { type Page, type Visitor, visitor } from '../support/pages.ts'

const board = useBoard()
let guest: Visitor
let employer: Account

beforeAll(async () => {
  employer = await board.employer({ name: 'Northgear Works' })
})

const languageOf = ({ document }: Page) => document.querySelector('html')!.getAttribute('lang')
const german = { headers: { 'accept-language': 'de-CH, de;q=0.9, en;q=0.5' } }

test('without a choice, pages are in the language that the browser prefers', async () => {
  guest = await visitor(board)
  expect(languageOf(await guest.send('GET', '/jobs'))).toBe('en')
  const page = await guest.send('GET', '/jobs', german)
  expect(languageOf(page)).toBe('de')
  expect(page.seen).toContain('Anmelden')
  expect(page.headers.get('vary')).toContain('accept-language')
  for (const header of ['sv, fr;q=0.3', 'xx, FR-ca', '*;q=0.1, fr;q=0.9']) {
    expect(languageOf(await guest.send('GET', '/', { headers: { 'accept-language': header } })), header).toBe('fr')
  }
  for (const header of ['sv', '', ',;q=', 'de'.repeat(9_000).slice(0, 8_000)]) {
    expect(languageOf(await guest.send('GET', '/', { headers: { 'accept-language': header } })), header).toBe('en')
  }
})

test('a language in the path takes precedence, and later pages keep it', async () => {
  guest = await visitor(board)
  const page = await guest.send('GET', '/ja/jobs?search=gear', german)
  expect([page.status, languageOf(page)]).toEqual([200, 'ja'])
  expect(page.document.querySelector('link[rel=canonical]')!.getAttribute('href')).toBe(
    'https://board.example/ja/jobs?search=gear',
  )
  expect(languageOf(await guest.send('GET', '/jobs', german))).toBe('ja')
  expect(languageOf(await guest.send('GET', '/sign-in', german))).toBe('ja')
})

test('a page that requires an account leads to the sign-in page in the language of its path', async () => {
  guest = await visitor(board)
  const page = await guest.get('/de/employer')
  expect([page.path, languageOf(page)]).toEqual(['/de/sign-in?return_to=%2Femployer', 'de'])
})

test('the default language has no URL prefix', async () => {
  guest = await visitor(board)
  await guest.get('/de')
  const page = await guest.send('GET', '/en/jobs?page=1', german)
  expect([page.status, page.headers.get('location')]).toEqual([303, '/jobs?page=1'])
  expect(languageOf(await guest.send('GET', '/jobs', german))).toBe('en')
})

test('each page links to itself in the other languages', async () => {
  guest = await visitor(board)
  const page = await guest.get('/de/jobs')
  const alternates = page.document.querySelectorAll('link[hreflang]')
  expect(alternates.map((link) => [link.getAttribute('hreflang'), link.getAttribute('href')])).toEqual([
    ['en', 'https://board.example/jobs'],
    ['de', 'https://board.example/de/jobs'],
    ['fr', 'https://board.example/fr/jobs'],
    ['es', 'https://board.example/es/jobs'],
    ['ja', 'https://board.example/ja/jobs'],
    ['x-default', 'https://board.example/jobs'],
  ])
  const choices = page.document.querySelectorAll('footer a[hreflang]')
  expect(choices.map((link) => link.getAttribute('href'))).toEqual(['/en/jobs', '/fr/jobs', '/es/jobs', '/ja/jobs'])
  expect((await guest.get('/de')).document.querySelector('link[rel=canonical]')!.getAttribute('href')).toBe(
    'https://board.example/de',
  )
})

test('readers with different languages never get each other’s cached pages', async () => {
  const { id } = await board.activeJob(employer, { title: 'Gearbox engineer' })
  for (const path of ['/', '/jobs', jobPath({ id, title: 'Gearbox engineer' })]) {
    for (const language of ['en', 'de', 'fr', 'es', 'ja', 'en']) {
      guest = await visitor(board)
      const page = await guest.send('GET', path, { headers: { 'accept-language': language } })
      expect([page.status, languageOf(page)], path).toEqual([200, language])
    }
  }
})

test('forms and error pages keep the language', async () => {
  guest = await visitor(board)
  const page = await guest.get('/de/sign-in')
  const refused = await guest.submit(page, '/sign-in/key', { api_key: 'wrong' })
  expect([refused.status, languageOf(refused)]).toEqual([422, 'de'])
  const missing = await guest.send('GET', '/fr/nothing-here')
  expect([missing.status, languageOf(missing)]).toEqual([404, 'fr'])
})

test('a list of jobs is in the reader’s language, with amounts in the local format', async () => {
  await board.activeJob(employer, {
    title: 'Fitter',
    location: 'Lyon, France',
    experience_level: 'lead',
    salary: { min: 40_000, max: 52_500, currency: 'EUR', period: 'year' },
  })
  guest = await visitor(board)
  const german = await guest.get('/de/jobs?search=fitter&location=Frankreich&experience_level=lead')
  expect(german.document.querySelector('h1')!.textContent).toBe('Ein Job für „fitter“ in Frankreich')
  expect(german.document.querySelector('.job')!.textContent).toContain('40.000–52.500 EUR pro Jahr')
  expect(german.document.querySelectorAll('.chip.on').map(({ textContent }) => textContent)).toEqual([
    'Teamleitung , entfernen',
  ])
  const french = await guest.get('/fr/jobs?search=fitter&location=Lyon&distance=24.855')
  expect(french.document.querySelector('h1')!.textContent).toMatch(
    /^1 offre pour «\u202ffitter\u202f»\u00a0: Lyon et alentours$/,
  )
  const japanese = await guest.get('/ja/jobs?search=fitter&location=フランス')
  expect(japanese.document.querySelector('h1')!.textContent).toBe('フランスの「fitter」の求人1件')
  expect(japanese.document.querySelector('.job')!.textContent).toContain('年収40,000～52,500 EUR')
})

test('categories and types have translated names until an operator renames them', async () => {
  await board.activeJob(employer, { category: 'finance', type: 'full-time' })
  guest = await visitor(board)
  const labels = async () =>
    (await guest.get('/de/jobs')).document
      .querySelectorAll('input[name="category"], input[name="job_type"]')
      .map(({ parentNode }) => parentNode!.textContent.replace(/\d+$/, ''))
  expect(await labels()).toEqual(expect.arrayContaining(['Finanzen', 'Vollzeit']))
  const admin = await visitor(board, { key: ADMIN_KEY })
  await admin.submit(await admin.get('/desk/catalogue/category/finance'), '/desk/catalogue/category/finance', {
    name: 'Money',
  })
  expect(await labels()).toEqual(expect.arrayContaining(['Money', 'Vollzeit']))
})

test('place suggestions name countries in the reader’s language, and searches accept these names', async () => {
  guest = await visitor(board)
  for (const [language, text, suggested] of [
    ['de', 'Lyo', 'Lyon, Frankreich'],
    ['fr', 'Germ', 'Allemagne'],
    ['ja', 'Germ', 'ドイツ'],
    // Brazil has a Salvador, too.
    ['fr', 'El Salv', 'El Salvador'],
  ] as const) {
    const { text: answer } = await guest.send('GET', `/jobs/places?text=${text}`, {
      headers: { 'accept-language': language },
    })
    expect(answer, language).toContain(`<li role="option">${suggested}</li>`)
    expect(countryOf(suggested)).toBeDefined()
  }
  expect(['Deutschland', 'Allemagne', 'Alemania', 'ドイツ'].map(countryOf)).toEqual(['DE', 'DE', 'DE', 'DE'])
})

test('alerts are described in the reader’s language', async () => {
  const candidate = await visitor(board, await board.candidate())
  const page = await candidate.get('/de/me/alerts/new?search=welder&location=Leeds&distance=24.855&job_type=full-time')
  expect(page.document.querySelector('#field-name')!.getAttribute('value')).toMatch(
    /^Welder, Leeds im Umkreis von 40\s(?:km), Vollzeit$/,
  )
})

test('times are in the time zone that the browser reports, or else in the zone of the board', async () => {
  const reader = await visitor(board, await board.candidate())
  const signedInAt = async (zone?: string) => {
    if (zone !== undefined) reader.setCookie('__Host-time_zone', zone)
    const [time] = (await reader.get('/account')).document.querySelectorAll('main time')
    return [time!.getAttribute('datetime'), time!.textContent]
  }
  const instant = '2026-03-02T09:00:00.000Z'
  expect(await signedInAt()).toEqual([instant, '2 Mar 2026, 09:00:00 UTC'])
  expect(await signedInAt('Asia/Tokyo')).toEqual([instant, '2 Mar 2026, 18:00:00 GMT+9'])
  for (const zone of ['Asia/Nowhere', '"><b>', '']) {
    expect(await signedInAt(zone), zone).toEqual([instant, '2 Mar 2026, 09:00:00 UTC'])
  }
  await reader.get('/ja')
  expect((await signedInAt('America/New_York'))[1]).toBe('2026年3月2日 04:00:00 GMT-5')
})

test('the API has no URLs with a language prefix', async () => {
  const response = await fetch(`${board.address}/de/v1/jobs`)
  expect(response.status).toBe(404)
})

test('the board offers only the languages that its operator chose', async () => {
  const body = { languages: ['de'], default_language: 'de' }
  expectStatus(await board.put('/v1/admin/board', ADMIN_KEY, body), 200)
  guest = await visitor(board)
  const page = await guest.get('/fr/jobs')
  expect(languageOf(page)).toBe('de')
  expect(page.document.querySelectorAll('[hreflang]')).toEqual([])
  expect(page.document.querySelector('link[rel=canonical]')!.getAttribute('href')).toBe('https://board.example/jobs')
})
