/** The admin area in Chromium, with and without JavaScript. */
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { type Account, ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import {
  BROWSER_ORIGIN,
  chromiumPath,
  closeContexts,
  complaintsOf,
  inspectPage,
  openContext,
} from '../support/browser.ts'
import { runTask } from '../support/tasks.ts'
import { makeDelivery } from '../support/webhooks.ts'

const board = useBoard({ PUBLIC_BASE_URL: BROWSER_ORIGIN, PAYMENTS: 'manual' })
const operator = { key: ADMIN_KEY }

afterAll(closeContexts)

const at = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
const tab = async (page: Page, name: string, group?: string) => {
  const menu = page.getByRole('navigation', { name: 'Admin area' })
  if (group) await menu.getByText(group, { exact: true }).click()
  await menu.getByRole('link', { name, exact: true }).click()
}

/** Creates an employer who has started a payment for a job. */
async function beginPayment(name: string) {
  const employer = await board.employer({ name })
  const { id } = await board.job(employer, { title: `Driver at ${name}` })
  const body = { job_id: id, products: ['job-post'] }
  const begun = await board.post('/v1/employers/payments', employer.key, body)
  return { employer, jobId: id as string, paymentId: expectStatus(begun, 201).body.data.id as string }
}

describe.runIf(chromiumPath !== undefined)('in Chromium', () => {
  test.each([true, false])(
    'an admin handles registration, a payment, an account and a category, script: %s',
    { timeout: 300_000 },
    async (hasScript) => {
      const company = hasScript ? 'Script Haulage' : 'Plain Haulage'
      const category = hasScript ? 'Rail vehicles' : 'Aviation'
      const { employer, jobId } = await beginPayment(company)
      const stolen = await board.keyWith(employer, ['jobs:read'])
      const desk = await openContext(board, { hasScript })
      const visitors = await openContext(board, { hasScript })
      const page = await desk.newPage()
      const visitor = await visitors.newPage()
      const complaints = complaintsOf(page)

      // A visitor is redirected to the sign-in page and, after signing in, to the admin area.
      await page.goto('/desk')
      await at(page, 'Sign in')
      await page.getByLabel('API key', { exact: true }).fill(ADMIN_KEY)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await at(page, 'Admin area')

      await visitor.goto('/jobs')
      await visitor.getByRole('link', { name: 'Create account', exact: true }).waitFor()
      await tab(page, 'Settings', 'Setup')
      await at(page, 'Settings')
      await page.getByLabel('Nobody').check()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Registration is closed.').waitFor()
      await visitor.goto('/jobs?search=')
      await visitor.getByRole('link', { name: 'Sign in', exact: true }).waitFor()
      expect(await visitor.getByRole('link', { name: 'Create account', exact: true }).count()).toBe(0)
      await page.getByLabel('Anyone').check()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Registration is open.').waitFor()

      await tab(page, 'Payments')
      await at(page, 'Payments')
      await page.getByRole('row').filter({ hasText: company }).getByRole('link', { name: 'Review' }).click()
      await at(page, `199.00 USD from ${company}`)
      expect((await board.post(`/v1/jobs/${jobId}/activate`, employer.key)).status).toBe(402)
      await page.getByText('Mark as paid…').click()
      await page.getByRole('button', { name: 'Yes, mark as paid' }).click()
      await page.getByText('Payment marked as paid').waitFor()
      expect((await board.post(`/v1/jobs/${jobId}/activate`, employer.key)).status).toBe(200)

      await tab(page, 'Accounts')
      await at(page, 'Accounts')
      await page.getByLabel('Name or email address').fill(company.toUpperCase())
      await page.getByRole('search', { name: 'Filter' }).getByRole('button', { name: 'Search' }).click()
      await page.getByText('One account').waitFor()
      await page.getByRole('link', { name: company, exact: true }).click()
      await at(page, company)
      expect((await board.get('/v1/me', stolen)).status).toBe(200)
      const key = page.getByRole('row').filter({ hasText: 'Limited' })
      await key.getByText('Revoke…').click()
      await key.getByRole('button', { name: 'Revoke', exact: true }).click()
      await page.getByText('API key revoked').waitFor()
      expect((await board.get('/v1/me', stolen)).status).toBe(401)
      /** Returns the number of jobs that a visitor finds, and the statuses of the job's and the company's pages. */
      const seen = async () => {
        await visitor.goto(`/jobs?search=${encodeURIComponent(company)}`)
        const count = await visitor.getByRole('link', { name: `Driver at ${company}` }).count()
        const pages = [await visitor.goto(`/jobs/${jobId}`), await visitor.goto(`/companies/${employer.id}`)]
        return [count, ...pages.map((answer) => answer!.status())]
      }
      expect(await seen()).toEqual([1, 200, 200])
      await page.getByLabel('Reason').fill('Asked us to')
      await page.getByRole('button', { name: 'Suspend account' }).click()
      await page.getByText('Account suspended').waitFor()
      expect((await board.get('/v1/me', employer.key)).status).toBe(403)
      expect(await seen()).toEqual([0, 404, 404])
      await page.getByRole('button', { name: 'Resume account' }).click()
      await page.getByText('Account resumed').waitFor()
      expect(await seen()).toEqual([1, 200, 200])

      await tab(page, 'Catalog', 'Setup')
      await at(page, 'Categories')
      await page.getByLabel('Name', { exact: true }).fill(category)
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByText(`“${category}” added at the end of the list`).waitFor()
      await page.getByRole('button', { name: `Move ${category} up` }).click()
      await page.getByRole('button', { name: `Move ${category} down` }).waitFor()
      const portal = await openContext(board, { hasScript }, employer)
      const editor = await portal.newPage()
      await editor.goto('/employer/jobs/new')
      await editor.getByLabel('Category').selectOption(category)

      await tab(page, 'Overview')
      await at(page, 'Admin area')
      await page.getByText('Added the category').first().waitFor()
      expect(complaints).toEqual([])
      for (const context of [desk, visitors, portal]) await context.close()
    },
  )

  test('the admin pages have no accessibility violation in any color scheme or size', {
    timeout: 600_000,
  }, async () => {
    const { employer, paymentId } = await beginPayment('Northern Vehicle and Trailer Works of Upper Lakeland')
    await board.keyWith(employer, ['jobs:read'])
    const suspended: Account = await board.candidate({ last_name: 'Suspended' })
    const other = await beginPayment('Lakeland Craft')
    const category = { category: 'hovercraft-and-other-unusual-vehicles' }
    expectStatus(await board.put(`/v1/jobs/${other.jobId}`, other.employer.key, category), 200)
    expectStatus(await board.post(`/v1/admin/payments/${other.paymentId}/mark-paid`, ADMIN_KEY), 200)
    expectStatus(await board.post(`/v1/jobs/${other.jobId}/activate`, other.employer.key), 200)
    await makeDelivery(board)
    await runTask(board, 'mail')
    await runTask(board, 'job-expiry')
    await runTask(board, 'task-health')
    const sweep = { task: 'job-places', done_at: null, failed_at: board.clock.now(), error: 'canceling statement' }
    await board.database.inTx(async (tx) => {
      await tx.insertInto('task_health').values(sweep).execute()
      await tx.updateTable('account').set({ suspended_at: board.clock.now() }).where('id', '=', suspended.id).execute()
    })
    const found: string[] = []
    for (const path of [
      '/desk',
      '/desk/payments',
      '/desk/payments?status=failed',
      `/desk/payments/${paymentId}`,
      '/desk/accounts?search=nobody',
      '/desk/accounts?kind=robot',
      `/desk/accounts/${suspended.id}`,
      '/desk/queues',
      '/desk/catalogue/type',
      '/desk/emails',
      '/desk/tasks',
    ]) {
      found.push(...(await inspectPage(board, path, operator)))
    }
    expect(found).toEqual([])
  })
})
