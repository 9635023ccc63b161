/** The recipients of emails, and the language: the one in which the recipient last signed in, or the default language. */
import { sql } from 'kysely'
import type { Email } from 'postal-mime'
import { expect, test } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { makeAlert } from '../support/alerts.ts'
import { type Account, ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import { heldRun } from '../support/feeds.ts'
import { headerOf, mailsIn, runAlerts } from '../support/mails.ts'
import { invite, inviteStaff, joined, joinedStaff } from '../support/members.ts'
import { type Visitor, visitor } from '../support/pages.ts'
import { report, uphold } from '../support/reports.ts'
import { runTask } from '../support/tasks.ts'

const board = useBoard()

/** Sends the pending emails and returns the newest one to an address. */
async function newestTo(address: string): Promise<Email> {
  await runTask(board, 'mail')
  const mails = await mailsIn(board.config.dataDir)
  return mails.filter(({ to }) => to?.some((each) => each.address === address)).at(-1)!
}

async function linkFor(address: string): Promise<Email> {
  const guest = await visitor(board)
  await guest.submit(await guest.get('/sign-in'), '/sign-in/link', { email: address })
  return newestTo(address)
}

const languageOf = ({ html }: Email) => /<html lang="(\w+)">/.exec(html!)![1]

async function reader(email: string): Promise<Account> {
  const account = await board.candidate({ email })
  await board.database.inTx((tx) =>
    sql`update account set email_confirmed_key = email_key where id = ${account.id}`.execute(tx),
  )
  return account
}

test.each([
  ['en', 'Your sign-in link for Job Marketplace', 'Sign in', 'Stop all emails to this address:'],
  ['de', 'Ihr Anmeldelink für Job Marketplace', 'Anmelden', 'Keine E-Mails mehr an diese Adresse:'],
  [
    'fr',
    'Votre lien de connexion à Job Marketplace',
    'Se connecter',
    'Ne plus recevoir d’e-mails à cette adresse\u00a0:',
  ],
  [
    'es',
    'Su enlace de inicio de sesión en Job Marketplace',
    'Iniciar sesión',
    'No recibir más correos en esta dirección:',
  ],
  ['ja', 'Job Marketplaceのログインリンク', 'ログイン', 'このアドレスへのメールをすべて停止：'],
])('emails are in the language in which the account’s owner opens a page: %s', async (language, subject, ...words) => {
  const email = `${language}@candidate.example`
  const owner = await visitor(board, await reader(email))
  await owner.get(`/${language}/jobs`)
  const mail = await linkFor(email)
  expect(mail.subject).toBe(subject)
  expect([languageOf(mail), headerOf(mail, 'content-language')]).toEqual([language, language])
  for (const word of words) {
    expect(mail.text).toContain(word)
    expect(mail.html).toContain(word.replace(/\s?[:：]$/, ''))
  }
})

test('an account registered on the website has the page’s language', async () => {
  const email = 'neu@candidate.example'
  const guest = await visitor(board)
  const page = await guest.get('/de/register/candidate')
  await guest.submit(page, '/register/candidate', { first_name: 'Ute', last_name: 'Kern', email })
  const mail = await newestTo(email)
  expect(mail.subject).toBe('Ihr Anmeldelink für Job Marketplace')
  expect(mail.text).toContain('Mit diesem Link melden Sie sich an.')
})

test('signing in changes the language, and opening more pages writes nothing', async () => {
  const account = await reader('signs-in@candidate.example')
  const guest = await visitor(board)
  await guest.get('/es')
  await guest.signIn(account)
  const version = async () => {
    const { rows } = await board.database.read((db) =>
      sql<{ language: string; xmin: string }>`
        select language, xmin::text from account where id = ${account.id}`.execute(db),
    )
    return rows[0]!
  }
  const before = await version()
  expect(before.language).toBe('es')
  for (const path of ['/es/jobs', '/jobs', '/es']) await guest.get(path)
  expect(await version()).toEqual(before)
})

test('a German job alert has German numbers, plural forms and salaries', async () => {
  const email = 'suche@candidate.example'
  const account = await reader(email)
  await (await visitor(board, account)).get('/de')
  await makeAlert(board, account, { name: 'Schweißer', criteria: { search: 'welder' }, frequency: 'instant' })
  const employer = await board.employer({ name: 'Northgear' })
  const salary = { min: 50_000, max: 60_000.5, currency: 'EUR', period: 'year' }
  await board.activeJob(employer, {
    title: 'Welder',
    location: 'Leeds',
    workplace: 'hybrid',
    salary: { ...salary, max: 60_000 },
  })
  await runAlerts(board)
  const one = await newestTo(email)
  expect(one.subject).toBe('Ein neuer Job für „Schweißer“')
  expect(one.text).toContain('Eine neue Stelle passt zu Ihrem Suchauftrag „Schweißer“.')
  expect(one.text).toContain('Northgear, Leeds (hybrid)\n50.000 bis 60.000 EUR pro Jahr')
  expect(one.html).toContain('Alle passenden Jobs ansehen')
})

test("an account's owner can choose a language, and the export contains it", async () => {
  const account = await reader('chooses@candidate.example')
  const owner = await visitor(board, account)
  const page = await owner.submit(await owner.get('/account'), '/account/language', { language: 'ja' })
  expect([page.path, page.document.querySelector('html')!.getAttribute('lang')]).toEqual(['/ja/account', 'ja'])
  expect(page.seen).toContain('言語を変更しました。')
  const { body } = await board.get('/v1/candidates/export', account.key)
  expect(body.data.account.language).toBe('ja')
  expect(languageOf(await linkFor('chooses@candidate.example'))).toBe('ja')
})

test('without a language, or with a language that the board no longer offers, emails are in the default language', async () => {
  await reader('quiet@candidate.example')
  expect(languageOf(await linkFor('quiet@candidate.example'))).toBe('en')
  const japanese = await visitor(board, await reader('moved@candidate.example'))
  await japanese.get('/ja')
  const body = { languages: ['fr', 'de'], default_language: 'fr' }
  expectStatus(await board.put('/v1/admin/board', ADMIN_KEY, body), 200)
  board.clock.advance(3_600_000)
  expect(languageOf(await linkFor('quiet@candidate.example'))).toBe('fr')
  expect(languageOf(await linkFor('moved@candidate.example'))).toBe('fr')
})

/** Sends the pending emails and returns the recipients, languages and subjects of the new emails, without invitations. */
async function sentBy(action: () => Promise<unknown>): Promise<[to: string, language: string, subject: string][]> {
  await runTask(board, 'mail')
  const former = (await mailsIn(board.config.dataDir)).length
  await action()
  for (let round = 0; round < 3; round++) await runTask(board, 'mail')
  const mails = (await mailsIn(board.config.dataDir)).slice(former)
  return mails
    .map((mail) => [mail.to![0]!.address!, languageOf(mail)!, mail.subject!] as [string, string, string])
    .sort()
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
    // Emails that wait for someone who has left are dropped.
    expectStatus(await board.delete(`/v1/admin/members/${former.member.id}`, ADMIN_KEY), 204)
  })
  expect(sent).toEqual([
    [admin.member.email, 'de', 'Job gemeldet: Roofer'],
    [moderator.member.email, 'fr', 'Offre signalée : Roofer'],
  ])
  expect(await sentBy(() => heldRun(board))).toEqual([
    [admin.member.email, 'de', expect.stringContaining('Voltaire careers')],
  ])
  // An account with the same address gets no second email.
  await board.database.inTx((tx) =>
    sql`
      insert into account (id, kind, name, name_sort, email, email_key, created_at)
      values ('acc_second_admin', 'admin', 'Second', 'second', ${admin.member.email}, ${admin.member.email}, now())`.execute(
      tx,
    ),
  )
  expect((await sentBy(() => report(board))).map(([to]) => to)).toEqual([admin.member.email, moderator.member.email])
})

