/** A candidate uses the pages in Chromium, with and without JavaScript. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Account, jobBody, useBoard } from '../support/board.ts'
import {
  BROWSER_ORIGIN,
  chromiumPath,
  closeContexts,
  complaintsOf,
  inspectPage,
  noticeOf,
  openContext,
  viewOf,
} from '../support/browser.ts'
import { pdf } from '../support/documents.ts'
import { mailsIn } from '../support/mails.ts'
import { upload } from '../support/resumes.ts'
import { runTask } from '../support/tasks.ts'

const board = useBoard({ PUBLIC_BASE_URL: BROWSER_ORIGIN })
let employer: Account
let jobId: string

const custom_questions = [
  { id: 'why', label: 'Why this job?', type: 'textarea', required: true },
  { id: 'licence', label: 'Do you have a driving licence?', type: 'boolean', required: true },
  { id: 'years', label: 'How many years have you done this?', type: 'number', required: false },
  { id: 'start', label: 'When could you start?', type: 'date', required: false },
  { id: 'work', label: 'Where can we see your work?', type: 'url', required: false },
  {
    id: 'shift',
    label: 'Which shift do you prefer?',
    type: 'single_select',
    required: false,
    options: ['Early', 'Late'],
  },
  {
    id: 'tools',
    label: 'Which of these have you used?',
    type: 'multi_select',
    required: false,
    options: ['CAN', 'LIN'],
  },
]

beforeAll(async () => {
  if (!chromiumPath) return
  employer = await board.employer({ name: 'Northgear Works' })
  const salary = { min: 50_000, max: 64_000, currency: 'EUR', period: 'year' }
  const job = jobBody({ title: 'Test bench engineer', salary, remote: true, custom_questions })
  jobId = (await board.activeJob(employer, job)).id
})
afterAll(closeContexts)

/** Returns the sign-in link in the latest email, with this test's origin. */
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
      await page.getByRole('link', { name: 'Keep them and continue' }).click()

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
        custom_questions: { why: 'Because of the benches.', licence: true, start: '2026-05-01', tools: ['LIN'] },
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

test.runIf(chromiumPath !== undefined)('a resume that is dropped is uploaded, read and chosen', async () => {
  const candidate = await board.candidate()
  const context = await openContext(board, {}, candidate)
  const page = await context.newPage()
  const complaints = complaintsOf(page)
  interface Transfer {
    items: { add(file: File): void }
  }
  const drop = async (name: string, text: string) => {
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
  await page.goto(`/jobs/${jobId}/apply`)
  await page.getByLabel('Cover letter').fill('I build test benches.')
  await drop('ada.txt', 'Ada has built forty test benches.')
  const chosen = page.getByRole('radio', { name: 'ada.txt' })
  await expect.poll(() => chosen.isChecked().catch(() => false), { timeout: 10_000 }).toBe(true)
  await page.getByText('We are still reading ada.txt').waitFor()
  await runTask(board, 'resume-extraction')
  await page.getByText('Ada has built forty test benches.').waitFor()
  expect(await page.getByLabel('Cover letter').inputValue()).toBe('I build test benches.')
  // Chromium reports refused requests as errors.
  expect(complaints).toEqual([])
  await page.goto('/me/resumes')
  await drop('ada.exe', '\u0000\u0001')
  await page.getByText('The file must be a PDF').waitFor()
  await drop('ada.pdf', 'x'.repeat(5_242_881))
  await page.getByText('Choose a file of up to 5 MB.').waitFor()
  expect((await board.get('/v1/candidates/resumes', candidate.key)).body.data).toHaveLength(1)
  await context.close()
})

describe.runIf(chromiumPath !== undefined)("the candidate's pages", () => {
  let candidate: Account
  let applicationId: string
  let alertId: string
  beforeAll(async () => {
    candidate = await board.candidate({ first_name: 'Ada', last_name: 'Byron' })
    const { key } = candidate
    await upload(board, candidate, pdf('Engineer'), 'ada-byron.pdf')
    const experience = [{ title: 'Tester', company: 'Berg Motion', start_date: '2020-01' }]
    await board.put('/v1/candidates/profile', key, { headline: 'Battery engineer', skills: ['C++', 'CAN'], experience })
    const alert = { name: 'Benches', criteria: { search: 'bench', remote: true }, frequency: 'daily' }
    alertId = (await board.post('/v1/candidates/job-alerts', key, alert)).body.data.id
    await board.post(`/v1/candidates/jobs/${jobId}/save`, key, {})
    const answers = { why: 'Because of the benches.', licence: true, tools: ['CAN', 'LIN'] }
    const body = { cover_letter: 'I build test benches.\n\nYours, Ada', custom_questions: answers }
    applicationId = (await board.post(`/v1/candidates/jobs/${jobId}/apply`, key, body)).body.data.id
    await board.put(`/v1/employers/applications/${applicationId}`, employer.key, { status: 'contacted' })
  })

  test.each<[string, () => string]>([
    ['the start page', () => '/me'],
    ['saved jobs', () => '/me/saved-jobs'],
    ['applications', () => '/me/applications'],
    ['an application', () => `/me/applications/${applicationId}`],
    ['alerts', () => '/me/alerts'],
    ['an alert', () => `/me/alerts/${alertId}`],
    ['a new alert', () => '/me/alerts/new?search=bench&skills_in=CAN,LIN'],
    ['resumes', () => '/me/resumes'],
    ['the profile', () => '/me/profile'],
    ['the list', () => '/jobs'],
    ['a job', () => `/jobs/${jobId}`],
  ])('%s has no serious accessibility violation in any color scheme or size', async (_what, pathOf) => {
    expect(await inspectPage(board, pathOf(), candidate)).toEqual([])
  })

  test('the application form has no serious accessibility violation', async () => {
    expect(await inspectPage(board, `/jobs/${jobId}/apply`, await board.candidate())).toEqual([])
  })
})
