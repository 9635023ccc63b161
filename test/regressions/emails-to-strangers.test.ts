/** Found in an attack test: an unconfirmed email address received ten emails with text that users had written. */
import { describe, expect, test } from 'vitest'
import { apply, setStatus } from '../support/applications.ts'
import { type Account, expectStatus, useBoard } from '../support/board.ts'
import { mailsIn } from '../support/mails.ts'
import { visitor } from '../support/pages.ts'
import { runTask } from '../support/tasks.ts'

const board = useBoard({ RATE_LIMIT: 'on' })
const MINUTE_MS = 60_000

/** Sends the pending emails, and returns all emails to an email address, oldest first. */
async function emailsTo(address: string) {
  await runTask(board, 'mail')
  const mails = await mailsIn(board.config.dataDir)
  return mails.filter(({ to }) => to?.some((receiver) => receiver.address === address))
}

/** Registers a candidate with another person's email address, which stays unconfirmed. */
async function stranger(email: string): Promise<Account> {
  const person = { first_name: 'CLICK', last_name: 'EVIL.EXAMPLE', email }
  const { id, api_key: key } = expectStatus(await board.post('/v1/candidates', undefined, person), 201).body.data
  return { id, key }
}

const pathIn = (text: string, start: string) => new RegExp(`https://board\\.example(/${start}/\\S+)`).exec(text)![1]!

describe('an unconfirmed email address', () => {
  test('gets no text from users, and at most three emails a day', async () => {
    const email = 'victim@mail.example'
    const candidate = await stranger(email)
    const employer = await board.employer({ name: 'EVIL.EXAMPLE Ltd' })
    for (let n = 0; n < 5; n++) {
      const job = await board.activeJob(employer, { title: `Visit EVIL.EXAMPLE ${n}` })
      const application = await apply(board, candidate, job.id)
      await setStatus(board, employer, application.id, 'reviewed')
    }
    const criteria = { search: 'visit' }
    await board.post('/v1/candidates/job-alerts', candidate.key, {
      name: 'EVIL.EXAMPLE',
      criteria,
      frequency: 'instant',
    })
    await board.activeJob(employer, { title: 'Visit EVIL.EXAMPLE again' })
    for (const task of ['job-alerts-instant', 'job-alerts-due']) await runTask(board, task)
    const emails = await emailsTo(email)
    expect(emails).toHaveLength(3)
    for (const { subject, text, html } of emails) expect(`${subject}${text}${html}`).not.toMatch(/evil|click|visit/i)
    board.clock.advance(24 * 60 * MINUTE_MS)
    const later = await board.activeJob(employer, { title: 'One more' })
    await setStatus(board, employer, (await apply(board, candidate, later.id)).id, 'reviewed')
    expect(await emailsTo(email)).toHaveLength(5)
  })

  test('gets application details only after its owner confirms it by clicking a button, not by opening the link', async () => {
    const email = 'owner@mail.example'
    const candidate = await stranger(email)
    const employer = await board.employer({ name: 'Voltaire Vans' })
    const move = async (title: string) => {
      const job = await board.activeJob(employer, { title })
      await setStatus(board, employer, (await apply(board, candidate, job.id)).id, 'reviewed')
      return (await emailsTo(email)).at(-1)!
    }
    const path = pathIn((await move('Van designer')).text!, 'confirm-email')
    expect((await board.get(path)).status).toBe(200)
    board.clock.advance(24 * 60 * MINUTE_MS)
    expect((await move('Van driver')).subject).toBe('Update on one of your applications')
    expect((await board.call('POST', path)).status).toBe(200)
    expect((await move('Van painter')).subject).toBe('Reviewed: your application for Van painter')
    // A link for the previous email address confirms nothing.
    await board.put('/v1/candidates/profile', candidate.key, { email: 'moved@mail.example' })
    expect((await board.call('POST', path)).status).toBe(404)
  })

  test("gets sign-in links without the account's name", async () => {
    await stranger('signs-in@mail.example')
    const guest = await visitor(board)
    await guest.submit(await guest.get('/sign-in'), '/sign-in/link', { email: 'signs-in@mail.example' })
    const [email] = await emailsTo('signs-in@mail.example')
    expect(email!.text).toContain('/sign-in/link?')
    expect(`${email!.subject}${email!.text}`).not.toMatch(/evil|click/i)
  })
})

