/** Emails about applications. Their content reflects the state at sending time. */
import { beforeEach, describe, expect, test } from 'vitest'
import {
  applicationSentMails,
  applicationStatusMails,
  employerMails,
} from '../../src/features/applications/applications.mails.ts'
import { newId } from '../../src/lib/ids.ts'
import { type Account, ORIGIN, useBoard } from '../support/board.ts'

const board = useBoard()
const toCandidate = applicationStatusMails((id) => `${ORIGIN}/sent/${id}`)
const sent = applicationSentMails((id) => `${ORIGIN}/sent/${id}`)
const withdrawn = employerMails('withdrawn', (id) => `${ORIGIN}/received/${id}`)
const toEmployer = employerMails('received', (id) => `${ORIGIN}/received/${id}`)

let candidate: Account
let employer: Account
let applicationId: string
beforeEach(async () => {
  candidate = await board.candidate({ first_name: 'Ada', last_name: 'Byron' })
  employer = await board.employer({ name: 'Voltaire Vans' })
  const job = await board.activeJob(employer, { title: 'Van designer' })
  applicationId = newId('application')
  const now = board.clock.now()
  await board.database.inTx(async (tx) => {
    await tx
      .insertInto('application')
      .values({
        id: applicationId,
        job_id: job.id,
        employer_id: employer.id,
        candidate_id: candidate.id,
        cover_letter: 'My secret letter',
        answers: '{}',
        status: 'rejected',
        applied_at: now,
        updated_at: now,
      })
      .execute()
    await tx
      .insertInto('application_status_change')
      .values({ application_id: applicationId, position: 1, status: 'rejected', reason: 'Too private', at: now })
      .execute()
  })
})

const change = (set: object) =>
  board.database.inTx((tx) => tx.updateTable('application').set(set).where('id', '=', applicationId).execute())
const mailTo = (account: Account) => ({
  ...{ id: 'mail_x', account_id: account.id, subject_id: applicationId, details: {}, repeats: null, member_id: null },
})
const composed = (to: 'candidate' | 'employer', details: Record<string, unknown> = { status: 'rejected' }) => {
  const account = to === 'candidate' ? candidate : employer
  const feature = to === 'candidate' ? toCandidate : toEmployer
  const mail = {
    id: 'mail_x',
    account_id: account.id,
    subject_id: applicationId,
    details,
    repeats: null,
    member_id: null,
  }
  return board.database.read((db) => feature.compose(db, mail, board.clock.now()))
}

describe('an email to the candidate', () => {
  test('names the status, the job and the company, but never the reason', async () => {
    const message = await composed('candidate')
    expect(message).toMatchObject({
      subject: 'Not selected: your application for Van designer',
      paragraphs: [
        'The status of your application for “Van designer” at Voltaire Vans is now “Not selected”.',
        'The employer decided not to continue with your application.',
      ],
      link: { text: 'View your application', url: `${ORIGIN}/sent/${applicationId}` },
      reason: 'You’re receiving this email because the status of your application changed.',
      unsubscribeId: candidate.id,
    })
    expect(JSON.stringify(message)).not.toContain('private')
  })

  test("contains the employer's messages up to the reported status change, including messages of replaced emails but not of reverted rejections", async () => {
    const at = board.clock.now()
    await board.database.inTx((tx) =>
      tx
        .insertInto('application_status_change')
        .values(
          [
            ['contacted', 'First.\n\nSecond.'] as const,
            ['rejected', 'Taken back.'] as const,
            ['reviewed', null] as const,
            ['rejected', 'Third.'] as const,
          ].map(([status, message], n) => ({ application_id: applicationId, position: n + 2, status, message, at })),
        )
        .execute(),
    )
    const paragraphs = (await composed('candidate', { status: 'rejected', position: 5 }))!.paragraphs
    expect(paragraphs.slice(2)).toEqual(['Voltaire Vans wrote:', 'First.', 'Second.', 'Third.'])
    expect((await composed('candidate'))!.paragraphs).toHaveLength(2)
  })

  test('omits messages so old that the service may have deleted the email that contained them', async () => {
    const at = board.clock.now()
    const add = (position: number, message: string | null, time: Date) =>
      board.database.inTx((tx) =>
        tx
          .insertInto('application_status_change')
          .values({ application_id: applicationId, position, status: 'contacted', message, at: time })
          .execute(),
      )
    await change({ status: 'contacted' })
    const composedAt = async (position: number) =>
      (await composed('candidate', { status: 'contacted', position }))!.paragraphs.slice(2)
    await add(2, 'Old.', new Date(at.getTime() - 31 * 86_400_000))
    // The email for the message itself may be sent late.
    expect(await composedAt(2)).toEqual(['Voltaire Vans wrote:', 'Old.'])
    await add(3, 'New.', at)
    expect(await composedAt(3)).toEqual(['Voltaire Vans wrote:', 'New.'])
  })

  test.each<[string, object]>([
    ['the status changed again', { status: 'contacted' }],
    ['the application was withdrawn', { withdrawn_at: new Date() }],
    ['the profile was erased', { candidate_id: null }],
  ])('is not sent after %s', async (_what, set) => {
    await change(set)
    expect(await composed('candidate')).toBeUndefined()
  })
})

