/** Emails are in the language that the account last used or chose on the website, or else in the default language. */
import { sql } from 'kysely'
import type { Email } from 'postal-mime'
import { expect, test } from 'vitest'
import { makeAlert } from '../support/alerts.ts'
import { type Account, ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import { headerOf, languageOf, newestMailTo, runAlerts } from '../support/mails.ts'
import { visitor } from '../support/pages.ts'

const board = useBoard()

async function linkFor(address: string): Promise<Email> {
  const guest = await visitor(board)
  await guest.submit(await guest.get('/sign-in'), '/sign-in/link', { email: address })
  return newestMailTo(board, address)
}

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
])('opening a page in a language changes the language of emails: %s', async (language, subject, ...words) => {
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
  const mail = await newestMailTo(board, email)
  expect(mail.subject).toBe('Ihr Anmeldelink für Job Marketplace')
  expect(mail.text).toContain('Mit diesem Link melden Sie sich an.')
})

test('signing in changes the language, and opening more pages in that language writes nothing', async () => {
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

test('a job alert email in German has German texts and number formats', async () => {
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
  const one = await newestMailTo(board, email)
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