test('an email address whose owner blocks all emails gets none, not even sign-in links, until it is unblocked', async () => {
  const email = 'never@mail.example'
  await board.candidate({ email })
  const guest = await visitor(board)
  const ask = async () => {
    board.clock.advance(2 * MINUTE_MS)
    await guest.submit(await guest.get('/sign-in'), '/sign-in/link', { email })
    return emailsTo(email)
  }
  const [first] = await ask()
  const path = pathIn(first!.text!, 'unsubscribe')
  expect((await board.get(path)).status).toBe(200)
  expect(await ask()).toHaveLength(2)
  expect((await board.call('POST', path)).status).toBe(200)
  expect(await ask()).toHaveLength(2)
  // Another account with the same email address does not circumvent the block.
  await board.employer({ email })
  expect(await ask()).toHaveLength(2)
  expect((await board.call('POST', `${path}/undo`)).status).toBe(200)
  expect((await ask()).length).toBeGreaterThan(2)
  expect((await board.call('POST', '/unsubscribe/invented/undo')).status).toBe(404)
})

describe('sign-in emails', () => {
  test('to one email address are limited to one a minute and five an hour', async () => {
    const email = 'often@mail.example'
    await board.candidate({ email })
    const guest = await visitor(board)
    const ask = async () => void (await guest.submit(await guest.get('/sign-in'), '/sign-in/link', { email }))
    for (let n = 0; n < 3; n++) await ask()
    expect(await emailsTo(email)).toHaveLength(1)
    for (let n = 0; n < 10; n++) {
      board.clock.advance(MINUTE_MS)
      await ask()
    }
    expect(await emailsTo(email)).toHaveLength(5)
    board.clock.advance(60 * MINUTE_MS)
    await ask()
    expect(await emailsTo(email)).toHaveLength(6)
  })

  test('are refused to a network that requests them for many email addresses', async () => {
    const guest = await visitor(board)
    const statuses: number[] = []
    for (let n = 0; n < 40; n++) {
      const page = await guest.get('/sign-in')
      statuses.push((await guest.submit(page, '/sign-in/link', { email: `many-${n}@mail.example` })).status)
    }
    expect(statuses.at(-1)).toBe(429)
  })
})

describe('status emails', () => {
  test('are merged: moving an application back and forth forty times sends only two emails', async () => {
    const email = 'flipped@mail.example'
    const candidate = await board.candidate({ email })
    const employer = await board.employer()
    const job = await board.activeJob(employer)
    const { id } = await apply(board, candidate, job.id)
    for (let n = 0; n < 20; n++) {
      for (const status of ['reviewed', 'contacted']) {
        await setStatus(board, employer, id, status)
        await emailsTo(email)
      }
    }
    const sentStatuses = async () =>
      (await emailsTo(email)).flatMap(({ text }) => / is now “(.+?)”/.exec(text!)?.[1] ?? [])
    expect(await sentStatuses()).toEqual(['Reviewed'])
    board.clock.advance(10 * MINUTE_MS)
    expect(await sentStatuses()).toEqual(['Reviewed', 'In touch'])
  })

  test('are not sent if the application has returned to the last reported status', async () => {
    const email = 'back@mail.example'
    const candidate = await board.candidate({ email })
    const employer = await board.employer()
    const job = await board.activeJob(employer)
    const { id } = await apply(board, candidate, job.id)
    for (const status of ['reviewed', 'contacted', 'reviewed']) {
      await setStatus(board, employer, id, status)
      await emailsTo(email)
    }
    board.clock.advance(60 * MINUTE_MS)
    const subjects = (await emailsTo(email)).map(({ subject }) => subject)
    expect(subjects).toEqual(['Application sent: Battery engineer', 'Reviewed: your application for Battery engineer'])
  })
})

test('an account that has spent its email budget cannot take an action that sends an email', async () => {
  const employer = await board.employer()
  const candidate = await board.candidate()
  const job = await board.activeJob(employer)
  const { id } = await apply(board, candidate, job.id)
  board.service.budgets.charge('emails', employer.id, 1_000)
  const refused = await board.put(`/v1/employers/applications/${id}`, employer.key, { status: 'reviewed' })
  expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
    429,
    'rate_limited',
    expect.any(String),
  ])
  expect(refused.headers.get('ratelimit-policy')).toContain('"emails";q=1000;w=3600')
  expect((await board.get(`/v1/employers/applications/${id}`, employer.key)).body.data.status).toBe('pending')
})
