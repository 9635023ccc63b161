/** A candidate uses the pages in Chromium, with and without JavaScript. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'
import {
  BROWSER_ORIGIN,
  chromiumPath,
  closeContexts,
  complaintsOf,
  noticeOf,
  openContext,
  viewOf,
} from '../support/browser.ts'
import { pdf } from '../support/documents.ts'
import { mailsIn } from '../support/mails.ts'
import { fullJob } from '../support/page-world.ts'
import { runTask } from '../support/tasks.ts'

const board = useBoard({ PUBLIC_BASE_URL: BROWSER_ORIGIN })
let jobId: string

beforeAll(async () => {
  if (!chromiumPath) return
  const employer = await board.employer({ name: 'Northgear Works' })
  jobId = (await board.activeJob(employer, { ...fullJob, title: 'Test bench engineer' })).id
})
afterAll(closeContexts)

/** Returns the path and query of the sign-in link in the latest email. */
async function linkInMail(): Promise<string> {
  await runTask(board, 'mail')
  const mail = (await mailsIn(board.config.dataDir)).at(-1)!
  return /http:\/\/127\.0\.0\.1(\/sign-in\/link\?\S+)/.exec(mail.text!)![1]!
}

const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

describe.runIf(chromiumPath !== undefined)('in Chromium', () => {
  test.each([true, false])(
    'a candidate finds a job, applies, withdraws and deletes the account, script: %s',
    async (hasScript) => {
      const email = `story-${hasScript}@candidate.example`
      const { key } = await board.candidate({ email, first_name: 'Ada', last_name: 'Byron' })
      const context = await openContext(board, viewOf(hasScript))
      const page = await context.newPage()
      const complaints = complaintsOf(page)
      await page.goto('/')
      await page.getByLabel('What').fill('test bench')
      await click(page, 'Search jobs')
      await page.getByRole('link', { name: 'Test bench engineer' }).click()
      await page.getByRole('link', { name: 'Apply', exact: true }).click()
      await page.getByRole('main').getByRole('link', { name: 'Sign in', exact: true }).click()

      await page.getByLabel('Email address').fill(email)
      await click(page, 'Email me a sign-in link')
      await page.waitForURL('**/sign-in/sent**')
      await page.goto(await linkInMail())
      await click(page, 'Sign in')
      await page.getByRole('link', { name: 'Keep all access and continue' }).click()

      await page.getByLabel('Cover letter').fill('I build test benches.')
      await page.getByLabel('Add a resume').setInputFiles({
        name: 'ada.pdf',
        mimeType: 'application/pdf',
        buffer: pdf('Engineer'),
      })
      await page.getByLabel('Why this job?').fill('Because of the benches.')
      await page.getByRole('radio', { name: 'Yes' }).check()
      await page.getByLabel('When could you start?').fill('2026-05-01')
      await page.getByRole('checkbox', { name: 'LIN' }).check()
      await click(page, 'Send application')
      await expect.poll(noticeOf(page)).toBe('Application sent. Good luck!')

      await page.getByRole('link', { name: 'Applications', exact: true }).first().click()
      await page.getByRole('link', { name: 'Test bench engineer' }).click()
      await page.getByText('Because of the benches.').waitFor()
      const [sent] = (await board.get('/v1/candidates/applications', key)).body.data
      const { data } = await (await board.get(`/v1/candidates/applications/${sent.id}`, key)).body
      expect(data).toMatchObject({
        resume: { filename: 'ada.pdf' },
        custom_questions: { why: 'Because of the benches.', license: true, start: '2026-05-01', tools: ['LIN'] },
      })
      await page.getByText('Withdraw this application').click()
      await click(page, 'Withdraw application')
      await expect.poll(noticeOf(page)).toBe('Application withdrawn.')

      await page.goto('/me/data')
      await page.getByRole('link', { name: 'Erase my account' }).click()
      await page.getByLabel('Enter your email address to confirm').fill(email)
      await click(page, 'Erase my account for good')
      await expect.poll(noticeOf(page)).toMatch(/^Account erased/)
      expect((await board.get('/v1/candidates/profile', key)).status).toBe(401)
      expect(complaints).toEqual([])
      await context.close()
    },
  )
})

interface Transfer {
  items: { add(file: File): void }
}

/** Drops a file on the page's area for resumes. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([name, text]) => {
      const { DataTransfer } = globalThis as unknown as { DataTransfer: new () => Transfer }
      const data = new DataTransfer()
      data.items.add(new File([text!], name!))
      return data
    },
    [name, text],
  )
  for (const type of ['dragover', 'drop']) await page.dispatchEvent('[data-drop]', type, { dataTransfer })
}

test.runIf(chromiumPath !== undefined)('a dropped resume is uploaded and selected, or refused if invalid', async () => {
  const candidate = await board.candidate()
  const context = await openContext(board, {}, candidate)
  const page = await context.newPage()
  const complaints = complaintsOf(page)
  await page.goto(`/jobs/${jobId}/apply`)
  await page.getByLabel('Cover letter').fill('I build test benches.')
  await drop(page, 'ada.txt', 'Ada has built forty test benches.')
  const chosen = page.getByRole('radio', { name: 'ada.txt' })
  await expect.poll(() => chosen.isChecked().catch(() => false), { timeout: 10_000 }).toBe(true)
  await page.getByText('We’re still reading ada.txt').waitFor()
  await runTask(board, 'resume-extraction')
  await page.getByText('Ada has built forty test benches.').waitFor()
  expect(await page.getByLabel('Cover letter').inputValue()).toBe('I build test benches.')
  // Checked before the refused uploads, which Chromium reports as errors.
  expect(complaints).toEqual([])
  await page.goto('/me/resumes')
  await drop(page, 'ada.exe', '\u0000\u0001')
  await page.getByText('The file must be a PDF').waitFor()
  await drop(page, 'ada.pdf', 'x'.repeat(5_242_881))
  await page.getByText('Choose a file of up to 5 MB.').waitFor()
  expect((await board.get('/v1/candidates/resumes', candidate.key)).body.data).toHaveLength(1)
  await context.close()
})

test.runIf(chromiumPath !== undefined)(
  'after a second upload, only one request at a time asks for the text',
  async () => {
    const context = await openContext(board, {}, await board.candidate())
    const page = await context.newPage()
    await page.clock.install()
    await page.goto('/me/resumes')
    for (const name of ['ada.txt', 'bo.txt']) {
      await drop(page, name, 'Test benches.')
      await page.getByText(`We’re still reading ${name}`).waitFor()
    }
    const polls: string[] = []
    page.on('request', (request) => request.resourceType() === 'fetch' && polls.push(request.url()))
    const answered = page.waitForResponse((response) => response.request().resourceType() === 'fetch')
    await page.clock.fastForward(3_000)
    await answered
    expect(polls).toHaveLength(1)
    await context.close()
  },
)
