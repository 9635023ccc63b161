/** Pages in Chromium: suggestions while typing, accessibility, no layout shifts, and full keyboard operation. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { languages } from '../../src/locale/languages.ts'
import { ADMIN_KEY, useBoard } from '../support/board.ts'
import {
  axeFindings,
  BROWSER_ORIGIN,
  chromiumPath,
  closeContexts,
  inspectPage,
  layoutShiftOf,
  openContext,
  shiftFaults,
  widths,
} from '../support/browser.ts'
import { layoutFaults } from '../support/layout-faults.ts'
import { type PageWorld, pageWorld } from '../support/page-world.ts'

const board = useBoard({ PUBLIC_BASE_URL: BROWSER_ORIGIN })
let world: PageWorld
const inspected = new Set<string>()

beforeAll(async () => {
  if (!chromiumPath) return
  world = await pageWorld(board)
  await board.activeJob(world.accounts.employer, { title: 'Gearbox tester' })
})
afterAll(closeContexts)

/** Presses Tab until this element has focus. The focus must be visible at every step. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let n = 0; n < 120; n++) {
    await page.keyboard.press('Tab')
    const unseen = await page.evaluate(() => {
      const { document, getComputedStyle, innerHeight } = globalThis as unknown as {
        document: { activeElement: Element; body: Element }
        getComputedStyle(element: Element): { outlineStyle: string; outlineWidth: string }
        innerHeight: number
      }
      interface Element {
        outerHTML: string
        getBoundingClientRect(): { top: number; bottom: number; width: number; height: number }
      }
      const element = document.activeElement
      if (element === document.body) return undefined
      const { outlineStyle, outlineWidth } = getComputedStyle(element)
      const { top, bottom, width, height } = element.getBoundingClientRect()
      const isSeen = bottom > 0 && top < innerHeight && width > 0 && height > 0
      return isSeen && outlineStyle !== 'none' && outlineWidth !== '0px' ? undefined : element.outerHTML.slice(0, 200)
    })
    expect(unseen).toBeUndefined()
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return
  }
  throw new Error(`The keyboard cannot reach ${target}`)
}

async function enter(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function type(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page, page.getByLabel(label, { exact: true }))
  await page.keyboard.type(text)
}

describe.runIf(chromiumPath !== undefined)('in Chromium', () => {
  test('titles are suggested while typing, selected with the arrow keys and searched for with Enter', async () => {
    const context = await openContext(board)
    const page = await context.newPage()
    await page.goto('/jobs')
    const field = page.getByRole('combobox', { name: 'What' })
    await field.pressSequentially('gearb')
    const option = page.getByRole('option', { name: 'Gearbox tester', exact: true })
    await option.waitFor()
    const status = page.locator('#suggestions + [role="status"]')
    const shown = await page.locator('#suggestions [role="option"]').count()
    expect(await status.textContent()).toBe(shown === 1 ? 'One suggestion' : `${shown} suggestions`)
    await page.keyboard.press('ArrowDown')
    await page.locator('[role="option"][aria-selected="true"]').waitFor()
    // Escape closes the list and keeps the typed text.
    await page.keyboard.press('Escape')
    await option.waitFor({ state: 'hidden' })
    expect([await field.inputValue(), await status.textContent()]).toEqual(['gearb', ''])
    await page.keyboard.press('ArrowDown')
    await option.waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/search=Gearbox\+tester/)
    await heading(page, 'One job for “Gearbox tester”').waitFor()
    await context.close()
  })

  test('suggestions whose request failed are requested again at the next input, even for the same text', async () => {
    const context = await openContext(board)
    const page = await context.newPage()
    await page.goto('/jobs')
    await page.route('**/suggestions*', (route) => route.abort(), { times: 1 })
    const field = page.getByRole('combobox', { name: 'What' })
    const failed = page.waitForEvent('requestfailed')
    await field.fill('gearb')
    await failed
    await field.dispatchEvent('input')
    await page.getByRole('option', { name: 'Gearbox tester', exact: true }).waitFor()
    await context.close()
  })

  test('a place is suggested, and selecting it does not start a search', async () => {
    const context = await openContext(board)
    const page = await context.newPage()
    await page.goto('/')
    const field = page.getByRole('combobox', { name: 'Where' })
    await field.pressSequentially('leed')
    await page.getByRole('option', { name: 'Leeds, United Kingdom', exact: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await field.inputValue()).toBe('Leeds, United Kingdom')
    expect(new URL(page.url()).pathname).toBe('/')
    await page.keyboard.press('Enter')
    await page.waitForURL(/location=Leeds,\+United\+Kingdom&distance=25/)
    await context.close()
  })

  test('on phones, the last suggested place is visible below the search', async () => {
    const context = await openContext(board, { width: 360 })
    const page = await context.newPage()
    await page.goto('/')
    await page.getByRole('combobox', { name: 'Where' }).fill('stutt')
    const last = page.locator('#places').getByRole('option').last()
    await last.waitFor()
    const isOnTop = await last.evaluate((option) => {
      const { left, bottom } = option.getBoundingClientRect()
      return option.ownerDocument.elementFromPoint(left + 4, bottom - 4) === option
    })
    expect(isOnTop).toBe(true)
    await context.close()
  })

  test('a filter applies immediately, or on phones with the button in the sheet', async () => {
    const context = await openContext(board)
    const page = await context.newPage()
    await page.goto('/jobs?search=gearbox')
    await page.getByRole('checkbox', { name: /^On site/ }).check()
    await page.waitForURL(/workplace=on_site/)
    await link(page, 'On site , remove').click()
    await page.waitForURL(/\/jobs\?search=gearbox$/)
    await page.setViewportSize({ width: 360, height: 740 })
    const card = await link(page, 'Gearbox tester').boundingBox()
    expect(card!.y + card!.height).toBeLessThan(740)
    await link(page, 'Filters').click()
    await page.getByRole('checkbox', { name: /^On site/ }).check()
    expect(page.url()).toMatch(/#filters$/)
    await button(page, 'Show one job').click()
    await page.waitForURL(/workplace=on_site/)
    await context.close()
  })

  test('on phones, the filters of long lists are in sheets, and a link in an error opens the sheet', async () => {
    const context = await openContext(board, { width: 360 }, world.accounts.employer)
    const page = await context.newPage()
    await page.goto('/employer/applications?view=list')
    const since = page.getByLabel('Applied since')
    expect(await since.isVisible()).toBe(false)
    await link(page, 'Filter').click()
    await since.fill('2026-01-31')
    await button(page, 'Show').click()
    await page.waitForURL(/applied_at_gte=2026-01-31/)
    expect(await since.isVisible()).toBe(false)
    await page.goto('/employer/applications?view=list')
    const { width, height } = (await page.locator('.pick').first().boundingBox())!
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(24)
    await page.goto('/employer/applications?view=list&rating_gte=9')
    await page.getByRole('alert').getByRole('link').click()
    expect(await page.getByLabel('Rating').isVisible()).toBe(true)

    await page.goto('/employer/candidates')
    await link(page, 'Search').click()
    await page.getByLabel('Skills').fill('CAN')
    await button(page, 'Find candidates').click()
    await page.waitForURL(/skills=CAN/)

    await page.goto('/companies')
    const name = page.getByLabel('Name')
    expect(await name.isVisible()).toBe(false)
    await link(page, 'Search').click()
    await name.fill('Gear')
    await button(page, 'Search').click()
    await page.waitForURL(/name=Gear/)
    expect(await name.isVisible()).toBe(false)
    await link(page, 'Gear').waitFor()
    await context.close()

    const desk = await openContext(board, { width: 360 }, { key: ADMIN_KEY })
    const list = await desk.newPage()
    for (const [path, field] of [
      ['/desk/accounts', 'Account type'],
      ['/desk/emails', 'To'],
      ['/desk/activity', 'Who'],
    ] as const) {
      await list.goto(path)
      const shown = list.getByLabel(field, { exact: true })
      expect(await shown.isVisible(), path).toBe(false)
      await link(list, 'Filter').click()
      expect(await shown.isVisible(), path).toBe(true)
    }
    await desk.close()
  })

  test('saving a job changes its button, keeps the scroll position and is announced to screen readers', async () => {
    const context = await openContext(board, { width: 360 }, await board.candidate())
    const page = await context.newPage()
    await page.goto('/jobs?search=gearbox')
    const place = () => page.evaluate(() => (globalThis as unknown as { scrollY: number }).scrollY)
    await page.setViewportSize({ width: 360, height: 400 })
    await page.evaluate(() => (globalThis as unknown as { scrollTo(x: number, y: number): void }).scrollTo(0, 150))
    const before = await place()
    expect(before).toBeGreaterThan(100)
    await button(page, 'Save: Gearbox tester').click()
    await button(page, 'Saved: Gearbox tester').waitFor()
    await page.getByRole('status').filter({ hasText: 'Job saved.' }).waitFor({ state: 'attached' })
    expect([await place(), page.url().endsWith('/jobs?search=gearbox')]).toEqual([before, true])
    await button(page, 'Saved: Gearbox tester').click()
    await button(page, 'Save: Gearbox tester').waitFor()
    await context.close()
  })

  test('the home page shows the last search and the viewed jobs of this browser, until they are cleared', async () => {
    const context = await openContext(board)
    const page = await context.newPage()
    await page.goto('/jobs?search=gearbox')
    await link(page, 'Gearbox tester').click()
    await heading(page, 'Gearbox tester').waitFor()
    await page.goto('/')
    const recent = page.locator('[data-recent]')
    expect(await recent.getByRole('link').allTextContents()).toEqual([
      'Last search: gearbox, Anywhere',
      expect.stringMatching(/^Gearbox tester at /),
    ])
    await recent.getByRole('button', { name: 'Clear' }).click()
    await page.reload()
    expect(await recent.isVisible()).toBe(false)
    await context.close()
  })

  test.each(['{}', 'null', '{"jobs":[null,{"path":"//other.example","text":"Other"}]}'])(
    'the home page has no section for viewed jobs if the browser stores none: %s',
    async (stored) => {
      const context = await openContext(board)
      const page = await context.newPage()
      await page.addInitScript(`localStorage.setItem('recent', ${JSON.stringify(stored)})`)
      const faults: Error[] = []
      page.on('pageerror', (fault) => faults.push(fault))
      await page.goto('/')
      expect(await page.locator('[data-recent]').isVisible()).toBe(false)
      expect(faults).toEqual([])
      await context.close()
    },
  )

  test.each(languages)(
    'on phones, the apply button is wider than the save button, and has at most two lines: %s',
    async (language) => {
      const { id } = await board.activeJob(world.accounts.employer, { application_url: 'https://apply.example' })
      const context = await openContext(board, { width: 360 })
      const page = await context.newPage()
      await page.goto(`/${language}/jobs/${id}`)
      const [apply, save] = await page.locator('.apply-bar .btn').all()
      const [wide, narrow] = [(await apply!.boundingBox())!, (await save!.boundingBox())!]
      expect([wide.width > narrow.width, wide.height < 60, narrow.x + narrow.width <= 345]).toEqual([true, true, true])
      await context.close()
    },
  )

  test('on phones, the home page shows eight categories until the reader asks for all', async () => {
    const { data } = (await board.get('/v1/jobs/categories', world.accounts.employer.key)).body
    const slugs: string[] = data.slice(0, 12).map(({ slug }: { slug: string }) => slug)
    for (const category of slugs) await board.activeJob(world.accounts.employer, { category })
    const context = await openContext(board, { hasScript: false })
    const page = await context.newPage()
    const tiles = page.locator('#categories li')
    const countShown = async () => (await tiles.filter({ visible: true }).all()).length
    await page.setViewportSize({ width: 360, height: 800 })
    await page.goto('/')
    const total = (await tiles.all()).length
    expect([total >= slugs.length, await countShown()]).toEqual([true, 8])
    await link(page, 'All categories').click()
    expect([await countShown(), await link(page, 'All categories').isVisible()]).toEqual([total, false])
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto('/')
    expect([await countShown(), await link(page, 'All categories').isVisible()]).toEqual([total, false])
    await context.close()
  })

  test('without JavaScript, Enter in the search field starts the search', async () => {
    const context = await openContext(board, { hasScript: false })
    const page = await context.newPage()
    await page.goto('/jobs')
    await page.getByLabel('What').fill('gearbox')
    await page.getByLabel('What').press('Enter')
    await heading(page, 'One job for “gearbox”').waitFor()
    await link(page, 'Gearbox tester').waitFor()
    await context.close()
  })

  test('without JavaScript, controls that need it are hidden', async () => {
    const { accounts, paths } = world
    const job = paths.visitor.find((path) => /^\/jobs\/[^/]+$/.test(path))!
    const event = paths.employer.find((path) => path.startsWith('/console/events/'))!
    for (const [account, chosen] of [
      [undefined, ['/', job]],
      [accounts.employer, ['/employer/jobs/new', '/employer/applications', event]],
      [accounts.candidate, ['/me/profile', '/me/resumes']],
    ] as const) {
      const context = await openContext(board, { hasScript: false }, account)
      const page = await context.newPage()
      for (const path of chosen) {
        await page.goto(path)
        const idle = page.locator('[hidden], .scripted, button[type="button"]')
        const found = [(await idle.count()) > 0, await idle.filter({ visible: true }).count()]
        expect([path, ...found]).toEqual([path, true, 0])
      }
      await context.close()
    }
  })

  test('the layout shift measurement detects a shift', async () => {
    const context = await openContext(board)
    const page = await context.newPage()
    await page.goto('/jobs')
    await page.evaluate(() => {
      const { document } = globalThis as unknown as {
        document: {
          body: { prepend(element: unknown): void }
          createElement(name: string): { style: { height: string } }
        }
      }
      const block = document.createElement('div')
      block.style.height = '300px'
      document.body.prepend(block)
    })
    await expect.poll(() => layoutShiftOf(page)).toBeGreaterThan(0.05)
    await context.close()
  })

  /** Serves a page in two parts, the second one after `drawn` is resolved, and everything else from the board. */
  async function serveInParts(context: BrowserContext, path: string) {
    const whole = (await (await context.request.get(path)).body()).toString()
    const parts = { whole, first: '', drawn: Promise.withResolvers<void>() }
    const proxy = createServer(async ({ url }, response) => {
      const asset = url === path ? undefined : await fetch(board.address + url)
      response.setHeader('content-type', asset?.headers.get('content-type') ?? 'text/html; charset=utf-8')
      if (asset) return response.end(Buffer.from(await asset.arrayBuffer()))
      response.write(parts.first)
      await parts.drawn.promise
      return response.end(parts.whole.slice(parts.first.length))
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${path}`
    return Object.assign(parts, { address, close: () => proxy.close() })
  }

  const isDrawn = () => performance.getEntriesByName('first-contentful-paint').length > 0

  const UNTIL_WHOLE = '<link rel="expect" href="#footer" blocking="render">'

  test('the browser draws a page only after the footer has arrived', async () => {
    const context = await openContext(board, {}, world.accounts.employer)
    const [served, other] = [
      await serveInParts(context, '/employer/jobs'),
      await serveInParts(context, '/employer/jobs'),
    ]
    expect(served.whole).toContain(UNTIL_WHOLE)
    served.first = served.whole.slice(0, served.whole.indexOf('<footer'))
    other.first = served.first.replace(UNTIL_WHOLE, '')
    const [page, drawnEarly] = [await context.newPage(), await context.newPage()]
    await page.goto(served.address, { waitUntil: 'commit' })
    await page.locator('#main').waitFor({ state: 'attached' })
    // The browser draws the same part if the page does not ask it to wait.
    await drawnEarly.goto(other.address, { waitUntil: 'commit' })
    await drawnEarly.waitForFunction(isDrawn)
    expect(await page.evaluate(isDrawn)).toBe(false)
    served.drawn.resolve()
    await page.waitForFunction(isDrawn)
    expect(await layoutShiftOf(page)).toBe(0)
    await context.close()
    served.close()
    other.close()
  })

  test.each([360, 1_280])(
    'at %i pixels, the layout does not shift when the header arrives in two parts',
    async (width) => {
      const context = await openContext(board, { width }, world.accounts.employer)
      const served = await serveInParts(context, '/employer/jobs')
      served.whole = served.whole.replace(UNTIL_WHOLE, '')
      const header = served.whole.slice(0, served.whole.indexOf('</header>'))
      const cuts = [...header.matchAll(/(?<=<\/(?:a|nav|form)>)/g)].map(({ index }) => index)
      const page = await context.newPage()
      const jumping: string[] = []
      // Skips the first cut, because the browser draws nothing before the board's name.
      for (const cut of cuts.slice(1)) {
        served.first = header.slice(0, cut)
        served.drawn = Promise.withResolvers<void>()
        await page.goto(served.address, { waitUntil: 'commit' })
        await page.waitForFunction(isDrawn)
        served.drawn.resolve()
        await page.waitForLoadState('load')
        const shift = await layoutShiftOf(page)
        if (shift >= 0.01) jumping.push(`${served.first.split('<').at(-2)}: ${shift}`)
      }
      await context.close()
      served.close()
      expect(cuts.length).toBeGreaterThan(8)
      expect(jumping).toEqual([])
    },
  )

  test('the layout check finds cut text, broken words, narrow fields and pages wider than the window', async () => {
    const context = await openContext(board)
    const page = await context.newPage()
    await page.setContent(`<div style="overflow: hidden; width: 50px; white-space: nowrap">A long sentence</div>
<h2 style="width: 60px; overflow-wrap: anywhere">Verwaltungskonto</h2>
<button style="width: 30px; white-space: nowrap">Save the job</button>
<input style="width: 40px" placeholder="Town or country">
<p style="overflow: hidden; text-overflow: ellipsis; white-space: nowrap; width: 50px">A long sentence</p>
<div style="width: 2000px; height: 1px"></div>`)
    expect(await layoutFaults(page)).toEqual([
      '“A long sentence” is wider than div',
      '“Verwaltungskonto” is broken between letters in h2',
      '“Save the job” is wider than button',
      '“Town or country” does not fit its input',
      'the page is wider than the window',
    ])
    await context.close()
  })

  test('the axe-core check finds missing labels and every text with low contrast', async () => {
    const context = await openContext(board)
    const page = await context.newPage()
    const rulesOf = (findings: string[]) => findings.map((finding) => finding.slice(0, finding.indexOf(': Fix')))
    const document = (main: string) => `<!doctype html><html lang="en"><title>Jobs</title>
<style>.dim { color: #333 } @media (prefers-color-scheme: dark) { .dim { background: #000 } }</style><main><h1>Jobs</h1>${main}</main>`
    await page.setContent(document('<p class="dim">Readable</p>'))
    expect(await axeFindings(page)).toEqual([])
    await page.setContent(
      document(`<p class="dim">Readable</p><p style="color: #aaa">First</p><p style="color: #aaa">Second</p>
<div style="position: relative; height: 60px"><div style="background: #000; height: 60px"></div>
<p class="dim" style="position: absolute; top: 0">Over another box</p></div><input>`),
    )
    expect(rulesOf(await axeFindings(page)).sort()).toEqual([
      'color-contrast div > .dim',
      'color-contrast p:nth-child(3)',
      'color-contrast p:nth-child(4)',
      'label input',
    ])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(rulesOf(await axeFindings(page))).toContain('color-contrast main > .dim')
    await context.close()
  })

  test('on a phone, long German words in a job title are not broken beside the save button', async () => {
    const title = 'Entwicklungsingenieur Lenksysteme (m/w/d)'
    await board.activeJob(world.accounts.employer, { title })
    const context = await openContext(board, { width: 360 }, world.accounts.candidate)
    const page = await context.newPage()
    await page.goto('/de/jobs?search=lenksysteme')
    await link(page, title).waitFor()
    expect(await layoutFaults(page)).toEqual([])
    await context.close()
  })

  test.each([360, 1_280])('on a screen %i pixels wide, a saved job has a link to apply', async (width) => {
    const context = await openContext(board, { width }, world.accounts.candidate)
    const page = await context.newPage()
    await page.goto('/me/saved-jobs')
    await link(page, 'Apply').click()
    await page.getByRole('heading', { name: /^Apply to /, level: 1 }).waitFor()
    await context.close()
  })

  test('on a phone, a button at the end of a row has no label beside it', async () => {
    const context = await openContext(board, { width: 360 }, world.accounts.candidate)
    const page = await context.newPage()
    await page.goto('/account/passkeys')
    const labels = await page.locator('.data td').evaluateAll((cells) => {
      const { getComputedStyle } = globalThis as unknown as {
        getComputedStyle(cell: unknown, pseudo: string): { display: string; content: string }
      }
      return cells
        .map((cell) => getComputedStyle(cell, '::before'))
        .map((style) => style.display !== 'none' && style.content)
    })
    expect(labels).toEqual(['"Name"', '"Added"', '"Last used"', false])
    await context.close()
  })

  // Other test files check the pages for which they create more content. A page that several kinds of readers share is
  // checked only for the first kind.
  test.each(['visitor', 'person', 'candidate', 'employer', 'admin'] as const)(
    'the %s pages are accessible, do not shift or scroll sideways, and cut off no text in German or Japanese',
    { timeout: 900_000 },
    async (kind) => {
      const reader = await world.arrive(kind)
      const context = await openContext(board, {}, reader)
      const page = await context.newPage()
      const found: string[] = []
      for (const path of world.paths[kind].filter((one) => !inspected.has(one))) {
        inspected.add(path)
        found.push(...(await inspectPage(board, path, reader)))
        for (const language of ['de', 'ja']) {
          await page.setViewportSize({ width: widths[0], height: 900 })
          await page.goto(`/${language}${path}`, { waitUntil: 'load' })
          const faults = await shiftFaults(page)
          for (const width of widths) {
            if (page.viewportSize()!.width !== width) await page.setViewportSize({ width, height: 900 })
            faults.push(...(await layoutFaults(page)).map((fault) => `${width}: ${fault}`))
          }
          found.push(...faults.map((fault) => `/${language}${path} ${fault}`))
        }
      }
      await context.close()
      expect(found).toEqual([])
    },
  )

  test('a candidate finds a job and applies with the keyboard alone', async () => {
    const candidate = await board.candidate()
    const context = await openContext(board, {}, candidate)
    const page = await context.newPage()
    await page.goto('/jobs?search=gearbox')
    await enter(page, link(page, 'Skip to content'))
    await enter(page, link(page, 'Gearbox tester'))
    await heading(page, 'Gearbox tester').waitFor()
    await enter(page, link(page, 'Apply'))
    await page.getByRole('heading', { name: /^Apply to /, level: 1 }).waitFor()
    await type(page, 'Cover letter', 'I test gearboxes.')
    await enter(page, button(page, 'Send application'))
    await page.getByText('Application sent. Good luck!').waitFor()
    await context.close()
  })

  test('an employer writes, pays for and posts a job with the keyboard alone', async () => {
    const context = await openContext(board, {}, await board.employer())
    const page = await context.newPage()
    await page.goto('/employer/jobs')
    await enter(page, link(page, 'Create your first job'))
    await heading(page, 'Create a job').waitFor()
    await type(page, 'Title', 'Clutch tester')
    await type(page, 'Location', 'Turin, Italy')
    await tabTo(page, page.getByLabel('Category', { exact: true }))
    await page.keyboard.press('ArrowDown')
    await type(page, 'Description', 'Tests clutches.')
    await enter(page, button(page, 'Save and preview'))
    await page.getByText('This is what candidates will see.').waitFor()
    await enter(page, link(page, 'Pay and post'))
    await heading(page, 'Post your job').waitFor()
    await enter(page, button(page, 'Go to checkout'))
    await enter(page, button(page, 'Pay (test)'))
    await enter(page, link(page, 'Back to the job'))
    await heading(page, 'Clutch tester').waitFor()
    await page.goto('/jobs?search=clutch')
    await link(page, 'Clutch tester').waitFor()
    await context.close()
  })
})
