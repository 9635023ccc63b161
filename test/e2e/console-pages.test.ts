/** The console in Chromium, with webhooks delivered over real TLS to a local receiver. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyWebhook } from '../../packages/client/src/webhook.ts'
import { createWebhookClient } from '../../src/features/webhooks/webhooks.client.ts'
import { createGuard } from '../../src/features/webhooks/webhooks.guard.ts'
import { systemClock } from '../../src/lib/time.ts'
import { useBoard } from '../support/board.ts'
import {
  axeFindings,
  BROWSER_ORIGIN,
  chromiumPath,
  closeContexts,
  complaintsOf,
  headingOf,
  inspectPage,
  openContext,
  viewOf,
} from '../support/browser.ts'
import { makeCertificate, Receivers } from '../support/receivers.ts'
import { dispatch, makeWebhook } from '../support/webhooks.ts'

const board = useBoard({ PUBLIC_BASE_URL: BROWSER_ORIGIN })
const receivers = new Receivers()

beforeAll(async () => {
  if (!chromiumPath) return
  const authority = await makeCertificate(['Authority of the tests'], { isAuthority: true })
  receivers.certificate = await makeCertificate(['hook.example'], { authority })
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
  const guard = createGuard({ allowCidrs: ['127.0.0.0/8'], lookup })
  const client = createWebhookClient({ guard, clock: systemClock, timeoutMs: 10_000, ca: authority.cert })
  receivers.closing(client)
  board.receiver.reply = (attempt) => client.send(attempt)
})
afterAll(async () => {
  await closeContexts()
  await receivers.close()
})

describe.runIf(chromiumPath !== undefined)('in Chromium', () => {
  test.each([true, false])(
    'a webhook is created, its receiver fails and recovers, and failed deliveries are retried, script: %s',
    async (hasScript) => {
      let isBroken = false
      const receiver = await receivers.https((response) => {
        if (isBroken) response.writeHead(500).end('The disk is full.')
        else response.writeHead(204).end()
      })
      const employer = await board.employer()
      const context = await openContext(board, viewOf(hasScript), employer)
      const page = await context.newPage()
      const complaints = complaintsOf(page)

      await page.goto('/console')
      await page.getByRole('link', { name: 'New webhook' }).click()
      await page.getByLabel('URL').fill(`https://hook.example:${receiver.port}/events`)
      await page.getByLabel('job.created').check()
      await page.getByRole('button', { name: 'Create webhook' }).click()
      await expect.poll(headingOf(page)).toBe('Webhook created')
      const secret = (await page.getByRole('region', { name: 'Secret', exact: true }).textContent())!
      await expect.poll(() => page.getByRole('button', { name: 'Copy' }).count()).toBe(hasScript ? 2 : 0)
      if (hasScript) expect(await axeFindings(page)).toEqual([])
      await page.getByRole('link', { name: 'View webhook' }).click()
      await page.getByRole('link', { name: 'Send a sample' }).click()
      await page.getByRole('button', { name: 'Send now' }).click()
      await page.getByText('The sample was delivered.').waitFor()
      expect(receiver.received).toHaveLength(1)

      isBroken = true
      await board.job(employer, { title: 'Nobody hears of it' })
      await dispatch(board)
      await page.getByRole('link', { name: 'Back' }).click()
      // On phones, the filters are in a sheet.
      if (!hasScript) await page.getByRole('link', { name: 'Filter' }).click()
      await page.getByLabel('Status').selectOption('pending')
      await page.getByRole('button', { name: 'Filter' }).click()
      await page.getByText('The receiver responded with 500.').waitFor()
      await page.getByRole('link', { name: 'job.created' }).click()
      expect(await page.getByRole('region', { name: 'Response body' }).textContent()).toBe('The disk is full.')
      expect(await page.getByRole('region', { name: 'Request body' }).textContent()).toContain('Nobody hears of it')

      isBroken = false
      await page.getByRole('button', { name: 'Retry now' }).click()
      await page.getByText('Retry queued.').waitFor()
      await dispatch(board)
      await page.reload()
      expect(await page.getByRole('heading', { level: 3, name: 'Attempt' }).allTextContents()).toEqual([
        'Attempt 2',
        'Attempt 1',
      ])
      expect(await page.locator('main .panel').first().textContent()).toContain('Delivered')
      const { headers, rawBody } = receiver.received.at(-1)!
      await verifyWebhook(rawBody, headers, secret)
      expect(JSON.parse(rawBody).data.job.title).toBe('Nobody hears of it')
      expect(complaints).toEqual([])
      await context.close()
    },
  )

  test('events appear live with JavaScript', async () => {
    const employer = await board.employer()
    const context = await openContext(board, {}, employer)
    const page = await context.newPage()
    const complaints = complaintsOf(page)
    await page.goto('/console/live')
    await page.getByText('Live', { exact: true }).and(page.locator('.tag')).waitFor()
    const { id } = await board.job(employer, { title: '<img src=x onerror=alert(1)>' })
    const item = page.locator('.live-item').filter({ hasText: id })
    await item.waitFor()
    await item.locator('summary').click()
    expect(await item.locator('pre').textContent()).toContain('<img src=x onerror=alert(1)>')
    expect(await axeFindings(page)).toEqual([])
    await item.getByRole('link', { name: 'Open' }).click()
    await expect.poll(headingOf(page)).toBe('job.created')
    expect(complaints).toEqual([])
    await context.close()
  })

  test('a key is created and revoked with the keyboard alone', async () => {
    const context = await openContext(board, {}, await board.employer())
    const page = await context.newPage()
    await page.goto('/console/keys/new')
    await page.getByLabel('Name').focus()
    await page.keyboard.type('Keyboard')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Scopes: choose at least one.' }).waitFor()
    await page.getByLabel('jobs:read').press('Space')
    await page.getByLabel('Name').press('Enter')
    await expect.poll(headingOf(page)).toBe('API key created')
    await page.getByRole('link', { name: 'Done' }).press('Enter')
    const row = page.getByRole('row').filter({ hasText: 'Keyboard' })
    await row.getByText('Revoke…').press('Enter')
    await row.getByRole('button', { name: 'Revoke' }).press('Enter')
    await page.getByText('API key revoked').waitFor()
    expect(await page.getByText('Keyboard').count()).toBe(0)
    await context.close()
  })

  // `page-quality.test.ts` checks the other pages.
  test('a list without results and a list with an invalid filter are accessible', async () => {
    const account = await board.employer()
    const { id } = await makeWebhook(board, account)
    for (const path of ['/console/webhooks?status=paused', `/console/webhooks/${id}?status=lost`]) {
      expect(await inspectPage(board, path, account)).toEqual([])
    }
  })
})
