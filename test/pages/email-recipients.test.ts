/** Emails to accounts with several people: each email address gets one email, in the person's language. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { apply } from '../support/applications.ts'
import { ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import { heldRun } from '../support/feeds.ts'
import { languageOf, mailsIn, newestMailTo, unsubscribePath } from '../support/mails.ts'
import { invite, inviteStaff, joined, joinedStaff } from '../support/members.ts'
import type { Visitor } from '../support/pages.ts'
import { begin } from '../support/payments.ts'
import { report, uphold } from '../support/reports.ts'
import { runTask } from '../support/tasks.ts'
import { dispatch, makeWebhook } from '../support/webhooks.ts'

const board = useBoard()

/** Sends the pending emails, runs the action, and returns the recipient, language and subject of each new email. */
async function sentBy(action: () => Promise<unknown>): Promise<[to: string, language: string, subject: string][]> {
  await runTask(board, 'mail')
  const former = (await mailsIn(board.config.dataDir)).length
  await action()
  await runTask(board, 'mail')
  const mails = (await mailsIn(board.config.dataDir)).slice(former)
  return mails
    .map((mail) => [mail.to![0]!.address!, languageOf(mail)!, mail.subject!] as [string, string, string])
    .sort((one, other) => one.join().localeCompare(other.join(), 'en', { numeric: true }))
}

const choose = async (visitor: Visitor, language: string) =>
  visitor.submit(await visitor.get('/account'), '/account/language', { language })

test('reports are emailed to all staff, and held feeds to admins, each in their own language', async () => {
  const body = { languages: ['en', 'de', 'fr'], default_language: 'en' }
  expectStatus(await board.put('/v1/admin/board', ADMIN_KEY, body), 200)
  const admin = await joinedStaff(board, 'admin')
  const moderator = await joinedStaff(board, 'moderator')
  await inviteStaff(board)
  await choose(admin.visitor, 'de')
  await choose(moderator.visitor, 'fr')
  const former = await joinedStaff(board, 'moderator')
  const { id } = await board.activeJob(await board.employer(), { title: 'Roofer' })
  const sent = await sentBy(async () => {
    await report(board, { jobId: id })
    await report(board, { jobId: id })
    // Pending emails to someone who has left are dropped.
    expectStatus(await board.delete(`/v1/admin/members/${former.member.id}`, ADMIN_KEY), 204)
  })
  expect(sent).toEqual([
    [admin.member.email, 'de', 'Job gemeldet: Roofer'],
    [moderator.member.email, 'fr', 'Offre signalée : Roofer'],
  ])
  expect(await sentBy(() => heldRun(board))).toEqual([
    [admin.member.email, 'de', expect.stringContaining('Voltaire careers')],
  ])
  // An account with the same email address gets no second email.
  await board.database.inTx((tx) =>
    sql`
      insert into account (id, kind, name, name_sort, email, email_key, created_at)
      values ('acc_second_admin', 'admin', 'Second', 'second', ${admin.member.email}, ${admin.member.email}, now())`.execute(
      tx,
    ),
  )
  expect((await sentBy(() => report(board))).map(([to]) => to)).toEqual([admin.member.email, moderator.member.email])
})

let teams = 0

/**
 * Creates an employer with an owner who reads French, a recruiter who reads German, a viewer, and an owner who has not
 * accepted the invitation. `email` is the account's email address.
 */
async function team() {
  const body = { languages: ['en', 'de', 'fr'], default_language: 'en' }
  expectStatus(await board.put('/v1/admin/board', ADMIN_KEY, body), 200)
  const email = `company-${++teams}@team.example`
  const employer = await board.employer({ email })
  await board.database.inTx((tx) =>
    sql`update account set email_confirmed_key = email_key where id = ${employer.id}`.execute(tx),
  )
  const owner = await joined(board, employer, 'owner')
  const recruiter = await joined(board, employer, 'recruiter')
  await joined(board, employer, 'viewer')
  await invite(board, employer, { role: 'owner' })
  await choose(owner.visitor, 'fr')
  await choose(recruiter.visitor, 'de')
  return { employer, email, owner, recruiter }
}

