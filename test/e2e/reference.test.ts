/** The API reference at /v1/docs and the examples of the guide, in Chromium. */
import { afterAll, expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import {
  axeFindings,
  BROWSER_ORIGIN,
  chromiumPath,
  closeContexts,
  complaintsOf,
  openContext,
} from '../support/browser.ts'

const board = useBoard({ PUBLIC_BASE_URL: BROWSER_ORIGIN })
afterAll(closeContexts)

test.runIf(chromiumPath !== undefined)(
  'the reference shows an operation, loads nothing from other hosts and respects its content security policy',
  async () => {
    const page = await (await openContext(board, { isFull: true })).newPage()
    const complaints = complaintsOf(page)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.addInitScript(`
      globalThis.violations = []
      addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective + event.blockedURI))`)
    await page.goto('/v1/docs#tag/accounts/POST/api-keys')
    await page
      .getByText('Create an API key for the account; a secret key is shown only once')
      .last()
      .waitFor({ timeout: 60_000 })
    await page.getByText('Keys: candidate').first().waitFor()
    await page.getByRole('button', { name: 'Test Request' }).first().click()
    await page.getByRole('button', { name: 'Send' }).first().waitFor()
    const paths = asked.map((url) => url.replace(board.address, '').replace(/\.\w{12}\./, '.'))
    const ours = ['/v1/docs', '/v1/docs/scalar.js', '/v1/openapi.json']
    const shared = ['/assets/app.css', '/assets/reference.css', '/assets/site.js', '/icon.svg']
    expect([...new Set(paths)].sort()).toEqual([...ours, ...shared].sort())
    expect([complaints, await page.evaluate('violations')]).toEqual([[], []])
  },
)

test.runIf(chromiumPath !== undefined)(
  'the reference has the name and the design of the board, and a search',
  async () => {
    expectStatus(await board.put('/v1/admin/board', ADMIN_KEY, { name: 'Gearwright', accent_color: '#8a1c5b' }), 200)
    for (const scheme of ['light', 'dark'] as const) {
      const page = await (await openContext(board, { width: scheme === 'dark' ? 360 : 1_280, scheme })).newPage()
      await page.goto('/v1/docs#tag/accounts/POST/api-keys')
      await page
        .getByText('Create an API key for the account; a secret key is shown only once')
        .last()
        .waitFor({ timeout: 60_000 })
      // The header links to the website and to the developer pages.
      expect(await page.locator('.top .brand').textContent()).toContain('Gearwright')
      expect(await page.locator('.crumbs a').getAttribute('href')).toBe('/docs')
      const colors = await page.evaluate(`(() => {
      const [heading, body] = ['.scalar-app h1, .scalar-app h2', 'body'].map((one) => getComputedStyle(document.querySelector(one)))
      const isOurs = heading.color === body.color && heading.fontFamily === body.fontFamily
      return { isOurs, page: body.backgroundColor }
    })()`)
      expect(colors).toEqual({ isOurs: true, page: scheme === 'light' ? 'rgb(248, 247, 244)' : 'rgb(18, 20, 22)' })
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      expect(await axeFindings(page, ['color-contrast'])).toEqual([])
      if (scheme === 'dark') continue
      for (const text of ['201', '401', '422']) await page.getByText(text, { exact: true }).first().waitFor()
      await page
        .getByRole('button', { name: /Search/ })
        .first()
        .click()
      await page.keyboard.type('withdraw')
      await page
        .getByRole('option', { name: /Withdraw/ })
        .first()
        .waitFor()
    }
  },
)

test.runIf(chromiumPath !== undefined)(
  'readers choose the language of the examples, with and without JavaScript',
  async () => {
    for (const hasScript of [true, false]) {
      const page = await (await openContext(board, { width: 360, hasScript })).newPage()
      await page.goto('/docs/guide')
      const shown = () => page.locator('.in-languages code:visible').allTextContents()
      expect((await shown()).every((text) => !/urlopen|fetch\(/.test(text))).toBe(true)
      await page.getByText('Python', { exact: true }).nth(1).click()
      const others = (await shown()).filter((text) => /urlopen/.test(text)).length
      expect(hasScript ? others > 30 : others === 1).toBe(true)
      expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(hasScript ? (await shown()).length : 0)
      await page.goto('/v1/docs/createJob')
      expect((await shown())[0]).toContain(hasScript ? 'urlopen' : 'curl -X POST')
      await page.getByRole('radio').first().focus()
      await page.keyboard.press('ArrowRight')
      expect((await shown())[0]).toContain('await fetch(')
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      if (hasScript) expect(await axeFindings(page)).toEqual([])
    }
  },
)
