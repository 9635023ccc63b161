/** The public board in Chromium, with and without JavaScript. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jobBody, useBoard } from '../support/board.ts'
import {
  BROWSER_ORIGIN,
  chromiumPath,
  closeContexts,
  headingOf,
  inspectPage,
  openContext,
  viewOf,
} from '../support/browser.ts'

const board = useBoard({ PUBLIC_BASE_URL: BROWSER_ORIGIN })
let jobId: string
let onSiteJobId: string

beforeAll(async () => {
  if (!chromiumPath) return
  const employer = await board.employer({ name: 'Northgear Works' })
  const salary = { min: 50_000, max: 64_000, currency: 'EUR', period: 'year' }
  const rich = {
    salary,
    remote: true,
    skills: ['C++', 'CAN bus'],
    requirements: ['Five years of it'],
    benefits: ['A bicycle'],
  }
  for (let n = 1; n <= 24; n++) {
    const job = jobBody({ title: `Gearbox engineer ${n}`, ...(n % 2 === 0 ? rich : {}) })
    const { id } = await board.activeJob(employer, job)
    if (n === 1) onSiteJobId = id
  }
  jobId = (await board.activeJob(employer, jobBody({ title: 'Test bench engineer', ...rich }))).id
})
afterAll(closeContexts)

describe.runIf(chromiumPath !== undefined)('in Chromium', () => {
  test.each([true, false])('a visitor finds and reads a job, script: %s', async (hasScript) => {
    const context = await openContext(board, viewOf(hasScript))
    const page = await context.newPage()
    await page.goto('/')
    await page.getByLabel('What').fill('test bench')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: 'Test bench engineer' }).click()
    await expect.poll(headingOf(page)).toBe('Test bench engineer')
    await context.close()
  })

  test('a printed job has its full text and its URL, but no header, buttons or other jobs', async () => {
    const page = await (await openContext(board, { width: 794 })).newPage()
    await page.goto(`/jobs/${jobId}`)
    await page.emulateMedia({ media: 'print' })
    const printed = (await page.evaluate('document.body.innerText')) as string
    const facts = [
      'Design battery packs for electric vans.',
      'Five years of it',
      'A bicycle',
      'CAN bus',
      'Northgear Works',
    ]
    for (const text of [...facts, `${BROWSER_ORIGIN}/jobs/test-bench-engineer-${jobId}`])
      expect(printed).toContain(text)
    expect(await page.locator(':is(header.top, footer, .crumbs, button, .btn, form, .apply-bar):visible').count()).toBe(
      0,
    )
    for (const text of ['Apply now', 'Report', 'Gearbox engineer', 'Sign in']) expect(printed).not.toContain(text)
    await page.emulateMedia({ media: 'screen' })
    expect(await page.locator('.print-only').isVisible()).toBe(false)
    await page.context().close()
  })

  test('the script copies and shares the URL of a job, and only an on-site job links to a map', async () => {
    const context = await openContext(board)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await context.addInitScript('navigator.share = async (data) => { globalThis.shared = data }')
    const page = await context.newPage()
    const address = `${BROWSER_ORIGIN}/jobs/gearbox-engineer-1-${onSiteJobId}`
    await page.goto(`/jobs/${onSiteJobId}`)
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByRole('status').filter({ hasText: 'Link copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(address)
    await page.getByRole('button', { name: 'Copy link' }).waitFor()
    // A browser that denies access to the clipboard causes no error, and no false confirmation.
    const errors: Error[] = []
    page.on('pageerror', (error) => errors.push(error))
    await page.evaluate('navigator.clipboard.writeText = async () => { throw new Error("denied") }')
    await page.getByRole('button', { name: 'Copy link' }).click()
    expect(await page.getByRole('status').filter({ hasText: 'Link copied' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    const title = expect.stringContaining('Gearbox engineer 1')
    expect(await page.evaluate('globalThis.shared')).toEqual({ title, url: address })
    const map = page.getByRole('link', { name: 'Show on a map' })
    expect(await map.getAttribute('href')).toBe('https://www.openstreetmap.org/search?query=Gothenburg%2C+Sweden')
    await page.goto(`/jobs/${jobId}`)
    expect([await map.count(), errors]).toEqual([0, []])
    await context.close()

    const plain = await openContext(board, { hasScript: false })
    const still = await plain.newPage()
    await still.goto(`/jobs/${onSiteJobId}`)
    expect(await still.getByRole('button', { name: /Copy link|Share/ }).count()).toBe(0)
    await plain.close()
  })

  test.each(['/jobs?search=gearbox&location=Gothenburg&distance=25&facets=category', '/jobs?distance=25&page=0'])(
    '%s has no accessibility violation in any color scheme or size',
    async (path) => {
      expect(await inspectPage(board, path)).toEqual([])
    },
  )
})