const unsubscribe = async (path: string) =>
  expectStatus(
    await board.call('POST', path, {
      body: 'List-Unsubscribe=One-Click',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
    200,
  )

test('the employer and each member who may post jobs get one email about an ending or removed job', async () => {
  const { employer, email, owner, recruiter } = await team()
  const stopped = await joined(board, employer, 'recruiter')
  const days = (count: number) => new Date(board.clock.time + count * DAY_MS).toISOString()
  const job = await board.activeJob(employer, { title: 'Roofer', expires_at: days(10) })
  board.clock.advance(7 * DAY_MS)
  const ending = await sentBy(() => runTask(board, 'ending-jobs'))
  expect(ending.map(([to, language]) => [to, language])).toEqual([
    [email, 'en'],
    [owner.member.email, 'fr'],
    [recruiter.member.email, 'de'],
    [stopped.member.email, 'en'],
  ])
  const mail = await newestMailTo(board, stopped.member.email)
  const [, never] = /https:\/\/board\.example(\/unsubscribe\/\S+)/.exec(mail.text!)!
  await unsubscribe(never!)
  const reported = await report(board, { jobId: job.id })
  const removed = await sentBy(() => uphold(board, reported))
  expect(removed.filter(([, , subject]) => subject.includes('Roofer')).map(([to]) => to)).toEqual([
    email,
    owner.member.email,
    recruiter.member.email,
  ])
})

test('applications, messages and withdrawals are emailed to the employer, owners and recruiters, who can opt out individually', async () => {
  const { employer, email, owner, recruiter } = await team()
  const candidate = await board.candidate()
  const job = await board.activeJob(employer, { title: 'Roofer' })
  const everyone = [email, owner.member.email, recruiter.member.email]
  const toTeam = async (action: () => Promise<unknown>) =>
    (await sentBy(action)).filter(([to]) => everyone.includes(to))

  let id = ''
  expect(
    await toTeam(async () => {
      id = (await apply(board, candidate, job.id)).id
    }),
  ).toEqual([
    [email, 'en', 'New application: Roofer'],
    [owner.member.email, 'fr', 'Nouvelle candidature : Roofer'],
    [recruiter.member.email, 'de', 'Neue Bewerbung: Roofer'],
  ])
  // The member's link turns off only this member's emails. The member's account page shows the change.
  await unsubscribe(unsubscribePath(await newestMailTo(board, recruiter.member.email)))
  const account = await recruiter.visitor.get('/account')
  expect(
    account.document.querySelector('input[name=mail_on_application][type=checkbox]')!.hasAttribute('checked'),
  ).toBe(false)
  const profile = expectStatus(await board.get('/v1/employers/profile', employer.key), 200).body.data
  expect(profile.mail_on_application).toBe(true)
  const write = (text: string) => board.post(`/v1/candidates/applications/${id}/messages`, candidate.key, { text })
  expect((await toTeam(() => write('Hello'))).map(([to]) => to)).toEqual([email, owner.member.email])
  await recruiter.visitor.submit(account, '/account/emails', { mail_on_application: 'true' })
  // The account's preference applies only to its own email address.
  expectStatus(await board.put('/v1/employers/profile', employer.key, { mail_on_application: false }), 200)
  expect((await toTeam(() => write('Hello?'))).map(([to]) => to)).toEqual([owner.member.email, recruiter.member.email])
  expect(await toTeam(() => board.post(`/v1/candidates/applications/${id}/withdraw`, candidate.key, {}))).toEqual([
    [owner.member.email, 'fr', 'Candidature retirée : Roofer'],
    [recruiter.member.email, 'de', 'Bewerbung zurückgezogen: Roofer'],
  ])
})

test('payments are emailed to the employer, owners and recruiters, and failing webhooks to the employer and owners', async () => {
  const { employer, email, owner, recruiter } = await team()
  const { id } = await board.job(employer, { title: 'Roofer' })
  await board.restart({ PAYMENTS: 'manual' })
  expectStatus(
    await board.put('/v1/admin/board', ADMIN_KEY, {
      bank_account_name: 'Gearwright Ltd',
      bank_iban: 'GB33BUKB20201555555555',
      bank_bic: 'BUKBGB22',
    }),
    200,
  )
  const toOf = (sent: readonly (readonly string[])[]) => sent.map(([to]) => to)
  const buyers = [email, owner.member.email, recruiter.member.email]
  let payment = ''
  const ordered = await sentBy(async () => {
    payment = (await begin(board, employer, ['job-post'], id)).id
  })
  expect(toOf(ordered)).toEqual(buyers)
  const paid = await sentBy(() => board.post(`/v1/admin/payments/${payment}/mark-paid`, ADMIN_KEY))
  expect(toOf(paid)).toEqual(buyers)
  expect(paid.map(([, language]) => language).sort()).toEqual(['de', 'en', 'fr'])

  const owners = [email, owner.member.email]
  const hook = await makeWebhook(board, employer)
  const replies: Record<string, number> = { [hook.url]: 500 }
  board.receiver.reply = ({ url }) => replies[url] ?? 200
  await board.job(employer)
  await dispatch(board)
  board.clock.advance(3_600_000)
  const failing = await sentBy(async () => {
    await runTask(board, 'failing-webhooks')
    await runTask(board, 'failing-webhooks')
  })
  expect(failing.map(([to, , subject]) => [to, subject.includes(new URL(hook.url).host)])).toEqual(
    owners.map((to) => [to, true]),
  )
  // Each recipient gets at most one of these emails a day, even if the webhook recovers and fails again.
  replies[hook.url] = 200
  await dispatch(board)
  replies[hook.url] = 500
  await board.job(employer)
  await dispatch(board)
  board.clock.advance(3_600_000)
  expect(await sentBy(() => runTask(board, 'failing-webhooks'))).toEqual([])
  expect(toOf(await sentBy(async () => board.clock.advance(DAY_MS)))).toEqual(owners)
  replies[hook.url] = 410
  await board.job(employer)
  expect(toOf(await sentBy(() => dispatch(board)))).toEqual(owners)
  board.receiver.reply = () => 200
})
