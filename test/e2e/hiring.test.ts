/** The employer workflow in Chromium, with and without JavaScript: write and pay for a job, review applicants, hire. */
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { apply } from '../support/applications.ts'
import { useBoard } from '../support/board.ts'
import {
  BROWSER_ORIGIN,
  browserOfWorker,
  chromiumPath,
  closeContexts,
  complaintsOf,
  openContext,
  viewOf,
} from '../support/browser.ts'
import { pdf } from '../support/documents.ts'
import { layoutFaults } from '../support/layout-faults.ts'
import { invitationsTo, memberKey } from '../support/members.ts'
import { upload } from '../support/resumes.ts'
import { runTask } from '../support/tasks.ts'

/** The default headless user agent counts as a bot, so its views are ignored. */
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36'
const TIMEOUT_MS = 240_000

const board = useBoard({ PUBLIC_BASE_URL: BROWSER_ORIGIN })

describe.runIf(chromiumPath !== undefined)('an employer', () => {
  afterAll(closeContexts)

  /** Clicks the last button with this name. */
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).last().click()

  /** Clicks the first link with this name. */
  const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first().click()

  /** Formats the description with the toolbar and a shortcut, undoes the shortcut, and restores the text at the end. */
  const useToolbar = async (page: Page) => {
    const text = page.getByLabel('Description', { exact: true })
    const written = await text.inputValue()
    const format = (name: string) => page.getByRole('toolbar', { name: 'Formatting' }).getByRole('button', { name })
    await text.selectText()
    await format('Bold').click()
    expect(await text.inputValue()).toBe(`**${written}**`)
    await format('Bold').click()
    expect(await text.inputValue()).toBe(written)
    await page.keyboard.press('Control+i')
    expect(await text.inputValue()).toBe(`*${written}*`)
    await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toBe(written)

    await text.fill('Packs\n\nCells')
    await text.selectText()
    await format('Numbered list').click()
    expect(await text.inputValue()).toBe('1. Packs\n\n2. Cells')
    await format('List').first().click()
    expect(await text.inputValue()).toBe('- Packs\n\n- Cells')
    await format('Bold').click()
    expect(await text.inputValue()).toBe('- **Packs**\n\n- **Cells**')

    await text.fill('Our fleet')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.keyboard.type('vans.example')
    expect(await text.inputValue()).toBe('Our fleet[vans.example](https://)')
    await format('Heading').click()
    expect(await text.inputValue()).toBe('## Our fleet[vans.example](https://)')
    await text.fill(written)
  }

  test.each([true, false])(
    'posts a job, pays for it and hires, script: %s',
    { timeout: TIMEOUT_MS },
    async (hasScript) => {
      const employer = await board.employer({ name: 'Voltaire Vans' })
      const context = await openContext(board, { ...viewOf(hasScript), isFull: hasScript }, employer)
      context.setDefaultTimeout(60_000)
      const page = await context.newPage()
      const complaints = complaintsOf(page)

      await page.goto('/employer/profile')
      await page.getByLabel('About your company').fill('We build **quiet** vans.')
      if (!hasScript) await press(page, 'Preview')
      await page.locator('[data-preview] strong', { hasText: 'quiet' }).waitFor()

      await page.goto('/employer/jobs')
      await follow(page, 'Create your first job')
      await page.getByLabel('Title').fill('Battery engineer')
      await page.getByLabel('Location', { exact: true }).fill('Gothenburg, Sweden')
      await page.getByLabel('Category').selectOption('powertrain-battery')
      await page.getByLabel('Description').fill('Design battery packs for electric vans.')
      if (hasScript) await useToolbar(page)
      await page.getByLabel('From').fill('52,000')
      await page.getByLabel('Currency').selectOption('EUR')
      // The server adds the first question. The script, if enabled, adds the second question.
      await press(page, 'Add question')
      await page.getByLabel('Question text').fill('Do you hold a driving license?')
      await page.getByLabel('Answer type').selectOption('boolean')
      await press(page, 'Add question')
      await page.getByLabel('Question text').nth(1).fill('When could you begin?')
      await page.getByLabel('Answer type').nth(1).selectOption('single_select')
      await page.getByLabel('Choices').nth(1).fill('At once\nIn three months')
      await page.getByRole('button', { name: 'Move question 2 up' }).click()
      await expect.poll(() => page.getByLabel('Question text').first().inputValue()).toBe('When could you begin?')
      await press(page, 'Add question')
      await page.getByRole('button', { name: 'Remove question 3' }).click()
      await expect.poll(() => page.getByLabel('Question text').count()).toBe(2)
      expect(await page.getByLabel('Title').inputValue()).toBe('Battery engineer')
      const preview = page.getByRole('group', { name: 'Preview' })
      if (hasScript) {
        const seen = /Battery engineer\s.*Design battery packs.*52,000 EUR.*When could you begin.*driving license/s
        await expect.poll(() => preview.textContent()).toMatch(seen)
        await page.getByLabel('Location', { exact: true }).fill('Leeds')
        await page.getByLabel('Location', { exact: true }).blur()
        await page.getByRole('radio', { name: 'Leeds, AL' }).check()
        await expect.poll(() => preview.textContent()).toContain('Leeds, AL')
        await page.getByLabel('Location', { exact: true }).fill('Gothenburg, Sweden')
        await page.getByLabel('Location', { exact: true }).blur()
        await expect.poll(() => page.getByRole('radio', { name: 'Leeds, AL' }).count()).toBe(0)
      } else expect(await preview.count()).toBe(0)
      await page.setViewportSize({ width: 360, height: 900 })
      const tops = await page.locator('.bar > .btn:visible').evaluateAll((all) => all.map((button) => button.offsetTop))
      expect([tops.length, new Set(tops).size]).toEqual([3, 1])
      await page.setViewportSize({ width: 1280, height: 900 })
      await press(page, 'Save and preview')
      await page.getByText('This is what candidates will see.').waitFor()
      await follow(page, 'Back to the job')

      await follow(page, 'Pay and post')
      await page.getByRole('checkbox', { name: /^Urgent/ }).check()
      // Without the script, a click on "Update total" updates the total.
      if (!hasScript) await press(page, 'Update total')
      await expect.poll(() => page.locator('td[data-total]').textContent()).toBe('248.00 USD')
      expect(await page.getByRole('button', { name: 'Update total' }).count()).toBe(hasScript ? 0 : 1)
      await press(page, 'Go to checkout')
      await press(page, 'Pay (test)')
      await follow(page, 'View the payment')
      await page.goto('/employer/jobs')
      await follow(page, 'Battery engineer')
      await page.waitForURL(/job_/)
      const id = /job_\w+/.exec(page.url())![0]
      const { data: job } = (await board.get(`/v1/jobs/${id}`, employer.key)).body
      expect(job).toMatchObject({ is_active: true, is_urgent: true, salary: { min: 52_000, currency: 'EUR' } })
      expect(job.custom_questions).toMatchObject([
        { id: 'question-2', label: 'When could you begin?', options: ['At once', 'In three months'] },
        { id: 'question-1', label: 'Do you hold a driving license?', type: 'boolean' },
      ])

      const passer = await (await browserOfWorker()).newContext({ userAgent: USER_AGENT, baseURL: board.address })
      const look = await passer.newPage()
      await look.goto(`/jobs/${id}`)
      await passer.close()
      await runTask(board, 'job-views')
      const candidate = await board.candidate({ first_name: 'Ada', last_name: 'Brandt' })
      await upload(board, candidate, pdf('Cells'), 'ada.pdf')
      const custom_questions = { 'question-1': true, 'question-2': 'At once' }
      const { id: applicationId } = await apply(board, candidate, id, { custom_questions })

      await follow(page, 'Statistics')
      await page.getByRole('img', { name: 'Views by day over the last 30 days: 1 in total' }).waitFor()
      await apply(board, await board.candidate({ first_name: 'Lin', last_name: 'Vale' }), id, { custom_questions })
      await page.getByRole('navigation', { name: 'Hiring' }).getByRole('link', { name: 'Applicants' }).click()
      if (hasScript) {
        await page.getByLabel('Select all').first().check()
        await page.getByText('Selected: 2').waitFor()
      } else {
        await page.getByLabel('Select Ada Brandt').check()
        await page.getByLabel('Select Lin Vale').check()
      }
      await page.getByLabel('Stage', { exact: true }).selectOption('reviewed')
      await press(page, 'Move')
      await page.getByText('2 applicants moved to Reviewed.').waitFor()
      await follow(page, 'Ada Brandt')
      await page.getByText('At once').waitFor()
      // Chromium's PDF viewer needs JavaScript.
      if (hasScript) await expect.poll(() => page.frames().some((frame) => /\/view#/.test(frame.url()))).toBe(true)
      const [download] = await Promise.all([page.waitForEvent('download'), follow(page, 'Download')])
      expect(download.suggestedFilename()).toBe('ada.pdf')
      await page.getByLabel('Stage').selectOption('contacted')
      await page.getByLabel(/^Reason/).fill('Asks good questions.')
      await press(page, 'Move')
      await page.getByText('Asks good questions.').waitFor()
      await page.getByLabel('Stage').selectOption('hired')
      await press(page, 'Move')
      await page.getByText('Ada Brandt moved to Hired.').waitFor()
      const { data } = (await board.get(`/v1/employers/applications/${applicationId}`, employer.key)).body
      expect(data.status).toBe('hired')
      expect(data.status_history.map(({ reason }: { reason: string | null }) => reason)).toEqual([
        null,
        null,
        'Asks good questions.',
        null,
      ])
      // The checkout page has no icon, but the browser requests one.
      expect(complaints.filter((text) => !text.includes('404'))).toEqual([])
      await context.close()
    },
  )

  test('drags an applicant to other stages, but not back to the first stage', { timeout: TIMEOUT_MS }, async () => {
    const employer = await board.employer()
    const { id } = await board.activeJob(employer)
    const { id: applicationId } = await apply(
      board,
      await board.candidate({ first_name: 'Lin', last_name: 'Vale' }),
      id,
    )
    const context = await openContext(board, {}, employer)
    const page = await context.newPage()
    const complaints = complaintsOf(page)
    await page.goto('/employer/applications')
    const dragTo = (stage: string) =>
      page.locator('article', { hasText: 'Lin Vale' }).dragTo(page.locator(`#stage-${stage}`))
    await dragTo('contacted')
    await page.getByText('Lin Vale moved to In touch.').waitFor()
    expect(await page.locator('#stage-contacted article').count()).toBe(1)
    await dragTo('pending')
    await dragTo('hired')
    await page.getByText('Lin Vale moved to Hired.').waitFor()
    const { data } = (await board.get(`/v1/employers/applications/${applicationId}`, employer.key)).body
    const stages = data.status_history.map(({ status }: { status: string }) => status)
    expect([stages, complaints]).toEqual([['pending', 'contacted', 'hired'], []])
    await context.close()
  })

  test('can have three members work on one applicant at once without losing a note or a move', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const employer = await board.employer({ name: 'Halden Cells' })
    const job = await board.activeJob(employer, { title: 'Cell engineer' })
    const candidate = await board.candidate({ first_name: 'Lin', last_name: 'Vale' })
    const { id } = await apply(board, candidate, job.id)
    const path = `/employer/applications/${id}`
    const openPage = async (account?: { key: string }) => (await openContext(board, viewOf(true), account)).newPage()
    const owner = await openPage({ key: await memberKey(board, employer, 'owner', 'Olga Owner') })
    const join = async (name: string, role: string) => {
      const email = `${role}@halden.example`
      await owner.goto('/employer/team')
      await owner.getByLabel('Email address').fill(email)
      await owner.getByLabel('Role', { exact: true }).selectOption(role)
      await press(owner, 'Send invitation')
      await owner.getByText(`Invitation sent to ${email}`).waitFor()
      const page = await openPage()
      await page.goto((await invitationsTo(board, email)).at(-1)!)
      await page.getByLabel('Your name').fill(name)
      await press(page, 'Join team')
      await page.getByText('You joined the team').waitFor()
      return page
    }
    const recruiter = await join('Rosa Recruiter', 'recruiter')
    const viewer = await join('Victor Viewer', 'viewer')
    const all = [owner, recruiter, viewer]
    const complaints = all.map(complaintsOf)

    // All three open the applicant before any of them writes.
    for (const page of all) await page.goto(path)
    const addNote = async (page: Page, text: string) => {
      await page.getByLabel('New note').fill(text)
      await press(page, 'Add note')
      await page.getByText('Note added.').waitFor()
    }
    await addNote(viewer, 'Speaks three languages.')
    await addNote(recruiter, 'Free from May.')
    await addNote(owner, 'Asks for Thursday.')
    const notes = owner.locator('#notes li')
    expect(await notes.allTextContents()).toEqual([
      expect.stringMatching(/Olga Owner.*Asks for Thursday\./s),
      expect.stringMatching(/Rosa Recruiter.*Free from May\./s),
      expect.stringMatching(/Victor Viewer.*Speaks three languages\./s),
    ])
    expect(await viewer.getByLabel('Stage').isEnabled()).toBe(false)

    const move = async (page: Page, stage: string) => {
      await page.getByLabel('Stage').selectOption(stage)
      await press(page, 'Move')
    }
    await move(recruiter, 'reviewed')
    await recruiter.getByText('Lin Vale moved to Reviewed.').waitFor()
    // The owner's page still shows the first stage.
    await owner.getByLabel(/^Reason/).fill('Calls on Monday.')
    await move(owner, 'contacted')
    await owner.getByText('changed this in the meantime. Nothing is saved yet').first().waitFor()
    expect(await owner.getByLabel(/^Reason/).inputValue()).toBe('Calls on Monday.')
    await press(owner, 'Move')
    await owner.getByText('Lin Vale moved to In touch.').waitFor()
    const { data } = (await board.get(`/v1/employers/applications/${id}`, employer.key)).body
    type Change = { status: string; reason: string | null; by: { name: string } | null }
    expect(data.status_history.map(({ status, reason, by }: Change) => [status, reason, by?.name])).toEqual([
      ['pending', null, undefined],
      ['reviewed', null, 'Rosa Recruiter'],
      ['contacted', 'Calls on Monday.', 'Olga Owner'],
    ])
    // Chromium reports the status 412 of the owner's first attempt.
    expect(complaints.flat().filter((complaint) => !complaint.includes('412'))).toEqual([])
    for (const page of all) await page.context().close()
  })

  test('an applicant is printed without the headings of forms', async () => {
    const employer = await board.employer()
    const { id: job } = await board.activeJob(employer)
    const { id } = await apply(board, await board.candidate(), job)
    const context = await openContext(board, {}, employer)
    const page = await context.newPage()
    await page.goto(`/employer/applications/${id}`)
    await page.emulateMedia({ media: 'print' })
    const headings = page.getByRole('heading', { level: 2 }).filter({ visible: true })
    expect(await headings.allTextContents()).toEqual(['Cover letter', 'History'])
    await context.close()
  })

  test.each([360, 1280])('a long word in a title cuts off no text and covers no column: %i px', async (width) => {
    const employer = await board.employer()
    const title = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamter'
    const { id } = await board.activeJob(employer, { title })
    await apply(board, await board.candidate(), id)
    const context = await openContext(board, { width }, employer)
    const page = await context.newPage()
    const paths = ['', '/jobs', `/jobs/${id}`, `/jobs/${id}/pay`, '/applications', `/applications?job_id=${id}`]
    for (const path of paths) {
      await page.goto(`/employer${path}`)
      const faults = (await layoutFaults(page)).filter((fault) => !/between letters|its select/.test(fault))
      const isCovering = await page.locator('.person').evaluateAll((cards) => {
        const right = (element: (typeof cards)[0]) => element.getBoundingClientRect().right
        return cards.some((card) => right(card) > right(card.closest('.stage')!))
      })
      expect([path, faults, isCovering]).toEqual([path, [], false])
    }
    await page.goto('/employer/jobs')
    const count = (await page.getByRole('link', { name: '1', exact: true }).boundingBox())!
    expect(width > 360 || Math.min(count.width, count.height) >= 24).toBe(true)
    await context.close()
  })
})