test('ends and removals of jobs are emailed to the employer and the members who post, each once', async () => {
  const body = { languages: ['en', 'de', 'fr'], default_language: 'en' }
  expectStatus(await board.put('/v1/admin/board', ADMIN_KEY, body), 200)
  const email = 'posts@team.example'
  const employer = await board.employer({ email })
  await board.database.inTx((tx) =>
    sql`update account set email_confirmed_key = email_key where id = ${employer.id}`.execute(tx),
  )
  const recruiter = await joined(board, employer, 'recruiter')
  const stopped = await joined(board, employer, 'recruiter')
  await joined(board, employer, 'viewer')
  await invite(board, employer, { role: 'owner' })
  await choose(recruiter.visitor, 'de')
  const days = (count: number) => new Date(board.clock.time + count * DAY_MS).toISOString()
  const job = await board.activeJob(employer, { title: 'Roofer', expires_at: days(10) })
  board.clock.advance(7 * DAY_MS)
  const ending = await sentBy(() => runTask(board, 'ending-jobs'))
  expect(ending.map(([to, language]) => [to, language])).toEqual(
    [
      [email, 'en'],
      [recruiter.member.email, 'de'],
      [stopped.member.email, 'en'],
    ].sort(),
  )
  const mail = await newestTo(stopped.member.email)
  const [, never] = /https:\/\/board\.example(\/unsubscribe\/\S+)/.exec(mail.text!)!
  const confirmed = {
    body: 'List-Unsubscribe=One-Click',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }
  expectStatus(await board.call('POST', never!, confirmed), 200)
  const reported = await report(board, { jobId: job.id })
  const removed = await sentBy(() => uphold(board, reported))
  expect(removed.filter(([, , subject]) => subject.includes('Roofer')).map(([to]) => to)).toEqual(
    [email, recruiter.member.email].sort(),
  )
})
