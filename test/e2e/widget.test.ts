/** The widget on a page of another origin with a strict content security policy, and its page in the console. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { languages } from '../../src/locale/languages.ts'
import { type Account, expectStatus, useBoard } from '../support/board.ts'
import {
  axeFindings,
  BROWSER_ORIGIN,
  chromiumPath,
  closeContexts,
  complaintsOf,
  isScrolledSideways,
  openContext,
} from '../support/browser.ts'
import { faultOf, visitor } from '../support/pages.ts'

const board = useBoard({ PUBLIC_BASE_URL: BROWSER_ORIGIN })
let site: Server
let origin: string
let employer: Account

/** Creates a server for a website that may load styles only from itself, and scripts and data only from the board. */
const serveSite = () =>
  createServer((request, response) => {
    const { searchParams } = new URL(request.url!, 'http://site')
    const service = searchParams.get('board')
    const policy = `default-src 'none'; style-src 'self'; script-src ${service}; connect-src ${service}; img-src data:; base-uri 'none'; require-trusted-types-for 'script'`
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
    response.end(`<!doctype html><html lang="${searchParams.get('lang')}"><head><title>Careers</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"></head>
<body><main><h1>Careers</h1><job-board key="${searchParams.get('key')}"><a href="${service}/jobs">Jobs</a></job-board></main>
<script src="${service}/embed.js" async></script></body></html>`)
  })

const publish = async (allowed_origins: string[] | null): Promise<string> => {
  const body = { name: 'Website', kind: 'publishable', allowed_origins }
  return expectStatus(await board.post('/v1/api-keys', employer.key, body), 201).body.data.key
}

beforeAll(async () => {
  site = serveSite().listen(0, '127.0.0.1')
  await once(site, 'listening')
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  employer = await board.employer()
  await board.activeJob(await board.employer(), { title: 'Painter elsewhere' })
  for (let n = 1; n <= 11; n++) await board.activeJob(employer, { title: n === 1 ? 'Foundry lead' : `Welder ${n}` })
})
afterAll(async () => {
  await closeContexts()
  site?.close()
})

const pageOf = (key: string, lang: string) => `${origin}/?${new URLSearchParams({ key, lang, board: board.address })}`

