/** The admin area's search, activity, jobs, products, rates, blocks, emails, tasks and sessions, without JavaScript. */
import { beforeAll, describe, expect, test } from 'vitest'
import { createKeyByOperator, OPERATOR_ID } from '../../src/features/accounts/index.ts'
import { apply } from '../support/applications.ts'
import { ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import { failedEmail } from '../support/mails.ts'
import { joinedStaff, STAFF } from '../support/members.ts'
import { faultOf, type Page, type Visitor, visitor } from '../support/pages.ts'
import { begin } from '../support/payments.ts'
import { runTask } from '../support/tasks.ts'

const board = useBoard()
let operator: Visitor
let reader: Visitor

beforeAll(async () => {
  operator = await visitor(board, { key: ADMIN_KEY })
  const key = await board.keyWith({ id: '', key: ADMIN_KEY }, ['admin:read'])
  reader = await visitor(board, { key })
})

const actionsIn = (page: Page) =>
  page.document.querySelectorAll('form[method="post"]').map((form) => form.getAttribute('action'))

describe('blocks', () => {
  const path = '/desk/blocks'

  test('are created, shown and deleted', async () => {
    const empty = await operator.get(path)
    expect(empty.seen).toContain('Nothing is blocked')
    const form = { kind: 'email_domain', value: 'Spam.example', reason: 'Sends <b>spam</b>' }
    const created = await operator.submit(empty, path, form)
    expect(created.seen).toContain('spam.example blocked.')
    expect(created.seen).toContain('Sends <b>spam</b>')
    const email = 'a@spam.example'
    expect((await board.post('/v1/employers', undefined, { name: 'Spam', email })).body.code).toBe('email_blocked')
    const action = actionsIn(created).find((one) => one?.endsWith('/delete'))!
    expect((await operator.submit(created, action)).seen).toContain('Block deleted.')
    expect((await board.post('/v1/employers', undefined, { name: 'Spam', email })).status).toBe(201)
  })

  test('show errors next to the field, and keep the input', async () => {
    const page = await operator.get(path)
    const answer = await operator.submit(page, path, { kind: 'network', value: 'nonsense', reason: 'Scrapes' })
    expect([answer.status, faultOf(answer, 'value')]).toEqual([
      422,
      'Enter an IP address, or a range such as 203.0.113.0/24.',
    ])
    expect(answer.document.querySelector('input[name="reason"]')!.getAttribute('value')).toBe('Scrapes')
    const own = await operator.submit(page, path, { kind: 'network', value: '127.0.0.0/8', reason: 'Slip' })
    expect([own.status, own.seen.includes('your own IP address')]).toEqual([409, true])
  })

  test('prevent registration with the email address, and the form shows an error', async () => {
    expectStatus(
      await board.post('/v1/admin/blocks', ADMIN_KEY, { kind: 'address', value: 'no@entry.example', reason: 'Spam' }),
      201,
    )
    const guest = await visitor(board)
    const page = await guest.get('/register/candidate')
    const form = { first_name: 'No', last_name: 'Entry', email: 'no@entry.example' }
    const answer = await guest.submit(page, '/register/candidate', form)
    expect([answer.status, answer.seen.includes('This email address can’t be used here.')]).toEqual([403, true])
  })
})

describe('emails', () => {
  const path = '/desk/emails'

  const idsIn = (page: Page) =>
    page.document.querySelectorAll('td a').map((link) => link.getAttribute('href')!.slice(path.length + 1))

  test("are found by state, type and a prefix of the recipient's email address", async () => {
    expect((await operator.get(`${path}?to=nobody@`)).seen).toContain('No emails found')
    const failed = await failedEmail(board)
    board.clock.advance(1_000)
    const dropped = await failedEmail(board, { state: 'dropped', kind: 'job-alert', last_error: 'stopped' })
    board.clock.advance(1_000)
    const moved = await failedEmail(board, {
      state: 'sent',
      last_error: null,
      recipient_key: 'former@candidate.example',
    })
    const all = await operator.get(path)
    expect(idsIn(all)).toEqual([moved, dropped, failed])
    expect(all.seen).toContain('550 No such mailbox')
    expect(all.seen).toContain('The recipient stopped all emails to this email address.')
    expect(idsIn(await operator.get(`${path}?state=failed`))).toEqual([failed])
    expect(idsIn(await operator.get(`${path}?kind=job-alert&state=`))).toEqual([dropped])
    expect(idsIn(await operator.get(`${path}?to=+FORMER@`))).toEqual([moved])
    expect(idsIn(await operator.get(`${path}?to=former@x`))).toEqual([])
    const { to } = (await board.get('/v1/admin/emails?state=failed', ADMIN_KEY)).body.data[0]
    expect(idsIn(await operator.get(`${path}?to=${to.slice(0, -3)}`))).toEqual([failed])
    expect((await operator.get(`${path}?state=lost`)).status).toBe(400)
  })

  test('can be resent individually, even if already sent; failed emails can also be resent all at once', async () => {
    const [failed, unknown] = [await failedEmail(board), await failedEmail(board, { state: 'unknown' })]
    const sent = await failedEmail(board, { state: 'sent', last_error: null })
    const doubtful = await operator.get(`${path}/${unknown}`)
    expect(doubtful.seen).toContain('it may arrive twice')
    const one = await operator.submit(doubtful, `${path}/${unknown}/retry`)
    expect([one.path, one.seen.includes('It will be sent within seconds.')]).toEqual([`${path}/${unknown}`, true])
    expect(actionsIn(one)).not.toContain(`${path}/${unknown}/retry`)
    const former = await operator.get(`${path}/${sent}`)
    const again = await operator.submit(former, `${path}/${sent}/retry`)
    expect(again.path).not.toBe(`${path}/${sent}`)
    expect(again.document.querySelector(`a[href="${path}/${sent}"]`)).not.toBeNull()
    expect((await operator.get(`${path}/${sent}`)).document.querySelector(`a[href="${again.path}"]`)).not.toBeNull()
    // A form from another visit is a separate request, which is refused while the first email is pending.
    const early = await operator.submit(await operator.get(`${path}/${sent}`), `${path}/${sent}/retry`)
    expect(early.status).toBe(409)
    const list = await operator.get(`${path}?state=failed`)
    expect(idsIn(list)).toContain(failed)
    expect((await operator.submit(list, `${path}/retry`)).seen).toContain('queued again.')
    expect((await operator.get(`${path}?state=failed`)).seen).toContain('No emails found')
  })

  test('of every kind are previewed in each language and theme, in a sandboxed frame', async () => {
    const page = await operator.get(`${path}/previews`)
    expect(page.headers.get('content-security-policy')).toContain("frame-src 'self'")
    const samples = page.document
      .querySelectorAll('select[name="email"] option')
      .map((one) => one.getAttribute('value')!)
    const kinds = new Set(samples.map((sample) => sample.split('.')[0]))
    const { document } = await operator.get(path)
    const named = document.querySelectorAll('select[name="kind"] option').map((one) => one.getAttribute('value')!)
    expect([...kinds].sort()).toEqual(named.filter((kind) => kind !== '').sort())
    for (const language of ['en', 'de', 'fr', 'es', 'ja']) {
      for (const sample of samples) {
        const shown = await operator.get(`${path}/previews?email=${sample}&language=${language}`)
        expect(shown.document.querySelector('pre')!.textContent).toContain('/unsubscribe/sample')
        const frames = shown.document.querySelectorAll('iframe[sandbox=""]').map((one) => one.getAttribute('src')!)
        for (const [n, src] of frames.entries()) {
          const { headers, text } = await operator.send('GET', src.replaceAll('&amp;', '&'))
          expect(headers.get('content-security-policy')).toMatch(
            /^sandbox; default-src 'none';.* frame-ancestors 'self'$/,
          )
          expect([text.includes(`<html lang="${language}">`), text.includes('#121416')]).toEqual([true, n === 1])
        }
        expect(frames).toHaveLength(2)
      }
    }
    const neutral = await operator.get(`${path}/previews?email=application-received.0&address=unconfirmed`)
    expect(neutral.seen).toContain('You have a new application for one of your jobs.')
    expect(neutral.seen).not.toContain('Amara Okafor')
  })
})

describe('tasks', () => {
  test('run on demand, and show the result', async () => {
    const page = await operator.get('/desk/tasks')
    const asked = await operator.submit(page, '/desk/tasks/mail-purge/run')
    expect(asked.seen).toContain('mail-purge will run within seconds')
    expect(asked.seen).toContain('Waiting')
    await runTask(board, 'task-runs')
    const done = await operator.get('/desk/tasks')
    expect(done.seen).toContain('Done')
    expect(done.seen).not.toContain('Waiting')
  })

  test('that failed come first, with the error and a retry button', async () => {
    const failed_at = new Date(board.clock.time + 1_000)
    await board.database.inTx((tx) =>
      tx
        .insertInto('task_health')
        .values({ task: 'mail-purge', done_at: null, failed_at, error: 'disk <full>' })
        .onConflict((conflict) => conflict.column('task').doUpdateSet({ failed_at, error: 'disk <full>' }))
        .execute(),
    )
    const [first] = (await operator.get('/desk/tasks')).document.querySelectorAll('tbody tr')
    expect(first!.textContent.replace(/\s+/g, ' ')).toMatch(/^mail-purge Failed ?disk <full>.*Retry$/)
  })
})

describe('an account', () => {
  test('shows its sessions, which can be ended one by one or all at once', async () => {
    const employer = await board.employer()
    const at = `/desk/accounts/${employer.id}`
    expect((await operator.get(at)).seen).toContain('Nobody is signed in to this account.')
    const [first, second] = [await visitor(board, employer), await visitor(board, employer)]
    const page = await operator.get(at)
    const one = actionsIn(page).find((action) => /sessions\/ses_\w+\/end$/.test(action ?? ''))!
    const ended = await operator.submit(page, one)
    expect(ended.seen).toContain('Session ended.')
    const paths = await Promise.all([first, second].map(async (inside) => (await inside.get('/account')).path))
    expect(paths.filter((one) => one === '/account')).toHaveLength(1)
    expect((await operator.submit(ended, `${at}/sessions/end`)).seen).toContain('Sessions ended.')
    for (const inside of [first, second]) expect((await inside.get('/account')).path).toContain('/sign-in')
  })

  test('is deleted after a confirmation', async () => {
    const employer = await board.employer({ name: 'Deletable' })
    const { id } = await board.activeJob(employer)
    const at = `/desk/accounts/${employer.id}`
    const page = await operator.get(at)
    expect(page.document.querySelector(`details form[action="${at}/delete"]`)).not.toBeNull()
    const deleted = await operator.submit(page, `${at}/delete`)
    expect([deleted.path, deleted.seen.includes('Account deleted.')]).toEqual(['/desk/accounts', true])
    expect((await operator.get(at)).status).toBe(404)
    expect((await (await visitor(board)).get(`/jobs/${id}`)).status).toBe(404)
    expect((await operator.get('/desk')).seen).toContain('Deleted')
  })
})

describe('the search', () => {
  const find = (text: string) => operator.get(`/desk/search?search=${encodeURIComponent(text)}`)
  const linksIn = (page: Page) =>
    page.document.querySelectorAll('main a[href^="/"]').map((a) => a.getAttribute('href')!)

  test('finds jobs, accounts, companies and payments by word prefixes, and links to the lists', async () => {
    const employer = await board.employer({ name: 'Quillon Übertrage', email: 'pay@quillon.example' })
    const candidate = await board.candidate({ first_name: 'Quilla', last_name: 'Møller' })
    const job = await board.job(employer, { title: 'Fitter' })
    const payment = await begin(board, employer, ['job-post'], job.id)
    const page = await find('QUILL')
    const found = linksIn(page)
    const objects = [`/desk/accounts/${employer.id}`, `/desk/accounts/${candidate.id}`, `/companies/${employer.id}`]
    expect(found).toEqual(expect.arrayContaining([...objects, `/desk/jobs/${job.id}`, `/desk/payments/${payment.id}`]))
    expect(page.seen).toContain('pay@quillon.example · Employer')
    // Each linked list shows the company or its account, job or payment.
    for (const list of ['/desk/accounts', '/desk/companies', '/desk/jobs', '/desk/payments']) {
      const all = found.find((href) => href.startsWith(`${list}?search=QUILL`))!
      expect((await operator.get(all)).seen, list).toContain('Quillon Übertrage')
    }
    expect((await find('uber quil')).seen).toContain('Quillon Übertrage')
    expect((await find('illon')).seen).toContain('Nothing found')
    for (const text of ['%', "'; --", ':*', '\u0000', '\\', `${'x'.repeat(150)} & !y`]) {
      const odd = await find(text)
      expect([odd.status, odd.document.querySelector('h1')]).toEqual([200, expect.anything()])
    }
    expect((await operator.get('/desk/search?search=a&search=b')).status).toBe(200)
  })

  test('shows an exact match by ID, email address, payment reference or invoice number first', async () => {
    const employer = await board.employer({ name: 'Exact Ltd', email: 'Exact@Exact.example' })
    await board.employer({ name: 'exact@exact.example and sons' })
    const job = await board.activeJob(employer, { title: 'Precise' })
    const [payment] = (await board.get('/v1/employers/payments', employer.key)).body.data
    expect(payment.invoice_number).not.toBeNull()
    const exact = {
      [employer.id]: `/desk/accounts/${employer.id}`,
      'EXACT@exact.example': `/desk/accounts/${employer.id}`,
      [job.id]: `/desk/jobs/${job.id}`,
      [payment.id]: `/desk/payments/${payment.id}`,
      [payment.reference.toLowerCase()]: `/desk/payments/${payment.id}`,
      [payment.invoice_number.toLowerCase()]: `/desk/payments/${payment.id}`,
    }
    for (const [text, href] of Object.entries(exact)) {
      const page = await find(` ${text} `)
      expect([page.seen.includes('Exact match'), linksIn(page)[0]], text).toEqual([true, href])
    }
  })

  test('is charged to the search-time budget', async () => {
    const { charged } = board.service.budgets.totals['search-time']
    await find('anything')
    expect(board.service.budgets.totals['search-time'].charged).toBeGreaterThan(charged)
  })
})

describe('jobs', () => {
  test('can be removed with a reason, which upholds their reports, and then restored', async () => {
    const employer = await board.employer({ name: 'Removable' })
    const { id } = await board.activeJob(employer, { title: 'Earn <b>money</b>' })
    const report = await board.post(`/v1/jobs/${id}/reports`, (await board.candidate()).key, { reason: 'fraud' })
    const at = `/desk/jobs/${id}`
    expect((await operator.get('/desk/jobs?state=active&search=earn')).seen).toContain('Earn <b>money</b>')
    const page = await operator.get(at)
    const empty = await operator.submit(page, `${at}/remove`, { reason: ' ' })
    expect([empty.status, faultOf(empty, 'reason')]).toEqual([422, expect.any(String)])
    const removed = await operator.submit(page, `${at}/remove`, { reason: 'It asks for <i>money</i>' })
    expect(removed.seen).toContain('Job removed.')
    expect(removed.seen).toContain('It asks for <i>money</i>')
    expect((await board.get(`/v1/jobs/${id}`, (await board.candidate()).key)).status).toBe(404)
    expect((await board.get(`/v1/admin/reports/${report.body.data.id}`, ADMIN_KEY)).body.data.status).toBe('upheld')
    expect((await operator.get('/desk/jobs?state=removed')).seen).toContain('Earn <b>money</b>')
    expect((await operator.submit(removed, `${at}/restore`)).seen).toContain('It is on the board again.')
    expect((await operator.get('/desk/jobs/job_00000000000000000000000000')).status).toBe(404)
    expect((await operator.get('/desk/jobs?state=lost')).status).toBe(400)
  })
})

describe('the pages for products and rates', () => {
  test('change prices in units of the currency, and stop selling upgrades', async () => {
    const path = '/desk/products/highlighted'
    const page = await operator.get(path)
    expect(page.document.querySelector('input[name="price"]')!.getAttribute('value')).toBe('29.00')
    const broken = await operator.submit(page, path, { price: '29.999' })
    expect([broken.status, faultOf(broken, 'price')]).toEqual([422, 'Enter a price with at most 2 decimals.'])
    const saved = await operator.submit(page, path, { price: '31.40', is_active: [] })
    expect(saved.seen).toContain('Highlighted saved.')
    expect(saved.seen).toContain('31.40 USD')
    const german = await visitor(board, { key: ADMIN_KEY })
    expect((await german.get('/de/desk/products')).seen).toContain('31,40 USD')
    const { data } = (await board.get('/v1/employers/products', ADMIN_KEY)).body
    expect(data.at(-1)).toMatchObject({ amount: 3_140, is_active: false })
    const employer = await board.employer()
    const pay = await (await visitor(board, employer)).get(`/employer/jobs/${(await board.job(employer)).id}/pay`)
    expect([pay.seen.includes('Urgent'), pay.seen.includes('Highlighted')]).toEqual([true, false])
    const outdated = await operator.submit(page, path, { price: '1.00' })
    expect(outdated.status).toBe(412)
    expect((await operator.get('/desk/products/billboard')).status).toBe(404)
  })

  test('replace the exchange rates, and report invalid lines', async () => {
    const path = '/desk/currency-rates'
    const page = await operator.get(path)
    for (const [line, fault] of [
      ['USD 1,25', '“USD 1,25” is not a rate.'],
      ['USD 1\nusd 2', '“usd 2” repeats a currency.'],
      ['DOLLARS 3', '“DOLLARS 3” is not a rate.'],
    ]) {
      const answer = await operator.submit(page, path, { 'rates[]': line! })
      expect([answer.status, faultOf(answer, 'rates[]')]).toEqual([422, expect.stringContaining(fault!)])
    }
    const saved = await operator.submit(page, path, { as_of: '2026-03-01', 'rates[]': 'usd 1.25\n\nGBP: 0.9' })
    expect(saved.seen).toContain('2 rates saved.')
    expect((await board.get('/v1/currency-rates', ADMIN_KEY)).body.data.rates).toEqual({ GBP: 0.9, USD: 1.25 })
    const old = await operator.submit(await operator.get(path), path, { as_of: '2025-12-01' })
    expect(old.seen).toContain('Comparisons between currencies may be off.')
  })
})

describe('the activity', () => {
  /** Creates another admin. */
  async function admin(name: string) {
    const { accountId, key } = await board.database.inTx((tx) =>
      createKeyByOperator(tx, { kind: 'admin' }, name, board.clock.now()),
    )
    return { id: accountId, key }
  }

  test('shows who did what in sentences with links, and is filtered by person, action and day', async () => {
    const helper = await admin('Mina Castellan')
    const employer = await board.employer({ name: 'Watched Works' })
    const { id } = await board.activeJob(employer, { title: 'Watchman' })
    expectStatus(await board.put(`/v1/jobs/${id}`, helper.key, { title: 'Watcher' }), 200)
    expectStatus(await board.post(`/v1/jobs/${id}/close`, helper.key, { reason: 'Filled' }), 200)
    const reason = { reason: 'Fake <u>company</u>' }
    expectStatus(await board.post(`/v1/admin/accounts/${employer.id}/suspend`, ADMIN_KEY, reason), 200)
    const all = await operator.get('/desk/activity')
    expect(all.seen).toContain('Fake <u>company</u>')
    expect(all.document.querySelector(`a[href="/desk/accounts/${employer.id}"]`)!.textContent).toBe('Watched Works')
    const page = await operator.get(`/desk/activity?who=${helper.id}`)
    expect(page.seen).toContain('Activity of Mina Castellan')
    expect(page.seen).toContain('Edited the job Watcher')
    expect(page.seen).toContain('Closed the job Watcher')
    expect(page.seen).not.toContain('Watched Works')
    expect(page.document.querySelector(`main a[href="/desk/jobs/${id}"]`)!.textContent).toBe('Watcher')
    expect(page.seen).toContain('2 actions')
    const person = page.document.querySelector('table a[href^="/desk/activity?who="]')!.getAttribute('href')!
    expect((await operator.get(person)).seen).toContain('2 actions')
    const of = async (query: string) => (await operator.get(`/desk/activity?${query}`)).seen
    expect(await of(`who=${helper.id}&action=job.close&since=&until=`)).toContain('One action')
    const today = board.clock.now().toISOString().slice(0, 10)
    expect(await of(`who=${helper.id}&since=${today}&until=${today}`)).toContain('2 actions')
    expect(await of(`who=${helper.id}&until=2001-01-01`)).toContain('No actions found')
    expect((await operator.get('/desk/activity?since=soon')).status).toBe(400)
    expect(
      (await operator.get(`/desk/accounts/${helper.id}`)).document.querySelector('a[href^="/desk/activity"]'),
    ).not.toBeNull()
  })

  test('names the staff member, even after the person has left, and exports the filtered actions', async () => {
    const { visitor, member } = await joinedStaff(board, 'admin', '=HYPERLINK("x")')
    await visitor.submit(await visitor.get('/desk/settings'), '/desk/settings/registration', { registration: 'open' })
    expectStatus(await board.delete(`${STAFF}/${member.id}`, ADMIN_KEY), 204)
    const all = await operator.get('/desk/activity')
    expect(all.document.querySelector(`table a[href="/desk/activity?who=${member.id}"]`)!.textContent).toBe(
      '=HYPERLINK("x")',
    )
    const own = await operator.get(`/desk/activity?who=${member.id}`)
    expect(own.seen).toContain('Activity of =HYPERLINK("x")')
    expect(own.seen).toContain('One action')
    const path = own.document.querySelector('main a[href*="/export"]')!.getAttribute('href')!
    const file = await operator.send('GET', path)
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const at = board.clock.now().toISOString()
    expect(file.text).toBe(
      `at,who,member_id,account_id,key_name,action,subject,subject_name,note\r\n${at},"'=HYPERLINK(""x"")",${member.id},${OPERATOR_ID},Session,registration.switch,open,,\r\n`,
    )
  })

  test('records changes to products, applications and keys, and shows when recording began', async () => {
    const helper = await admin('Per Lindqvist')
    const employer = await board.employer()
    const { id: job } = await board.activeJob(employer)
    const { id: application } = await apply(board, await board.candidate(), job)
    const key = expectStatus(await board.post('/v1/api-keys', helper.key, { name: 'Second' }), 201).body.data
    expectStatus(await board.delete(`/v1/api-keys/${key.id}`, helper.key), 204)
    expectStatus(await board.put('/v1/admin/products/urgent', helper.key, { amount: 5_000 }), 200)
    const path = `/v1/employers/applications/${application}`
    expectStatus(await board.put(path, helper.key, { status: 'reviewed' }), 200)
    const { seen } = await operator.get(`/desk/activity?who=${helper.id}`)
    for (const text of ['Created the API key Second', 'Revoked the API key Second', 'amount: 50.00 USD']) {
      expect(seen).toContain(text)
    }
    expect(seen).toContain(`Changed the application ${application}`)
    // The tests' clock is behind the time of the migration.
    expect(seen).toContain('have been recorded since')
    await board.database.withClient((client) => client.query("update schema_migration set applied_at = 'epoch'"))
    expect((await operator.get('/desk/activity')).seen).not.toContain('have been recorded since')
    expect((await operator.get('/desk/activity?who=adm_gone/Old')).seen).toContain('adm_gone, key “Old”')
  })
})

test('the filter link of a list shows the number of active filters, not counting sort order and page', async () => {
  const linkOn = async (path: string) => (await operator.get(path)).document.querySelector('[href="#filters"]')!.text
  expect(await linkOn('/desk/accounts?sort=name:asc&page=1&kind=')).toBe('Filter')
  expect(await linkOn('/desk/accounts?kind=employer&is_suspended=false')).toBe('Filter (2)')
  expect(await linkOn('/console/live?type=job.created')).toBe('Filter (1)')
})

test('the pages offer no actions to a read-only key', async () => {
  const employer = await board.employer()
  await visitor(board, employer)
  await failedEmail(board)
  const { id } = await board.activeJob(employer)
  const more = [`/desk/jobs/${id}`, '/desk/products/featured', '/desk/currency-rates']
  for (const path of ['/desk/blocks', '/desk/emails', '/desk/tasks', `/desk/accounts/${employer.id}`, ...more]) {
    const page = await reader.get(path)
    expect(page.status, path).toBe(200)
    expect(
      actionsIn(page).filter((action) => action !== '/sign-out'),
      path,
    ).toEqual([])
  }
})

test('the activity page has no filter to remove before the first action', async () => {
  await board.database.inTx((tx) => tx.deleteFrom('operator_action').execute())
  const { document } = await operator.get('/desk/activity')
  expect([document.querySelector('.empty')!.textContent.trim(), document.querySelector('.empty a')]).toEqual([
    'No actions yet',
    null,
  ])
})
