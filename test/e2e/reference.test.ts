/** The API reference at /v1/docs in Chromium. */
import { expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'
import { BROWSER_ORIGIN, chromiumPath, complaintsOf, launch, openContext } from '../support/browser.ts'

const board = useBoard({ PUBLIC_BASE_URL: BROWSER_ORIGIN })

test.runIf(chromiumPath !== undefined)(
  'the reference shows the operations, loads nothing from other hosts and respects its policy',
  async () => {
    const browser = await launch()
    const page = await (await openContext(browser, board)).newPage()
    const complaints = complaintsOf(page)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.addInitScript(`
      globalThis.violations = []
      addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective + event.blockedURI))`)
    await page.goto('/v1/docs#tag/accounts/POST/api-keys')
    await page.getByText('Create an API key for the account; it is shown once').last().waitFor({ timeout: 60_000 })
    await page.getByText('Keys: candidate').first().waitFor()
    await page.getByRole('button', { name: 'Test Request' }).first().click()
    await page.getByRole('button', { name: 'Send' }).first().waitFor()
    const paths = asked.map((url) => url.replace(board.address, ''))
    expect(paths).toEqual(['/v1/docs', '/v1/docs/scalar.js', '/v1/openapi.json'])
    expect([complaints, await page.evaluate('violations')]).toEqual([[], []])
    await browser.close()
  },
)
