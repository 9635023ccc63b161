/** A reader reports a job and an admin moderates it in Chromium, with and without JavaScript. */
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import {
  BROWSER_ORIGIN,
  chromiumPath,
  closeContexts,
  complaintsOf,
  inspectPage,
  openContext,
  viewOf,
} from '../support/browser.ts'
import { REPORTS, report } from '../support/reports.ts'

const TIMEOUT_MS = 240_000
const REASON = 'It asks applicants for money.'

const board = useBoard({ PUBLIC_BASE_URL: BROWSER_ORIGIN })

describe.runIf(chromiumPath !== undefined)('a fraudulent job', () => {
  afterAll(closeContexts)

  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()

  test.each([true, false])(
    'is reported, removed, explained and restored, script: %s',
    { timeout: TIMEOUT_MS },
    async (hasScript) => {
      const title = hasScript ? 'Parcel agent from home' : 'Parcel agent from abroad'
      const employer = await board.employer({ name: 'Swift Forwarding' })
      const { id } = await board.activeJob(employer, { title })
      const open = async (account?: { key: string }) => {
        const context = await openContext(board, viewOf(hasScript), account)
        context.setDefaultTimeout(60_000)
        const page = await context.newPage()
        return { context, page, complaints: complaintsOf(page) }
      }
      const reader = await open()
      const operator = await open({ key: ADMIN_KEY })
      const owner = await open(employer)

      // A reader without an account reports the job.
      await reader.page.goto(`/jobs/${id}`)
      await reader.page.getByRole('link', { name: 'Report this job' }).click()
      await heading(reader.page, 'Report this job')
      await reader.page.getByLabel(/^It’s a scam/).check()
      await reader.page.getByLabel('Details').fill('They want money first.')
      await press(reader.page, 'Send report')
      await reader.page
        .getByText('Report sent. Thank you. The operator of this board will review your report.')
        .waitFor()
      await heading(reader.page, title)

      // The admin removes the job.
      await operator.page.goto('/desk/reports')
      await operator.page.getByRole('link', { name: title, exact: true }).click()
      await heading(operator.page, title)
      await operator.page.getByText('They want money first.').waitFor()
      await operator.page.getByLabel('Reason for the employer').fill(REASON)
      await press(operator.page, 'Remove job')
      await operator.page.getByText('Job removed.').waitFor()

      // The job is gone from the pages, the feeds and the sitemap.
      const gone = await reader.page.goto(`/jobs/${id}`)
      expect(gone!.status()).toBe(410)
      await heading(reader.page, 'This job was removed')
      await reader.page.goto('/jobs')
      await reader.page.getByRole('heading', { level: 1, name: /jobs?$/i }).waitFor()
      expect(await reader.page.content()).not.toContain(id)
      for (const path of ['/jobs.atom', '/jobs.rss', '/jobs.jsonl', '/jobs.xml', '/sitemap.xml', '/sitemaps/1.xml']) {
        expect(await (await fetch(`${board.address}${path}`)).text(), path).not.toContain(id)
      }

      // The employer can read the reason but cannot restore the job.
      await owner.page.goto(`/employer/jobs/${id}`)
      await owner.page.getByText(`The operator removed this job: ${REASON}`).waitFor()
      expect(await owner.page.getByRole('button', { name: 'Reopen job' }).count()).toBe(0)
      const refused = await board.post(`/v1/jobs/${id}/reopen`, employer.key)
      expect([refused.status, refused.body.code, refused.body.reason]).toEqual([409, 'job_removed', REASON])

      // The admin restores the job.
      await press(operator.page, 'Restore job')
      await operator.page.getByText('Job restored. It is on the board again.').waitFor()
      await reader.page.goto(`/jobs/${id}`)
      await heading(reader.page, title)
      await owner.page.goto(`/employer/jobs/${id}`)
      await owner.page.getByText(/^On the board until/).waitFor()

      for (const { context, complaints } of [reader, operator, owner]) {
        // Chromium logs the status 410 of the removed job's page.
        expect(complaints.filter((text) => !text.includes('410'))).toEqual([])
        await context.close()
      }
    },
  )

  test('has moderation pages without accessibility violations', { timeout: TIMEOUT_MS }, async () => {
    const operator = { key: ADMIN_KEY }
    const employer = await board.employer({ name: 'Swift Forwarding' })
    const jobOf = (title: string, more = {}) => board.activeJob(employer, { title, ...more })
    const job = await jobOf('Parcel agent', {
      description: 'Receive parcels at home.\n\nSend them on.',
      requirements: ['A telephone', 'A bank account'],
      application_url: 'https://swift-forwarding.example/apply',
      salary: { min: 4_000, max: 6_000, currency: 'EUR', period: 'month' },
    })
    const message = 'They asked me to pay a deposit for the telephone before the first day.'
    const first = await report(board, { jobId: job.id, reason: 'fraud', message })
    await report(board, { jobId: job.id, by: await board.employer(), reason: 'wrong_information' })
    const removed = await jobOf('Crypto mentor')
    const upheld = await report(board, { jobId: removed.id, reason: 'other', message: 'It is a course, not a job.' })
    expectStatus(await board.post(`${REPORTS}/${upheld.id}/uphold`, operator.key, { reason: REASON }), 200)
    board.clock.advance(3 * 86_400_000)
    const found: string[] = []
    for (const [path, account] of [
      [`/jobs/${job.id}`],
      [`/jobs/${job.id}/report`],
      [`/jobs/${removed.id}`],
      ['/desk/reports', operator],
      ['/desk/reports?status_in=open,upheld,dismissed', operator],
      ['/desk/reports?status=dismissed', operator],
      [`/desk/reports/${first.id}`, operator],
      [`/desk/reports/${upheld.id}`, operator],
      [`/employer/jobs/${removed.id}`, employer],
      ['/employer/jobs', employer],
    ] as const) {
      found.push(...(await inspectPage(board, path, account)))
    }
    expect(found).toEqual([])
  })
})
