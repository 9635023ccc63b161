/** The pictures that other websites show with links to jobs, companies and the board. */
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { readPicture } from '../../src/lib/pictures.ts'
import { type Account, ADMIN_KEY, expectStatus, ORIGIN, useBoard } from '../support/board.ts'
import { type Visitor, visitor } from '../support/pages.ts'
import { png } from '../support/pictures.ts'

const board = useBoard()
let employer: Account
let guest: Visitor
let job: string

beforeAll(async () => {
  employer = await board.employer({ name: 'Northgear Works', location: 'Leeds, UK' })
  job = (await board.activeJob(employer, { title: 'Gearbox engineer' })).id
  guest = await visitor(board)
})

/** Returns the path of a page's picture, and checks the other meta tags of the picture. */
async function pictureOf(path: string): Promise<string> {
  const { document } = await guest.get(path)
  const content = (name: string) =>
    document.querySelector(`meta[property="${name}"], meta[name="${name}"]`)?.getAttribute('content')
  expect(content('twitter:card')).toBe('summary_large_image')
  expect([content('og:image:width'), content('og:image:height')]).toEqual(['1200', '630'])
  expect(content('og:image:alt')).toContain('Job Marketplace')
  const url = content('og:image')!
  expect(url.startsWith(`${ORIGIN}/share/`)).toBe(true)
  return url.slice(ORIGIN.length)
}

test.each([
  ['a job', () => `/jobs/${job}`],
  ['a company', () => `/companies/${employer.id}`],
  ['the board', () => '/'],
  ['the list of jobs', () => '/jobs'],
  ['the list of companies', () => '/companies'],
])('%s has a PNG of 1,200 × 630 pixels that clients may cache for a year', async (_, pathOf) => {
  const answer = await board.get(await pictureOf(pathOf()))
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(readPicture(answer.bytes)).toEqual({ type: 'png', size: { width: 1_200, height: 630 } })
  expect(answer.bytes.length).toBeGreaterThan(3_000)
})

test("a picture's URL changes with its content, and the previous URL redirects to the new URL", async () => {
  const former = await pictureOf(`/jobs/${job}`)
  expectStatus(await board.put(`/v1/jobs/${job}`, employer.key, { title: 'Gearbox designer' }), 200)
  const present = await pictureOf(`/jobs/${job}`)
  expect(present).not.toBe(former)
  const answer = await board.get(former)
  expect([answer.status, answer.headers.get('location')]).toEqual([302, present])
  expect(answer.headers.get('cache-control')).toBe('no-cache')
  const headers = { 'content-type': 'image/png' }
  const logo = { key: employer.key, body: png(40, 40), headers }
  expectStatus(await board.call('PUT', '/v1/employers/logo', logo), 200)
  expect(await pictureOf(`/companies/${employer.id}`)).toMatch(/\/share\/companies\//)
  await expect.poll(() => pictureOf(`/jobs/${job}`)).not.toBe(present)
  expectStatus(await board.get(await pictureOf(`/jobs/${job}`)), 200)
})

test('Japanese is drawn, and a title in a script that the fonts lack is omitted', async () => {
  const titles = [
    'バッテリー技術者 <&>',
    '東京で働くバッテリー制御ソフトウェアの開発エンジニア（経験者歓迎）',
    'مهندس',
    'مطور',
  ]
  const drawn = await Promise.all(
    titles.map(async (title) => {
      const { id } = await board.activeJob(employer, { title })
      const { status, bytes } = await board.get(await pictureOf(`/jobs/${id}`))
      expect(status).toBe(200)
      return bytes.toString('base64')
    }),
  )
  expect(new Set(drawn).size).toBe(3)
  expect(drawn[2]).toBe(drawn[3])
})

test('the board has a picture per language, with the suggested tagline in that language', async () => {
  const [english, german] = [await pictureOf('/'), await pictureOf('/de')]
  expect(german).not.toBe(english)
  expect(await pictureOf('/de/companies')).toBe(german)
  const [inEnglish, inGerman] = [await board.get(english), await board.get(german)]
  expect([inEnglish.status, inGerman.status]).toEqual([200, 200])
  // If opentype.js rounds a coordinate to NaN, the text ends after “Jobs in der Automob” with an incomplete glyph.
  const end = { left: 400, top: 316, width: 400, height: 40 }
  const pixels = await sharp(inGerman.bytes).grayscale().extract(end).raw().toBuffer()
  expect(Math.min(...pixels)).toBeLessThan(128)
  const outdated = await board.get(`/share/board/${'0'.repeat(32)}.png`)
  expect([outdated.status, outdated.headers.get('location')]).toEqual([302, english])
})

test('jobs and companies that are not public have no picture', async () => {
  const hash = '0'.repeat(32)
  const draft = await board.job(employer)
  const gone = await board.employer()
  expectStatus(await board.post(`/v1/admin/accounts/${gone.id}/suspend`, ADMIN_KEY, { reason: 'Spam' }), 200)
  for (const path of [`jobs/${draft.id}`, `companies/${gone.id}`, 'jobs/x', 'companies/x', 'boards']) {
    expect((await board.get(`/share/${path}/${hash}.png`)).status, path).toBe(404)
  }
})