describe.runIf(chromiumPath !== undefined)('on a website of another origin', () => {
  test("the widget works by keyboard, is accessible and respects the website's content security policy", async () => {
    const context = await openContext(board, { width: 360 })
    const page = await context.newPage()
    const complaints = complaintsOf(page)
    await page.goto(pageOf(await publish([origin]), 'de-AT'))
    const status = () => page.getByRole('status').textContent()
    const links = page.getByRole('listitem').getByRole('link')
    await expect.poll(status).toBe('Gefundene Jobs: 11')
    expect(await links.count()).toBe(10)
    await expect.poll(() => page.getByLabel('Kategorie').locator('option').count()).toBe(2)
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      for (const width of [360, 1_280]) {
        await page.setViewportSize({ width, height: 900 })
        expect([scheme, width, await axeFindings(page), await isScrolledSideways(page)]).toEqual([
          ...[scheme, width, [], false],
        ])
        if (process.env.PICTURES)
          await page.screenshot({ path: `${process.env.PICTURES}/widget-${width}-${scheme}.png`, fullPage: true })
      }
    }

    await page.getByRole('button', { name: 'Weiter' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => links.count()).toBe(1)
    expect(await page.getByText('Seite 2 von 2').isVisible()).toBe(true)
    expect(await page.getByRole('button', { name: 'Weiter' }).isDisabled()).toBe(true)
    expect(await page.evaluate('document.activeElement.shadowRoot.activeElement.getAttribute("role")')).toBe('status')

    await page.getByRole('searchbox').focus()
    await page.keyboard.type('foundry')
    await page.keyboard.press('Enter')
    await expect.poll(status).toBe('Gefundene Jobs: 1')
    expect(await page.getByRole('navigation').count()).toBe(0)
    for (const _field of ['location', 'category', 'type', 'button', 'status or link']) await page.keyboard.press('Tab')
    await links.focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/jobs\//)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Foundry lead')
    expect(complaints).toEqual([])
    await context.close()
  })

  test('the widget shows a message if the key does not allow the website, and uses English for unsupported languages', async () => {
    const context = await openContext(board)
    const page = await context.newPage()
    await page.goto(pageOf(await publish(['https://www.example.com']), 'pt'))
    await expect.poll(() => page.getByRole('status').textContent()).toMatch(/couldn’t be loaded/)
    expect(await page.getByRole('listitem').count()).toBe(0)
    await context.close()
  })

  test('the API client works in a browser, and gets an error if the key does not allow the website', async () => {
    const bundle = await rolldown({ input: 'packages/client/src/index.ts' })
    const { output } = await bundle.generate({ minify: true })
    await bundle.close()
    const pages = createServer(({ url }, response) => {
      const isScript = url === '/client.js'
      response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
      response.end(isScript ? output[0].code : '<!doctype html><title>Site</title>')
    }).listen(0, '127.0.0.1')
    await once(pages, 'listening')
    const own = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
    const context = await openContext(board)
    const page = await context.newPage()
    await page.goto(own)
    const use = (apiKey: string) =>
      page.evaluate<unknown[]>(`import('/client.js').then(async ({ JobMarketplace }) => {
        const board = new JobMarketplace(${JSON.stringify({ baseUrl: board.address, apiKey })})
        const { data, meta } = await board.jobs.list({ limit: 2 })
        let read = 0
        for await (const _job of board.jobs.listAll({ limit: 5 })) read++
        const { title } = await board.jobs.get(data[0].id)
        return [meta.pagination.total, read, title === data[0].title]
      }).catch(({ name, code }) => [name, code])`)
    expect(await use(await publish([own]))).toEqual([11, 11, true])
    expect((await use(await publish(['https://www.example.com'])))[0]).toBe('JobMarketplaceError')
    await context.close()
    pages.close()
  })

  test('the widget also runs on its page in the console', async () => {
    await publish(null)
    const context = await openContext(board, {}, employer)
    const page = await context.newPage()
    const complaints = complaintsOf(page)
    await page.goto('/console/widget')
    await expect.poll(() => page.locator('job-board').getByRole('listitem').count()).toBe(10)
    expect([await axeFindings(page), complaints]).toEqual([[], []])
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/widget-page.png`, fullPage: true })
    await context.close()
  })
})

test("the widget's script is smaller than 15 KiB, has texts in every language, and can be cached for an hour", async () => {
  const { status, headers, text, bytes } = await board.get('/embed.js')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
  expect(bytes.length).toBeLessThan(15 * 1_024)
  expect(headers.get('cache-control')).toBe('public, max-age=3600')
  const known = { 'if-none-match': headers.get('etag')! }
  expect((await board.call('GET', '/embed.js', { headers: known })).status).toBe(304)
  const texts = JSON.parse(text.slice(text.lastIndexOf('})(') + 3, text.lastIndexOf(')')))
  expect(Object.keys(texts)).toEqual(languages)
  for (const words of Object.values<Record<string, string>>(texts)) {
    expect(words.found).toContain('{total}')
    expect([words.page?.includes('{page}'), words.page?.includes('{pages}')]).toEqual([true, true])
  }
})

test('the console creates publishable keys and shows the embed code with the key', async () => {
  const owner = await board.employer()
  const guest = await visitor(board, owner)
  expect((await guest.get('/console/widget')).text).toContain('No publishable key yet')
  const form = await guest.get('/console/keys/new?kind=publishable')
  const wrong = await guest.submit(form, '/console/keys', { name: 'Site', allowed_origins: 'https://a.example/jobs' })
  expect([wrong.status, faultOf(wrong, 'allowed_origins')]).toEqual([422, expect.stringMatching(/without a path/)])
  const page = await guest.submit(wrong, '/console/keys', {
    ...{ name: 'Site', allowed_origins: 'https://a.example\nhttps://b.example' },
  })
  const key = (await board.get('/v1/api-keys', owner.key)).body.data.find(
    ({ kind }: { kind: string }) => kind === 'publishable',
  )
  expect(key.allowed_origins).toEqual(['https://a.example', 'https://b.example'])
  expect(page.document.querySelector('pre')!.textContent).toContain(`<job-board key="${key.key}">`)
  expect(page.text).toContain('https://a.example, https://b.example')
  const listed = await guest.get('/console/keys')
  expect(listed.document.querySelector(`a[href="/console/widget?key=${key.id}"]`)).not.toBeNull()
})