describe('an email to the employer', () => {
  test('names the candidate and the job', async () => {
    expect(await composed('employer', {})).toMatchObject({
      subject: 'New application: Van designer',
      paragraphs: ['Ada Byron applied for “Van designer”.'],
      link: { url: `${ORIGIN}/received/${applicationId}` },
      unsubscribeId: employer.id,
    })
  })

  test.each<[string, object]>([
    ['the application was withdrawn', { withdrawn_at: new Date() }],
    ['the profile was erased', { candidate_id: null }],
  ])('is not sent after %s', async (_what, set) => {
    await change(set)
    expect(await composed('employer', {})).toBeUndefined()
  })
})

test('the subject of a status email names the new status, unless the email address is unconfirmed', () => {
  const messages = toCandidate.samples().map(({ message }) => message)
  expect(messages.map(({ subject }) => subject)).toEqual([
    'Not reviewed yet: your application for Electrician',
    'Reviewed: your application for Electrician',
    'In touch: Northgear Energy and your application for Electrician',
    'Not selected: your application for Electrician',
    'You’re hired: Electrician at Northgear Energy',
  ])
  expect(new Set(messages.map(({ neutral }) => neutral.subject)).size).toBe(1)
})

test('the candidate gets an email about a sent application, and the employer about a withdrawn application', async () => {
  const [toSender, toOwner] = [mailTo(candidate), mailTo(employer)]
  const now = board.clock.now()
  const both = () =>
    board.database.read(async (db) => [
      await sent.compose(db, toSender, now),
      await withdrawn.compose(db, toOwner, now),
    ])
  const [confirmation, early] = await both()
  expect(early).toBeUndefined()
  expect(confirmation).toMatchObject({
    subject: 'Application sent: Van designer',
    paragraphs: ['We sent your application for “Van designer” to Voltaire Vans.', expect.stringContaining('withdraw')],
    link: { url: `${ORIGIN}/sent/${applicationId}` },
    unsubscribeId: candidate.id,
  })
  await change({ withdrawn_at: now })
  const [late, report] = await both()
  expect(late).toBeUndefined()
  expect(report).toMatchObject({
    subject: 'Application withdrawn: Van designer',
    paragraphs: ['Ada Byron withdrew their application for “Van designer”.'],
    link: { url: `${ORIGIN}/received/${applicationId}` },
    unsubscribeId: employer.id,
  })
  await board.database.inTx((tx) => withdrawn.unsubscription.unsubscribe(tx, employer.id, now))
  expect((await both())[1]).toBeUndefined()
})

describe.each(['candidate', 'employer'] as const)('unsubscribing the %s from emails', (to) => {
  test('stops these emails, but not the emails to the other side', async () => {
    const [account, feature] = to === 'candidate' ? [candidate, toCandidate] : [employer, toEmployer]
    const { unsubscription } = feature
    const describeIt = (id: string) => board.database.read((db) => unsubscription.describe(db, id))
    expect(await describeIt(account.id)).toBeTypeOf('string')
    expect(await describeIt('cand_00000000000000000000000000')).toBeUndefined()
    for (let time = 0; time < 2; time++) {
      await board.database.inTx((tx) => unsubscription.unsubscribe(tx, account.id, board.clock.now()))
    }
    expect(await composed(to)).toBeUndefined()
    expect(await composed(to === 'candidate' ? 'employer' : 'candidate')).toBeDefined()
  })
})
