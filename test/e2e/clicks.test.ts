/**
 * Counts the clicks on links and buttons that common tasks take in Chromium, on phones with JavaScript and on wide
 * screens without. The page tests in the other files use the opposite combinations. Choices in forms do not count, and
 * neither does the link in an email.
 */
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apply } from '../support/applications.ts'
import { type Account, ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import { BROWSER_ORIGIN, chromiumPath, closeContexts, noticeOf, openContext, type View } from '../support/browser.ts'
import { pdf } from '../support/documents.ts'
import { mailsIn } from '../support/mails.ts'
import { report } from '../support/reports.ts'
import { upload } from '../support/resumes.ts'
import { runTask } from '../support/tasks.ts'

const board = useBoard({ PUBLIC_BASE_URL: BROWSER_ORIGIN })

/** A person at a browser, whose clicks are counted. */
class Person {
  clicks = 0
  readonly page: Page
  readonly context: BrowserContext

  constructor(page: Page) {
    this.page = page
    this.context = page.context()
  }

  async #click(role: 'link' | 'button', name: string | RegExp): Promise<void> {
    this.clicks++
    await this.page.getByRole(role, { name, exact: true }).filter({ visible: true }).first().click()
  }
  readonly follow = (name: string | RegExp) => this.#click('link', name)
  readonly press = (name: string | RegExp) => this.#click('button', name)

  fill(label: string, value: string): Promise<void> {
    return this.page.getByLabel(label, { exact: true }).fill(value)
  }

  /** Opens the sign-in link in the latest email to this email address. */
  async openMailedLink(address: string): Promise<void> {
    await this.page.waitForURL('**/sign-in/sent**')
    await runTask(board, 'mail')
    const mail = (await mailsIn(board.config.dataDir)).findLast(({ to }) =>
      to?.some((each) => each.address === address),
    )
    await this.page.goto(/http:\/\/127\.0\.0\.1(\/sign-in\/link\?\S+)/.exec(mail!.text!)![1]!)
  }

  /** Waits for the notice, and returns the number of clicks so far. */
  async clicksUntil(notice: string | RegExp): Promise<number> {
    await expect.poll(noticeOf(this.page)).toMatch(notice)
    return this.clicks
  }
}

describe.runIf(chromiumPath !== undefined).each<Required<Pick<View, 'width' | 'hasScript'>>>([
  { width: 360, hasScript: true },
  { width: 1_280, hasScript: false },
])('at $width px, script: $hasScript', (view) => {
  let employer: Account
  let title: string
  let jobId: string

  beforeAll(async () => {
    employer = await board.employer({ name: 'Northgear Works' })
    title = `Gearbox engineer ${view.width} ${view.hasScript}`
    jobId = (await board.activeJob(employer, { title })).id
  })
  afterAll(closeContexts)

  const open = async (path: string, account?: Pick<Account, 'key'>) => {
    const context = await openContext(board, view, account)
    context.setDefaultTimeout(10_000)
    const person = new Person(await context.newPage())
    await person.page.goto(path)
    return person
  }

  test('a visitor applies with four clicks', async () => {
    const email = `visitor-${view.width}-${view.hasScript}@candidate.example`
    const visitor = await open(`/jobs/${jobId}`)
    await visitor.follow('Apply')
    await visitor.fill('First name', 'Ada')
    await visitor.fill('Last name', 'Brandt')
    await visitor.fill('Email address', email)
    await visitor.press('Create account')
    await visitor.openMailedLink(email)
    await visitor.press('Sign in')
    await visitor.fill('Cover letter', 'I build gearboxes.')
    await visitor.press('Send application')
    expect(await visitor.clicksUntil(/^Application sent/)).toBe(4)
    await visitor.context.close()
  })

  test('a signed-in candidate applies with two clicks', async () => {
    const account = await board.candidate()
    await upload(board, account, pdf('Engineer'), 'ada.pdf')
    const candidate = await open(`/jobs/${jobId}`, account)
    await candidate.follow('Apply')
    await candidate.fill('Cover letter', 'I build gearboxes.')
    await candidate.press('Send application')
    expect(await candidate.clicksUntil(/^Application sent/)).toBe(2)
    await candidate.context.close()
  })

  test('a new employer has a live job after six clicks', async () => {
    const email = `owner-${view.width}-${view.hasScript}@employer.example`
    const battery = `Battery engineer ${view.width} ${view.hasScript}`
    const owner = await open('/')
    await owner.follow('Post a job')
    await owner.fill('Company', 'Voltaire Vans')
    await owner.fill('Email address', email)
    await owner.press('Create account')
    await owner.openMailedLink(email)
    await owner.press('Sign in')
    await owner.fill('Title', battery)
    await owner.page.getByLabel('Location', { exact: true }).fill('Gothenburg, Sweden')
    await owner.page.getByLabel('Category').selectOption('powertrain-battery')
    await owner.page.getByLabel('Description').fill('Design battery packs for electric vans.')
    await owner.press('Save and pay')
    await owner.press('Go to checkout')
    await owner.press('Pay (test)')
    const live = async () => expectStatus(await board.get(`/v1/jobs?search=${view.width}`, employer.key), 200).body.data
    await expect.poll(live).toContainEqual(expect.objectContaining({ title: battery }))
    expect(owner.clicks).toBe(6)
    await owner.context.close()
  })

  test('an employer hires with two clicks', async () => {
    const candidate = await board.candidate({ first_name: 'Grace', last_name: `of ${view.width} ${view.hasScript}` })
    await apply(board, candidate, jobId)
    const owner = await open('/employer/applications', employer)
    await owner.follow(`Grace of ${view.width} ${view.hasScript}`)
    await owner.page.getByLabel('Stage').selectOption('hired')
    await owner.press('Move')
    expect(await owner.clicksUntil(/moved to Hired\.$/)).toBe(2)
    await owner.context.close()
  })

  test('a developer creates a webhook with two clicks', async () => {
    const developer = await open('/console/webhooks', employer)
    await developer.follow('New webhook')
    await developer.fill('URL', 'https://hook.example/events')
    await developer.page.getByLabel('job.created').check()
    await developer.press('Create webhook')
    await developer.page.getByRole('region', { name: 'Secret', exact: true }).waitFor()
    expect(developer.clicks).toBe(2)
    await developer.context.close()
  })

  test('an operator removes a reported job with two clicks', async () => {
    const doubtful = `Parcel agent ${view.width} ${view.hasScript}`
    const { id } = await board.activeJob(employer, { title: doubtful })
    await report(board, { jobId: id, reason: 'fraud' })
    const operator = await open('/desk/reports', { key: ADMIN_KEY })
    await operator.follow(doubtful)
    await operator.fill('Reason for the employer', 'It asks applicants for money.')
    await operator.press('Remove job')
    expect(await operator.clicksUntil('Job removed.')).toBe(2)
    await operator.context.close()
  })
})
